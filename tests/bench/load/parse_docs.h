/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_PARSE_DOCS_H
#define TESTS_BENCH_LOAD_PARSE_DOCS_H

#include "base/buf.h"

/* Answers of large devices, made of the fields that the real ones have. */

/* Ports with the same number of integers each, compact: the input of the reference's prototypes. */
void doc_integers(struct buf *b, unsigned ports, unsigned integers);
/* The fast script's answer on a SONiC switch with eight lossless priorities. */
void doc_sonic(struct buf *b, unsigned ports);
/* One eAPI answer to show version, show interfaces, PFC, ECN and queue counters. */
void doc_eos(struct buf *b, unsigned ports);
/* The fast script's answer on a host with so many mlx5 NICs. */
void doc_host(struct buf *b, unsigned nics);

/* Cumulus: the counters of queues, priorities and buffers of each port ("qos" of NVUE). */
void doc_cumulus(struct buf *b, unsigned ports);

/* NX-OS: eight queues a port as managed objects, and the same counters as the CLI prints them. */
void doc_nxos_queues(struct buf *b, unsigned ports);
void doc_nxos_queuing(struct buf *b, unsigned ports);
/* Managed objects of received octets ("in"). */
void doc_nxos_in(struct buf *b, unsigned ports);
/* A switch with Linux and FRR: the fast script's answer, and the sessions of two families. */
void doc_frr_fast(struct buf *b, unsigned ports);
void doc_frr_bgp(struct buf *b, unsigned peers);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_RESPONDER_KINDS_H
#define TESTS_BENCH_RESPONDER_KINDS_H

#include <stdint.h>

/*
 * The devices of the responder, of ref256: a host with 8 NICs, and a SONiC leaf switch with 64
 * ports. Every 127.60.x.y is such a host, every 127.61.x.y such a switch.
 */
enum responder_kind { RESPONDER_HOST, RESPONDER_SWITCH, RESPONDER_KINDS };
#define RESPONDER_NAMES                                                                            \
	{                                                                                          \
		"host", "switch"                                                                   \
	}
#define RESPONDER_DIALECTS                                                                         \
	{                                                                                          \
		"linux", "sonic"                                                                   \
	}
#define RESPONDER_NET 60U

/*
 * A command that stands for the dialect's requests of each poll, for programs other than railtop.
 * The program that starts the responder writes its content to DIR/host.command, DIR/host.input and
 * so on.
 */
#define RESPONDER_PAYLOAD "pl-fast"
#define RESPONDER_USER    "noc"

#define RESPONDER_WORKERS_MOST 64
/*
 * The devices' traffic, in DIR/counts, which all processes of the responder map and add to. It
 * shows the real traffic on the wire, independent of the client's own counts.
 */
struct responder_counts {
	_Atomic uint64_t sessions;  /* that are there */
	_Atomic uint64_t bytes;     /* of answers, before encryption */
	_Atomic uint64_t questions; /* that only kept shells are asked, answered */
	_Atomic uint64_t filtered;  /* of these, answered with the changes only */
	_Atomic uint64_t beside;    /* other questions, of kept shells past the filter */
	_Atomic uint64_t apart;     /* of channels of their own */
	_Atomic uint64_t filtering; /* shells whose last answer was filtered */
	_Atomic int32_t worker[RESPONDER_WORKERS_MOST]; /* its processes, 0: none */
};
#define RESPONDER_COUNTS "counts"

#endif

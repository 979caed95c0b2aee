/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_PARSE_H
#define BACKENDS_JOBS_NCCL_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * What NCCL, its plugins, PyTorch and schedulers print, decoded into obs_nccl records. Pure: no
 * I/O, no state; bytes are NUL-terminated at len. False: nothing could be decoded, err says what
 * was expected. True with out->err set: part of it was. Formats and versions: railtop(1).
 */

/*
 * All that a RAS client socket sent: answers to the handshake, then JSON (2.28.7 and later; the
 * comma that 2.28.7-2.28.9 forget is put in) or the text report.
 */
bool nccl_ras_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* MONITOR lines or objects of RAS 2.29 and later. */
bool nccl_ras_monitor_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* Whole lines of an Inspector dump; a broken or cut line costs itself only. */
bool nccl_inspector_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* CoMMA's and the example profiler's files: network steps with their peer. */
bool nccl_profiler_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * One flight recorder dump of one rank: JSON, or the pickle that torch writes, of which only plain
 * dicts, lists, strings, numbers, booleans and None are read: nothing of it is ever executed. A
 * line "# PATH" may precede it: the last number of the file's name is the rank. Without that, the
 * rank is who is in all of the dump's groups. Communicators are called "pgNAME": unique in one job.
 */
bool nccl_flight_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * Lines of a job's log: NCCL_DEBUG of any release, ProcessGroupNCCL watchdog, others ignored. The
 * watchdog's communicators are called as the flight recorder's.
 */
bool nccl_log_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* squeue --json, scontrol show job --json: job -> hosts. */
bool nccl_slurm_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* "JOB: node[000-031]" a line, # begins a comment. */
bool nccl_jobs_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* nvidia-smi topo -m, and nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader. */
bool nccl_topo_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
bool nccl_gpus_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* ip -j addr: the addresses of the host. */
bool nccl_addresses_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * The "nccl" object of an observation line, one of: an Inspector object; a RAS document; a flight
 * recorder dump (with "rank" where it does not tell); an event of MONITOR; {"log": "line"};
 * {"jobs": [{"name", "hosts"}]}; {"ops": [{"job", "comm", "func", "seq", "rank", "nranks", "host",
 * "nic", "gpu", "bytes", "begin_us", "end_us", "peer", "send_us", "send_max_us", "wait_us",
 * "credit_us"}]} (any subset with "rank", also "comm_name", "pid", "took_us"; bench and other
 * collectors use the last). ERR_UNSUPPORTED: it is none of these.
 */
bool nccl_object(const json_t *v, struct obs *out, struct err *err);

#endif

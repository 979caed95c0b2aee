/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_NCCL_PARSE_H
#define BACKENDS_JOBS_NCCL_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/parse/json_value.h"
#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * Decodes the output of NCCL, its plugins, PyTorch and schedulers into obs_nccl records. Pure: no
 * I/O, no state. bytes has a NUL at len. Returns false if nothing could be decoded; err then states
 * the expected format. True with out->err set: only part of it was decoded. Formats and versions:
 * railtop(1).
 */

/*
 * All bytes from a RAS client socket: the answers to the handshake, then JSON (2.28.7 and later) or
 * the text report. The comma that 2.28.7 to 2.28.9 omit is inserted.
 */
bool nccl_ras_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* MONITOR lines or objects of RAS 2.29 and later. */
bool nccl_ras_monitor_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* Whole lines of an Inspector dump; a broken or cut line does not affect the others. */
bool nccl_inspector_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* Files of CoMMA and of the example profiler: network steps with their peer. */
bool nccl_profiler_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * One flight recorder dump of one rank: JSON, or the pickle that torch writes. Of a pickle only
 * plain dicts, lists, strings, numbers, booleans and None are read: nothing of it is ever executed.
 * A line "# PATH" may precede the dump: the last number of the file's name is the rank. Without
 * that line the rank is the member of all groups in the dump. Communicators are named "pgNAME",
 * unique within one job.
 */
bool nccl_flight_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * Lines of a job's log: NCCL_DEBUG of any release, RCCL, network plugins, and the ProcessGroupNCCL
 * watchdog; others are ignored. The watchdog's communicators are named like those of the flight
 * recorder. Times without a zone are read by `zone` ("+0200"; "": unknown, as in nccl_log_parse()),
 * or by a line "@@zone +0200" before them, which is also stored as the fact NCCL_LOG_ZONE. Times
 * without a year are read by out->received_us.
 */
#define NCCL_LOG_ZONE "nccl-log.zone"
bool nccl_log_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
bool nccl_log_parse_at(
	const char *bytes, size_t len, const char *zone, struct obs *out, struct err *err);
/* squeue --json, scontrol show job --json: the hosts of each job. */
bool nccl_slurm_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* One "JOB: node[000-031]" per line, # begins a comment. */
bool nccl_jobs_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* nvidia-smi topo -m, and nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader. */
bool nccl_topo_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * Of NICs that are equally near to a GPU, the one that NCCL takes for its first channel
 * (ncclTopoGetLocalNet, 2.12 and later): gpus of the host share that many nets.
 */
unsigned nccl_local_net(unsigned gpu, unsigned gpus, unsigned nets);
bool nccl_gpus_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/* ip -j addr: the addresses of the host. */
bool nccl_addresses_parse(const char *bytes, size_t len, struct obs *out, struct err *err);
/*
 * The "nccl" object of an observation line, one of:
 *   - an Inspector object
 *   - a RAS document
 *   - a flight recorder dump, with "rank" if it lacks the rank
 *   - an event of MONITOR
 *   - {"log": "line"}
 *   - {"jobs": [{"name", "hosts"}]}
 *   - {"ops": [{"job", "comm", "func", "seq", "rank", "nranks", "host", "nic", "gpu", "bytes",
 *     "begin_us", "end_us", "peer", "send_us", "send_max_us", "wait_us", "credit_us"}]}
 *
 * "ops" may have any subset with "rank", and also "comm_name", "pid", "took_us"; bench and other
 * collectors use it. ERR_UNSUPPORTED: none of these.
 */
bool nccl_object(const struct json_value *v, struct obs *out, struct err *err);

#endif

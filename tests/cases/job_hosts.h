/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CASES_JOB_HOSTS_H
#define TESTS_CASES_JOB_HOSTS_H

#include "diagnosis/engine/diagnosis.h"
#include "diagnosis/trace/trace.h"
#include "tests/bench/diagnosis/bed.h"

/*
 * Two GPU hosts, node-a and node-b, without switches: rails mlx5_0 to mlx5_3 (rdma0 to rdma3,
 * 10.0.RAIL.1 and .2, fd00:1148:9000:RAIL::1), a storage NIC mlx5_4 beside them (stor0, 10.0.4.1),
 * eno1 with 172.16.0.1 and .2, GPU n nearest to mlx5_n. A log of a job is read on node-a the way
 * that the source nccl-log reads it: lines, records, model, diagnosis.
 */
struct job_hosts;
struct job_hosts *job_hosts_new(int64_t now_us);
void job_hosts_free(struct job_hosts *h);
/* Polls both hosts every 5 s, n times, and judges. */
void job_hosts_poll(struct job_hosts *h, unsigned n);
/* The link of that NIC goes down and up between any two polls from now on. */
void job_hosts_flap(struct job_hosts *h, const char *host, const char *nic);
/* Reads the text, or the file of tests/cases/nccl_logs, and polls once. */
void job_hosts_text(struct job_hosts *h, const char *text);
void job_hosts_log(struct job_hosts *h, const char *file);
/* The same, read on that host. */
void job_hosts_text_of(struct job_hosts *h, const char *host, const char *text);
/* The answers of the sources "processes", on that host, and "kubernetes": its list of pods. */
void job_hosts_processes(struct job_hosts *h, const char *host, const char *text);
void job_hosts_pods(struct job_hosts *h, const char *text);
/* RAS answered on node-a. */
void job_hosts_ras(struct job_hosts *h, const char *report);
int64_t job_hosts_now(const struct job_hosts *h);

const struct model *job_hosts_model(const struct job_hosts *h);
/* The open finding of that name at a place ("node-a:mlx5_0"; NULL: the first of that name); NULL.
 */
const struct finding *job_hosts_found(const struct job_hosts *h, const char *id, const char *at);
/* The open finding of that name at that job; NULL. */
const struct finding *job_hosts_of_job(const struct job_hosts *h, const char *id, const char *job);
/* Whether a row of evidence, or the title, has the text. */
bool job_hosts_says(const struct finding *f, const char *text);
/* The same of any open finding. */
bool job_hosts_say(const struct job_hosts *h, const char *text);
/* The trace of a rank of the communicator that has most ranks; the caller frees it. */
struct trace job_hosts_trace(const struct job_hosts *h, int32_t rank);
/* Prints findings, ranks with trouble, and the trace of the rank (-1: none) to stdout. */
void job_hosts_print(const struct job_hosts *h, int32_t rank);

#endif

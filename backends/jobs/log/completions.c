/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "backends/jobs/log/log.h"

/*
 * How libraries word a completion with an error, and a connection that broke: ibv_wc_status_str(),
 * the names of verbs.h, UCX, libfabric, Mooncake. Narrow rows stand above wider ones.
 */
static const struct log_completion completions[] = {
	/* ibv_wc_status, in words that name one wherever they stand */
	{"IBV_WC_LOC_LEN_ERR", 1, TROUBLE_ERROR, true},
	{"local length error", 1, TROUBLE_ERROR, true},
	{"IBV_WC_LOC_QP_OP_ERR", 2, TROUBLE_ERROR, true},
	{"local QP operation error", 2, TROUBLE_ERROR, true},
	{"IBV_WC_LOC_PROT_ERR", 4, TROUBLE_ERROR, true},
	{"local protection error", 4, TROUBLE_ERROR, true},
	{"IBV_WC_WR_FLUSH_ERR", 5, TROUBLE_AFTER, true},
	{"Work Request Flushed Error", 5, TROUBLE_AFTER, true},
	{"memory management operation error", 6, TROUBLE_ERROR, true},
	{"IBV_WC_BAD_RESP_ERR", 7, TROUBLE_ERROR, true},
	{"bad response error", 7, TROUBLE_ERROR, true},
	{"IBV_WC_LOC_ACCESS_ERR", 8, TROUBLE_ERROR, true},
	{"local access error", 8, TROUBLE_ERROR, true},
	{"IBV_WC_REM_INV_REQ_ERR", 9, TROUBLE_ERROR, true},
	{"remote invalid request error", 9, TROUBLE_ERROR, true},
	{"IBV_WC_REM_ACCESS_ERR", 10, TROUBLE_ERROR, true},
	{"remote access error", 10, TROUBLE_ERROR, true},
	{"IBV_WC_REM_OP_ERR", 11, TROUBLE_ERROR, true},
	{"remote operation error", 11, TROUBLE_ERROR, true},
	{"IBV_WC_RNR_RETRY_EXC_ERR", 13, TROUBLE_ERROR, true},
	{"RNR retry count", 13, TROUBLE_ERROR, true},
	{"receiver not ready retry count", 13, TROUBLE_ERROR, true},
	{"receiver-not-ready retry count", 13, TROUBLE_ERROR, true},
	{"IBV_WC_RETRY_EXC_ERR", 12, TROUBLE_ERROR, true},
	{"TRANSPORT_RETRY_EXC_ERR", 12, TROUBLE_ERROR, true},
	{"retry counter exceeded", 12, TROUBLE_ERROR, true},
	{"retry count exceeded", 12, TROUBLE_ERROR, true},
	{"IBV_WC_FATAL_ERR", 19, TROUBLE_ERROR, true},
	{"IBV_WC_RESP_TIMEOUT_ERR", 20, TROUBLE_ERROR, true},
	{"response timeout error", 20, TROUBLE_ERROR, true},
	{"IBV_WC_GENERAL_ERR", 21, TROUBLE_ERROR, true},
	/* the same in fewer words, of an engine that is known to speak of them */
	{"flushed", 5, TROUBLE_AFTER, false},
	{"local protection", 4, TROUBLE_ERROR, false},
	{"local length", 1, TROUBLE_ERROR, false},
	{"remote access", 10, TROUBLE_ERROR, false},
	{"invalid request", 9, TROUBLE_ERROR, false},
	{"remote operation", 11, TROUBLE_ERROR, false},
	{"Remote QP", 11, TROUBLE_ERROR, false},
	/* connections */
	{"RDMA_CM_EVENT_DISCONNECTED", 0, TROUBLE_AFTER, false},
	{"RDMA_CM_EVENT_", 0, TROUBLE_CONNECT, false},
	{"connection reset by remote", 0, TROUBLE_AFTER, false},
	{"remote disconnect", 0, TROUBLE_AFTER, false},
	{"connection timed out", 0, TROUBLE_CONNECT, false},
	{"ibv_create_ah", 0, TROUBLE_CONNECT, false},
	{"endpoint timeout", 0, TROUBLE_ERROR, false},
	{"connection refused", 0, TROUBLE_CONNECT, false},
	{"destination is unreachable", 0, TROUBLE_CONNECT, false},
	{"no route", 0, TROUBLE_CONNECT, false},
	{"connection establishment", 0, TROUBLE_CONNECT, false},
	{"connection retries", 0, TROUBLE_CONNECT, false},
	{"not connect", 0, TROUBLE_CONNECT, false},
	{"failed to connect", 0, TROUBLE_CONNECT, false},
	{"connect(", 0, TROUBLE_CONNECT, false},
	{"resolve address", 0, TROUBLE_CONNECT, false},
	{"remote unreachable", 0, TROUBLE_CONNECT, false},
	{"unhandled timeout", 0, TROUBLE_ERROR, false},
	{"closed connection", 0, TROUBLE_AFTER, false},
	{"remote peer failure", 0, TROUBLE_AFTER, false},
	{" transport to ", 0, TROUBLE_CONNECT, false},
};

const struct log_completion *nccl_log_completion(const char *s, bool of_engine)
{
	for (size_t i = 0; i < sizeof(completions) / sizeof(completions[0]); i++)
		if ((completions[i].anywhere || of_engine) && strcasestr(s, completions[i].words))
			return &completions[i];
	return NULL;
}

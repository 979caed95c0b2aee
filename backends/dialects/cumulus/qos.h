/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_CUMULUS_QOS_H
#define BACKENDS_DIALECTS_CUMULUS_QOS_H

#include "backends/dialects/cumulus/nvue.h"

/* Private to this folder: decoders of NVUE's QoS branches, for the table of views in cumulus.c. */

/* All views of the dialect, of cumulus.c: a decoder can tell which of them the system has. */
extern const struct nvue cumulus_nvue;

nvue_decode_fn cumulus_decode_qos; /* counters of a port's priorities, queues and buffers */
/* A port's row of the RoCE summary. It is a sum, so it is taken if one priority only is lossless.
 */
nvue_decode_fn cumulus_decode_roce;
nvue_decode_fn cumulus_decode_buffer;            /* depths and watermarks of a port */
nvue_decode_fn cumulus_decode_watchdog;          /* state and counts of a port's PFC watchdog */
nvue_decode_fn cumulus_decode_watchdog_settings; /* its interval, of the system */
/* ECN, PFC and maps: a port's QoS branch, or its row of the system's RoCE status. */
nvue_decode_fn cumulus_decode_settings;
nvue_decode_fn cumulus_decode_pools; /* buffer pools of the system */
/* The same by their purpose, from a port's RoCE status. */
void cumulus_roce_pools(struct obs *o, const struct json_value *status);
/* Schedulers of a port, from its QoS branch or its RoCE status. */
need_set cumulus_schedulers(
	struct obs *o, uint32_t port, const struct json_value *v, const struct json_value *status);

#endif

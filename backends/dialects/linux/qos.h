/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_QOS_H
#define BACKENDS_DIALECTS_LINUX_QOS_H

#include "backends/dialects/linux/linux.h"

/* Private to backends/dialects/linux/qos.c and dcb.c. */

/* Settings of one NIC. Numbers: -1 unknown. Maps: "" unknown, else one digit or '-' per entry. */
struct nic_qos {
	int pfc;    /* bit mask of priorities */
	int np, rp; /* bit masks of DCQCN: sends CNPs, reacts to them */
	int cnp_dscp, cnp_prio;
	int tclass, cma_tos; /* ToS bytes */
	int storm_ms;
	bool pauses_all; /* 802.3x is on */
	char trust[16];
	char dscp[65]; /* DSCP to priority */
	char prio_tc[PRIORITIES + 1], prio_buffer[PRIORITIES + 1];
};

/*
 * A tool's text about a NIC, and its effect on the settings. The NICs of a host are mostly
 * configured alike. The same text applied to the same settings gives the same result, so it is
 * decoded once.
 */
struct qos_said {
	const char *body; /* in the answer; NULL: none yet */
	size_t len;
	struct nic_qos before, after;
};
#define QOS_TOOLS 8

struct host_qos {
	VEC(struct nic_qos) nic; /* as in struct host; only NICs with a text */
	struct qos_said said[QOS_TOOLS];
	bool no_dcb;
};

/*
 * `dcb -j OBJECT show dev N`: an object. The output of a driver that refuses is not JSON and is
 * ignored.
 */
void qos_dcb_pfc(struct nic_qos *n, const struct section *s);
void qos_dcb_ets(struct nic_qos *n, const struct section *s);
void qos_dcb_app(struct nic_qos *n, const struct section *s);
void qos_dcb_apptrust(struct nic_qos *n, const struct section *s);
void qos_dcb_buffer(struct nic_qos *n, const struct section *s);
/* `mlnx_qos -i N`: text. It reads the card, so its maps win. */
void qos_mlnx(struct nic_qos *n, const struct section *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"

/*
 * Commands that correct a setting, by dialect. {port}: the port (of a host: its network device);
 * {value}: the check's value, in the form that each line expects. Lines for people to read and
 * judge: nothing here is ever executed.
 */
struct cure {
	const char *dialect;
	enum finding_id id;
	const char *text;
};

static const struct cure cures[] = {
	/* {value}: "3 on" */
	{"sonic", FIND_LINT_PFC, "sudo config interface pfc priority {port} {value}"},
	{"eos", FIND_LINT_PFC, "interface {port}; priority-flow-control priority {value}"},
	{"nxos", FIND_LINT_PFC, "show running-config ipqos  # network-qos: pause pfc-cos {value}"},
	{"cumulus", FIND_LINT_PFC,
		"nv set qos pfc PROFILE switch-priority {value}  # of {port}; then nv config "
		"apply"},
	{"linux", FIND_LINT_PFC, "sudo dcb pfc set dev {port} prio-pfc {value}"},
	/* {value}: "26 3" */
	{"sonic", FIND_LINT_DSCP,
		"redis-cli -n 4 hget 'PORT_QOS_MAP|{port}' dscp_to_tc_map  # map: dscp tc {value}"},
	{"eos", FIND_LINT_DSCP, "show qos maps  # qos map dscp ... to traffic-class: {value}"},
	{"nxos", FIND_LINT_DSCP, "show policy-map interface {port} type qos  # dscp group {value}"},
	{"cumulus", FIND_LINT_DSCP,
		"nv set qos mapping PROFILE dscp D switch-priority P  # {port}: D P = {value}"},
	{"linux", FIND_LINT_DSCP, "dcb app show dev {port} dscp-prio  # should have {value}"},
	{"eos", FIND_LINT_TRUST, "interface {port}; qos trust dscp"},
	{"cumulus", FIND_LINT_TRUST, "nv set interface {port} qos mapping profile PROFILE  # l3"},
	{"linux", FIND_LINT_TRUST, "sudo mlnx_qos -i {port} --trust dscp"},
	{"sonic", FIND_LINT_TRUST, "redis-cli -n 4 hgetall 'PORT_QOS_MAP|{port}'"},
	/* {value}: bytes, "500000 1500000" */
	{"sonic", FIND_LINT_ECN, "ecnconfig -l  # then ecnconfig -p PROFILE -gmin -gmax {value}"},
	{"eos", FIND_LINT_ECN, "interface {port}; tx-queue; random-detect ecn ... bytes {value}"},
	{"nxos", FIND_LINT_ECN, "show policy-map interface {port} type queuing  # {value} bytes"},
	{"cumulus", FIND_LINT_ECN,
		"nv set qos congestion-control PROFILE traffic-class 3 min-threshold-bytes B  # "
		"{port}: {value}"},
	{"linux", FIND_LINT_CNP,
		"echo {value} | sudo tee /sys/class/net/{port}/ecn/roce_np/cnp_dscp"},
	/* {value}: priority */
	{"linux", FIND_LINT_DCQCN,
		"echo 1 | sudo tee /sys/class/net/{port}/ecn/roce_{rp,np}/enable/{value}"},
	/* {value}: bytes */
	{"sonic", FIND_LINT_MTU, "sudo config interface mtu {port} {value}"},
	{"eos", FIND_LINT_MTU, "interface {port}; mtu {value}"},
	{"nxos", FIND_LINT_MTU, "interface {port}; mtu {value}"},
	{"cumulus", FIND_LINT_MTU, "nv set interface {port} link mtu {value}"},
	{"linux", FIND_LINT_MTU, "sudo ip link set dev {port} mtu {value}"},
	/* {value}: "drop, 400 ms, 400 ms" */
	{"sonic", FIND_LINT_WATCHDOG,
		"show pfcwd config  # then config pfcwd start --action for {port}: {value}"},
	{"eos", FIND_LINT_WATCHDOG,
		"interface {port}; priority-flow-control pause watchdog  # {value}"},
	{"nxos", FIND_LINT_WATCHDOG,
		"interface {port}; priority-flow-control watch-dog-interval on  # {value}"},
	{"cumulus", FIND_LINT_WATCHDOG,
		"nv set interface {port} qos pfc-watchdog state enable  # {value}"},
	{"sonic", FIND_LINT_HASH, "show switch-hash global"},
	{"eos", FIND_LINT_HASH, "show load-balance profile"},
	{"nxos", FIND_LINT_HASH, "show ip load-sharing"},
	{"cumulus", FIND_LINT_HASH, "nv show system forwarding"},
};

static size_t put_text(char *dst, size_t size, size_t at, const char *text)
{
	(void)str_copy(dst + at, size - at, text);
	return at + strlen(dst + at);
}

static void fill_template(
	const char *text, const char *port, const char *value, char *dst, size_t size)
{
	size_t at = 0;

	*dst = '\0';
	while (*text && at + 1 < size) {
		if (str_starts(text, "{port}")) {
			at = put_text(dst, size, at, port);
			text += strlen("{port}");
		} else if (str_starts(text, "{value}")) {
			at = put_text(dst, size, at, value);
			text += strlen("{value}");
		} else {
			dst[at++] = *text++;
			dst[at] = '\0';
		}
	}
}

void lint_cure(const struct lint *l, const struct device *d, const struct port *p,
	enum finding_id id, const char *value, char *dst, size_t size)
{
	const char *port = p ? (d->tier == TIER_HOST && *p->netdev ? p->netdev : p->name) : "";

	(void)l;
	*dst = '\0';
	for (size_t i = 0; i < sizeof(cures) / sizeof(cures[0]); i++)
		if (cures[i].id == id && str_eq(cures[i].dialect, d->dialect))
			fill_template(cures[i].text, port, value ? value : "", dst, size);
}

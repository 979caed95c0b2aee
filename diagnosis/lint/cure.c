/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"

/*
 * Commands that correct a setting, by dialect: each changes something, and none only shows it.
 * {port} is the port (of a host: its network device). {1}, {2} and {3} are the words of the check's
 * value; {2:MIN} is MIN where the check knows none. A value that begins with "!" takes the other
 * text: the setting has to go, or to be switched on. Names in capitals are the site's own. Lines
 * for people to read and judge: nothing here is ever executed.
 *
 * NVUE: the profile of a port is default-global unless it has one of its own; syntax of NVIDIA's
 * "Quality of Service" of Cumulus Linux 5.3 to 5.9 and its "NVUE reference, Set and Unset, QoS".
 */
struct cure {
	const char *dialect;
	enum finding_id id;
	const char *text, *other, *third; /* other, third NULL: the same */
};

static const struct cure cures[] = {
	/* "3 on", "!3 off" */
	{.dialect = "sonic",
		.id = FIND_LINT_PFC,
		.text = "sudo config interface pfc priority {port} {1} {2}"},
	{.dialect = "eos",
		.id = FIND_LINT_PFC,
		.text = "interface {port}; priority-flow-control priority {1} no-drop",
		.other = "interface {port}; no priority-flow-control priority {1}"},
	{.dialect = "nxos",
		.id = FIND_LINT_PFC,
		.text = "policy-map type network-qos POLICY; class type network-qos CLASS; pause "
			"pfc-cos {1}",
		.other = "policy-map type network-qos POLICY; class type network-qos CLASS; no "
			 "pause pfc-cos {1}"},
	{.dialect = "cumulus",
		.id = FIND_LINT_PFC,
		.text = "nv set qos pfc PROFILE switch-priority {1}; nv config apply  # PROFILE of "
			"{port}",
		.other = "nv unset qos pfc PROFILE switch-priority {1}; nv config apply  # PROFILE "
			 "of {port}"},
	{.dialect = "linux",
		.id = FIND_LINT_PFC,
		.text = "sudo dcb pfc set dev {port} prio-pfc {1}:{2}"},
	/* "26 3"; "!3 3": a class and its queue; "^3 3": a class and its priority group */
	{.dialect = "sonic",
		.id = FIND_LINT_DSCP,
		.text = "sonic-db-cli CONFIG_DB hset 'DSCP_TO_TC_MAP|MAP' {1:DSCP} {2:TC}  # MAP "
			"of PORT_QOS_MAP|{port}",
		.other = "sonic-db-cli CONFIG_DB hset 'TC_TO_QUEUE_MAP|MAP' {1} {2}  # MAP of "
			 "PORT_QOS_MAP|{port}",
		.third = "sonic-db-cli CONFIG_DB hset 'TC_TO_PRIORITY_GROUP_MAP|MAP' {1} {2}  # "
			 "MAP of PORT_QOS_MAP|{port}"},
	{.dialect = "eos",
		.id = FIND_LINT_DSCP,
		.text = "qos map dscp {1:DSCP} to traffic-class {2:TC}",
		.other = "qos map traffic-class {1} to tx-queue {2}"},
	{.dialect = "nxos",
		.id = FIND_LINT_DSCP,
		.text = "policy-map type qos POLICY; class CLASS; set qos-group {2:GROUP}  # CLASS "
			"matches dscp {1:DSCP}",
		.other = "class-map type queuing match-any c-out-8q-q{2}; match qos-group {1}"},
	{.dialect = "cumulus",
		.id = FIND_LINT_DSCP,
		.text = "nv set qos mapping PROFILE dscp {1:DSCP} switch-priority {2:P}; nv config "
			"apply  # PROFILE of {port}",
		.other = "nv set qos egress-queue-mapping default-global switch-priority {1} "
			 "traffic-class {2}; nv config apply",
		/* PFC takes a priority out of the common group. */
		.third = "nv set qos pfc PROFILE switch-priority {1}; nv config apply  # PROFILE "
			 "of {port}"},
	{.dialect = "linux",
		.id = FIND_LINT_DSCP,
		.text = "sudo dcb app replace dev {port} dscp-prio {1:DSCP}:{2:PRIORITY}"},
	{.dialect = "eos", .id = FIND_LINT_TRUST, .text = "interface {port}; qos trust dscp"},
	{.dialect = "cumulus",
		.id = FIND_LINT_TRUST,
		.text = "nv set qos mapping PROFILE trust l3; nv config apply  # PROFILE of "
			"{port}"},
	{.dialect = "linux", .id = FIND_LINT_TRUST, .text = "sudo mlnx_qos -i {port} --trust dscp"},
	/* A port that has a map of DSCP trusts it. */
	{.dialect = "sonic",
		.id = FIND_LINT_TRUST,
		.text = "sonic-db-cli CONFIG_DB hset 'PORT_QOS_MAP|{port}' dscp_to_tc_map MAP"},
	/* "3 500000 1500000": priority and bytes; "!3": it does not mark at all */
	{.dialect = "sonic",
		.id = FIND_LINT_ECN,
		.text = "sudo ecnconfig -p PROFILE -gmin {2:MIN} -gmax {3:MAX}  # PROFILE of "
			"{port}",
		.other = "sudo ecnconfig -q {1} on"},
	{.dialect = "eos",
		.id = FIND_LINT_ECN,
		.text = "interface {port}; tx-queue {1}; random-detect ecn minimum-threshold "
			"{2:MIN} bytes maximum-threshold {3:MAX} bytes"},
	{.dialect = "nxos",
		.id = FIND_LINT_ECN,
		.text = "policy-map type queuing POLICY; class type queuing CLASS; random-detect "
			"minimum-threshold {2:MIN} bytes maximum-threshold {3:MAX} bytes ecn"},
	{.dialect = "cumulus",
		.id = FIND_LINT_ECN,
		.text = "nv set qos congestion-control PROFILE traffic-class {1} min-threshold "
			"{2:MIN}; likewise max-threshold {3:MAX}; nv config apply",
		.other = "nv set qos congestion-control PROFILE traffic-class {1} ecn enable; nv "
			 "config apply  # PROFILE of {port}"},
	{.dialect = "linux",
		.id = FIND_LINT_CNP,
		.text = "echo {1:DSCP} | sudo tee /sys/class/net/{port}/ecn/roce_np/cnp_dscp"},
	/* priority */
	{.dialect = "linux",
		.id = FIND_LINT_DCQCN,
		.text = "echo 1 | sudo tee /sys/class/net/{port}/ecn/roce_{rp,np}/enable/{1}"},
	/* bytes */
	{.dialect = "sonic", .id = FIND_LINT_MTU, .text = "sudo config interface mtu {port} {1}"},
	{.dialect = "eos", .id = FIND_LINT_MTU, .text = "interface {port}; mtu {1}"},
	{.dialect = "nxos", .id = FIND_LINT_MTU, .text = "interface {port}; mtu {1}"},
	{.dialect = "cumulus",
		.id = FIND_LINT_MTU,
		.text = "nv set interface {port} link mtu {1}; nv config apply"},
	{.dialect = "linux", .id = FIND_LINT_MTU, .text = "sudo ip link set dev {port} mtu {1}"},
	/* "drop 400 400": action, detection and restoration in ms; "!": none is usual */
	{.dialect = "sonic",
		.id = FIND_LINT_WATCHDOG,
		.text = "sudo pfcwd start --action {1:drop} {port} {2:MS} --restoration-time "
			"{3:MS}",
		.other = "sudo pfcwd stop {port}"},
	{.dialect = "eos",
		.id = FIND_LINT_WATCHDOG,
		.text = "interface {port}; priority-flow-control pause watchdog",
		.other = "interface {port}; no priority-flow-control pause watchdog"},
	{.dialect = "nxos",
		.id = FIND_LINT_WATCHDOG,
		.text = "interface {port}; priority-flow-control watch-dog-interval on",
		.other = "interface {port}; priority-flow-control watch-dog-interval off"},
	{.dialect = "cumulus",
		.id = FIND_LINT_WATCHDOG,
		.text = "nv set interface {port} qos pfc-watchdog state enable; nv config apply",
		.other = "nv set interface {port} qos pfc-watchdog state disable; nv config apply"},
	/* "!": the other tier has the same seed */
	{.dialect = "sonic",
		.id = FIND_LINT_HASH,
		.text = "sudo config switch-hash global ecmp-hash FIELDS",
		.other = "sudo config switch-hash global ecmp-hash-algorithm ALGORITHM"},
	{.dialect = "eos",
		.id = FIND_LINT_HASH,
		.text = "load-balance policies; load-balance sand profile PROFILE; fields FIELDS"},
	{.dialect = "nxos",
		.id = FIND_LINT_HASH,
		.text = "ip load-sharing address source-destination port source-destination",
		.other = "ip load-sharing address source-destination port source-destination "
			 "universal-id SEED"},
	{.dialect = "cumulus",
		.id = FIND_LINT_HASH,
		.text = "nv set system forwarding ecmp-hash FIELD on; nv config apply",
		.other = "nv set system forwarding hash-seed SEED; nv config apply  # restarts "
			 "switchd"},
};

static size_t put_text(char *dst, size_t size, size_t at, const char *text)
{
	(void)str_copy(dst + at, size - at, text);
	return at + strlen(dst + at);
}

/* The word of that number, from 1 on; its length in *n, 0: there is none. */
static const char *word_of(const char *value, int number, size_t *n)
{
	value += strspn(value, "!^ ");
	for (; number > 1; number--) {
		value += strcspn(value, " ");
		value += strspn(value, " ");
	}
	*n = strcspn(value, " ");
	return value;
}

/* Fills in "{2:MIN}", which begins at text; returns what follows. */
static const char *put_word(const char *text, const char *value, char *dst, size_t size, size_t *at)
{
	const char *end = strchr(text, '}'), *word;
	char copy[64];
	size_t n;

	word = word_of(value, text[1] - '0', &n);
	if (!n && text[2] == ':') {
		word = text + 3;
		n = (size_t)(end - word);
	}
	(void)str_copyn(copy, sizeof(copy), word, n);
	*at = put_text(dst, size, *at, copy);
	return end + 1;
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
		} else if (text[0] == '{' && text[1] >= '1' && text[1] <= '3') {
			text = put_word(text, value, dst, size, &at);
		} else {
			dst[at++] = *text++;
			dst[at] = '\0';
		}
	}
}

static const char *text_of(const struct cure *c, const char *value)
{
	const char *text = value[0] == '!' ? c->other : value[0] == '^' ? c->third : NULL;

	return text ? text : c->text;
}

void lint_cure(const struct lint *l, const struct device *d, const struct port *p,
	enum finding_id id, const char *value, char *dst, size_t size)
{
	const char *port = p ? (d->tier == TIER_HOST && *p->netdev ? p->netdev : p->name) : "";

	(void)l;
	value = value ? value : "";
	*dst = '\0';
	for (size_t i = 0; i < sizeof(cures) / sizeof(cures[0]); i++)
		if (cures[i].id == id && str_eq(cures[i].dialect, d->dialect))
			fill_template(text_of(&cures[i], value), port, value, dst, size);
}

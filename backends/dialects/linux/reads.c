/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/linux.h"
#include "backends/dialects/role.h"
#include "backends/dialects/linux/change.h"
#include "backends/dialects/linux/switch.h"
#include "backends/contract/reads.h"

/*
 * The allow-list of hosts and of switches that run FRR: see backends/contract/reads.h. Nearly all
 * requests are railtop's own scripts, sent unmodified to `sh -s`.
 */

static const char *const sudo_or_not[] = {"", "sudo -n ", NULL};
static const char *const dcb_or_not[] = {"", sw_fast_dcb, NULL};

static const struct read_script scripts[] = {
	{linux_bmc_script, NULL},
	{linux_condition_script, NULL}, /* condition of a port */
	{linux_detect_script, NULL},
	{linux_fast_script, NULL},
	{linux_lldp_script, NULL},
	{linux_nvfabric_script, NULL},
	{linux_nvlink_script, NULL},
	{linux_optics_script, NULL},
	{linux_perftest_script, NULL}, /* whether perftest is there, and what of it runs */
	{linux_qos_script, NULL},
	{linux_role_script, NULL},
	{linux_slow_script, NULL},
	{linux_subnet_script, NULL},
	{linux_topology_script, NULL},
	{linux_xgmi_script, NULL},
	{sw_detect_script, NULL},
	{sw_fast_script, dcb_or_not},
	{sw_bgp_script, sudo_or_not},
	{sw_lldp_script, sudo_or_not},
	{sw_optics_script, sudo_or_not},
	{sw_slow_script, sudo_or_not},
	{NULL, NULL},
};

/* Lines that may precede a script. */
static const char *const heads[] = {
	"T='timeout 2'",
	"SUDO='sudo -n'",
	"Q='**'",
	linux_fast_head_rule,
	"P=*", /* condition: the port */
	"B=0", /* condition: whether to query BGP */
	"B=1",
	NULL,
};

/* Logs. */
static const char *const follows[] = {
	"dmesg --follow-new --time-format iso",
	"journalctl -f -n 100 -o short-iso",
	"journalctl -k -f -n 0 -o short-iso",
	"sudo -n journalctl -k -f -n 0 -o short-iso",
	"tail -n 0 -F /var/log/kern.log",
	"tail -n 0 -F /var/log/messages",
	"tail -n 0 -F /var/log/syslog",
	NULL,
};

/* Commands without input. */
static const char *const commands[] = {
	NULL,
};

static const struct read_list list = {
	.commands = commands, .follows = follows, .scripts = scripts, .heads = heads};

bool linux_reads(const struct request *r)
{
	return reads_listed(&list, r);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/linux/change.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * The command of each change. The user root needs no sudo; other users use `sudo -n`, which fails
 * at once if it needs a password.
 */

#define LOCATE_LEAST_S 5
#define LOCATE_MOST_S  3600
#define SUDOERS        "give the login these rights (visudo): USER ALL=(root) NOPASSWD: "

/* ---- reading the condition ---- */

/*
 * P: the port, a netdev or an RDMA device. B: 1 to query FRR as well. $N becomes the netdev: for an
 * RDMA device the one of its first GID, else the only one of its PCI function.
 *
 * A process that blinks a port stays in a kernel call the whole time, so the process proves that
 * the port blinks. The list of processes is complete if the user may see that of init.
 */
const char linux_condition_script[] =
	/* clang-format off */
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"LC_ALL=C\n"
	"export LC_ALL\n"
	"C=${SYS:-/sys}/class\n"
	"echo @@begin 1\n"
	"date +%s%N\n"
	"N=$P\n"
	"if [ ! -e \"$C/net/$P\" ] && [ -e \"$C/infiniband/$P\" ]; then\n"
	"N=$(cat \"$C/infiniband/$P/ports/1/gid_attrs/ndevs/0\" 2>/dev/null)\n"
	"if [ -z \"$N\" ]; then\n"
	"set -- \"$C/infiniband/$P/device/net\"/*\n"
	"[ $# = 1 ] && [ -e \"$1\" ] && N=${1##*/}\n"
	"fi\n"
	/* A GID on a VLAN names the VLAN: the port is below it. */
	"set -- $C/net/$N/lower_*\n"
	"[ -e \"$1\" ] && [ ! \"$2\" ] && [ ! -e \"$C/net/$N/bonding\" ] && N=${1##*/lower_}\n"
	"fi\n"
	"echo @@netdev\n"
	"echo \"$N\"\n"
	"echo @@uid\n"
	"id -u\n"
	"echo @@session\n"
	"echo \"$SSH_CONNECTION\"\n"
	"echo @@link\n"
	"ip -j -d link show dev \"$N\" 2>&1\n"
	"echo @@addr\n"
	"ip -j addr show 2>&1\n"
	"echo @@route\n"
	"ip -j route get ${SSH_CONNECTION%% *} 2>&1\n"
	"echo @@default\n"
	"ip -j route show default 2>&1\n"
	"echo @@keep\n"
	"cat \"${PROC:-/proc}/sys/net/ipv6/conf/$N/keep_addr_on_down\" 2>/dev/null\n"
	"echo @@manager\n"
	"I=$(cat \"$C/net/$N/ifindex\" 2>/dev/null)\n"
	"grep -sE '^(ADMIN_STATE=configured|managed-type=full)$'"
	" \"/run/systemd/netif/links/$I\" \"/run/NetworkManager/devices/$I\"\n"
	"echo @@routes\n"
	"ip -j route show table all dev \"$N\" 2>&1\n"
	"if [ \"$B\" = 1 ]; then\n"
	"v() {\n"
	"vtysh -c \"$1\" 2>/dev/null || sudo -n vtysh -c \"$1\" 2>&1\n"
	"}\n"
	"echo @@bgp\n"
	"v 'show bgp vrf all summary json'\n"
	"echo @@running\n"
	"v 'show running-config bgpd'\n"
	"fi\n"
	"echo @@blink\n"
	"[ \"$(cat /proc/1/cmdline 2>/dev/null | wc -c)\" != 0 ] && echo all\n"
	"for f in $(grep -sla '[e]thtool' /proc/[0-9]*/cmdline); do\n"
	"tr '\\000' ' ' <\"$f\" 2>/dev/null\n"
	"echo\n"
	"done\n"
	"echo @@end\n"
	"date +%s%N\n";
/* clang-format on */

bool linux_is_netdev(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n < 16 && name[0] != '-' && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       n;
}

static bool is_bgp(const struct order *o)
{
	return o->verb == VERB_BGP_DOWN || o->verb == VERB_BGP_UP;
}

/* Any other name could be a path, or contain shell syntax. */
static bool port_ok(const struct order *o, struct err *err)
{
	struct order port = {.verb = VERB_PORT_DOWN, .priority = -1};

	(void)str_copy(port.port, sizeof(port.port), o->port);
	if (!order_check(&port, err))
		return false;
	return !strpbrk(o->port, "/:") ||
	       err_set(err, ERR_REFUSED, o->port, "\"%s\" is not a name of a Linux port", o->port);
}

static bool plan_condition(
	const struct target *t, const struct order *o, struct request_list *out, struct err *err)
{
	struct buf script;
	bool ok;

	if (!port_ok(o, err))
		return false;
	if (linux_is_perftest(o)) {
		requests_ssh(out, LINUX_PERFTEST, "sh -s", linux_perftest_script);
		return true;
	}
	buf_init(&script, 16384);
	ok = buf_addf(&script, "P=%s\nB=%d\n", o->port, t->tier != TIER_HOST || is_bgp(o)) &&
	     buf_adds(&script, linux_condition_script);
	if (ok)
		requests_ssh(out, LINUX_CONDITION, "sh -s", script.data);
	buf_free(&script);
	return ok || err_set(err, ERR_INTERNAL, t->device, "the script is too long");
}

/* ---- the commands ---- */

static bool refuse_order(const struct order *o, struct err *err, const char *why, const char *cure)
{
	err_set(err, ERR_REFUSED, o->port, "%s", why);
	return err_cure(err, "%s", cure);
}

static const char *netdev_of(const struct order *o, const struct condition *now)
{
	return *now->netdev ? now->netdev : o->port;
}

/* Refuses to take down the link that carries the session, or all other traffic of the host. */
static bool down_ok(const struct order *o, const struct condition *now, struct err *err)
{
	if (now->session == 1)
		return refuse_order(o, err,
			*now->hazard ? now->hazard
				     : "the management path to the device uses this port",
			"do it from the console port, or over a session by another interface");
	if (now->session != 0)
		return refuse_order(o, err, "railtop cannot check if its own session uses the port",
			"log in with plain ssh, so that SSH_CONNECTION is set, and let `ip route` "
			"run");
	return true;
}

static bool bgp_ok(const struct order *o, const struct condition *now, struct err *err)
{
	if (!now->bgp_asn)
		return refuse_order(o, err,
			"FRR did not report its own AS: the \"router bgp\" is not certain",
			"check the device: vtysh -c 'show running-config bgpd'");
	if (o->asn && o->asn != now->bgp_asn)
		return refuse_order(o, err, "the AS of the device differs from the planned one",
			"plan the action again");
	if (!str_eq(o->peer, now->bgp_peer))
		return refuse_order(o, err, "the default VRF has no neighbour of this name",
			"check the device: vtysh -c 'show bgp summary'");
	if (o->verb == VERB_BGP_UP && *now->hazard)
		return refuse_order(o, err, now->hazard, "start the session where it was shut");
	return true;
}

static void words_of(const struct order *o, const struct condition *now, char *line, size_t size)
{
	const char *dev = netdev_of(o, now), *sudo = now->root == 1 ? "" : "sudo -n ";
	size_t n;

	switch (o->verb) {
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		(void)str_printf(line, size, "%sip link set dev %s %s", sudo, dev,
			o->verb == VERB_PORT_UP ? "up" : "down");
		break;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		(void)str_printf(line, size,
			"%svtysh -c 'configure terminal' -c 'router bgp %u' -c '%sneighbor %s "
			"shutdown'",
			sudo, now->bgp_asn, o->verb == VERB_BGP_UP ? "no " : "", o->peer);
		break;
	case VERB_LOCATE_ON:
		/*
		 * A first second in the foreground shows whether the driver supports it; the rest
		 * runs in the background.
		 */
		(void)str_printf(line, size,
			"%sethtool -p %s 1 && { %sethtool -p %s %u </dev/null >/dev/null 2>&1 & }",
			sudo, dev, sudo, dev, o->seconds);
		break;
	default:
		n = strcspn(dev, ".");
		/* A dot would match any character: only the name of a VLAN has one. */
		(void)str_printf(line, size, "%spkill -f '^ethtool -p %.*s%s%s '", sudo, (int)n,
			dev, dev[n] ? "[.]" : "", dev[n] ? dev + n + 1 : "");
		break;
	}
}

static bool order_ok(const struct order *o, const struct condition *now, struct err *err)
{
	if (!order_check(o, err) || !port_ok(o, err))
		return false;
	if (!linux_is_netdev(netdev_of(o, now)))
		return refuse_order(o, err, "the port has no network device of its own",
			"name the network device: ip -br link");
	switch (o->verb) {
	case VERB_PORT_DOWN:
		return down_ok(o, now, err);
	case VERB_PORT_UP:
	case VERB_LOCATE_OFF:
		return true;
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		return bgp_ok(o, now, err);
	case VERB_LOCATE_ON:
		if (o->seconds >= LOCATE_LEAST_S && o->seconds <= LOCATE_MOST_S)
			return true;
		return refuse_order(
			o, err, "a light blinks for 5 to 3600 seconds", "choose another time");
	default:
		err_set(err, ERR_UNSUPPORTED, o->port, "Linux has no %s", verb_name(o->verb));
		return err_cure(err, "the NIC's own storm prevention needs no operator");
	}
}

static bool plan_command(const struct target *t, const struct order *o, const struct condition *now,
	struct request_list *out, struct err *err)
{
	struct request *r;
	char line[400];

	(void)t;
	if (linux_is_perftest(o) ? !port_ok(o, err) : !order_ok(o, now, err))
		return false;
	if (!o->lines && linux_is_perftest(o))
		return linux_perftest_command(o, out, err);
	if (o->lines) {
		char *script;

		if (!order_fill(o->lines, o, &script, err))
			return false;
		r = requests_ssh(out, verb_name(o->verb), "sh -e -s", script);
		free(script);
	} else {
		words_of(o, now, line, sizeof(line));
		r = requests_ssh(out, verb_name(o->verb), line, NULL);
	}
	r->change = true;
	return true;
}

/* ---- evaluation of the replies ---- */

static bool has_any(const struct reply *r, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (reply_says(r, words[i]))
			return true;
	return false;
}

static const char *rights_for(const struct order *o)
{
	switch (o->verb) {
	case VERB_PORT_DOWN:
	case VERB_PORT_UP:
		return "/usr/sbin/ip link set dev *";
	case VERB_BGP_DOWN:
	case VERB_BGP_UP:
		return "/usr/bin/vtysh";
	default:
		return "/usr/sbin/ethtool -p *, /usr/bin/pkill -f ^ethtool*";
	}
}

/* Copies the first line of the output; without output it gives the status. */
static void copy_output(const struct reply *r, char line[160])
{
	const char *text = *r->complaint ? r->complaint : r->bytes;

	text += strspn(text, " \t\r\n");
	(void)str_sanitise(line, 160, text, strcspn(text, "\r\n"));
	if (!*line)
		(void)str_printf(line, 160, "exit status %d", r->status);
}

static bool is_denied(const struct reply *r)
{
	static const char *const words[] = {"password is required", "not in the sudoers",
		"not allowed to", "terminal is required", "operation not permitted",
		"permission denied", "privileged user", "sudo: not found",
		"sudo: command not found", "no tty present", "may not run sudo"};
	size_t n = sizeof(words) / sizeof(words[0]);

	return has_any(r, words, n);
}

/* True: a line begins with '%'. A NUL does not end the text. */
static bool has_percent(const char *text, size_t len)
{
	static const char file[] = "% Can't open configuration file";
	bool begins = true;

	for (size_t i = 0; i < len; i++) {
		/* vtysh complains about its own file, and goes on. */
		if (begins && text[i] == '%' &&
			(len - i < strlen(file) || memcmp(text + i, file, strlen(file)) != 0))
			return true;
		begins = text[i] == '\n' || !text[i] ||
			 (begins && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'));
	}
	return false;
}

/* vtysh exits with 0 for much that FRR refuses, and prints the reason after a '%'. */
static bool frr_refused(const struct reply *r)
{
	static const char *const words[] = {"is already running; AS is", "unknown command",
		"command incomplete", "failed to connect", "is not running",
		"configuration is locked"};

	return has_percent(r->bytes, r->len) || has_percent(r->complaint, strlen(r->complaint)) ||
	       has_any(r, words, sizeof(words) / sizeof(words[0]));
}

static enum taken check_reply(const struct target *t, const struct order *o, const char *request,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	/* pkill found no process: the light is off already. */
	bool none = o->verb == VERB_LOCATE_OFF && r->status == 1 && !*r->complaint && !r->len;
	char line[160];

	(void)request;
	if (linux_is_perftest(o) && r->status >= 0)
		return linux_perftest_taken(t, o, r, notes, err);
	copy_output(r, line);
	if (is_denied(r) && r->status != 0) {
		err_set(err, ERR_UNAUTHORISED, t->device, "wrong privileges: %s", line);
		err_cure(err, SUDOERS "%s", rights_for(o));
		return TAKEN_NO;
	}
	if (r->status < 0) {
		err_set(err, ERR_PROTOCOL, t->device,
			"the command ended without an exit status: %s", line);
		err_cure(err, "check the device before any other change");
		return TAKEN_NO;
	}
	if ((r->status == 0 || none) && !(is_bgp(o) && frr_refused(r)))
		return TAKEN_YES;
	err_set(err, ERR_PROTOCOL, t->device, "the device refused: %s", line);
	if (o->verb == VERB_LOCATE_ON && strcasestr(line, "not supported"))
		err_cure(err,
			"the driver cannot blink this port: find the port by its LLDP neighbour");
	return TAKEN_NO;
}

const struct dialect_changes linux_changes = {
	.verbs = 1u << VERB_PORT_DOWN | 1u << VERB_PORT_UP | 1u << VERB_BGP_DOWN |
		 1u << VERB_BGP_UP | 1u << VERB_LOCATE_ON | 1u << VERB_LOCATE_OFF |
		 1u << VERB_PERFTEST_SERVE | 1u << VERB_PERFTEST_RUN,
	/* No driver was available for a test that can blink. */
	.unproven = 1u << VERB_LOCATE_ON | 1u << VERB_LOCATE_OFF,
	.look = plan_condition,
	.see = linux_see,
	.command = plan_command,
	.taken = check_reply,
};

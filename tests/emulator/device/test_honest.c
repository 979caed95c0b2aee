/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/serve/ras.h"
#include "emulator/sim/faults/faults.h"
#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/*
 * Everything that every kind of device says, while everything goes wrong at once: nothing may name
 * the fault, or the range.
 */

/* Words of the range; the names of classes with a hyphen are added to these. */
static const char *const ours[] = {"emulat", "simulat", "truth", "scenario", "inject", "railtop",
	"fault class", "straggler", "misfire", "test range"};

/* Names of classes that are words of vendors as well: reasons for error-disabled ports on EOS. */
static const char *const theirs[] = {"link-flap"};

static bool is_theirs(const char *class)
{
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		if (str_eq(class, theirs[i]))
			return true;
	return false;
}

static void refuse(const char *device, const char *asked, const char *word, const char *hit)
{
	if (hit)
		fail_msg("%s answers %.80s with \"%s\": %.120s", device, asked, word, hit);
}

static void check(const char *device, const char *asked, const char *text)
{
	const struct fault_class *c;

	for (size_t i = 0; text && i < sizeof(ours) / sizeof(ours[0]); i++)
		refuse(device, asked, ours[i], strcasestr(text, ours[i]));
	for (size_t i = 0; text && (c = fault_class(i)); i++)
		if (strchr(c->name, '-') && !is_theirs(c->name))
			refuse(device, asked, c->name, strcasestr(text, c->name));
}

/* ---- the fabrics ---- */

static const char *const kinds[][2] = {
	{"sonic-spectrum", "eos"}, {"sonic-broadcom", "nxos"}, {"cumulus", "frr"}};

/* Every class that fits, wherever the seed puts it, but those that silence a device. */
static unsigned break_everything(struct sim *s)
{
	const struct fault_class *c;
	unsigned n = 0;
	struct err err;

	for (size_t i = 0; (c = fault_class(i)); i++) {
		char spec[64];

		(void)str_printf(spec, sizeof(spec), "%s,at=%zus", c->name, 5 + i % 20);
		n += sim_fault(s, spec, &err);
	}
	return n;
}

static void open_kind(struct rig *r, struct topology **t, const char *leaf, const char *spine)
{
	const struct sim_platform *platform[TIER_COUNT] = {
		[TIER_LEAF] = sim_platform(leaf), [TIER_SPINE] = sim_platform(spine)};
	struct sim_opts o = {.seed = 5, .start_us = RIG_START, .speed = 1};

	*t = topology_of_sizing(sizing_preset("ref256"), platform);
	o.topology = *t;
	*r = (struct rig){.sim = sim_new(&o)};
	assert_true(break_everything(r->sim) > 40);
	sim_advance(r->sim, RIG_NOW);
	r->ctx = personality_new(r->sim);
	personality_credentials(r->ctx, "noc", "secret");
	buf_init(&r->out, 64u << 20);
	buf_init(&r->err, 1u << 20);
}

/* ---- the questions ---- */

/* A port, and one command or path a line. "%" is the port's name. */
static const char shell_words[] =
	"env; set; export; id; whoami; hostname; uname -a; date; uptime; df; mount; w; who; last; "
	"dmesg\n"
	"ps aux; ps -ef; top -b -n 1; pgrep -a .; systemctl; docker ps; lsmod; netstat -an; ss "
	"-an\n"
	"for f in /etc/* /etc/*/* /proc/* /proc/*/* /proc/*/*/*/*; do cat $f; done\n"
	"for f in /var/log/* /var/* /tmp/* /root/* /home/* /home/*/* /opt/* /usr/*/*; do cat $f; "
	"ls $f; done\n"
	"for f in /sys/class/*/* /sys/class/*/*/* /sys/class/*/*/*/*; do cat $f; done\n"
	"for f in /sys/class/*/*/*/*/* /sys/class/*/*/*/*/*/*; do cat $f; done\n"
	"ls -la /; ls /usr/bin; ls -R /sys/class/net/%; which sh; type ls; help; man ls; ls "
	"--help\n"
	"frobnicate; cat /nowhere; cd /nowhere; (; sudo -l; sudo -i; su; exit 3\n"
	"tail -n 1000 /var/log/syslog; tail -n 99 /var/log/messages; journalctl; journalctl -k; "
	"dmesg -T\n"
	"ip -s -s link; ip addr; ip -j -s link; ip route; ip neigh; ethtool %; ethtool -S %; "
	"ethtool -i %\n"
	"ethtool -m %; ethtool -a %; ethtool -k %; ethtool --json -S %; ethtool --phy-statistics "
	"%\n"
	"ethtool -I --show-fec %; dcb pfc show dev %; dcb buffer show dev %; dcb ets show dev %\n"
	"lldpcli show neighbors; lldpcli -f json show neighbors details; lldpctl; lldpctl -f xml\n"
	"lldpctl -f json; lldpcli show chassis; lldpcli show statistics; lldpcli frobnicate\n"
	"vtysh -c 'show bgp summary'; vtysh -c 'show bgp summary json'; vtysh -c 'show "
	"running-config'\n"
	"vtysh -c 'show version'; vtysh -c 'show bgp neighbors json'; vtysh -c 'frobnicate'; "
	"vtysh\n"
	"rdma link; rdma -j statistic show; rdma resource show; rdma resource show qp; "
	"ibdev2netdev -v\n"
	"mlnx_qos -i %; lspci; lspci -vv; nvidia-smi; nvidia-smi -q; nvidia-smi topo -m; ethtool "
	"-S no\n"
	"show version; show clock; show interfaces status; show interfaces counters; show platform "
	"summary\n"
	"show interfaces transceiver eeprom --dom; show pfcwd stats; show pfcwd config; show queue "
	"counters\n"
	"show pfc counters; show pfc counters --history; show runningconfiguration all; show lldp "
	"neighbors\n"
	"show logging; show ecn; show buffer_pool watermark; show queue watermark unicast; show "
	"uptime\n"
	"show priority-group watermark shared; show frobnicate; counterpoll show; pfcwd show "
	"stats\n"
	"show ip bgp summary; show feature status; show processes cpu; show techsupport; show "
	"users\n"
	"show system-health summary; show interfaces errors %; show interfaces portchannel; show "
	"arp\n"
	"sonic-db-cli CONFIG_DB KEYS '*'; sonic-db-cli STATE_DB KEYS '*'; sonic-db-cli APPL_DB "
	"KEYS '*'\n"
	"sonic-db-cli COUNTERS_DB KEYS '*'; sonic-db-cli FLEX_COUNTER_DB KEYS '*'; sonic-db-cli "
	"ASIC_DB "
	"KEYS '*'; sonic-db-cli NO_DB GET x; sonic-db-cli COUNTERS_DB EVAL 'error(\"x\")' 0\n"
	"sonic-db-cli COUNTERS_DB FROBNICATE; sonic-db-cli COUNTERS_DB HGETALL "
	"COUNTERS_PORT_NAME_MAP\n"
	"config pfcwd frobnicate; sudo config pfcwd stop; sudo config interface shutdown; "
	"ecnconfig -l\n"
	"nv show system; nv show interface; nv show interface % qos roce counters; nv config show\n"
	"nv show platform; nv show qos pfc-watchdog; nv list-commands; nv show frobnicate; nv "
	"config diff\n"
	"nv show router adaptive-routing; nv show vrf default router bgp neighbor; nv show system "
	"version\n";

static const char cli_words[] =
	"show version\nshow clock\nshow hostname\nshow uptime\nshow interfaces\nshow interface\n"
	"show interfaces status\nshow interfaces status errdisabled\nshow interfaces counters\n"
	"show interfaces counters errors\nshow interfaces counters discards\n"
	"show interfaces counters rates\nshow interfaces counters queue detail\n"
	"show interfaces phy detail\nshow interfaces transceiver\n"
	"show interfaces transceiver dom thresholds\nshow priority-flow-control counters\n"
	"show priority-flow-control counters detail\nshow priority-flow-control counters watchdog\n"
	"show priority-flow-control status\nshow qos interfaces ecn counters queue\n"
	"show qos interfaces ecn\nshow qos maps\nshow load-balance profile\nshow lldp neighbors\n"
	"show lldp neighbors detail\nshow bgp summary\nshow ip bgp summary vrf all\nshow "
	"locator-led\n"
	"show logging\nshow logging last 100\nshow running-config\nshow interfaces %\nshow "
	"frobnicate\n"
	"frobnicate\nbash ps aux\nshow processes\nshow switchname\nshow system uptime\nshow "
	"inventory\n"
	"show interface brief\nshow interface status\nshow interface counters\nshow running-config "
	"all\n"
	"show interface counters errors\nshow interface transceiver details\nshow aaa\nshow users\n"
	"show interface priority-flow-control detail\nshow queuing interface\nshow boot\nshow "
	"module\n"
	"show queuing pfc-queue detail\nshow hardware internal buffer info pkt-stats\n"
	"show bgp all summary vrf all\nshow bgp sessions\nshow logging logfile\nshow logging last "
	"99\n"
	"show port-channel load-balance\nshow policy-map system type network-qos\nshow "
	"startup-config\n"
	"show policy-map type queuing\nshow class-map type qos\nshow processes cpu\nshow feature\n";

static const char web_paths[] =
	"/\n/command-api\n/eapi\n/login\n/frobnicate\n/ins\n/api/class/topSystem.json\n/"
	"server.info\n"
	"/api/class/l1PhysIf.json\n/api/class/ethpmPhysIf.json\n/api/class/rmonIfHCIn.json\n"
	"/api/class/lldpAdjEp.json\n/api/class/bgpPeer.json\n/api/class/frobnicate.json\n"
	"/api/mo/sys.json\n/api/mo/sys/frobnicate.json\n/api/class/ipqosQueuingStats.json\n"
	"/nvue_v1\n/nvue_v1/system\n/nvue_v1/system/version\n/nvue_v1/platform\n/nvue_v1/"
	"interface\n"
	"/nvue_v1/platform/transceiver/detail\n/nvue_v1/interface/qos-roce-counters\n"
	"/nvue_v1/interface/%\n/nvue_v1/interface/%/qos/pfc-watchdog\n/nvue_v1/interface/%/"
	"counters\n"
	"/nvue_v1/interface/%/link/phy-detail\n/nvue_v1/interface/%/qos/roce\n/nvue_v1/qos\n"
	"/nvue_v1/qos/pfc-watchdog\n/nvue_v1/router/adaptive-routing\n/nvue_v1/revision\n"
	"/nvue_v1/vrf/default/router/bgp/neighbor\n/nvue_v1/frobnicate\n/nvue_v1/action\n";

/* The next line of *list with the port for "%"; false after the last. */
static bool next_line(const char **list, const char *port, struct buf *line)
{
	const char *p = *list;

	buf_reset(line);
	for (; *p && *p != '\n'; p++)
		(void)(*p == '%' ? buf_adds(line, port) : buf_add(line, p, 1));
	*list = p + (*p == '\n');
	return line->len > 0 && buf_adds(line, "");
}

static void by_ssh(struct rig *r, const struct sim_device *d, const char *words)
{
	struct buf line;

	buf_init(&line, 4096);
	while (next_line(&words, d->ports[0].name, &line)) {
		(void)rig_exec(r, d->name, line.data, "");
		check(d->name, line.data, r->out.data);
		check(d->name, line.data, r->err.data);
	}
	buf_free(&line);
}

static void ask(struct rig *r, const struct sim_device *d, const char *path, const char *body)
{
	(void)rig_http(r, d->name, *body ? "POST" : "GET", path, body);
	(void)buf_adds(&r->out, "");
	check(d->name, *body ? body : path, r->out.data);
	check(d->name, path, r->reply.cookie);
	check(d->name, path, r->reply.realm);
	check(d->name, path, r->reply.type);
}

/* One CLI line by eAPI and NX-API, as JSON and as text. */
static void by_api(struct rig *r, const struct sim_device *d, const char *line)
{
	char body[512];

	for (int text = 0; text < 2; text++) {
		(void)str_printf(body, sizeof(body),
			"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":{"
			"\"version\":1,"
			"\"format\":\"%s\",\"cmds\":[\"enable\",\"%s\"]}}",
			text ? "text" : "json", line);
		ask(r, d, "/command-api", body);
		(void)str_printf(body, sizeof(body),
			"[{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"cmd\":\"%s\","
			"\"version\":1}"
			",\"id\":1}]",
			text ? "cli_ascii" : "cli", line);
		ask(r, d, "/ins", body);
	}
}

static void by_https(struct rig *r, const struct sim_device *d)
{
	const char *list = web_paths;
	struct http_request stranger = {
		.method = "GET", .path = "/", .query = "", .body = "", .cookie = "x=y"};
	struct buf line;

	buf_init(&line, 4096);
	while (next_line(&list, d->ports[0].name, &line)) {
		ask(r, d, line.data, "");
		ask(r, d, line.data, "{\"frobnicate\":");
		stranger.path = line.data;
		(void)rig_http_as(r, d->name, &stranger);
		(void)buf_adds(&r->out, "");
		check(d->name, line.data, r->out.data);
		check(d->name, line.data, r->reply.realm);
	}
	for (list = cli_words; next_line(&list, d->ports[0].name, &line);)
		by_api(r, d, line.data);
	buf_free(&line);
}

static void ask_device(struct rig *r, const struct sim_device *d)
{
	by_ssh(r, d, shell_words);
	if (d->tier != TIER_HOST)
		by_ssh(r, d, cli_words);
	if (personality_for(d->dialect)->http)
		by_https(r, d);
}

/* Time goes on meanwhile, so that transient state is seen as well. */
static void devices_say_what_devices_say(void **state)
{
	const size_t which = (size_t)(uintptr_t)*state;
	struct topology *t;
	struct rig r;

	open_kind(&r, &t, kinds[which][0], kinds[which][1]);
	for (size_t i = 0; i < sim_device_count(r.sim); i++) {
		const struct sim_device *d = sim_device(r.sim, i);

		/* Hosts are alike: ask only those with a log, and one more. */
		if (d->tier == TIER_HOST && i && d->log == NULL)
			continue;
		if (d->tier != TIER_HOST && i % 3 && !effort_full())
			continue;
		sim_advance(r.sim, sim_now(r.sim) + CLOCK_SEC);
		ask_device(&r, d);
	}
	rig_close(&r);
	topology_free(t);
}

/* ---- NCCL ---- */

static void address_of(void *arg, const struct sim_device *host, char *dst, size_t size)
{
	(void)arg;
	(void)str_printf(dst, size, "10.0.0.%u", host->index + 1);
}

static void ask_ras(
	struct rig *r, struct ras *ras, const struct sim_device *d, const char *question)
{
	struct ras_client *c = ras_connect(ras, d);

	if (!c)
		return;
	ras_input(c, question, strlen(question));
	if (ras_collecting(c)) {
		sim_advance(r->sim, sim_now(r->sim) + ras_collecting(c));
		ras_collect(c);
	}
	(void)buf_adds(ras_output(c), "");
	check(d->name, question, ras_output(c)->data);
	ras_disconnect(c);
}

static void reports_of_nccl_are_nccls(void **state)
{
	static const char *const questions[] = {"client protocol 2\nverbose status\n",
		"client protocol 2\nset format json\nverbose status\n", "frobnicate\n",
		"client protocol 2\nstatus\n", "help\nset format x\ntimeout x\nmonitor x\n"};
	struct topology *t;
	struct rig r;
	struct ras *ras;

	(void)state;
	open_kind(&r, &t, kinds[0][0], kinds[0][1]);
	ras = ras_new(&(struct ras_opts){.source = &ras_sim, .sim = r.sim, .address = address_of});
	for (size_t i = 0; i < sim_device_count(r.sim); i++)
		for (size_t k = 0; k < sizeof(questions) / sizeof(questions[0]); k++)
			if (sim_device(r.sim, i)->tier == TIER_HOST)
				ask_ras(&r, ras, sim_device(r.sim, i), questions[k]);
	ras_free(ras);
	rig_close(&r);
	topology_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"sonic and eos", devices_say_what_devices_say, NULL, NULL, (void *)0},
		{"sonic on broadcom and nx-os", devices_say_what_devices_say, NULL, NULL,
			(void *)1},
		{"cumulus and frr", devices_say_what_devices_say, NULL, NULL, (void *)2},
		cmocka_unit_test(reports_of_nccl_are_nccls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

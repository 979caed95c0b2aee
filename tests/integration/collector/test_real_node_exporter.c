/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics of hosts in the names of node_exporter and dcgm-exporter, scraped by a real Prometheus,
 * and read back by `railtop snapshot` through the engine: one NIC is one port, whatever names its
 * collectors give it.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

extern char **environ;

/* Writes the page that was current t seconds after the begin. */
typedef void page_fn(struct buf *b, double t);

struct fixture {
	struct scratch scratch;
	int fd;
	unsigned page_port, port;
	pthread_t thread;
	atomic_bool stop;
	atomic_uint served;
	page_fn *page;
	int64_t began_us;
	pid_t prometheus;
	char inventory[128];
};

/* ---- the exporter ---- */

/*
 * Each sample has the time that its value is of. Else it gets the time at which the scrape began,
 * and rates are wrong by as much as this program waits for the processor.
 */
static void put_times(const struct buf *page, int64_t wall_us, struct buf *out)
{
	for (const char *line = page->data; *line;) {
		int n = (int)strcspn(line, "\n");

		if (line[0] == '#' || !n)
			(void)buf_addf(out, "%.*s\n", n, line);
		else
			(void)buf_addf(out, "%.*s %lld\n", n, line, (long long)(wall_us / 1000));
		line += n + (line[n] == '\n');
	}
}

static void serve_one(struct fixture *f, int fd)
{
	char request[4096], head[160];
	struct buf page, b;
	ssize_t n = read(fd, request, sizeof(request));
	int64_t wall_us = clock_wall(&clock_system);

	if (n <= 0)
		return;
	buf_init(&page, (size_t)4 << 20);
	buf_init(&b, (size_t)8 << 20);
	f->page(&page, (double)(wall_us - f->began_us) / (double)CLOCK_SEC);
	put_times(&page, wall_us, &b);
	buf_free(&page);
	(void)str_printf(head, sizeof(head),
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n",
		b.len);
	if (write(fd, head, strlen(head)) > 0)
		(void)!write(fd, b.data, b.len);
	buf_free(&b);
	atomic_fetch_add(&f->served, 1);
}

static void *serve(void *ctx)
{
	struct fixture *f = ctx;

	while (!atomic_load(&f->stop)) {
		struct pollfd p = {.fd = f->fd, .events = POLLIN};
		int fd = poll(&p, 1, 100) > 0 ? accept(f->fd, NULL, NULL) : -1;

		if (fd < 0)
			continue;
		serve_one(f, fd);
		(void)close(fd);
	}
	return NULL;
}

static void start_exporter(struct fixture *f, page_fn *page)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	f->page = page;
	f->began_us = clock_wall(&clock_system);
	f->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(f->fd >= 0);
	assert_int_equal(bind(f->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(f->fd, 16), 0);
	assert_int_equal(getsockname(f->fd, (struct sockaddr *)&at, &len), 0);
	f->page_port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

/* ---- Prometheus ---- */

static void start_prometheus(struct fixture *f)
{
	char config[128], data[128], at[64], text[512];
	char *argv[] = {"prometheus", config, data, at, "--log.level=error", NULL};
	posix_spawn_file_actions_t acts;

	f->port = slot_port();
	(void)str_printf(text, sizeof(text),
		"global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
		"scrape_configs:\n- job_name: node-exporter\n"
		"  static_configs: [{targets: ['127.0.0.1:%u']}]\n"
		"  relabel_configs: [{target_label: instance, replacement: 'node-a:9100'}]\n",
		f->page_port);
	scratch_write(&f->scratch, "prometheus.yml", text);
	(void)str_printf(config, sizeof(config), "--config.file=%s/prometheus.yml", f->scratch.dir);
	(void)str_printf(data, sizeof(data), "--storage.tsdb.path=%s/data", f->scratch.dir);
	(void)str_printf(at, sizeof(at), "--web.listen-address=127.0.0.1:%u", f->port);
	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addopen(&acts, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&acts, 1, 2);
	assert_int_equal(posix_spawnp(&f->prometheus, "prometheus", &acts, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&acts);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	f->fd = -1;
	(void)signal(SIGPIPE, SIG_IGN);
	scratch_open(&f->scratch);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->prometheus > 0) {
		(void)kill(f->prometheus, SIGTERM);
		(void)waitpid(f->prometheus, NULL, 0);
	}
	if (f->fd >= 0) {
		atomic_store(&f->stop, true);
		(void)pthread_join(f->thread, NULL);
		(void)close(f->fd);
	}
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static bool is_installed(void)
{
	return system("command -v prometheus >/dev/null 2>&1") == 0;
}

/* The snapshot of node-a after some rounds; NULL: there is no Prometheus here. */
static json_t *read_back(struct fixture *f, page_fn *page, json_t **device)
{
	char text[512], inventory[160];
	const char *const args[] = {
		"snapshot", "-f", inventory, "--for", "14s", "--json", "-", NULL};
	struct lab_output o;
	json_t *root;

	if (!is_installed())
		return NULL;
	start_exporter(f, page);
	start_prometheus(f);
	for (int64_t until = now_ms() + 60000; atomic_load(&f->served) < 4;) {
		assert_true(now_ms() < until);
		(void)poll(NULL, 0, 50);
	}
	(void)str_printf(text, sizeof(text),
		"fabric: t\nlossless: {priorities: [3]}\n"
		"engine: {url: \"http://127.0.0.1:%u\", mapping: [node_exporter, dcgm], "
		"interval: 2s}\nhosts:\n  - {names: node-a}\n",
		f->port);
	scratch_write(&f->scratch, "fabric.yaml", text);
	(void)str_copy(inventory, sizeof(inventory), scratch_path(&f->scratch, "fabric.yaml"));
	o = lab_railtop(args, 120);
	if (o.code > 1) /* 1: there are findings */
		fail_msg("exit %d: %s", o.code, o.err);
	root = lab_json(o.out);
	lab_output_free(&o);
	*device = lab_device(root, "node-a");
	assert_non_null(*device);
	return root;
}

/* ---- expectations ---- */

static void expect_ports(json_t *device, const char *names)
{
	char all[512] = "";
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(device, "ports"), i, p)(void)
		str_printf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
			json_string_value(json_object_get(p, "name")));
	assert_string_equal(all, names);
}

static void expect_rate(
	json_t *device, const char *port, const char *counter, const char *priority, double want)
{
	double rate = lab_counter(lab_port(device, port), counter, priority, "rate");

	if (!(fabs(rate - want) <= want * 0.05 + 1e-6))
		fail_msg("%s %s: %g instead of %g", port, counter, rate, want);
}

static void expect_state(
	json_t *device, const char *port, const char *netdev, const char *oper, double mbps)
{
	json_t *p = lab_port(device, port);
	const char *is = json_string_value(json_object_get(p, "netdev"));

	assert_string_equal(is ? is : "", netdev);
	assert_string_equal(json_string_value(json_object_get(p, "oper")), oper);
	if (!(fabs(json_number_value(json_object_get(p, "speed_mbps")) - mbps) < 1))
		fail_msg("%s: %g Mb/s", port, json_number_value(json_object_get(p, "speed_mbps")));
}

/* ---- pages ---- */

static void put(struct buf *b, const char *metric, const char *labels, double value)
{
	(void)buf_addf(b, "%s{%s} %.17g\n", metric, labels, value);
}

static void put_of(struct buf *b, const char *metric, const char *device, double value)
{
	(void)buf_addf(b, "%s{device=\"%s\"} %.17g\n", metric, device, value);
}

static void put_rdma(struct buf *b, const char *device, double t)
{
	char l[96];

	(void)str_printf(l, sizeof(l), "device=\"%s\",port=\"1\"", device);
	put(b, "node_infiniband_port_data_received_bytes_total", l, floor(2e10 * t));
	put(b, "node_infiniband_port_data_transmitted_bytes_total", l, floor(2e10 * t));
	put(b, "node_infiniband_port_errors_received_total", l, 0);
	put(b, "node_infiniband_link_downed_total", l, 0);
	put(b, "node_infiniband_state_id", l, 4);
	put(b, "node_infiniband_physical_state_id", l, 5);
	put(b, "node_infiniband_rate_bytes_per_second", l, 5e10);
	put(b, "node_infiniband_out_of_sequence_packets_received_total", l, floor(11 * t));
}

static void put_network(struct buf *b, const char *device, double down)
{
	put_of(b, "node_network_carrier_down_changes_total", device, down);
	put_of(b, "node_network_up", device, 1);
	put_of(b, "node_network_speed_bytes", device, 5e10);
	put_of(b, "node_network_mtu_bytes", device, 9000);
}

/* mlx5: pause of priority 3 in microseconds a second, checksum errors a second, flaps. */
static void put_mlx5(
	struct buf *b, const char *device, const char *pci, double t, double paused, double down)
{
	put_of(b, "node_ethtool_received_prio3_pause", device, paused > 0 ? floor(30000 * t) : 0);
	put_of(b, "node_ethtool_received_prio3_pause_duration", device, floor(paused * t));
	put_of(b, "node_ethtool_transmitted_prio3_pause", device, 0);
	put_of(b, "node_ethtool_received_crc_errors_phy", device, floor(5 * t));
	put_of(b, "node_ethtool_link_down_events_phy", device, down);
	put_of(b, "node_ethtool_received_out_of_buffer", device, 0);
	(void)buf_addf(b,
		"node_ethtool_info{device=\"%s\",driver=\"mlx5_core\",bus_info=\"%s\","
		"firmware_version=\"28.43.2566\",version=\"6.8.0\",expansion_rom_version=\"\"} 1\n",
		device, pci);
}

/* cases/hosts/15: the infiniband collector says mlx5_0, the others rdma0; a Thor2 has no RDMA. */
static void page_join(struct buf *b, double t)
{
	double flaps = floor(t / 6);

	put_rdma(b, "mlx5_0", t);
	put_rdma(b, "mlx5_1", t);
	put_rdma(b, "mlx5_bond_2", t);
	put_mlx5(b, "rdma0", "0000:19:00.0", t, 970000, 0);
	put_mlx5(b, "rdma1", "0000:19:00.0", t, 0, flaps);
	put_network(b, "rdma0", 0);
	put_network(b, "rdma1", flaps);
	put_network(b, "bond2", 0);
	put_network(b, "eth0", 0);
	put_network(b, "lo", 0);
	put_of(b, "node_ethtool_received_pfc_ena_frames_pri3", "benic1p1", floor(40000 * t));
	put_of(b, "node_ethtool_pfc_pri3_rx_duration_us", "benic1p1", floor(970000 * t));
	put_of(b, "node_ethtool_received_bytes_pri3", "benic1p1", floor(2e10 * t));
	put_of(b, "node_ethtool_received_fcs_err_frames", "benic1p1", floor(7 * t));
}

CASE_WITH(one_nic_with_two_names_is_one_port, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_join, &d);

	if (!root)
		skip();
	expect_ports(d, "benic1p1 mlx5_0 mlx5_1 mlx5_bond_2");
	expect_state(d, "mlx5_0", "rdma0", "up", 400000);
	expect_state(d, "mlx5_1", "rdma1", "up", 400000);
	expect_state(d, "mlx5_bond_2", "bond2", "up", 400000);
	expect_rate(d, "mlx5_0", "pfc_rx_duration_us", "3", 970000);
	expect_rate(d, "mlx5_0", "rx_fcs_errors", NULL, 5);
	expect_rate(d, "mlx5_0", "rx_bytes", NULL, 2e10);
	expect_rate(d, "mlx5_0", "out_of_sequence", NULL, 11);
	expect_rate(d, "mlx5_0", "link_down_events", NULL, 0);
	expect_rate(d, "mlx5_1", "pfc_rx_duration_us", "3", 0);
	/* The RDMA device counts no flaps; its interface does. */
	assert_true(lab_counter(lab_port(d, "mlx5_1"), "link_down_events", NULL, "value") >= 1);
	expect_rate(d, "benic1p1", "pfc_rx_frames", "3", 40000);
	expect_rate(d, "benic1p1", "pfc_rx_duration_us", "3", 970000);
	expect_rate(d, "benic1p1", "rx_prio_bytes", "3", 2e10);
	expect_rate(d, "benic1p1", "rx_fcs_errors", NULL, 7);
	assert_int_equal(lab_events(root, "node-a", "counter_reset"), 0);
	json_decref(root);
}

/* Names by PCI place: rdma-core and systemd agree on it, in any order. */
static void page_places(struct buf *b, double t)
{
	put_rdma(b, "rocep25s0f0", t);
	put_rdma(b, "rocep25s0f1", t);
	put_mlx5(b, "enp25s0f1np1", "0000:19:00.1", t, 970000, 0);
	put_mlx5(b, "enp25s0f0np0", "0000:19:00.0", t, 0, 0);
}

CASE_WITH(names_by_pci_place_are_joined, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_places, &d);

	if (!root)
		skip();
	expect_ports(d, "rocep25s0f0 rocep25s0f1");
	expect_state(d, "rocep25s0f1", "enp25s0f1np1", "up", 400000);
	expect_rate(d, "rocep25s0f1", "pfc_rx_duration_us", "3", 970000);
	expect_rate(d, "rocep25s0f0", "pfc_rx_duration_us", "3", 0);
	json_decref(root);
}

/* One card in two PCI domains: one port up and one down each; an interface of management beside. */
static void page_domains(struct buf *b, double t)
{
	static const char *const rdma[] = {
		"roceP2p1s0f0", "roceP2p1s0f1", "rocep1s0f0", "rocep1s0f1"};
	static const char *const net[] = {
		"enP2p1s0f0np0", "enP2p1s0f1np1", "enp1s0f0np0", "enp1s0f1np1"};
	char l[96];

	for (int i = 0; i < 4; i++) {
		(void)str_printf(l, sizeof(l), "device=\"%s\",port=\"1\"", rdma[i]);
		put(b, "node_infiniband_port_data_received_bytes_total", l,
			i % 2 ? 0 : floor(2e9 * t));
		put(b, "node_infiniband_state_id", l, i % 2 ? 1 : 4);
		put(b, "node_infiniband_physical_state_id", l, i % 2 ? 3 : 5);
		put(b, "node_infiniband_rate_bytes_per_second", l, i % 2 ? 5e9 : 2.5e10);
		put_of(b, "node_network_carrier_down_changes_total", net[i], i % 2 ? 1 : 0);
		put_of(b, "node_network_up", net[i], i % 2 ? 0 : 1);
	}
	put_network(b, "enP7s7", 0);
	put_network(b, "br-0a4a83ec6201", 0);
}

CASE_WITH(a_card_in_two_pci_domains_is_joined, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_domains, &d);

	if (!root)
		skip();
	expect_ports(d, "roceP2p1s0f0 roceP2p1s0f1 rocep1s0f0 rocep1s0f1");
	expect_state(d, "roceP2p1s0f0", "enP2p1s0f0np0", "up", 200000);
	expect_state(d, "rocep1s0f0", "enp1s0f0np0", "up", 200000);
	expect_state(d, "rocep1s0f1", "enp1s0f1np1", "down", 40000);
	json_decref(root);
}

/* iWARP of a board's network chip, and Omni-Path: no interface of theirs is known. */
static void page_others(struct buf *b, double t)
{
	put_rdma(b, "i40iw0", t);
	put_rdma(b, "mlx5_0", t);
	put_rdma(b, "hfi1_0", t);
	put_network(b, "eno1", 0);
	put_mlx5(b, "ens3np0", "0000:17:00.0", t, 0, 0);
}

CASE_WITH(rdma_devices_of_other_kinds_keep_to_themselves, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_others, &d);

	if (!root)
		skip();
	expect_ports(d, "hfi1_0 i40iw0 mlx5_0");
	expect_state(d, "mlx5_0", "ens3np0", "up", 400000);
	expect_state(d, "i40iw0", "", "up", 400000);
	json_decref(root);
}

/* Names that say nothing: the kernel numbers RDMA devices in the order of their PCI addresses. */
static void page_order(struct buf *b, double t)
{
	put_rdma(b, "mlx5_0", t);
	put_rdma(b, "mlx5_1", t);
	put_mlx5(b, "gpunic", "0000:5d:00.0", t, 970000, 0);
	put_mlx5(b, "storage", "0000:19:00.0", t, 0, 0);
}

CASE_WITH(names_that_say_nothing_are_joined_by_pci_order, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_order, &d);

	if (!root)
		skip();
	expect_ports(d, "mlx5_0 mlx5_1");
	expect_state(d, "mlx5_1", "gpunic", "up", 400000);
	expect_rate(d, "mlx5_1", "pfc_rx_duration_us", "3", 970000);
	json_decref(root);
}

/* Two families have the numbers, and no driver is known: nothing is guessed. */
static void page_unsure(struct buf *b, double t)
{
	put_rdma(b, "mlx5_0", t);
	put_rdma(b, "mlx5_1", t);
	for (int i = 0; i < 4; i++) {
		static const char *const names[] = {"rail0", "rail1", "east0", "east1"};

		put_of(b, "node_ethtool_received_prio3_pause", names[i], floor(10 * t));
	}
}

CASE_WITH(what_is_not_sure_is_not_joined, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_unsure, &d);

	if (!root)
		skip();
	expect_ports(d, "east0 east1 mlx5_0 mlx5_1 rail0 rail1");
	json_decref(root);
}

/* The numbers say one thing, the PCI addresses another; and cards of the host beside. */
static void page_contradiction(struct buf *b, double t)
{
	put_rdma(b, "mlx5_0", t);
	put_rdma(b, "mlx5_1", t);
	put_mlx5(b, "rail0", "0000:5d:00.0", t, 970000, 0);
	put_mlx5(b, "rail1", "0000:19:00.0", t, 0, 0);
	put_network(b, "eth0", 3);
	put_network(b, "eth1", 3);
}

CASE_WITH(numbers_against_pci_addresses_are_not_joined, setup, teardown)
{
	json_t *d, *root = read_back(*state, page_contradiction, &d);

	if (!root)
		skip();
	expect_ports(d, "mlx5_0 mlx5_1 rail0 rail1");
	json_decref(root);
}

CASES_MAIN(NULL, NULL)

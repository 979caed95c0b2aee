/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/serve/observations.h"
#include "tests/support/cases.h"

/* The file of a run: its content, that it can be read, and that it is the same each time. */

#define START    (INT64_C(1763726000) * CLOCK_SEC)
#define INTERVAL (5 * CLOCK_SEC)

struct run {
	char path[64];
	struct sim *sim;
	struct observations *writer;
};

static void run_open(struct run *r, const char *fault, double speed)
{
	struct sim_opts o = {
		.sizing = sizing_preset("ref256"), .seed = 3, .start_us = START, .speed = speed};
	struct err err;
	int fd;

	(void)str_copy(r->path, sizeof(r->path), "/tmp/railtop-obs-XXXXXX");
	fd = mkstemp(r->path);
	assert_true(fd >= 0);
	(void)close(fd);
	r->sim = sim_new(&o);
	if (fault && !sim_fault(r->sim, fault, &err))
		fail_msg("%s", err.text);
	r->writer = observations_new(&(struct observations_opts){.sim = r->sim,
					     .path = r->path,
					     .start_us = START,
					     .speed = speed,
					     .interval_us = INTERVAL},
		&err);
	assert_non_null(r->writer);
}

static void run_until(struct observations *w, int64_t wall_us)
{
	while (observations_next(w) <= wall_us)
		(void)observations_run(w, wall_us);
}

/* Ends the run; the file's text, which the caller frees. */
static char *run_close(struct run *r, size_t *len)
{
	struct err err;
	char *text;
	FILE *f;
	long size;

	assert_true(observations_close(r->writer, &err));
	sim_free(r->sim);
	f = fopen(r->path, "re");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), size);
	(void)fclose(f);
	(void)unlink(r->path);
	*len = (size_t)size;
	return text;
}

/* Calls fn with each line as JSON. */
static void each_line(char *text, void (*fn)(void *arg, json_t *o), void *arg)
{
	for (char *line = text, *end; *line; line = end + 1) {
		json_error_t e;
		json_t *o;

		end = strchr(line, '\n');
		assert_non_null(end);
		o = json_loadb(line, (size_t)(end - line), 0, &e);
		if (!o)
			fail_msg("%s: %.200s", e.text, line);
		fn(arg, o);
		json_decref(o);
	}
}

struct seen {
	json_t *last; /* of each device/port: its counters */
	unsigned ports, identities, neighbours, no_neighbours, events, collectives, session_lists,
		settings, watchdogs;
	double first, newest;
	char event[64];
};

static bool is_gauge(const char *name)
{
	static const char *const gauges[] = {"queue_depth_bytes", "queue_watermark_bytes",
		"pg_watermark_bytes", "headroom_watermark_bytes", "pre_fec_ber", "pcie_width",
		"pcie_speed_mtps", "pci_stalled_read_pct", "pci_stalled_write_pct", "rx_power_dbm",
		"tx_power_dbm", "tx_bias_ma", "temperature_c", "voltage_v"};

	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		if (strcmp(gauges[i], name) == 0)
			return true;
	return false;
}

static void grows(const char *where, const char *name, const json_t *before, const json_t *after)
{
	const char *key;
	json_t *v;

	if (is_gauge(name))
		return;
	if (!json_is_object(before)) {
		if (json_integer_value(after) < json_integer_value(before))
			fail_msg("%s %s goes back", where, name);
		return;
	}
	json_object_foreach((json_t *)before, key, v)
		grows(where, name, v, json_object_get(after, key));
}

static void take_port(struct seen *s, json_t *o)
{
	json_t *counters = json_object_get(o, "counters"), *before, *v;
	json_t *lldp = json_object_get(o, "lldp"), *state;
	char where[96];
	const char *key;

	(void)str_printf(where, sizeof(where), "%s %s",
		json_string_value(json_object_get(o, "device")),
		json_string_value(json_object_get(o, "port")));
	before = json_object_get(s->last, where);
	json_object_foreach(before, key, v) grows(where, key, v, json_object_get(counters, key));
	json_object_set(s->last, where, counters);
	s->ports++;
	s->neighbours += json_is_object(lldp);
	s->no_neighbours += json_is_null(lldp);
	state = json_object_get(o, "state");
	assert_non_null(json_object_get(state, "oper"));
	s->settings += json_is_integer(json_object_get(state, "pfc_enabled"));
	s->watchdogs += json_is_string(json_object_get(json_object_get(state, "pfcwd_state"), "3"));
}

static void take(void *arg, json_t *o)
{
	struct seen *s = arg;
	double t = json_number_value(json_object_get(o, "t"));
	const char *event = json_string_value(json_object_get(o, "event"));

	assert_true(t >= (double)START / 1e6);
	s->first = s->first > 0 ? s->first : t;
	s->newest = t > s->newest ? t : s->newest;
	assert_non_null(json_object_get(o, "device"));
	if (json_object_get(o, "counters")) {
		take_port(s, o);
	} else if (json_object_get(o, "nccl")) {
		s->collectives++;
	} else if (json_object_get(o, "bgp")) {
		s->session_lists++;
	} else if (event) {
		s->events++;
		(void)str_copy(s->event, sizeof(s->event), event);
	} else {
		s->identities++;
	}
}

static struct seen look(char *text)
{
	struct seen s = {.last = json_object()};

	each_line(text, take, &s);
	return s;
}

static unsigned ports_of(const char *preset)
{
	struct sim_opts o = {.sizing = sizing_preset(preset), .seed = 1, .start_us = START};
	struct sim *sim = sim_new(&o);
	unsigned n = 0;

	for (size_t i = 0; i < sim_device_count(sim); i++)
		n += sim_device(sim, i)->nports;
	sim_free(sim);
	return n;
}

CASE(test_every_port_every_interval)
{
	unsigned ports = ports_of("ref256");
	struct run r;
	struct seen s;
	size_t len;
	char *text;

	run_open(&r, NULL, 1);
	run_until(r.writer, START + 4 * INTERVAL);
	assert_int_equal(observations_next(r.writer), START + 5 * INTERVAL);
	text = run_close(&r, &len);
	s = look(text);
	assert_int_equal(s.ports, 5 * ports);
	assert_int_equal(s.identities, 44);
	assert_int_equal(s.session_lists, 12); /* leaves and spines, at the start only */
	/* The neighbours at the start, and not again. */
	assert_int_equal(s.neighbours, ports);
	assert_int_equal(s.no_neighbours, 0);
	/* Settings likewise; the watchdog's state, each time on each switch port. */
	assert_int_equal(s.settings, ports);
	assert_int_equal(s.watchdogs, 5 * (ports - 256));
	assert_true(s.first == (double)START / 1e6);
	json_decref(s.last);
	free(text);
}

/* A slow machine: one moment a call, and the fabric's time waits for those that are due. */
CASE(test_a_slow_machine_falls_behind)
{
	struct run r;
	size_t len;

	run_open(&r, NULL, 1);
	assert_int_equal(observations_run(r.writer, START + 3 * INTERVAL / 2), START + INTERVAL);
	assert_int_equal(
		observations_run(r.writer, START + 3 * INTERVAL / 2), START + 3 * INTERVAL / 2);
	assert_int_equal(observations_next(r.writer), START + 2 * INTERVAL);
	free(run_close(&r, &len));
}

CASE(test_a_link_that_fails)
{
	struct run r;
	struct seen s;
	size_t len;
	char *text;

	run_open(&r, "link-down:leaf-r0-00:Ethernet0,at=7s,for=60s", 1);
	run_until(r.writer, START + 2 * INTERVAL);
	text = run_close(&r, &len);
	s = look(text);
	assert_true(s.events >= 2); /* both ends */
	assert_string_equal(s.event, "link_down");
	assert_int_equal(s.no_neighbours, 2);
	assert_non_null(strstr(text, "{\"t\":1763726007.000000,\"device\":\"leaf-r0-00\","
				     "\"event\":\"link_down\",\"port\":\"Ethernet0\""));
	assert_non_null(strstr(text, "\"state\":{\"oper\":\"down\""));
	json_decref(s.last);
	free(text);
}

static json_int_t size_of(const json_t *comm)
{
	return json_integer_value(json_object_get(comm, "size"));
}

/* The last RAS report of the largest job's communicator. */
static void take_ras(void *arg, json_t *o)
{
	json_t **newest = arg;
	json_t *comm =
		json_array_get(json_object_get(json_object_get(o, "nccl"), "communicators"), 0);

	if (size_of(comm) < size_of(*newest) || !comm)
		return;
	json_decref(*newest);
	*newest = json_incref(comm);
}

static json_t *newest_ras(const char *fault, char **text)
{
	json_t *newest = NULL;
	struct run r;
	size_t len;

	run_open(&r, fault, 1);
	run_until(r.writer, START + 3 * INTERVAL);
	*text = run_close(&r, &len);
	each_line(*text, take_ras, &newest);
	assert_non_null(newest);
	return newest;
}

CASE(test_what_ras_knows)
{
	char *text;
	json_t *comm = newest_ras(NULL, &text), *rank;

	assert_int_equal(json_integer_value(json_object_get(comm, "missing_ranks_count")), 0);
	assert_int_equal(json_array_size(json_object_get(comm, "ranks")), size_of(comm));
	rank = json_array_get(json_object_get(comm, "ranks"), 0);
	/* Hosts by their names, as everywhere in the file. */
	assert_string_equal(json_string_value(json_object_get(rank, "host")), "node000");
	assert_true(json_integer_value(json_object_get(
			    json_object_get(rank, "collective_counts"), "AllReduce")) > 0);
	json_decref(comm);
	free(text);
}

CASE(test_a_process_that_is_gone)
{
	char *text;
	/* The first host's: another one has to listen. */
	json_t *comm = newest_ras("gpu-error:node000,at=7s,for=60s", &text), *missing, *rank;
	size_t i;

	missing = json_object_get(comm, "missing_ranks");
	assert_int_equal(json_array_size(missing), 8);
	json_array_foreach(missing, i, rank)
	{
		assert_string_equal(json_string_value(json_object_get(rank, "host")), "node000");
		assert_true(json_is_true(
			json_object_get(json_object_get(rank, "status"), "unresponsive")));
	}
	assert_non_null(strstr(text, "\"device\":\"node000\",\"event\":\"log_alarm\","
				     "\"text\":\"NVRM: Xid (PCI:0000:19:00): 79, GPU has"));
	json_decref(comm);
	free(text);
}

CASE(test_the_same_whatever_is_asked_meanwhile)
{
	struct run a, b;
	size_t alen, blen;
	char *at, *bt;

	run_open(&a, "link-flap:leaf-r3-00:Ethernet4,at=3s,period=8s", 2);
	run_open(&b, "link-flap:leaf-r3-00:Ethernet4,at=3s,period=8s", 2);
	run_until(a.writer, START + 3 * INTERVAL);
	for (int64_t t = START; t <= START + 3 * INTERVAL; t += 333333) {
		observations_run(b.writer, t);
		sim_advance_device(b.sim, sim_device(b.sim, (size_t)(t % 44)), t);
	}
	run_until(b.writer, START + 3 * INTERVAL);
	at = run_close(&a, &alen);
	bt = run_close(&b, &blen);
	/* At twice the speed, three intervals of wall time are six of device time. */
	assert_non_null(strstr(at, "{\"t\":1763726030.000000,"));
	assert_int_equal(alen, blen);
	assert_memory_equal(at, bt, alen);
	free(at);
	free(bt);
}

CASE(test_settings_that_change_are_told)
{
	struct run r;
	struct seen s;
	size_t len;
	char *text;

	run_open(&r, "pfc-off:leaf-r0-00:Ethernet0,at=7s,for=60s", 1);
	run_until(r.writer, START + 3 * INTERVAL);
	text = run_close(&r, &len);
	s = look(text);
	assert_int_equal(s.settings, ports_of("ref256") + 1);
	assert_non_null(strstr(text, "\"pfc_enabled\":0"));
	json_decref(s.last);
	free(text);
}

CASE(test_a_full_disk_stops_the_file_only)
{
	struct sim_opts o = {
		.sizing = sizing_preset("ref256"), .seed = 1, .start_us = START, .speed = 1};
	struct observations_opts w = {
		.path = "/dev/full", .start_us = START, .speed = 1, .interval_us = INTERVAL};
	struct observations *writer;
	struct err err;

	w.sim = sim_new(&o);
	writer = observations_new(&w, &err);
	assert_non_null(writer);
	observations_run(writer, START + INTERVAL);
	assert_int_equal(observations_next(writer), INT64_MAX);
	run_until(writer, START + 2 * INTERVAL);
	assert_false(observations_close(writer, &err));
	assert_string_equal(err.origin, "/dev/full");
	w.path = "/nowhere/at/all";
	assert_null(observations_new(&w, &err));
	assert_int_equal(err.code, ERR_IO);
	sim_free(w.sim);
}

/* A run without an end does not take the disk. */
CASE(test_a_file_has_an_end)
{
	struct sim_opts o = {
		.sizing = sizing_preset("ref256"), .seed = 1, .start_us = START, .speed = 1};
	char path[] = "/tmp/railtop-observations-XXXXXX";
	struct observations_opts w = {.path = path,
		.start_us = START,
		.speed = 1,
		.interval_us = INTERVAL,
		.most = 100000};
	struct observations *writer;
	struct stat st;
	struct err err = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	w.sim = sim_new(&o);
	writer = observations_new(&w, &err);
	assert_non_null(writer);
	run_until(writer, START + 2 * INTERVAL);
	assert_false(observations_close(writer, &err));
	assert_non_null(strstr(err.text, "File too large"));
	assert_non_null(strstr(err.cure, "--for"));
	assert_int_equal(fstat(fd, &st), 0);
	assert_in_range(st.st_size, 50000, 100000);
	(void)close(fd);
	(void)unlink(path);
	sim_free(w.sim);
}

CASES_MAIN(NULL, NULL)

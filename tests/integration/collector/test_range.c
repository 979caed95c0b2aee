/* SPDX-License-Identifier: Apache-2.0 */
/* A rehearsal: break the emulated fabric while a console watches, mend it, watch it drain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"
#include "tests/support/built.h"
#include "tests/support/obs_find.h"

static void ctl(const struct lab *l, const char *verb, const char *what)
{
	char program[256];
	const char *argv[] = {built_path("railtop-emulator", program, sizeof(program)), "ctl",
		l->dir, verb, what, NULL};
	int status = -1;
	char *out = run_command(argv, NULL, "", NULL, &status);

	if (status != 0)
		fail_msg("ctl %s %s: exit %d: %s", verb, what, status, out ? out : "");
	free(out);
}

/* code: 1 if there is a fault of any cause; -1 if there may still be one. */
static json_t *look(const struct lab *l, int code)
{
	const char *const args[] = {
		"snapshot", "-f", l->inventory, "--for", "8s", "--json", "-", NULL};
	struct lab_output o = lab_railtop(args, 240);
	json_t *root;

	assert_true(code < 0 ? o.code <= 1 : o.code == code);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

/* Frames: a switch that does not watch a port does not count how long it is held either. */
static double pauses(json_t *snap, const char *device, const char *port)
{
	json_t *p = lab_port(lab_device(snap, device), port);

	assert_non_null(p);
	return lab_counter(p, "pfc_rx_frames", "3", "rate");
}

/* The greatest rate of a counter of priority 3 over all ports of the devices of a tier. */
static double greatest(json_t *snap, const char *tier, const char *counter)
{
	json_t *d, *p;
	size_t i, k;
	double most = 0;

	json_array_foreach(json_object_get(snap, "devices"), i, d)
	{
		const char *mine = json_string_value(json_object_get(d, "tier"));

		if (!mine || strcmp(mine, tier) != 0)
			continue;
		json_array_foreach(json_object_get(d, "ports"), k, p) most =
			fmax(most, lab_counter(p, counter, "3", "rate"));
	}
	return most;
}

/* node017's rail 3 is on leaf-r3-00 port 17, which SONiC calls Ethernet68. */
CASE(test_storm_spreads_and_drains)
{
	struct lab l;
	json_t *before, *during, *after;

	lab_start(&l, (const char *const[]){"--steady", NULL});
	before = look(&l, 0);
	assert_true(pauses(before, "leaf-r3-00", "Ethernet68") < 10);
	ctl(&l, "inject", "pfc-storm:node017:mlx5_3,watchdog=no");
	during = look(&l, 1);
	assert_true(pauses(during, "leaf-r3-00", "Ethernet68") > 11000);
	/* The victims: hosts that send there, and spines on the way, which count frames only. */
	assert_true(greatest(during, "host", "pfc_rx_duration_us") > 5e5);
	assert_true(greatest(during, "spine", "pfc_rx_frames") > 5000);
	ctl(&l, "heal", "pfc-storm");
	/* Queues and jobs recover for some seconds. */
	after = look(&l, -1);
	assert_true(pauses(after, "leaf-r3-00", "Ethernet68") < 10);
	assert_true(greatest(after, "host", "pfc_rx_duration_us") < 1e4);
	assert_true(greatest(after, "spine", "pfc_rx_frames") < 100);
	json_decref(before);
	json_decref(during);
	json_decref(after);
	lab_stop(&l);
}

/* An answer that only teaches how to ask is no answer without data: nothing is said about it. */
CASE(test_no_healthy_device_is_a_stranger_at_first)
{
	char file[96];
	struct lab l;
	struct lab_output o;
	char *log;

	(void)snprintf(file, sizeof(file), "/tmp/railtop-range-%d.log", (int)getpid());
	lab_start(&l, (const char *const[]){"--steady", NULL});
	o = lab_railtop((const char *const[]){"check", "-f", l.inventory, "--log", file, NULL},
		240); /* only a hang may meet it */
	lab_output_free(&o);
	log = read_file(file, NULL);
	assert_non_null(log);
	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "nothing of dialect") || strstr(line, "expected a Redis reply"))
			fail_msg("%s", line);
	free(log);
	lab_stop(&l);
	(void)remove(file);
}

/* The observations that the range writes give the same model as polling the devices. */
CASE(test_observations_stand_in_for_devices)
{
	char file[96], truth_inventory[128];
	struct lab l;
	struct lab_output o;
	json_t *live, *read;
	const char *const *args;

	(void)snprintf(file, sizeof(file), "/tmp/railtop-range-%d.jsonl", (int)getpid());
	args = (const char *const[]){
		"--steady", "--observations", file, "--observe-interval", "1s", NULL};
	lab_start(&l, args);
	live = look(&l, 0);
	(void)snprintf(truth_inventory, sizeof(truth_inventory), "%s", l.inventory);
	o = lab_railtop((const char *const[]){"snapshot", "-f", truth_inventory, "--observations",
				file, "--json", "-", NULL},
		240); /* only a hang may meet it */
	assert_int_equal(o.code, 0);
	read = lab_json(o.out);
	for (unsigned i = 0; i < 32; i += 7) {
		char host[16];
		double a, b;

		(void)snprintf(host, sizeof(host), "node%03u", i);
		a = lab_counter(
			lab_port(lab_device(live, host), "mlx5_2"), "rx_bytes", NULL, "rate");
		b = lab_counter(
			lab_port(lab_device(read, host), "mlx5_2"), "rx_bytes", NULL, "rate");
		if (!(fabs(a - b) < 0.02 * a))
			fail_msg("%s: live %.0f, from the file %.0f", host, a, b);
	}
	lab_output_free(&o);
	json_decref(live);
	json_decref(read);
	lab_stop(&l);
	(void)remove(file);
}

CASES_MAIN(NULL, NULL)

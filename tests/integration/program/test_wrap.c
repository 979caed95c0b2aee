/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in which a 32-bit counter wraps, a device's counters are cleared and another device
 * falls silent, looked at after each of its samples: at no time may a rate be wrong.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

enum { SAMPLES = 9, STEP_S = 5, WRAP_AT = 4, CLEAR_AT = 5, LAST_OF_SILENT = 3 };

/* A second. */
enum { RX = 40000000, OOS = 100, ACK = 2, FRAMES = 700 };

static const char *const devices[] = {"wraps", "cleared", "silent", "steady"};

#define EACH_DEVICE(i) for (size_t i = 0; (i) < sizeof(devices) / sizeof(devices[0]); (i)++)

/* The counter's value at a sample: as wide as the NIC keeps it, from zero after the clear. */
static unsigned long long shown(const char *device, unsigned sample, uint64_t start, unsigned rate)
{
	uint64_t t = (uint64_t)sample * STEP_S;

	if (str_eq(device, "cleared") && sample >= CLEAR_AT)
		return (t - CLEAR_AT * STEP_S + 1) * rate;
	return start + t * rate;
}

static void put(struct buf *b, const char *device, unsigned sample)
{
	/* Three and a half steps below the end of its width. */
	uint64_t oos = UINT32_MAX - (uint64_t)OOS * STEP_S * (2 * WRAP_AT - 1) / 2;
	char line[512];

	if (!str_eq(device, "wraps"))
		oos = 5000;
	(void)str_printf(line, sizeof(line),
		"{\"t\":%u,\"device\":\"%s\",\"port\":\"mlx5_0\",\"state\":{\"oper\":\"up\","
		"\"speed_mbps\":400000},\"counters\":{\"rx_bytes\":%llu,\"out_of_sequence\":%llu,"
		"\"local_ack_timeout_err\":%llu,\"pfc_rx_frames\":{\"3\":%llu}}}\n",
		1795260000 + sample * STEP_S, device, shown(device, sample, 1ULL << 40, RX),
		shown(device, sample, oos, OOS) & UINT32_MAX, shown(device, sample, 900, ACK),
		shown(device, sample, 123456, FRAMES));
	assert_true(buf_adds(b, line));
}

/* The snapshot of the first `samples` samples. */
static json_t *snapshot(const struct scratch *s, unsigned samples)
{
	char path[128];
	const char *const args[] = {"snapshot", "--observations", path, "--json", "-", NULL};
	struct lab_output o;
	struct buf b;
	json_t *root;

	buf_init(&b, 1 << 20);
	for (unsigned sample = 0; sample < samples; sample++) {
		EACH_DEVICE(i)
		{
			if (!str_eq(devices[i], "silent") || sample <= LAST_OF_SILENT)
				put(&b, devices[i], sample);
		}
	}
	scratch_write(s, "o.jsonl", b.data);
	buf_free(&b);
	(void)str_copy(path, sizeof(path), scratch_path(s, "o.jsonl"));
	o = lab_railtop(args, 240);
	/* The ACK timeouts of these NICs are a finding. */
	if (o.code > 1 || *o.err)
		fail_msg("exit %d: %s", o.code, o.err);
	root = lab_json(o.out);
	lab_output_free(&o);
	return root;
}

static json_t *port_of(json_t *snap, const char *device)
{
	json_t *p = lab_port(lab_device(snap, device), "mlx5_0");

	assert_non_null(p);
	return p;
}

static const char *state_of(json_t *snap, const char *device)
{
	const char *state = json_string_value(json_object_get(lab_device(snap, device), "state"));

	return state ? state : "";
}

static const struct {
	const char *name, *priority;
	double rate;
} counters[] = {
	{"rx_bytes", NULL, RX},
	{"out_of_sequence", NULL, OOS},
	{"local_ack_timeout_err", NULL, ACK},
	{"pfc_rx_frames", "3", FRAMES},
};

/* Right, or unknown for a reason that the cell states. */
static void assert_rates(json_t *snap, const char *device, const char *valid, bool known)
{
	json_t *p = port_of(snap, device);

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		double rate = lab_counter(p, counters[i].name, counters[i].priority, "rate");
		const char *is = lab_validity(p, counters[i].name, counters[i].priority);

		if (!str_eq(is, valid))
			fail_msg("%s %s is %s, not %s", device, counters[i].name, is, valid);
		if (known != !isnan(rate) ||
			(known && fabs(rate - counters[i].rate) > counters[i].rate * 0.001))
			fail_msg("%s %s: rate %g instead of %g", device, counters[i].name, rate,
				known ? counters[i].rate : NAN);
	}
}

CASE(test_rates_after_each_sample)
{
	for (unsigned samples = 1; samples <= SAMPLES; samples++) {
		json_t *snap = snapshot(*state, samples);
		bool cleared = samples == CLEAR_AT + 1;

		assert_rates(snap, "wraps", "ok", samples > 1);
		assert_rates(snap, "steady", "ok", samples > 1);
		assert_rates(snap, "cleared", cleared ? "reset" : "ok", samples > 1 && !cleared);
		if (samples <= LAST_OF_SILENT + 1)
			assert_rates(snap, "silent", "ok", samples > 1);
		EACH_DEVICE(i)
		{
			assert_int_equal(lab_events(snap, devices[i], "counter_wrap"),
				str_eq(devices[i], "wraps") && samples > WRAP_AT);
			assert_int_equal(lab_events(snap, devices[i], "counter_reset"),
				str_eq(devices[i], "cleared") && samples > CLEAR_AT);
			assert_int_equal(lab_events(snap, devices[i], "reboot"), 0);
		}
		json_decref(snap);
	}
}

CASE(test_values_go_on_from_where_they_are)
{
	json_t *snap = snapshot(*state, SAMPLES);
	double oos = lab_counter(port_of(snap, "wraps"), "out_of_sequence", NULL, "value");
	double rx = lab_counter(port_of(snap, "cleared"), "rx_bytes", NULL, "value");

	/* Half a step before the wrap, and the samples since then. */
	assert_true(fabs(oos - OOS * STEP_S * (SAMPLES - 1 - WRAP_AT + 0.5)) <= 1);
	assert_true(fabs(rx - RX * (double)((SAMPLES - 1 - CLEAR_AT) * STEP_S + 1)) <= 1);
	json_decref(snap);
}

/* Silence is no number: an old value is marked, with its age. */
CASE(test_a_silent_device_is_stale)
{
	json_t *snap = snapshot(*state, SAMPLES), *d = lab_device(snap, "silent"), *p;

	assert_string_equal(state_of(snap, "steady"), "fresh");
	assert_string_equal(state_of(snap, "silent"), "stale");
	assert_int_equal(lab_events(snap, "silent", "stale"), 1);
	assert_int_equal(lab_events(snap, "steady", "stale"), 0);
	assert_true(fabs(json_number_value(json_object_get(d, "age_s")) -
			    (SAMPLES - 1 - LAST_OF_SILENT) * STEP_S) < 0.001);
	p = port_of(snap, "silent");
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		assert_string_equal(
			lab_validity(p, counters[i].name, counters[i].priority), "stale");
		/* The last that was known, not grown and not zero. */
		assert_true(lab_counter(p, counters[i].name, counters[i].priority, "value") > 0);
		assert_true(lab_counter(p, counters[i].name, counters[i].priority, "age_s") > 20);
	}
	assert_true((unsigned long long)lab_counter(p, "rx_bytes", NULL, "value") ==
		    shown("silent", LAST_OF_SILENT, 1ULL << 40, RX));
	json_decref(snap);
}

static int set_up(void **state)
{
	struct scratch *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	scratch_open(s);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	scratch_close(*state);
	free(*state);
	return 0;
}

CASES_MAIN(set_up, tear_down)

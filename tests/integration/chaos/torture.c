/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/chaos/torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/ledger/ledger.h"
#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

enum { RUN_S = 60, SAMPLES = 6, STEP_S = 5, FIRST_S = 1795260000 };

size_t torture_below(struct torture *t, size_t n)
{
	t->state ^= t->state << 13;
	t->state ^= t->state >> 7;
	t->state ^= t->state << 17;
	return (size_t)(t->state >> 16) % n;
}

void torture_watch_sanitizers(void)
{
	(void)setenv("ASAN_OPTIONS",
		"exitcode=99:handle_segv=2:handle_abort=2:verify_asan_link_order=0", 1);
	(void)setenv("UBSAN_OPTIONS", "print_stacktrace=1", 1);
}

bool torture_has_report(const char *err)
{
	return strstr(err, "Sanitizer") || strstr(err, "runtime error:");
}

/* Runs railtop with nothing failing; the caller frees. */
static struct lab_output undisturbed(const char *const *args)
{
	return lab_railtop(args, RUN_S);
}

static bool file_is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* ---- what is left of a recording ---- */

/* The number of samples of the counter that the recording ends with; -1: it cannot be read. */
static int last_sample(const char *path, char *why, size_t size)
{
	const char *const args[] = {"snapshot", "--from", path, "--json", "-", NULL};
	struct lab_output o = undisturbed(args);
	json_error_t error;
	json_t *root = o.code <= 1 ? json_loads(o.out, 0, &error) : NULL;
	double bytes = lab_counter(
		lab_port(lab_device(root, "alpha"), "mlx5_1"), "rx_bytes", NULL, "value");
	int sample = bytes >= 1e9 ? (int)((bytes - 1e9) / 1e8 + 0.5) : -1;

	if (!root)
		(void)str_printf(why, size, "cannot be read again: %.300s", o.err);
	else if (sample < 0)
		(void)str_printf(why, size, "has no counters");
	json_decref(root);
	lab_output_free(&o);
	return sample;
}

/* Said to hold nothing: it was ended before its first entry. */
static bool is_empty(const char *path)
{
	const char *const args[] = {"snapshot", "--from", path, "--json", "-", NULL};
	struct lab_output o = undisturbed(args);
	bool empty =
		o.code > 1 && o.code <= 5 &&
		(strstr(o.err, "has no judgement yet (") || strstr(o.err, "has no entries yet (") ||
			strstr(o.err, ": it is empty ("));

	lab_output_free(&o);
	return empty;
}

static bool recording_is_valid(const char *path, int least, bool whole, char *why, size_t size)
{
	int last;

	if (!file_is_there(path)) {
		if (!whole && !least)
			return true;
		(void)str_printf(why, size, "there is no recording");
		return false;
	}
	last = last_sample(path, why, size);
	if (last < 0 && !whole && !least && is_empty(path))
		return true;
	if (last < 0)
		return false;
	if (whole ? last == SAMPLES - 1 || least > 0 : last >= least - 1)
		return true;
	(void)str_printf(why, size, "it ends with sample %d", last);
	return false;
}

static bool record_valid(struct torture *t, bool done, char *why, size_t size)
{
	return recording_is_valid(t->product, 0, done, why, size);
}

/* Its first part was there before, and may not suffer. */
static bool append_valid(struct torture *t, bool done, char *why, size_t size)
{
	int last = file_is_there(t->product) ? last_sample(t->product, why, size) : -1;

	if (last >= (done ? SAMPLES : SAMPLES - 1))
		return true;
	if (!why[0])
		(void)str_printf(why, size, "the recording of before ends with sample %d", last);
	return false;
}

static void copy_file(const struct torture *t, const char *from, const char *to)
{
	scratch_run(&t->scratch, "cp '%s' '%s'", from, to);
}

static void clear(struct torture *t)
{
	scratch_run(&t->scratch, "rm -rf product* page* sanitizer*");
	t->state |= 1;
}

static void with_recording(struct torture *t)
{
	clear(t);
	copy_file(t, t->good, t->product);
}

/* ---- a page of a recording ---- */

/* Nothing of the recording may be missing where success was claimed. */
static bool page_valid(struct torture *t, bool done, char *why, size_t size)
{
	json_error_t error;
	json_t *root = json_load_file(t->page, 0, &error);
	double bytes = lab_counter(
		lab_port(lab_device(root, "beta"), "mlx5_1"), "rx_bytes", NULL, "value");
	bool valid = !done || bytes >= 1e9 + (SAMPLES - 1) * 1e8;

	if (!valid)
		(void)str_printf(why, size, "the page ends with %g bytes: %s", bytes, error.text);
	json_decref(root);
	return valid;
}

static bool snapshot_valid(struct torture *t, bool done, char *why, size_t size)
{
	return recording_is_valid(t->product, 0, done, why, size) && page_valid(t, done, why, size);
}

/* ---- the ledger ---- */

static bool ledger_is_whole(struct torture *t, bool done, char *why, size_t size)
{
	struct ledger_report report;
	struct err err = {0};
	struct lab_output o;
	const char *const args[] = {"ledger", "verify", "-f", t->inventory, NULL};

	if (!ledger_verify(t->ledger, &report, &err) || report.why[0]) {
		(void)str_printf(why, size, "the ledger is not whole: %s%s", report.why, err.text);
		return false;
	}
	if (report.lines < 2 || (done && report.lines < 3)) {
		(void)str_printf(
			why, size, "the ledger has %llu lines", (unsigned long long)report.lines);
		return false;
	}
	o = undisturbed(args);
	if (o.code > 1)
		(void)str_printf(why, size, "verify: %.300s%.300s", o.out, o.err);
	lab_output_free(&o);
	return !why[0];
}

static bool ledger_untouched(struct torture *t, bool done, char *why, size_t size)
{
	(void)done;
	return ledger_is_whole(t, false, why, size);
}

static void with_ledger(struct torture *t)
{
	clear(t);
	scratch_run(&t->scratch, "rm -rf acts; cp -a kept acts");
}

static void append(struct ledger *l, enum ledger_event e, json_t *detail)
{
	struct err err = {0};

	if (!ledger_append(l, e, "act-1", detail, &err))
		fail_msg("%s", err.text);
}

static void write_ledger(struct torture *t)
{
	const struct ledger_opts o = {.path = t->kept_ledger, .clock = &clock_system};
	struct err err = {0};
	struct ledger *l;
	struct who who;

	who_am_i(&who);
	l = ledger_open(&o, &who, &err);
	if (!l)
		fail_msg("%s", err.text);
	append(l, LEDGER_BEGUN,
		json_pack("{s:s,s:s,s:s}", "action", "port-bounce", "device", "alpha", "port",
			"mlx5_0"));
	append(l, LEDGER_SENDING,
		json_pack("{s:s,s:s,s:s}", "device", "alpha", "port", "mlx5_0", "request",
			"ip link set eth0 down"));
	ledger_close(l);
}

/* ---- what all of them begin with ---- */

static void write_observations(const struct torture *t, const char *name, int from, int to)
{
	static const char *const devices[] = {"alpha", "beta"}, *const ports[] = {
									"mlx5_0", "mlx5_1"};
	FILE *f = fopen(scratch_path(&t->scratch, name), "we");

	assert_non_null(f);
	for (int s = from; s < to; s++)
		for (size_t i = 0; i < 4; i++)
			(void)fprintf(f,
				"{\"t\":%d,\"device\":\"%s\",\"port\":\"%s\",\"state\":{\"oper\":"
				"\"up\",\"speed_mbps\":400000},\"counters\":{\"rx_bytes\":%lld}}\n",
				FIRST_S + s * STEP_S, devices[i / 2], ports[i % 2],
				1000000000LL + s * 100000000LL);
	assert_int_equal(fclose(f), 0);
}

static void write_inventory(const struct torture *t)
{
	char text[512];

	(void)str_printf(text, sizeof(text),
		"fabric: torture\nhosts:\n  - {transport: ssh, dialect: linux, names: alpha, "
		"address: 127.0.0.1}\nactions: {ledger: %s}\n",
		t->ledger);
	scratch_write(&t->scratch, "fabric.yaml", text);
}

static void fill_paths(struct torture *t)
{
	const struct {
		char *dst;
		const char *name;
	} paths[] = {
		{t->observations, "first.jsonl"},
		{t->more, "more.jsonl"},
		{t->good, "good.rts"},
		{t->product, "product.rts"},
		{t->page, "page.json"},
		{t->inventory, "fabric.yaml"},
		{t->ledger, "acts/actions.jsonl"},
		{t->kept_ledger, "kept/actions.jsonl"},
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		(void)str_copy(
			paths[i].dst, sizeof(t->good), scratch_path(&t->scratch, paths[i].name));
}

static void fill_works(struct torture *t)
{
	const struct torture_work works[TORTURE_WORKS] = {
		{"record",
			{t->program, "record", "--observations", t->observations, "-o", t->product,
				NULL},
			"first.jsonl", clear, record_valid},
		{"append",
			{t->program, "record", "--observations", t->more, "-o", t->product, NULL},
			"more.jsonl", with_recording, append_valid},
		{"snapshot",
			{t->program, "snapshot", "--observations", t->observations, "-o",
				t->product, "--json", t->page, NULL},
			"first.jsonl", clear, snapshot_valid},
		{"read", {t->program, "snapshot", "--from", t->product, "--json", t->page, NULL},
			"product.rts", with_recording, page_valid},
		{"settle",
			{t->program, "ledger", "settle", "act-1", "-f", t->inventory, "--reason",
				"looked at the port, it is fine", NULL},
			"fabric.yaml", with_ledger, ledger_is_whole},
		{"verify", {t->program, "ledger", "verify", "-f", t->inventory, NULL},
			"fabric.yaml", with_ledger, ledger_untouched},
	};

	memcpy(t->works, works, sizeof(works));
}

void torture_open(struct torture *t)
{
	const char *args[8];
	char built[256], *program;
	struct lab_output o;

	t->seed = effort_seed();
	t->state = (t->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	scratch_open(&t->scratch);
	program = realpath(built_path("railtop", built, sizeof(built)), NULL);
	assert_non_null(program);
	assert_true(str_copy(t->program, sizeof(t->program), program));
	free(program);
	torture_watch_sanitizers();
	fill_paths(t);
	write_observations(t, "first.jsonl", 0, SAMPLES);
	write_observations(t, "more.jsonl", SAMPLES, SAMPLES + 2);
	write_inventory(t);
	write_ledger(t);
	args[0] = "record";
	args[1] = "--observations";
	args[2] = t->observations;
	args[3] = "-o";
	args[4] = t->good;
	args[5] = NULL;
	o = undisturbed(args);
	if (o.code != 0)
		fail_msg("no recording: %s", o.err);
	lab_output_free(&o);
	fill_works(t);
}

void torture_close(struct torture *t)
{
	scratch_close(&t->scratch);
}

const struct torture_work *torture_work(const struct torture *t, const char *name)
{
	for (size_t i = 0; i < TORTURE_WORKS; i++)
		if (str_eq(t->works[i].name, name))
			return &t->works[i];
	fail_msg("no such work: %s", name);
	return NULL;
}

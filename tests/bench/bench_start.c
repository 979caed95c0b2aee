/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the start of the console to its first screen, as a user waits for it. Measures wall time
 * until the words of the cluster view stand in a terminal of 80x24, the processor time until then
 * and the resident memory. The inventory is of each size, with its plan of links; no device
 * answers, because the first screen appears before any answer. The least of some starts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/fail.h"
#include "tests/bench/load/tree.h"
#include "tests/support/built.h"
#include "tests/support/figures.h"
#include "tests/support/terminal/vt.h"

enum {
	STARTS = 5,
	GROUP_MOST = 2000 /* names of a list in the inventory */
};
/* The text of the cluster view while all devices are still to be asked. */
#define FIRST_WORDS "data fresh"

static void write_group(FILE *f, const struct sizing *z, enum tier t, unsigned from, unsigned to)
{
	char name[64];

	(void)fprintf(f, "  - {transport: ssh, address: 127.0.0.1, port: 1, dialect: %s, names: \"",
		t == TIER_HOST ? "linux" : "sonic");
	for (unsigned i = from; i < to; i++) {
		(void)sizing_device_name(z, t, i, name, sizeof(name));
		(void)fprintf(f, "%s%s", i > from ? "," : "", name);
	}
	if (t == TIER_HOST)
		(void)fprintf(f, "\", rails: \"mlx5_[0-%u]\"}\n", z->rails - 1);
	else
		(void)fprintf(f, "\", tier: %s}\n", tier_name(t));
}

static void write_tier(FILE *f, const struct sizing *z, enum tier t)
{
	unsigned n = sizing_devices(z, t), to;

	for (unsigned from = 0; from < n; from = to) {
		to = from + GROUP_MOST < n ? from + GROUP_MOST : n;
		write_group(f, z, t, from, to);
	}
}

static bool write_inventory(const char *path, const char *preset)
{
	const struct sizing *z = sizing_preset(preset);
	FILE *f = fopen(path, "we");

	if (!f)
		return false;
	(void)fprintf(f,
		"fabric: bench\npreset: %s\nlossless: {priorities: [3]}\n"
		"defaults: {user: noc}\nswitches:\n",
		preset);
	for (int t = TIER_LEAF; t < TIER_COUNT; t++)
		write_tier(f, z, (enum tier)t);
	(void)fprintf(f, "hosts:\n");
	write_tier(f, z, TIER_HOST);
	(void)fprintf(f, "wiring: {plan: formula}\n");
	return fclose(f) == 0;
}

struct start {
	double wall_ms, cpu_ms, mb;
};

static struct start start(const char *inventory)
{
	char program[256];
	const char *const argv[] = {program, "-f", inventory, NULL};
	const char *const env[] = {"NO_COLOR", NULL};
	const struct vt_opts opts = {.env = env};
	int64_t at = clock_mono(&clock_system);
	struct start s;
	struct vt *vt;

	(void)built_path("railtop", program, sizeof(program));
	vt = vt_spawn(&opts, argv);
	if (!vt)
		bench_fail("%s cannot be started", program);
	vt_wait_text(vt, FIRST_WORDS, 0);
	s.wall_ms = (double)(clock_mono(&clock_system) - at) / 1e3;
	s.cpu_ms = tree_cpu_of(vt_pid(vt)) * 1e3;
	s.mb = tree_memory_of(vt_pid(vt));
	vt_key(vt, "Ctrl-c");
	(void)vt_wait_exit(vt);
	vt_free(vt);
	return s;
}

static void measure(struct figures *f, const char *dir, const char *preset, double target_ms)
{
	struct start best = {INFINITY, INFINITY, INFINITY};
	char inventory[128], name[96];

	(void)str_printf(inventory, sizeof(inventory), "%s/fabric.yaml", dir);
	if (!write_inventory(inventory, preset))
		bench_fail_errno(inventory);
	for (int i = 0; i < (int)figures_times(STARTS, 1); i++) {
		struct start s = start(inventory);

		best.wall_ms = s.wall_ms < best.wall_ms ? s.wall_ms : best.wall_ms;
		best.cpu_ms = s.cpu_ms < best.cpu_ms ? s.cpu_ms : best.cpu_ms;
		best.mb = s.mb < best.mb ? s.mb : best.mb;
	}
	(void)unlink(inventory);
	(void)str_printf(name, sizeof(name), "%s: start to first screen, wall", preset);
	figure(f, name, best.wall_ms, "ms", target_ms);
	figure(f, "  CPU until then", best.cpu_ms, "ms", 0);
	figure(f, "  resident then", best.mb, "MB", 0);
}

int main(void)
{
	char dir[] = "/tmp/railtop-bench-XXXXXX";
	struct figures *f = figures_new("start");

	if (!mkdtemp(dir))
		bench_fail_errno(dir);
	measure(f, dir, "ref256", 60);
	measure(f, dir, "4k", 60);
	if (!figures_quick()) {
		measure(f, dir, "24k", 0);
		measure(f, dir, "100k", 0);
	}
	(void)rmdir(dir);
	return figures_end(f) ? 0 : 1;
}

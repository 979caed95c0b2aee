/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's traffic on the wire: bytes a second at a steady 1 s refresh with 10 % of the
 * visible rows changing, and when nothing happens. Data comes through a named pipe, so that only
 * the screen is measured. The bounds are the project's; htop needs 1,745 and 2,856 bytes/s in the
 * same sizes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/bench/load/fail.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/figures.h"
#include "tests/support/terminal/vt.h"
#include "views/view.h"

enum { PORTS = 64 };

struct bench {
	char dir[64], fifo[96], inventory[96];
	int fd;
	struct vt *vt;
	double rx[PORTS];   /* bytes so far */
	double load[PORTS]; /* bytes per second */
	unsigned turn;
	double t; /* time of the samples: a second a turn, so that no other cell changes */
	int warm_up, seconds;
};

static void write_inventory(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		bench_fail_errno(path);
	(void)fprintf(f,
		"fabric: bench\npreset: ref256\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1h, user: noc}\nswitches:\n"
		"  - {names: \"leaf-r[0-7]-00\", dialect: sonic, transport: ssh, tier: leaf}\n"
		"wiring: {plan: none}\n");
	(void)fclose(f);
}

/* One second of leaf-r2-00: all ports move on; of the visible ones, `changing` get a new rate. */
static void feed(struct bench *b, int visible, int changing)
{
	struct buf text;
	size_t done = 0;

	for (int i = 0; i < changing; i++)
		b->load[(b->turn + (unsigned)i) % (unsigned)visible] =
			2e10 + 1e9 * ((b->turn * 7 + (unsigned)i * 3) % 23);
	b->turn += (unsigned)changing;
	b->t += 1;
	buf_init(&text, 1 << 20);
	for (int p = 0; p < PORTS; p++) {
		b->rx[p] += b->load[p];
		(void)buf_addf(&text,
			"{\"t\":%.3f,\"device\":\"leaf-r2-00\",\"port\":\"Ethernet%d\",\"state\":{"
			"\"oper\":\"up\","
			"\"speed_mbps\":400000},\"counters\":{\"rx_bytes\":%.0f,\"tx_bytes\":%.0f,"
			"\"rx_discards\":0,\"pfc_rx_frames\":{\"3\":100},\"pfc_rx_duration_us\":{"
			"\"3\":%.0f},"
			"\"ecn_marked_packets\":{\"3\":%.0f},\"pre_fec_ber\":1e-9}}\n",
			b->t, p * 4, b->rx[p], b->rx[p], b->rx[p] / 1e8, b->rx[p] / 1e7);
	}
	while (done < text.len) {
		ssize_t n = write(b->fd, text.data + done, text.len - done);

		if (n > 0)
			done += (size_t)n;
		else
			vt_run_for(b->vt, 0.005);
	}
	buf_free(&text);
}

static void start(struct bench *b, int rows, int cols, const char *place)
{
	char program[256];
	const char *const argv[] = {
		program, "-f", b->inventory, "--observations", b->fifo, "--view", place, NULL};
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {.rows = rows, .cols = cols, .env = env, .idle = true};

	(void)built_path("railtop", program, sizeof(program));
	b->vt = vt_spawn(&opts, argv);
	if (!b->vt)
		bench_fail("%s cannot be started", program);
	vt_wait_idle(b->vt, 0);
	b->fd = open(b->fifo, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (b->fd < 0)
		bench_fail_screen(b->vt, "the console does not read %s", b->fifo);
	for (int p = 0; p < PORTS; p++) {
		b->load[p] = 2e10 + 3e8 * p;
		b->rx[p] = 0;
	}
	b->turn = 0;
	b->t = (double)(clock_wall(&clock_system) / CLOCK_SEC);
}

/* Switches the sparkline column off as an operator would: c, down to it, Space. */
static void hide_trend(struct bench *b)
{
	const struct view_ops *leaf = view_by_name("leaf");
	size_t down = 0;

	while (down < leaf->ncolumns && strcmp(leaf->columns[down].id, "trend") != 0)
		down++;
	vt_type(b->vt, "c");
	for (size_t i = 0; i < down; i++)
		vt_type(b->vt, "j");
	vt_type(b->vt, " ");
	vt_settle(b->vt);
	if (!vt_has(b->vt, "[ ] trend"))
		bench_fail_screen(
			b->vt, "waited for \"[ ] trend\" after c, %zu times j and Space", down);
	vt_key(b->vt, "Esc");
	vt_settle(b->vt);
}

static void stop(struct bench *b)
{
	vt_key(b->vt, "Ctrl-c");
	(void)vt_wait_exit(b->vt);
	vt_free(b->vt);
	(void)close(b->fd);
}

/* Bytes a second while a tenth of `visible` rows changes every second. */
static double busy(struct bench *b, int rows, int cols, const char *place, int visible, bool trend)
{
	uint64_t before = 0;

	start(b, rows, cols, place);
	if (!trend)
		hide_trend(b);
	for (int s = 0; s < b->warm_up + b->seconds; s++) {
		if (s == b->warm_up)
			before = vt_bytes(b->vt);
		feed(b, visible, (visible + 9) / 10);
		vt_run_for(b->vt, 1.0);
	}
	before = vt_bytes(b->vt) - before;
	stop(b);
	return (double)before / b->seconds;
}

static unsigned long wakeups(int pid)
{
	char path[64], line[128];
	unsigned long n = 0;
	FILE *f;

	(void)str_printf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			break;
	}
	if (f)
		(void)fclose(f);
	return n;
}

static void idle(struct bench *b, struct figures *f, int rows, int cols, const char *size)
{
	uint64_t bytes;
	unsigned long woke;
	char name[64];

	start(b, rows, cols, "leaf-r2-00");
	for (int s = 0; s < b->warm_up; s++) {
		feed(b, 20, 2);
		vt_run_for(b->vt, 1.0);
	}
	bytes = vt_bytes(b->vt);
	woke = wakeups(vt_pid(b->vt));
	vt_run_for(b->vt, b->seconds);
	(void)str_printf(name, sizeof(name), "idle, %s", size);
	figure(f, name, (double)(vt_bytes(b->vt) - bytes) / b->seconds, "bytes/s", 20);
	(void)str_printf(name, sizeof(name), "idle wake-ups of the main thread, %s", size);
	figure(f, name, (double)(wakeups(vt_pid(b->vt)) - woke) / b->seconds, "per s", 1);
	stop(b);
}

int main(void)
{
	struct bench b = {
		.fd = -1, .warm_up = figures_quick() ? 1 : 5, .seconds = figures_quick() ? 1 : 20};
	struct figures *f = figures_new("screen");
	bool ok;

	(void)str_copy(b.dir, sizeof(b.dir), "/tmp/railtop-bench-XXXXXX");
	if (!mkdtemp(b.dir))
		bench_fail_errno(b.dir);
	(void)str_printf(b.fifo, sizeof(b.fifo), "%s/observations", b.dir);
	(void)str_printf(b.inventory, sizeof(b.inventory), "%s/fabric.yaml", b.dir);
	if (mkfifo(b.fifo, 0600) != 0)
		bench_fail_errno(b.fifo);
	write_inventory(b.inventory);
	figure(f, "10 % of rows change each second, 80x24",
		busy(&b, 24, 80, "leaf-r2-00", 18, false), "bytes/s", 150);
	figure(f, "10 % of rows change each second, 200x50",
		busy(&b, 50, 200, "leaf-r2-00", 44, false), "bytes/s", 350);
	figure(f, "the same with a sparkline in each row",
		busy(&b, 50, 200, "leaf-r2-00", 44, true), "bytes/s", 700);
	figure(f, "port pane with sparklines, its port changes, 200x50",
		busy(&b, 50, 200, "leaf-r2-00:Ethernet0", 1, true), "bytes/s", 700);
	idle(&b, f, 24, 80, "80x24");
	idle(&b, f, 50, 200, "200x50");
	(void)unlink(b.fifo);
	(void)unlink(b.inventory);
	(void)rmdir(b.dir);
	ok = figures_end(f);
	return ok ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: the bytes of a client of a job's RAS listener, over several connections. A byte 1 begins
 * another one, a byte 2 lets a second pass, a byte 3 freezes a rank, a byte 4 ends one. Every
 * answer is bounded, and reports in JSON are JSON.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/serve/ras.h"

#define RANKS   4
#define CLIENTS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fabric {
	int64_t now;
	struct sim_device host;
	struct sim_rank_view rank[RANKS];
};

static int64_t now(const struct sim *s)
{
	return ((const struct fabric *)s)->now;
}

static size_t job_count(const struct sim *s)
{
	(void)s;
	return 1;
}

static void job(const struct sim *s, size_t i, struct sim_job_view *out)
{
	(void)s;
	(void)i;
	*out = (struct sim_job_view){
		.name = "train", .comm = 7, .nranks = RANKS, .gpus_per_host = RANKS, .phase = ""};
}

static void rank(const struct sim *s, size_t i, unsigned n, struct sim_rank_view *out)
{
	(void)i;
	*out = ((const struct fabric *)s)->rank[n];
}

static void address(void *arg, const struct sim_device *host, char *dst, size_t size)
{
	(void)arg;
	(void)host;
	(void)str_copy(dst, size, "10.20.1.11");
}

static void pass_second(struct ras *r, struct fabric *f)
{
	f->now += CLOCK_SEC;
	ras_update(r);
}

/* The first rank is the listener: it goes last. */
static void spoil(struct fabric *f, bool dead)
{
	for (unsigned k = RANKS; k-- > 0;)
		if (!f->rank[k].dead && !f->rank[k].unresponsive) {
			f->rank[k].dead = dead;
			f->rank[k].unresponsive = !dead;
			return;
		}
}

/* Reads all that is there, as the server does. */
static void take(struct ras_client *c)
{
	struct buf *out = ras_output(c);

	if (ras_collecting(c) < 0)
		abort();
	if (ras_collecting(c))
		ras_collect(c);
	if (ras_collecting(c))
		abort();
	buf_reset(out);
}

static struct ras_client *connect_again(struct ras *r, struct fabric *f, struct ras_client **all)
{
	ras_disconnect(all[CLIENTS - 1]);
	memmove(all + 1, all, (CLIENTS - 1) * sizeof(struct ras_client *));
	all[0] = ras_connect(r, &f->host);
	return all[0];
}

static void turn(struct ras *r, struct fabric *f, struct ras_client **all, uint8_t byte)
{
	if (byte == 1)
		(void)connect_again(r, f, all);
	else if (byte == 2)
		pass_second(r, f);
	else
		spoil(f, byte == 4);
}

/* After any input, a new client gets the report in JSON. */
static void check_report(struct ras *r, struct fabric *f)
{
	static const char question[] = "set format json\nverbose status\n";
	struct ras_client *c = ras_connect(r, &f->host);
	const struct buf *out;
	json_t *o;

	if (!c)
		return;
	ras_input(c, question, strlen(question));
	ras_collect(c);
	out = ras_output(c);
	/* "OK\n" answers the first line; a listener that is frozen says nothing. */
	if (out->len > 3) {
		o = json_loadb(out->data + 3, out->len - 3, 0, NULL);
		if (!o)
			abort();
		json_decref(o);
	}
	ras_disconnect(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ras_source source = {
		.now = now, .job_count = job_count, .job = job, .rank = rank};
	struct fabric f = {.now = INT64_C(1763726000) * CLOCK_SEC};
	struct ras_client *all[CLIENTS] = {NULL};
	struct ras *r;

	for (unsigned k = 0; k < RANKS; k++)
		f.rank[k] = (struct sim_rank_view){.rank = k, .gpu = k, .host = &f.host, .pid = 9};
	r = ras_new(&(struct ras_opts){
		.source = &source, .sim = (const struct sim *)&f, .address = address});
	(void)connect_again(r, &f, all);
	for (size_t i = 0, n; i < size; i += n + 1) {
		for (n = 0; i + n < size && (data[i + n] < 1 || data[i + n] > 4);)
			n++;
		if (all[0]) {
			ras_input(all[0], (const char *)data + i, n);
			take(all[0]);
		}
		if (i + n < size)
			turn(r, &f, all, data[i + n]);
	}
	check_report(r, &f);
	for (unsigned k = 0; k < CLIENTS; k++)
		ras_disconnect(all[k]);
	ras_free(r);
	return 0;
}

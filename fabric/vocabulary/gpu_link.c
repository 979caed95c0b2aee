/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/gpu_link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const error_names[GPU_ERRORS] = {
	"crc", "replay", "recovery", "failed", "local", "remote"};

const char *gpu_error_name(enum gpu_error e)
{
	return (unsigned)e < GPU_ERRORS ? error_names[e] : "";
}

void gpu_link_init(struct gpu_link *g)
{
	memset(g, 0, sizeof(*g));
	g->links = g->active = g->most = g->worst = -1;
	g->gbs = NAN;
	for (unsigned e = 0; e < GPU_ERRORS; e++)
		g->errors[e] = UINT64_MAX;
}

struct gpu_link *gpu_link_at(struct gpu_link **gpus, unsigned index)
{
	if (index >= HOST_GPUS_MOST)
		return NULL;
	if (!*gpus) {
		*gpus = mem_calloc(HOST_GPUS_MOST, sizeof(**gpus));
		for (unsigned i = 0; i < HOST_GPUS_MOST; i++)
			gpu_link_init(&(*gpus)[i]);
	}
	return &(*gpus)[index];
}

bool gpu_word(const char *text, const char *key, char *dst, size_t size)
{
	size_t n = strlen(key);

	dst[0] = '\0';
	for (const char *at = text; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word > n && at[n] == '=' && strncmp(at, key, n) == 0) {
			(void)str_copyn(dst, size, at + n + 1, word - n - 1);
			return true;
		}
		at += word;
	}
	return false;
}

static int8_t small_word(const char *text, const char *key)
{
	char word[24];
	uint64_t v;

	return gpu_word(text, key, word, sizeof(word)) && str_to_u64(word, &v) && v <= INT8_MAX
		       ? (int8_t)v
		       : -1;
}

static uint64_t count_word(const char *text, const char *key)
{
	char word[24];
	uint64_t v;

	return gpu_word(text, key, word, sizeof(word)) && str_to_u64(word, &v) ? v : UINT64_MAX;
}

/* A count that went back was set to zero by somebody: it grows from there. */
static void take_errors(struct gpu_link *g, const char *text, int64_t now_us)
{
	uint64_t grew[GPU_ERRORS] = {0};
	bool any = false;

	for (unsigned e = 0; e < GPU_ERRORS; e++) {
		uint64_t v = count_word(text, error_names[e]), was = g->errors[e];

		g->errors[e] = v;
		if (v == UINT64_MAX || was == UINT64_MAX || v <= was)
			continue;
		grew[e] = v - was;
		any = true;
	}
	if (!any)
		return;
	memcpy(g->grew, grew, sizeof(grew));
	g->grew_us = now_us;
}

void gpu_link_take(struct gpu_link *g, const char *text, int64_t now_us)
{
	char gbs[24];
	double v;

	g->known = true;
	g->seen_us = now_us;
	(void)gpu_word(text, "kind", g->kind, sizeof(g->kind));
	if (gpu_word(text, "name", gbs, sizeof(gbs)))
		(void)gpu_word(text, "name", g->name, sizeof(g->name));
	g->no_links = str_eq(g->kind, "none");
	g->links = small_word(text, "links");
	g->active = small_word(text, "active");
	g->worst = small_word(text, "worst");
	(void)gpu_word(text, "gbs", gbs, sizeof(gbs));
	g->gbs = str_to_double(gbs, &v) ? (float)v : NAN;
	(void)gpu_word(text, "down", g->down, sizeof(g->down));
	take_errors(g, text, now_us);
	if (g->active > g->most)
		g->most = g->active;
	if (g->active >= 0 && g->active >= g->most)
		g->lost_us = 0;
	else if (g->active >= 0 && !g->lost_us)
		g->lost_us = now_us;
}

void gpu_fabric_take(struct gpu_link *g, const char *text)
{
	g->known = true;
	(void)gpu_word(text, "bus", g->bus, sizeof(g->bus));
	(void)gpu_word(text, "state", g->state, sizeof(g->state));
	(void)gpu_word(text, "status", g->status, sizeof(g->status));
	(void)gpu_word(text, "clique", g->clique, sizeof(g->clique));
	(void)gpu_word(text, "cluster", g->cluster, sizeof(g->cluster));
	(void)gpu_word(text, "health", g->health, sizeof(g->health));
	(void)gpu_word(text, "why", g->why, sizeof(g->why));
}

uint64_t gpu_errors_sum(const struct gpu_link *g)
{
	uint64_t sum = UINT64_MAX;

	/* A failed recovery is in the count of recoveries as well. */
	for (unsigned e = 0; e < GPU_ERRORS; e++)
		if (e != GPU_FAILED && g->errors[e] != UINT64_MAX)
			sum = (sum == UINT64_MAX ? 0 : sum) + g->errors[e];
	return sum;
}

bool gpu_cluster_is_set(const char *cluster)
{
	return cluster[strspn(cluster, "0-")] != '\0';
}

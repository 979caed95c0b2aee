/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: observation JSON lines. For any recording, a JSON reader can read the snapshot of it, and
 * its page is one page of ASCII.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/snapshot.h"
#include "backends/jsonl.h"

#define NOW (INT64_C(1700000000) * 1000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply_line(struct model *m, const char *line, size_t n)
{
	struct err err = {0};
	int64_t t = 0;
	struct obs *o = jsonl_parse(line, n, &t, NULL, NULL, &err);

	if (o) {
		model_apply(m, o, t ? t : NOW);
		(void)model_age(m, t ? t : NOW);
		model_links(m);
	}
	obs_free(o);
}

static char *written(const struct model *m, size_t *n,
	bool (*write)(const struct model *, const struct diag *, int64_t, FILE *, struct err *))
{
	char *text = NULL;
	struct err err = {0};
	FILE *f = open_memstream(&text, n);

	if (!f || !write(m, NULL, NOW, f, &err) || fclose(f) != 0)
		abort();
	return text;
}

static void check_json(const struct model *m)
{
	size_t n = 0;
	char *text = written(m, &n, snapshot_json);
	json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);

	/* A device or an event that could not be packed would be missing without a word. */
	if (!o || json_array_size(json_object_get(o, "devices")) != m->devices.n ||
		json_array_size(json_object_get(o, "links")) != m->links.n)
		abort();
	json_decref(o);
	free(text);
}

static void check_page(const struct model *m)
{
	size_t n = 0, lines = 0;
	char *text = written(m, &n, snapshot_text);

	for (size_t i = 0; i < n; i++) {
		lines += text[i] == '\n';
		if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n')
			abort();
	}
	if (lines > SNAPSHOT_TEXT_LINES)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	m = model_new(&plan);
	while (p && p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		apply_line(m, p, (size_t)((stop ? stop : end) - p));
		p = stop ? stop + 1 : NULL;
	}
	check_json(m);
	check_page(m);
	model_free(m);
	plan_free(&plan);
	return 0;
}

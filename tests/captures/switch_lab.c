/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/captures/switch_lab.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/support/cases.h"

static const struct target leaf = {
	.device = "leaf1", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

void switch_begin(struct switch_answer *a)
{
	buf_init(&a->buf, (size_t)8 << 20);
	assert_true(buf_adds(&a->buf, "@@begin 1\n1795209000000000000\n"));
}

void switch_add_text(struct switch_answer *a, const char *section, const char *text)
{
	assert_true(buf_addf(&a->buf, "@@%s\n", section) && buf_adds(&a->buf, text) &&
		    buf_adds(&a->buf, "\n"));
}

void switch_add(struct switch_answer *a, const char *section, const char *file)
{
	size_t len;
	char *text = capture_read(file, &len);

	switch_add_text(a, section, text);
	free(text);
}

struct obs *switch_decode(struct switch_answer *a, const char *request)
{
	struct obs *o = obs_new(leaf.device, request);
	struct err err = {0};

	assert_true(buf_adds(&a->buf, "@@end\n1795209000100000000\n"));
	if (!sw_parse(&leaf, request, a->buf.data, a->buf.len, o, &err))
		fail_msg("%s: %s", request, err.text);
	buf_free(&a->buf);
	return o;
}

struct obs *switch_decode_one(const char *request, const char *section, const char *file)
{
	struct switch_answer a;

	switch_begin(&a);
	switch_add(&a, section, file);
	return switch_decode(&a, request);
}

json_t *switch_json(const char *file)
{
	size_t len;
	char *text = capture_read(file, &len);
	json_t *doc = json_loads(text, 0, NULL);

	if (!doc)
		fail_msg("%s is no JSON", file);
	free(text);
	return doc;
}

unsigned switch_each(const char *ending, void (*each)(const char *file))
{
	char path[512], file[600];
	DIR *lab = opendir(capture_path(LAB, path, sizeof(path)));
	unsigned n = 0;

	assert_non_null(lab);
	for (struct dirent *d; (d = readdir(lab));) {
		char sub[900];
		DIR *folder;

		str_printf(sub, sizeof(sub), "%s/%s", path, d->d_name);
		folder = d->d_name[0] == '.' ? NULL : opendir(sub);
		for (struct dirent *f; folder && (f = readdir(folder));) {
			size_t len = strlen(f->d_name), k = strlen(ending);

			if (len < k || strcmp(f->d_name + len - k, ending) != 0)
				continue;
			str_printf(file, sizeof(file), LAB "%s/%s", d->d_name, f->d_name);
			each(file);
			n++;
		}
		if (folder)
			(void)closedir(folder);
	}
	(void)closedir(lab);
	return n;
}

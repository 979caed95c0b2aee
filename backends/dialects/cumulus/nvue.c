/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/cumulus/nvue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/parse/first_line.h"
#include "base/clock.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define KEY_SIZE     32

/* Facts: the release; that the API does not select; views that are missing. */
#define FACT_RELEASE "release"
#define FACT_WHOLE   "whole"

static const char *fact_missing(const struct nvue_view *v, char key[KEY_SIZE])
{
	str_printf(key, KEY_SIZE, "no.%s", v->request);
	return key;
}

static const char *fact_unanswered(const struct nvue_view *v, char key[KEY_SIZE])
{
	str_printf(key, KEY_SIZE, FACT_UNANSWERED "%s", v->request);
	return key;
}

static const struct nvue_view *view_of(const struct nvue *n, const char *request)
{
	for (size_t i = 0; i < n->n; i++)
		if (str_eq(n->views[i].request, request))
			return &n->views[i];
	return NULL;
}

unsigned nvue_release(const struct target *t)
{
	uint64_t n;

	return str_to_u64(facts_get(t->facts, FACT_RELEASE), &n) && n < 10000 ? (unsigned)n : 0;
}

unsigned nvue_learn_release(const struct nvue *n, struct obs *o, const char *text)
{
	unsigned major, minor, release;
	char word[64];

	if (sscanf(text + strcspn(text, "0123456789"), "%2u.%2u", &major, &minor) != 2)
		return 0;
	release = major * 100 + minor;
	str_printf(word, sizeof(word), "%u", release);
	obs_fact(o, FACT_RELEASE, word);
	for (size_t i = 0; i < n->n; i++) {
		if (release >= n->views[i].since || n->views[i].spare)
			continue;
		str_printf(word, sizeof(word), "needs release %u.%u", n->views[i].since / 100,
			n->views[i].since % 100);
		needs_say(o, n->views[i].needs, VALID_UNSUPPORTED, word);
	}
	return release;
}

static bool is_available(const struct target *t, const struct nvue_view *v)
{
	unsigned release = nvue_release(t);
	char key[KEY_SIZE];

	return (!release || release >= v->since) && !*facts_get(t->facts, fact_missing(v, key));
}

bool nvue_has(const struct nvue *n, const struct target *t, const char *request)
{
	const struct nvue_view *v = view_of(n, request);

	return v && nvue_release(t) && is_available(t, v);
}

/* ---- requests ---- */

static const char *path_of(const struct target *t, const struct nvue_view *v)
{
	unsigned release = nvue_release(t);

	return v->older && release && release < v->renamed ? v->older : v->path;
}

/* Returns the part after "interface/%/", NULL for another path. */
static const char *branch_of(const char *path)
{
	const char *at = path ? strchr(path, '%') : NULL;

	return at ? at + 2 : NULL;
}

static bool is_loop(const struct target *t, const struct nvue_view *v)
{
	return t->transport == TRANSPORT_SSH && !v->command && branch_of(v->path);
}

static void ask_https(const struct target *t, const struct nvue_view *v, struct request_list *out)
{
	const char *path = path_of(t, v), *branch = branch_of(path);
	struct request *r;
	char url[128];

	str_printf(url, sizeof(url), "/nvue_v1/%s%s", branch ? "interface?include=/*/" : path,
		branch ? branch : "");
	r = requests_http(out, v->request, "GET", url, NULL, NULL);
	r->timeout_us = 20 * CLOCK_SEC;
	r->spare = !v->vital;
}

static void ask_ssh(const struct target *t, const struct nvue_view *v, struct request_list *out)
{
	const char *path = path_of(t, v), *branch = branch_of(path);
	char line[384], words[96];

	str_copy(words, sizeof(words), branch ? branch : path);
	for (char *c = words; *c; c++)
		*c = *c == '/' ? ' ' : *c;
	if (v->command)
		str_printf(line, sizeof(line), "{ %s; } 2>&1", v->command);
	else if (branch)
		str_printf(line, sizeof(line), "%s%s%s", NVUE_LOOP_BEGIN, words, NVUE_LOOP_END);
	else
		str_printf(line, sizeof(line), "nv show %s -o json 2>&1", words);
	requests_ssh(out, v->request, line, NULL)->timeout_us =
		(is_loop(t, v) ? NVUE_LOOP_S + 30 : 20) * CLOCK_SEC;
}

static bool is_due(const struct nvue *n, const struct target *t, const struct nvue_view *v,
	enum poll_tier tier)
{
	bool https = t->transport == TRANSPORT_HTTPS;
	enum poll_tier own = https ? v->https : v->ssh;
	/* An API that does not select would send the whole list each time. */
	bool whole = https && *facts_get(t->facts, FACT_WHOLE);
	char key[KEY_SIZE];

	if (!is_available(t, v))
		return false;
	if (tier == POLL_DETECT)
		return v->detect;
	if (whole && v->spare)
		own = v->ssh;
	else if (whole && branch_of(v->path) && !v->command)
		return false;
	if (!https && v->unless && nvue_has(n, t, v->unless))
		return false;
	/* A view that timed out must not delay its tier again: it moves to a slower tier. */
	if (!v->vital && own < POLL_SLOW && *facts_get(t->facts, fact_unanswered(v, key)))
		own++;
	return own == tier;
}

void nvue_plan(
	const struct nvue *n, const struct target *t, enum poll_tier tier, struct request_list *out)
{
	for (size_t i = 0; i < n->n; i++) {
		if (!is_due(n, t, &n->views[i], tier))
			continue;
		if (t->transport == TRANSPORT_HTTPS)
			ask_https(t, &n->views[i], out);
		else
			ask_ssh(t, &n->views[i], out);
	}
	if (t->transport == TRANSPORT_SSH && tier == POLL_DETECT)
		requests_ssh(out, "commands", "nv list-commands", NULL);
}

/* ---- the list of commands ---- */

/*
 * Compares a line of it, "nv show interface <interface-id> qos buffer", with
 * "interface/%/qos/buffer".
 */
static bool is_command_of(const char *line, size_t len, const char *path)
{
	static const char begin[] = "nv show ";
	size_t i = sizeof(begin) - 1;

	if (!path || len < i || memcmp(line, begin, i) != 0)
		return false;
	for (; *path && i < len; path++) {
		if (*path == '%') {
			while (i < len && line[i] != ' ')
				i++;
		} else if (line[i++] != (*path == '/' ? ' ' : *path)) {
			return false;
		}
	}
	return !*path && i == len;
}

static bool is_listed(const char *bytes, size_t len, const struct nvue_view *v)
{
	for (const char *at = bytes, *end = bytes + len; at < end;) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((eol ? eol : end) - at);

		if (is_command_of(at, n, v->path) || is_command_of(at, n, v->older))
			return true;
		at += n + 1;
	}
	return false;
}

/* Views that a release does not list are not requested. */
static void parse_commands(const struct nvue *n, const char *bytes, size_t len, struct obs *o)
{
	char key[KEY_SIZE];

	/* An error message instead of a list says nothing about the views. */
	if (!memmem(bytes, len, "\nnv show ", 9))
		return;
	for (size_t i = 0; i < n->n; i++) {
		const struct nvue_view *v = &n->views[i];

		if (v->command || is_listed(bytes, len, v))
			continue;
		obs_fact(o, fact_missing(v, key), "1");
		if (!v->spare)
			needs_say(o, v->needs, VALID_UNSUPPORTED, "this release does not list it");
	}
}

/* ---- answers ---- */

struct answer {
	const struct nvue *n;
	const struct target *t;
	const struct nvue_view *v;
	struct obs *o;
	need_set met;
	size_t rows, found;  /* ports in the answer, and those with the view's branch */
	bool whole;          /* rows have unrequested branches: the API does not select */
	char complaint[160]; /* first output for a port that was not JSON */
	bool broken;         /* an answer began as JSON but was invalid */
};

static void answer_row(struct answer *a, const char *name, const struct json_value *v)
{
	uint32_t port;

	/* Of the others, only those with the branch are ports at all: bonds. */
	if (a->n->is_port(name) == a->v->others || (a->v->others && !json_value_is(v, DV_OBJECT))) {
		a->rows += a->v->others;
		return;
	}
	port = obs_port(a->o, name);
	if (port == OBS_NO_PORT)
		return;
	a->rows++;
	if (!json_value_is(v, DV_OBJECT))
		return;
	a->found++;
	a->met |= a->v->decode(a->t, a->o, port, v);
}

static bool begins_path(const char *path, const char *name)
{
	size_t n = strlen(name);

	return path && strncmp(path, name, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Numbers of interfaces that the view does not read, and of other branches, are unused. */
static void note_idle(const struct answer *a, const struct json_value *row)
{
	const char *today = branch_of(a->v->path), *before = branch_of(a->v->older);

	if (a->n->is_port(json_value_name(row)) == a->v->others) {
		positions_idle(a->t->slots, row);
		return;
	}
	if (!today)
		return;
	for (json_value_members(v, row))
		if (!begins_path(today, json_value_name(v)) &&
			!begins_path(before, json_value_name(v)))
			positions_idle(a->t->slots, v);
}

/* Reads the list of interfaces; each row has the branch under its current or its old name. */
static void answer_rows(struct answer *a, const struct json_value *doc)
{
	const char *today = branch_of(a->v->path), *before = branch_of(a->v->older);

	for (json_value_members(row, doc)) {
		const struct json_value *v = before ? tree_at(row, before) : NULL;

		if (!v)
			v = today ? tree_at(row, today) : row;
		a->whole |= !v && json_value_get(row, "type");
		if (a->t->slots)
			note_idle(a, row);
		answer_row(a, json_value_name(row), v);
	}
	if (a->v->vital)
		obs_port_list(a->o);
}

static void answer_block(
	void *ctx, const char *name, const struct json_value *v, const char *complaint)
{
	struct answer *a = ctx;

	answer_row(a, name, v);
	a->broken |= !v && *complaint == '{';
	if (!v && !*a->complaint)
		str_copy(a->complaint, sizeof(a->complaint), complaint);
}

static bool has_word(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

/* The system refused. A missing view leaves the view's needs unmet; other refusals are errors. */
static bool answer_refused(struct answer *a, const char *text, uint64_t status, struct err *err)
{
	static const char *const lacks[] = {"does not exist", "not found", "invalid choice",
		"invalid command", "unsupported", "not supported", "unrecognized"};
	static const char *const denies[] = {
		"permission", "password", "not authorized", "unauthorized", "forbidden"};
	char key[KEY_SIZE];

	if (status == 401 || status == 403 || has_word(text, denies, ARRAY_LEN(denies))) {
		err_set(err, ERR_UNAUTHORISED, a->t->device, "NVUE refuses: %s", text);
		return err_cure(err, "change the factory password on the device, and put the user "
				     "into the group nvshow");
	}
	if (status != 404 && status != 400 && !has_word(text, lacks, ARRAY_LEN(lacks))) {
		err_set(err, ERR_PROTOCOL, a->t->device, "NVUE cannot report \"%s\": %s",
			a->v->request, text);
		return err_cure(err, "check the device: systemctl status nvued");
	}
	if (a->v->vital)
		return err_set(err, ERR_PROTOCOL, a->t->device, "NVUE has no \"%s\": %s",
			a->v->path, text);
	if (a->v->spare)
		obs_fact(a->o, fact_missing(a->v, key), "1");
	else
		needs_say(a->o, a->v->needs, VALID_UNSUPPORTED, "");
	return true;
}

static bool answer_settle(struct answer *a, struct err *err)
{
	bool of_ports = branch_of(a->v->path) || a->v->rows;
	const char *cure = "";

	if (!a->found && *a->complaint)
		return answer_refused(a, a->complaint, 0, err);
	if (!a->found && a->whole && a->t->transport == TRANSPORT_HTTPS) {
		obs_fact(a->o, FACT_WHOLE, "1");
		cure = "set transport: ssh: the API of this release shows only one port at a time";
	}
	/* A system without any bond has told that it has none. */
	if (a->v->others && a->rows && !a->whole)
		a->met |= a->v->needs;
	if (a->rows || !of_ports)
		needs_settle(a->o, a->v->needs, a->met, cure);
	if (a->rows || !of_ports || !a->v->vital)
		return true;
	return err_set(err, ERR_PROTOCOL, a->t->device, "\"%s\" has no port", a->v->request);
}

/* True: it is a loop's output; a truncated output still counts. */
static bool answer_loop(struct answer *a, const char *bytes, size_t len)
{
	static const char end[] = "\n@\n";
	size_t n = sizeof(end) - 1;

	if (!is_loop(a->t, a->v) || !tree_blocks(bytes, len, answer_block, a))
		return false;
	if (a->broken || len < n || memcmp(bytes + len - n, end, n) != 0)
		err_set(&a->o->err, ERR_PROTOCOL, a->t->device,
			"\"%s\": the answers of some ports are missing or cut off", a->v->request);
	return true;
}

static bool answer_json(struct answer *a, const struct json_value *doc, struct err *err)
{
	uint64_t status = 0;

	/* RFC 7807: {"title": "Not Found", "status": 404, "detail": ...}. */
	if (json_value_get(doc, "title") &&
		json_value_u64(json_value_get(doc, "status"), &status) && status >= 400)
		return answer_refused(a,
			json_value_text_or(tree_either(doc, "detail", "title"), ""), status, err);
	if (branch_of(a->v->path) || a->v->rows)
		answer_rows(a, doc);
	else
		a->met = a->v->decode(a->t, a->o, OBS_NO_PORT, doc);
	return answer_settle(a, err);
}

/* A list, as other programs than `nv` print it. False: the answer is something else. */
static bool answer_list(struct answer *a, const char *bytes, size_t len, bool *ok, struct err *err)
{
	size_t at = 0, blank = 0;
	struct json_value *list;

	while (blank < len && (unsigned char)bytes[blank] <= ' ')
		blank++;
	if (!a->v->command || blank == len || bytes[blank] != '[')
		return false;
	list = json_value_parse_next(bytes, len, &at, a->t->device, err);
	if (!list)
		return false;
	a->met = a->v->decode(a->t, a->o, OBS_NO_PORT, list);
	free(list);
	*ok = answer_settle(a, err);
	return true;
}

bool nvue_parse(const struct nvue *n, const struct target *t, const char *request,
	const char *bytes, size_t len, struct obs *o, struct err *err)
{
	struct answer a = {.n = n, .t = t, .v = view_of(n, request), .o = o};
	char line[160], key[KEY_SIZE];
	const struct json_value *doc;
	struct json_select d;
	bool ok;

	if (t->transport == TRANSPORT_SSH && str_eq(request, "commands")) {
		parse_commands(n, bytes, len, o);
		return true;
	}
	if (!a.v)
		return err_set(err, ERR_INTERNAL, t->device, "NVUE has no view \"%s\"", request);
	if (*facts_get(t->facts, fact_unanswered(a.v, key)))
		obs_fact(o, key, "");
	if (answer_loop(&a, bytes, len))
		return answer_settle(&a, err);
	if (answer_list(&a, bytes, len, &ok, err))
		return ok;
	doc = json_select_whole(&d, bytes, len, t->slots, t->device, err);
	if (!doc) {
		parse_first_line(bytes, len, line, sizeof(line));
		return !str_eq(line, "nothing") && answer_refused(&a, line, 0, err);
	}
	positions_read(t->slots, &d);
	ok = answer_json(&a, doc, err);
	positions_read(t->slots, NULL);
	json_select_free(&d);
	return ok;
}

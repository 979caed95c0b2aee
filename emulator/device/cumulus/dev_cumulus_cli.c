/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* `nv`: NVUE in the shell. */

struct cli {
	struct machine *m;
	const struct shell_call *c;
	const char *words[CUMULUS_WORDS]; /* the words without the options */
	unsigned n;
	char path[512]; /* storage of the words */
	const char *output, *rev, *view;
	bool yes, no;
};

static int print_error(struct cli *a, const char *text)
{
	(void)buf_addf(a->c->err, "Error: %s\n", text);
	return 1;
}

static int print_json(struct cli *a, json_t *o)
{
	char *text = json_dumps(o, JSON_INDENT(2) | JSON_ENCODE_ANY);

	json_decref(o);
	(void)buf_addf(a->c->out, "%s\n", text ? text : "");
	free(text);
	return 0;
}

/* Prints "operational" in one column, with nested names indented below their parent. */
static void print_rows(struct buf *out, const json_t *o, unsigned depth)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)o, key, value)
	{
		int pad = 24 - (int)(2 * depth);
		char *text = json_is_object(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
		const char *shown = json_is_string(value) ? json_string_value(value) : text;

		(void)buf_addf(out, "%*s%-*s  %s\n", (int)(2 * depth), "", pad > 0 ? pad : 1, key,
			shown ? shown : "");
		free(text);
		if (depth < 8)
			print_rows(out, value, depth + 1);
	}
}

static const char *text_at(const json_t *o, const char *a, const char *b)
{
	const char *s = json_string_value(json_object_get(json_object_get(o, a), b));

	return s ? s : "";
}

static void print_interfaces(struct buf *out, const json_t *all)
{
	const char *name, *far;
	json_t *one, *peer;

	(void)buf_adds(out,
		"Interface  Admin Status  Oper Status  Speed  MTU   Type  Remote Host  "
		"    Remote Port\n"
		"---------  ------------  -----------  -----  ----  ----  ----------------"
		"  -----------\n");
	json_object_foreach((json_t *)all, name, one)
	{
		json_t *heard = json_object_get(json_object_get(one, "lldp"), "neighbor");
		void *first = heard ? json_object_iter(heard) : NULL;

		far = first ? json_object_iter_key(first) : "";
		peer = first ? json_object_iter_value(first) : NULL;
		(void)buf_addf(out, "%-9s  %-12s  %-11s  %-5s  %-4lld  %-4s  %-16s  %s\n", name,
			text_at(one, "link", "admin-status"), text_at(one, "link", "oper-status"),
			text_at(one, "link", "speed"),
			(long long)json_integer_value(
				json_object_get(json_object_get(one, "link"), "mtu")),
			json_string_value(json_object_get(one, "type")), far,
			text_at(peer, "port", "name"));
	}
}

/* Reduces the interface list to the columns of a --view; false: no such view. */
static bool select_view(json_t *all, const char *view)
{
	static const struct {
		const char *name, *keep, *leaf;
	} known[] = {{"lldp", "lldp", NULL}, {"counters", "link", "stats"},
		{"mac", "link", "mac-address"}, {"brief", "link", NULL},
		{"description", "link", "oper-status"}, {"status", "link", NULL}};
	const char *name;
	json_t *one;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, view))
			break;
	if (i == sizeof(known) / sizeof(known[0]))
		return false;
	json_object_foreach(all, name, one)
	{
		json_t *kept = json_incref(json_object_get(one, known[i].keep));

		if (known[i].leaf && kept) {
			json_t *leaf = json_incref(json_object_get(kept, known[i].leaf));

			json_decref(kept);
			kept = leaf ? json_pack("{s:o}", known[i].leaf, leaf) : json_object();
		}
		(void)json_object_clear(one);
		(void)json_object_set_new(one, known[i].keep, kept ? kept : json_object());
	}
	return true;
}

static int cli_show(struct cli *a)
{
	const char *rev = a->rev;
	bool bad_rev, list;
	json_t *o = cumulus_get(a->m, rev, a->words + 1, a->n - 1, &bad_rev);

	list = o && a->n == 2 && !strcmp(a->words[1], "interface");
	if (!o)
		return print_error(a, bad_rev ? "The requested revision does not exist."
					      : "The requested item does not exist.");
	if (a->view && (!list || !select_view(o, a->view))) {
		json_decref(o);
		return print_error(a, "Unsupported view.");
	}
	if (a->output && !strcmp(a->output, "json"))
		return print_json(a, o);
	if (a->output && strcmp(a->output, "auto") != 0) {
		json_decref(o);
		return print_error(a, "Unsupported output format.");
	}
	if (list && !a->view) {
		print_interfaces(a->c->out, o);
	} else {
		(void)buf_adds(a->c->out, "                          operational\n"
					  "------------------------  -----------\n");
		print_rows(a->c->out, o, 0);
	}
	json_decref(o);
	return 0;
}

/* The revision that `nv set` writes into; *made: it was created now. */
static struct cumulus_revision *pending_revision(struct cli *a, bool *made)
{
	struct cumulus_box *box = cumulus_box(a->m->ctx, a->m->d);
	struct cumulus_revision *r = box->cli ? cumulus_revision(a->m, "pending") : NULL;

	*made = !r;
	if (!r) {
		r = cumulus_revision_new(a->m);
		box->cli = r->id;
	}
	return r;
}

/* Expands "swp1-3,7": calls set once per port. Words without a range are passed once, unchanged. */
static bool each_port(struct cli *a, unsigned at, const char *text,
	bool (*set)(struct cli *a, const char *const *words, void *arg), void *arg)
{
	const char *words[CUMULUS_WORDS];
	unsigned long from, to;
	char name[16], *end;

	memcpy(words, a->words, sizeof(words));
	if (!str_starts(text, "swp"))
		return set(a, words, arg);
	for (text += 3; *text; text = *end == ',' ? end + 1 : end) {
		if (str_starts(text, "swp"))
			text += 3;
		from = to = strtoul(text, &end, 10);
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (!from || to > a->m->d->nports || (*end && *end != ','))
			return set(a, words, arg);
		for (; from <= to; from++) {
			(void)str_printf(name, sizeof(name), "swp%lu", from);
			words[at] = name;
			if (!set(a, words, arg))
				return false;
		}
	}
	return true;
}

struct staging {
	struct cumulus_revision *r;
	bool unset;
	char why[160];
};

static bool stage_words(struct cli *a, const char *const *words, void *arg)
{
	struct staging *s = arg;
	json_t *patch = cumulus_patch_from_words(a->m, words + 1, a->n - 1, s->unset, s->why);

	return patch && cumulus_stage(a->m, s->r, NULL, 0, patch, s->why);
}

static int cli_set(struct cli *a, bool unset)
{
	struct staging s = {.unset = unset};
	bool made, range = a->n > 2 && !strcmp(a->words[1], "interface");
	struct cumulus_box *box = cumulus_box(a->m->ctx, a->m->d);

	s.r = pending_revision(a, &made);
	if (range ? !each_port(a, 2, a->words[2], stage_words, &s)
		  : !stage_words(a, a->words, &s)) {
		if (made)
			box->cli = 0;
		return print_error(a, s.why);
	}
	if (made)
		(void)buf_addf(a->c->err, "created [rev_id: %u]\n", s.r->id);
	return 0;
}

static bool says_yes(const struct cli *a)
{
	return a->yes || (!a->no && a->c->in_len && (a->c->in[0] == 'y' || a->c->in[0] == 'Y'));
}

static int cli_apply(struct cli *a)
{
	const char *id = a->n > 2 ? a->words[2] : "pending";
	struct cumulus_revision *r = cumulus_revision(a->m, id);

	if (!r)
		return print_error(a, "There is no pending revision to apply.");
	cumulus_apply(a->m, r, says_yes(a));
	if (r->phase == CUMULUS_ASKING) {
		(void)buf_addf(a->c->out,
			"Warning: The following changes rebuild buffers and may disrupt traffic: "
			"qos\nAre you sure? [y/N] \n");
		r->phase = CUMULUS_PENDING;
		(void)buf_addf(a->c->out, "aborted [rev_id: %u]\n", r->id);
		return 1;
	}
	if (r->phase == CUMULUS_FAILED) {
		(void)buf_addf(a->c->out, "invalid [rev_id: %u]\n", r->id);
		return print_error(a, r->message);
	}
	(void)buf_addf(a->c->out, "applied [rev_id: %u]\n", r->id);
	return 0;
}

static int cli_config(struct cli *a)
{
	struct cumulus_box *box = cumulus_box(a->m->ctx, a->m->d);
	const char *verb = a->n > 1 ? a->words[1] : "";
	struct cumulus_revision *r;

	if (!strcmp(verb, "apply"))
		return cli_apply(a);
	if (!strcmp(verb, "save")) {
		(void)buf_adds(a->c->out, "saved [rev_id: applied]\n");
		return 0;
	}
	if (!strcmp(verb, "detach")) {
		box->cli = 0;
		return 0;
	}
	if (!strcmp(verb, "show"))
		return print_json(a, json_pack("[{s:o}]", "set", cumulus_config(a->m, NULL)));
	if (!strcmp(verb, "diff")) {
		r = box->cli ? cumulus_revision(a->m, "pending") : NULL;
		return print_json(a,
			json_pack("[{s:o}]", "set", r ? json_deep_copy(r->patch) : json_object()));
	}
	return print_error(a, "Invalid config command.");
}

static bool clear_words(struct cli *a, const char *const *words, void *arg)
{
	const struct cumulus_action **last = arg;

	*last = cumulus_clear(a->m, words + 2, a->n - 2);
	return *last != NULL;
}

static int cli_action(struct cli *a)
{
	const struct cumulus_action *last = NULL;
	bool ok;

	if (a->n < 4 || strcmp(a->words[1], "clear") != 0)
		return print_error(a, "Invalid action command.");
	ok = a->n > 4 ? each_port(a, 3, a->words[3], clear_words, &last)
		      : clear_words(a, a->words, &last);
	if (!ok)
		return print_error(a, "The requested item does not exist.");
	(void)buf_addf(a->c->out, "%s\nAction succeeded\n", last->text);
	return 0;
}

/* Separates the options from the words; false: too many words. */
static bool parse_words(struct cli *a)
{
	size_t used = 0;
	int i;

	for (i = 1; i < a->c->argc; i++) {
		const char *word = a->c->argv[i],
			   *next = i + 1 < a->c->argc ? a->c->argv[i + 1] : "";

		if (!strcmp(word, "-o") || !strcmp(word, "--output")) {
			a->output = next;
			i++;
		} else if (str_starts(word, "--output=")) {
			a->output = word + 9;
		} else if (!strcmp(word, "--view")) {
			a->view = next;
			i++;
		} else if (str_starts(word, "--view=")) {
			a->view = word + 7;
		} else if (!strcmp(word, "--rev") || !strcmp(word, "-r")) {
			a->rev = next;
			i++;
		} else if (str_starts(word, "--rev=")) {
			a->rev = word + 6;
		} else if (!strcmp(word, "--applied") || !strcmp(word, "--operational") ||
			   !strcmp(word, "--pending") || !strcmp(word, "--startup")) {
			a->rev = word + 2;
		} else if (!strcmp(word, "-y") || !strcmp(word, "--assume-yes")) {
			a->yes = true;
		} else if (!strcmp(word, "--assume-no")) {
			a->no = true;
		} else {
			size_t len = strlen(word) + 1;

			if (a->n == CUMULUS_WORDS || used + len > sizeof(a->path))
				return false;
			memcpy(a->path + used, word, len);
			a->words[a->n++] = a->path + used;
			used += len;
		}
	}
	return true;
}

int cumulus_nv(struct machine *m, const struct shell_call *c)
{
	struct cli a = {.m = m, .c = c};

	if (m->d->commands_fail)
		return print_error(&a, "Internal Server Error");
	if (!parse_words(&a) || !a.n) {
		(void)buf_adds(c->err, "usage: nv [-h] [--color (on|off|auto)] "
				       "{action,show,set,unset,list-commands,config} ...\n");
		return 2;
	}
	if (!strcmp(a.words[0], "show"))
		return cli_show(&a);
	if (!strcmp(a.words[0], "set") || !strcmp(a.words[0], "unset"))
		return cli_set(&a, a.words[0][0] == 'u');
	if (!strcmp(a.words[0], "config"))
		return cli_config(&a);
	if (!strcmp(a.words[0], "action"))
		return cli_action(&a);
	if (!strcmp(a.words[0], "list-commands")) {
		cumulus_list_commands(m, c->out);
		return 0;
	}
	(void)buf_addf(c->err, "nv: error: argument: invalid choice: '%s'\n", a.words[0]);
	return 2;
}

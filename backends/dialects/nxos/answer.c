/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/first_line.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Decodes answers of the CLI, over NX-API and over SSH, and their refusals. */

/* ---- refusals ---- */

enum refusal { REFUSED_NOT, REFUSED_MISSING, REFUSED_ROLE, REFUSED_OTHER };

static enum refusal refusal_of(const char *text)
{
	static const struct {
		const char *words;
		enum refusal what;
	} known[] = {
		{"Permission denied", REFUSED_ROLE},
		{"not authorized", REFUSED_ROLE},
		{"Invalid command", REFUSED_MISSING},
		{"Invalid parameter", REFUSED_MISSING},
		{"Incomplete command", REFUSED_MISSING},
		{"Invalid input", REFUSED_MISSING},
		{"Invalid params", REFUSED_MISSING},
		{"structured output", REFUSED_MISSING},
		{"Syntax error", REFUSED_MISSING},
		{"not supported", REFUSED_MISSING},
		{"ERROR:", REFUSED_OTHER},
		{"% ", REFUSED_OTHER},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcasestr(text, known[i].words))
			return known[i].what;
	return REFUSED_NOT;
}

static bool role_error(struct err *err, const char *device, const char *command)
{
	err_set(err, ERR_UNAUTHORISED, device, "\"%s\": permission denied for the user's role",
		command);
	return err_cure(err,
		"give the user a role that may run it: role name network-operator, "
		"rule permit command %.100s",
		command);
}

/* Reports the unmet needs of a group after its first or only command was refused. */
static void report_unmet(
	struct nxos_job *j, const struct nxos_group *g, enum refusal why, const char *command)
{
	char cure[160];

	if (why == REFUSED_ROLE)
		str_printf(
			cure, sizeof(cure), "give the user a role that may run: %.100s", command);
	else
		str_copy(cure, sizeof(cure), g->cure);
	needs_say(j->o, g->needs, why == REFUSED_ROLE ? VALID_DISABLED : g->without, cure);
}

/* True for "show version", which every release and role has: a system without it is not NX-OS. */
static bool is_identity(const struct nxos_group *g, size_t command)
{
	return str_eq(g->name, "identity") && command == 0;
}

/* Returns false with err if the whole answer is useless. True: the refusal was handled. */
static bool handle_refusal(struct nxos_job *j, const struct nxos_group *g, size_t command,
	const char *text, struct err *err)
{
	const char *words = g->commands[command] + nxos_is_text(g->commands[command]);
	enum refusal why = refusal_of(text);
	char line[128];

	if (why == REFUSED_ROLE) {
		role_error(err, j->t->device, words);
		j->o->err = *err;
	} else if (why != REFUSED_MISSING || is_identity(g, command)) {
		parse_first_line(text, strlen(text), line, sizeof(line));
		err_set(err, ERR_PROTOCOL, j->t->device, "\"%s\" answers: %s", words, line);
		return err_cure(err, "try the command on the switch");
	}
	if (command == 0)
		report_unmet(j, g, why, words);
	*err = (struct err){0};
	return true;
}

/* ---- NX-API ---- */

/* The text of an error: from the CLI, else from NX-API. */
static const char *rpc_words(const struct json_value *error)
{
	const char *said = json_value_text(json_value_path(error, "data.msg"));

	return said ? said : json_value_text_or(json_value_get(error, "message"), "no reason");
}

static void decode_one(struct nxos_job *j, const struct nxos_group *g, size_t command,
	const struct json_value *result)
{
	const char *text = json_value_text(json_value_get(result, "msg"));

	/* Some releases put the text of cli_ascii into the body. */
	text = text ? text : json_value_text(json_value_get(result, "body"));
	if (!nxos_is_text(g->commands[command]) && g->json)
		g->json(j, json_value_get(result, "body"));
	else if (nxos_is_text(g->commands[command]) && g->text)
		g->text(j, text ? text : "", text ? strlen(text) : 0);
}

struct rpc {
	struct nxos_job *j;
	const struct nxos_group *only; /* the request's group; NULL: all groups of a tier */
	size_t answered, useful;
	uint64_t groups; /* bit set of groups with an answer */
	struct err err;  /* the first error that was not a refusal */
};

static void rpc_answer(struct rpc *r, const struct json_value *one)
{
	const struct json_value *error = json_value_get(one, "error");
	const struct nxos_group *g;
	struct err err = {0};
	uint64_t id;
	size_t command;

	if (!json_value_u64(json_value_get(one, "id"), &id) || id < 1 ||
		id > nxos_group_count * NXOS_COMMANDS_MAX)
		return;
	id += r->only ? (uint64_t)(r->only - nxos_groups) * NXOS_COMMANDS_MAX : 0;
	if (id > nxos_group_count * NXOS_COMMANDS_MAX)
		return;
	g = &nxos_groups[(id - 1) / NXOS_COMMANDS_MAX];
	command = (id - 1) % NXOS_COMMANDS_MAX;
	if (!g->commands[command])
		return;
	r->answered++;
	if (!error) {
		r->groups |= UINT64_C(1) << (g - nxos_groups);
		decode_one(r->j, g, command, json_value_get(one, "result"));
		r->useful++;
	} else if (handle_refusal(r->j, g, command, rpc_words(error), &err)) {
		r->useful++;
	} else if (r->err.code == ERR_NONE) {
		r->err = err;
	}
}

static bool rpc_end(struct rpc *r, const struct json_value *doc, struct err *err)
{
	for (size_t i = 0; i < nxos_group_count; i++)
		if (r->groups >> i & 1 && nxos_groups[i].end)
			nxos_groups[i].end(r->j);
	if (!r->answered) {
		err_set(err, ERR_PROTOCOL, r->j->t->device, "NX-API answers: %s",
			rpc_words(json_value_get(doc, "error")));
		return err_cure(err, "try the command at https://SWITCH/ (NX-API sandbox)");
	}
	if (!r->useful) {
		*err = r->err;
		return false;
	}
	if (r->err.code != ERR_NONE && r->j->o->err.code == ERR_NONE)
		r->j->o->err = r->err;
	return true;
}

bool nxos_parse_rpc(struct nxos_job *j, const struct nxos_group *only, const char *bytes,
	size_t len, struct err *err)
{
	struct rpc r = {.j = j, .only = only};
	size_t at = 0;
	struct json_value *doc = json_value_parse_next(bytes, len, &at, j->t->device, err);
	char line[128];
	bool ok;

	if (!doc && err->code == ERR_NONE)
		err_set(err, ERR_PROTOCOL, j->t->device, "expected JSON of NX-API, got: %s",
			parse_first_line(bytes, len, line, sizeof(line)));
	if (!doc)
		return err_cure(err, "enable NX-API: feature nxapi");
	if (json_value_is(doc, DV_OBJECT))
		rpc_answer(&r, doc);
	for (json_value_items(one, doc))
		rpc_answer(&r, one);
	ok = rpc_end(&r, doc, err);
	free(doc);
	return ok;
}

/* ---- SSH ---- */

/*
 * Finds the first error message of the CLI. The number of answers before it identifies the command.
 */
static bool complaint_line(const char *bytes, size_t len, char *dst, size_t size)
{
	for (size_t i = 0; i + 2 < len; i++) {
		bool start = i == 0 || bytes[i - 1] == '\n';

		if (start &&
			(strncmp(bytes + i, "% ", 2) == 0 || strncmp(bytes + i, "ERROR:", 6) == 0 ||
				strncmp(bytes + i, "Syntax error", 12) == 0)) {
			parse_first_line(bytes + i, len - i, dst, size);
			return true;
		}
	}
	return false;
}

static size_t decode_documents(struct nxos_job *j, const struct nxos_group *g, const char *bytes,
	size_t len, struct err *err)
{
	size_t at = 0, n = 0;
	struct json_value *doc;

	while (g->json && (doc = json_value_parse_next(bytes, len, &at, j->t->device, err))) {
		g->json(j, doc);
		n += json_value_is(doc, DV_OBJECT);
		free(doc);
	}
	return n;
}

static bool no_documents(struct nxos_job *j, const struct nxos_group *g, const char *bytes,
	size_t len, struct err *err)
{
	char line[128];

	if (complaint_line(bytes, len, line, sizeof(line)))
		return handle_refusal(j, g, 0, line, err);
	err_set(err, ERR_PROTOCOL, j->t->device, "\"%s\": expected JSON, got: %s", g->commands[0],
		parse_first_line(bytes, len, line, sizeof(line)));
	return err_cure(
		err, "give the user a login shell that runs show commands, not bash or guestshell");
}

/* A command without output may have been cut off, or its session ended. */
static void note_missing(struct nxos_job *j, const struct nxos_group *g, size_t documents)
{
	size_t wanted = 0;

	for (size_t i = 0; i < NXOS_COMMANDS_MAX && g->commands[i]; i++)
		wanted += !nxos_is_text(g->commands[i]);
	if (documents >= wanted || j->o->err.code != ERR_NONE)
		return;
	err_set(&j->o->err, ERR_PROTOCOL, j->t->device,
		"\"%s\" and the commands after it: %zu of %zu answers came", g->commands[0],
		documents, wanted);
	err_cure(&j->o->err, "check if the switch ends sessions: show users, line vty");
}

/* "| json native" came with 9.3(1); before that "native" is not a filter. */
static bool is_old(struct nxos_job *j, const struct nxos_group *g, const char *line)
{
	if (g->json != nxos_identity || refusal_of(line) != REFUSED_MISSING ||
		*facts_get(j->t->facts, NXOS_FACT_NATIVE))
		return false;
	obs_fact(j->o, NXOS_FACT_NATIVE, "no");
	return true;
}

bool nxos_parse_cli(struct nxos_job *j, const struct nxos_group *g, const char *bytes, size_t len,
	struct err *err)
{
	size_t n = decode_documents(j, g, bytes, len, err);
	char line[128];
	bool complains = complaint_line(bytes, len, line, sizeof(line));

	if (err->code != ERR_NONE && !n)
		return false;
	if (err->code != ERR_NONE) {
		j->o->err = *err;
		*err = (struct err){0};
	}
	if (g->json && !n && complains && is_old(j, g, line))
		return true;
	if (g->json && !n)
		return no_documents(j, g, bytes, len, err);
	if (g->json && !complains)
		note_missing(j, g, n);
	if (!g->json && complains)
		return handle_refusal(j, g, 0, line, err);
	/* A neighbour table after another document: the feature's own command failed. */
	if (complains && g->without == VALID_DISABLED && g->json == nxos_lldp)
		report_unmet(j, g, refusal_of(line), g->commands[1]);
	if (g->text)
		g->text(j, bytes, len);
	if (g->end)
		g->end(j);
	return true;
}

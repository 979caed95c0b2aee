/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The object store's REST interface: login, and queries by class or by name. */

#define LEVELS_MOST 8u

static json_t *json_imdata(json_t *rows)
{
	json_t *o = json_object();

	nxos_strf(o, "totalCount", "%zu", json_array_size(rows));
	(void)json_object_set_new(o, "imdata", rows);
	return o;
}

static void send_error(struct http_reply *reply, unsigned status, const char *text)
{
	json_t *error = json_object();

	nxos_strf(error, "code", "%u", status);
	nxos_str(error, "text", text);
	nxos_send(
		reply, status, json_imdata(json_pack("[{s:{s:o}}]", "error", "attributes", error)));
}

static void send_token(const struct nxos_session *s, const char *user, struct http_reply *reply)
{
	json_t *a = json_object();
	char token[64];

	nxos_token(&s->m, token);
	nxos_str(a, "token", token);
	nxos_str(a, "siteFingerprint", "");
	nxos_strf(a, "refreshTimeoutSeconds", "%d", NXOS_TOKEN_SEC);
	nxos_str(a, "guiIdleTimeoutSeconds", "1200");
	nxos_str(a, "restTimeoutSeconds", "300");
	nxos_strf(a, "creationTime", "%lld",
		(long long)(personality_clock(s->m.ctx, s->m.d) / 1000000));
	nxos_str(a, "userName", user);
	nxos_str(a, "remoteUser", "false");
	nxos_str(a, "unixUserId", "0");
	nxos_str(a, "sessionId", "");
	nxos_str(a, "lastName", "");
	nxos_str(a, "firstName", "");
	nxos_strf(a, "version", "%s", s->m.d->os_version);
	nxos_str(a, "buildTime", "");
	nxos_strf(a, "node", "%s", s->m.d->name);
	(void)str_printf(reply->cookie, sizeof(reply->cookie),
		"APIC-cookie=%s; path=/; HttpOnly; Secure", token);
	nxos_send(reply, 200, json_imdata(json_pack("[{s:{s:o}}]", "aaaLogin", "attributes", a)));
}

static void serve_login(
	const struct nxos_session *s, const struct http_request *q, struct http_reply *reply)
{
	json_t *body = json_loadb(q->body, q->len, 0, NULL);
	json_t *a = json_object_get(json_object_get(body, "aaaUser"), "attributes");
	const char *user = json_string_value(json_object_get(a, "name"));
	const char *password = json_string_value(json_object_get(a, "pwd"));

	if (strcmp(q->method, "POST") != 0 || !user || !password)
		send_error(reply, 400, "Malformed Body: Failed to parse login request");
	else if (!personality_login(s->m.ctx, s->m.d, user, password))
		send_error(reply, 401, "FAILED local authentication");
	else
		send_token(s, user, reply);
	json_decref(body);
}

/* The value of one query parameter; NULL: it is missing. */
static const char *query_parameter(const char *query, const char *name, char dst[256])
{
	size_t n = strlen(name);

	while (*query) {
		size_t len = strcspn(query, "&");

		if (!strncmp(query, name, n) && query[n] == '=' && len > n)
			return str_copyn(dst, 256, query + n + 1, len - n - 1) ? dst : NULL;
		query += len + (query[len] == '&');
	}
	return NULL;
}

enum target { TARGET_SELF, TARGET_CHILDREN, TARGET_SUBTREE };

struct selection {
	const struct machine *m;
	VEC(struct nxos_mo) all;
	const char *class;   /* of a class query */
	const char *dn;      /* of a query by name */
	const char *classes; /* "a,b": only these; NULL: all */
	enum target target;
	enum target below;         /* levels below each object to include; SELF: none */
	const char *below_classes; /* the same for these */
};

static bool list_has(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list) {
		size_t len = strcspn(list, ",");

		if (len == n && !strncmp(list, name, n))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

/*
 * Number of levels from dn down to the object; -1: not below it. Slashes in brackets belong to
 * names.
 */
static int depth_below(const char *dn, const char *of)
{
	size_t n = strlen(dn);
	int depth = 0, brackets = 0;

	if (strncmp(of, dn, n) != 0 || (of[n] && of[n] != '/'))
		return -1;
	for (; *dn; dn++)
		brackets += (*dn == '[') - (*dn == ']');
	if (brackets)
		return -1;
	for (of += n; *of; of++) {
		brackets += (*of == '[') - (*of == ']');
		depth += *of == '/' && !brackets;
	}
	return depth;
}

static bool is_chosen(const struct selection *s, const struct nxos_mo *mo)
{
	int depth;

	if (s->class)
		return !strcmp(s->class, mo->class);
	depth = depth_below(s->dn, mo->dn);
	if (depth < 0 || (s->classes && !list_has(s->classes, mo->class)))
		return false;
	return s->target == TARGET_SUBTREE || depth == (s->target == TARGET_CHILDREN);
}

static json_t *object_of(const struct selection *s, struct nxos_mo *mo, unsigned levels);

/* The objects directly below an object. levels limits the depth, so that no name can loop. */
static json_t *children_of(const struct selection *s, const struct nxos_mo *parent, unsigned levels)
{
	json_t *children = json_array();

	for (size_t i = 0; i < s->all.n; i++) {
		struct nxos_mo *mo = &s->all.at[i];

		if (depth_below(parent->dn, mo->dn) != 1)
			continue;
		if (!s->below_classes || list_has(s->below_classes, mo->class))
			(void)json_array_append_new(children, object_of(s, mo, levels));
	}
	return children;
}

static json_t *object_of(const struct selection *s, struct nxos_mo *mo, unsigned levels)
{
	json_t *body = json_object(), *row = json_object(), *children;

	nxos_mo_fill(s->m, mo);
	(void)json_object_set_new(body, "attributes", mo->attributes);
	mo->attributes = NULL;
	if (levels) {
		children = children_of(s, mo, s->below == TARGET_SUBTREE ? levels - 1 : 0);
		if (json_array_size(children))
			(void)json_object_set(body, "children", children);
		json_decref(children);
	}
	(void)json_object_set_new(row, mo->class, body);
	return row;
}

static void collect_object(struct nxos_mo *mo, void *arg)
{
	struct selection *s = arg;

	vec_push(&s->all, *mo);
}

static enum target target_of(const char *value)
{
	if (str_eq(value, "children"))
		return TARGET_CHILDREN;
	return str_eq(value, "subtree") || str_eq(value, "full") ? TARGET_SUBTREE : TARGET_SELF;
}

static void answer_query(struct selection *s, const char *query, struct http_reply *reply)
{
	char target[256], classes[256], below[256], below_classes[256];
	json_t *rows = json_array();

	s->target = target_of(query_parameter(query, "query-target", target));
	s->classes = query_parameter(query, "target-subtree-class", classes);
	s->below = target_of(query_parameter(query, "rsp-subtree", below));
	s->below_classes = query_parameter(query, "rsp-subtree-class", below_classes);
	nxos_mo_each(s->m, collect_object, s);
	for (size_t i = 0; i < s->all.n; i++)
		if (is_chosen(s, &s->all.at[i]))
			(void)json_array_append_new(
				rows, object_of(s, &s->all.at[i], s->below ? LEVELS_MOST : 0));
	vec_free(&s->all);
	nxos_send(reply, 200, json_imdata(rows));
}

/* "/api/node/class/NAME.json": copies the part between head and ".json"; false: another path. */
static bool path_of(const char *path, const char *head, char dst[128])
{
	size_t n = strlen(path), skip = strlen(head);

	return str_starts(path, head) && n > skip + 5 && !strcmp(path + n - 5, ".json") &&
	       str_copyn(dst, 128, path + skip, n - skip - 5);
}

static void query_of(
	const struct nxos_session *s, const struct http_request *q, struct http_reply *reply)
{
	struct selection selection = {.m = &s->m};
	char name[128];

	if (path_of(q->path, "/api/node/class/", name) || path_of(q->path, "/api/class/", name)) {
		selection.class = name;
		if (!nxos_mo_class(name)) {
			send_error(reply, 400, "Request invalid: unknown managed object class");
			return;
		}
	} else if (path_of(q->path, "/api/node/mo/", name) || path_of(q->path, "/api/mo/", name)) {
		selection.dn = name;
	} else {
		send_error(reply, 400,
			"URL invalid: cannot find a path, or its format is unsupported");
		return;
	}
	answer_query(&selection, q->query, reply);
}

void nxos_dme(struct nxos_session *s, const struct http_request *q, struct http_reply *reply)
{
	enum nxos_token token;

	if (s->m.d->commands_fail) {
		send_error(reply, 500, "Internal error: the object store does not respond");
		return;
	}
	if (!strcmp(q->path, "/api/aaaLogin.json")) {
		serve_login(s, q, reply);
		return;
	}
	token = nxos_token_of(&s->m, q->cookie, "APIC-cookie");
	if (token == NXOS_NO_TOKEN)
		send_error(reply, 403,
			"Need a valid webtoken cookie (named APIC-Cookie) or a signed "
			"request with signature in the cookie.");
	else if (token == NXOS_BAD_TOKEN)
		send_error(reply, 403, "Token was invalid (Error: Token signature mismatch)");
	else if (token == NXOS_OLD_TOKEN)
		send_error(reply, 403, "Token was invalid (Error: Token timeout)");
	else if (!strcmp(q->path, "/api/aaaRefresh.json"))
		send_token(s, s->m.ctx->user ? s->m.ctx->user : "", reply);
	else if (!strcmp(q->path, "/api/aaaLogout.json"))
		nxos_send(reply, 200, json_imdata(json_array()));
	else if (strcmp(q->method, "GET") != 0)
		send_error(reply, 400, "This object cannot be changed here");
	else
		query_of(s, q, reply);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/nxos/dev_nxos.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* The entry points of requests: a CLI line, NX-API, and the object store. */

static void print_answer(const struct nxos_answer *a, struct buf *out)
{
	char *text;

	switch (a->status) {
	case NXOS_INVALID:
		(void)buf_addf(out, "%*s^\n%% Invalid command at '^' marker.\n", (int)a->caret, "");
		return;
	case NXOS_INCOMPLETE:
		(void)buf_adds(out, "% Incomplete command at '^' marker.\n");
		return;
	case NXOS_UNSTRUCTURED:
		(void)buf_adds(out, "ERROR: No structured output for this command\n");
		return;
	case NXOS_DEAD:
		(void)buf_adds(out, "ERROR: Service not responding\n");
		return;
	case NXOS_DENIED:
		(void)buf_adds(out, "% Permission denied for the role\n");
		return;
	case NXOS_DONE:
		break;
	}
	if (a->text.data)
		(void)buf_add(out, a->text.data, a->text.len);
	text = a->body ? json_dumps(a->body, JSON_COMPACT) : NULL;
	if (text)
		(void)buf_addf(out, "%s\n", text);
	free(text);
}

/* "a ; b": one line with several commands; the first failure ends it. */
static int switch_exec(struct personality_ctx *ctx, struct sim_device *d, const char *line,
	const char *input, struct buf *out, struct buf *err)
{
	struct nxos_session s = {.m = {.ctx = ctx, .d = d}};
	int status = 0;

	(void)input, (void)err;
	while (*line && !status) {
		size_t n = strcspn(line, ";\n");
		struct nxos_answer a;
		char command[NXOS_LINE_MAX];

		nxos_line_copy(command, line, n);
		nxos_run_piped(&s, command, NXOS_TEXT, &a);
		print_answer(&a, out);
		status = a.status == NXOS_DONE ? 0 : 16;
		nxos_answer_free(&a);
		line += n + (line[n] != '\0');
	}
	return status;
}

void nxos_send(struct http_reply *reply, unsigned status, json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT);

	json_decref(o);
	reply->type = "application/json";
	reply->status = text && buf_adds(reply->out, text) ? status : 500;
	free(text);
}

/* FNV-1a hash that binds a cookie to this device until its next boot. */
static uint64_t cookie_hash(const struct machine *m, uint64_t made)
{
	char text[128];
	uint64_t h = UINT64_C(14695981039346656037);

	(void)str_printf(text, sizeof(text), "%s %s %llu %s", m->d->serial, m->d->boot_id,
		(unsigned long long)made, m->ctx->password ? m->ctx->password : "");
	for (const char *p = text; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
	return h;
}

void nxos_token(const struct machine *m, char dst[64])
{
	uint64_t made = (uint64_t)(personality_clock(m->ctx, m->d) / 1000);

	(void)str_printf(dst, 64, "%016llx%016llx", (unsigned long long)made,
		(unsigned long long)cookie_hash(m, made));
}

static bool find_cookie(const char *cookies, const char *name, char dst[64])
{
	size_t n = strlen(name);

	for (; *cookies; cookies += strcspn(cookies, ";"), cookies += *cookies == ';') {
		cookies += strspn(cookies, " ");
		if (strncasecmp(cookies, name, n) != 0 || cookies[n] != '=')
			continue;
		return str_copyn(dst, 64, cookies + n + 1, strcspn(cookies + n + 1, "; "));
	}
	return false;
}

enum nxos_token nxos_token_of(const struct machine *m, const char *cookies, const char *name)
{
	char token[64], high[17], *end;
	uint64_t made;
	int64_t age_ms;

	if (!find_cookie(cookies, name, token) || !token[0])
		return NXOS_NO_TOKEN;
	if (strlen(token) != 32)
		return NXOS_BAD_TOKEN;
	(void)str_copyn(high, sizeof(high), token, 16);
	made = strtoull(high, &end, 16);
	if (*end || strtoull(token + 16, &end, 16) != cookie_hash(m, made) || *end)
		return NXOS_BAD_TOKEN;
	age_ms = personality_clock(m->ctx, m->d) / 1000 - (int64_t)made;
	return age_ms < NXOS_TOKEN_SEC * INT64_C(1000) ? NXOS_GOOD_TOKEN : NXOS_OLD_TOKEN;
}

static void send_error_page(struct http_reply *reply, unsigned status, const char *text)
{
	reply->status = status;
	reply->type = "text/html";
	(void)buf_addf(reply->out,
		"<html>\r\n<head><title>%u %s</title></head>\r\n<body>\r\n<center><h1>%u %s</h1>"
		"</center>\r\n<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>\r\n",
		status, text, status, text);
}

static void switch_http(struct personality_ctx *ctx, struct sim_device *d,
	const struct http_request *q, struct http_reply *reply)
{
	/* NX-API accepts configuration commands without "configure terminal". */
	struct nxos_session s = {.m = {.ctx = ctx, .d = d}, .mode = NXOS_CONFIG};
	char token[64];

	if (str_starts(q->path, "/api/")) {
		nxos_dme(&s, q, reply);
		return;
	}
	if (strcmp(q->path, "/ins") != 0) {
		send_error_page(reply, 404, "Not Found");
		return;
	}
	if (!q->basic_ok && nxos_token_of(&s.m, q->cookie, "nxapi_auth") != NXOS_GOOD_TOKEN &&
		nxos_token_of(&s.m, q->cookie, "APIC-cookie") != NXOS_GOOD_TOKEN) {
		reply->realm = "Secure Zone";
		send_error_page(reply, 401, "Unauthorized");
		return;
	}
	if (strcmp(q->method, "POST") != 0) {
		send_error_page(reply, 405, "Not Allowed");
		return;
	}
	if (q->basic_ok) {
		nxos_token(&s.m, token);
		(void)str_printf(reply->cookie, sizeof(reply->cookie),
			"nxapi_auth=%s; Secure; HttpOnly;", token);
	}
	nxos_api(&s, q, reply);
}

const struct personality personality_nxos = {"nxos", switch_exec, switch_http, NULL, false};

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the documents of a snapshot, each with its hash. */
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "archive/snapshot_file/bundle_private.h"
#include "archive/export/findings.h"
#include "archive/export/snapshot.h"
#include "archive/export/runbook_log_json.h"
#include "base/json_out.h"
#include "base/str.h"

void bundle_sha256(const void *bytes, size_t n, char hex[65])
{
	unsigned char sum[32] = {0};

	(void)gnutls_hash_fast(GNUTLS_DIG_SHA256, n ? bytes : "", n, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		(void)str_printf(hex + 2 * i, 3, "%02x", sum[i]);
}

static void note_part(
	struct bundle *b, const char *name, const char *type, const void *bytes, size_t n)
{
	struct bundle_part *p = vec_add(&b->parts);

	(void)str_copy(p->name, sizeof(p->name), name);
	(void)str_copy(p->type, sizeof(p->type), type);
	bundle_sha256(bytes, n, p->sha256);
	p->size = n;
}

static bool add_part(struct bundle *b, const char *name, const char *type, const char *bytes,
	size_t n, struct err *err)
{
	note_part(b, name, type, bytes, n);
	return !b->copy || rts_copy_part(b->copy, name, type, bytes, n, err);
}

/* ---- a FILE that writes to a buffer with a limit ---- */

static ssize_t cookie_write(void *cookie, const char *bytes, size_t n)
{
	return buf_add(cookie, bytes, n) ? (ssize_t)n : 0;
}

static FILE *open_buffer(struct buf *out)
{
	return fopencookie(out, "w", (cookie_io_functions_t){.write = cookie_write});
}

static bool copy_document(struct buf *to, const struct buf *doc, const char *what, struct err *err)
{
	return !to || buf_add(to, doc->data ? doc->data : "", doc->len) ||
	       err_set(err, ERR_LIMIT, what, "is longer than allowed");
}

static bool write_snapshot(
	const struct ticket *t, const struct snapshot_some *some, struct buf *out, struct err *err)
{
	FILE *f = open_buffer(out);
	bool ok = f && snapshot_json_some(t->m, t->d, some, t->now_us, f, err);

	return (f ? fclose(f) == 0 : false) && ok && !out->overflow;
}

/*
 * Writes all devices. If the document is too large, writes only devices named by findings. If these
 * are still too many, as after the loss of a management network, writes the first of them. The
 * entries have all devices.
 */
static bool make_snapshot(struct bundle *b, struct buf *out, struct err *err)
{
	const struct ticket *t = &b->ticket;
	size_t n = b->order.n < t->m->devices.n ? b->order.n : b->order.n / 2;
	bool ok = write_snapshot(t, NULL, out, err), last = false;

	for (; !ok && out->overflow && !last; n /= 2) {
		struct snapshot_some some = {b->order.at, n};

		b->partial = true;
		last = n == 0;
		buf_reset(out);
		out->overflow = false;
		ok = write_snapshot(t, &some, out, err);
	}
	return ok || err_set(err, ERR_LIMIT, "snapshot.json", "is larger than allowed");
}

static bool add_snapshot(struct bundle *b, struct err *err)
{
	struct buf out;
	bool ok;

	buf_init(&out, b->o->snapshot_max ? b->o->snapshot_max : RTS_PART_MAX);
	ok = make_snapshot(b, &out, err) &&
	     copy_document(b->o->snapshot, &out, "snapshot.json", err) &&
	     add_part(b, "snapshot.json", "application/json", out.data, out.len, err);
	buf_free(&out);
	return ok;
}

static bool add_findings(struct bundle *b, struct err *err)
{
	const struct ticket *t = &b->ticket;
	struct buf out;
	FILE *f;
	bool ok;

	buf_init(&out, RTS_PART_MAX);
	f = open_buffer(&out);
	ok = f && findings_json(t->m, t->d, t->now_us, f, err);
	ok = (f ? fclose(f) == 0 : false) && ok &&
	     add_part(b, "findings.json", "application/json", out.data, out.len, err);
	buf_free(&out);
	return ok;
}

static bool add_trail(struct bundle *b, struct err *err)
{
	static const runbook_log none;
	struct buf out;
	bool ok;

	buf_init(&out, RTS_PART_MAX);
	ok = runbook_log_json(b->ticket.m, b->ticket.trail ? b->ticket.trail : &none, &out, err) &&
	     add_part(b, "runbook.json", "application/json", out.data, out.len, err);
	buf_free(&out);
	return ok;
}

static bool add_text(
	struct bundle *b, const char *name, const char *type, const char *s, struct err *err)
{
	return !s || !s[0] || add_part(b, name, type, s, strlen(s), err);
}

static bool add_redactions(struct bundle *b, struct err *err)
{
	char *text = b->redact ? redact_summary(b->redact) : NULL;
	bool ok = add_text(b, "redactions.json", "application/json", text, err);

	free(text);
	return ok;
}

/* ---- raw outputs of the devices that findings name ---- */

static void involve_device(struct bundle *b, uint32_t device)
{
	if (b->involved[device])
		return;
	b->involved[device] = true;
	vec_push(&b->order, device);
}

static void involve_place(struct bundle *b, struct ref at)
{
	const struct device *d = ref_device(b->ticket.m, at);

	if (d)
		involve_device(b, d->id);
}

static void involve_all(struct bundle *b)
{
	const struct finding *const *f;
	size_t n = 0;

	b->involved = mem_calloc(b->ticket.m->devices.n + 1, sizeof(*b->involved));
	f = diag_findings(b->ticket.d, &n);
	for (size_t i = 0; i < n; i++) {
		involve_place(b, f[i]->at);
		involve_place(b, f[i]->peer);
		for (size_t k = 0; k < f[i]->evidence.n; k++)
			involve_place(b, f[i]->evidence.at[k].at);
	}
}

static bool raw_wanted(void *ctx, const char *device, const char *request)
{
	const struct bundle *b = ctx;
	const struct device *d = model_device(b->ticket.m, device);

	(void)request;
	return d && b->involved[d->id];
}

static void raw_added(void *ctx, const char *name, const void *bytes, size_t n)
{
	note_part(ctx, name, "text/plain", bytes, n);
}

/* ---- hashes and the tickets, which name them ---- */

static bool is_ticket(const struct bundle_part *p)
{
	return str_starts(p->name, "ticket.");
}

/* Hash of lines as sha256sum prints them: the parts in order, then entries and keyframes. */
static void sum_of(const struct bundle *b, bool tickets, char hex[65])
{
	char entries[65] = "", keyframes[65] = "";
	struct buf lines;

	buf_init(&lines, 512 * (b->parts.n + 2));
	for (size_t i = 0; i < b->parts.n; i++)
		if (tickets || !is_ticket(&b->parts.at[i]))
			(void)buf_addf(
				&lines, "%s  %s\n", b->parts.at[i].sha256, b->parts.at[i].name);
	if (b->copy)
		rts_copy_sums(b->copy, entries, keyframes);
	(void)buf_addf(&lines, "%s  entries\n%s  keyframes\n", entries, keyframes);
	bundle_sha256(lines.data, lines.len, hex);
	buf_free(&lines);
}

static bool add_contents(struct bundle *b, struct err *err)
{
	char entries[65] = "", keyframes[65] = "", sum[65];
	json_t *list = json_array(), *root;
	struct buf out;
	bool ok;

	for (size_t i = 0; i < b->parts.n; i++) {
		const struct bundle_part *p = &b->parts.at[i];

		json_append(
			list, json_pack("{s:s, s:s, s:I, s:s}", "name", p->name, "type", p->type,
				      "size", (json_int_t)p->size, "sha256", p->sha256));
	}
	rts_copy_sums(b->copy, entries, keyframes);
	sum_of(b, true, sum);
	root = json_pack("{s:i, s:s, s:o, s:{s:I, s:s}, s:s, s:b, s:b, s:s, s:s}", "schema", 1,
		"id", b->id, "parts", list, "entries", "chunks",
		(json_int_t)rts_copy_chunks(b->copy), "sha256", entries, "keyframes_sha256",
		keyframes, "redacted", (int)b->ticket.redacted, "snapshot_partial", (int)b->partial,
		"data_sha256", b->data_sha256, "sha256", sum);
	buf_init(&out, RTS_PART_MAX);
	ok = json_into(root, "contents.json", &out, err) &&
	     rts_copy_part(b->copy, "contents.json", "application/json", out.data, out.len, err);
	buf_free(&out);
	return ok;
}

static bool add_tickets(struct bundle *b, struct err *err)
{
	const struct {
		const char *name, *type;
		bool (*write)(const struct ticket *t, struct buf *out, struct err *err);
		struct buf *to;
	} all[] = {
		{"ticket.txt", "text/plain", ticket_text, b->o->text},
		{"ticket.md", "text/markdown", ticket_markdown, b->o->markdown},
		{"ticket.json", "application/json", ticket_json, b->o->json},
	};
	bool ok = true;

	sum_of(b, false, b->data_sha256);
	b->ticket.sha256 = b->copy && b->o->to ? b->data_sha256 : "";
	for (size_t i = 0; ok && i < sizeof(all) / sizeof(all[0]); i++) {
		struct buf out;

		buf_init(&out, RTS_PART_MAX);
		ok = all[i].write(&b->ticket, &out, err) &&
		     copy_document(all[i].to, &out, all[i].name, err) &&
		     add_part(b, all[i].name, all[i].type, out.data, out.len, err);
		buf_free(&out);
	}
	return ok;
}

/* They are not parts of the file: each site has one of them at most. */
static bool make_forms(struct bundle *b, struct err *err)
{
	return (!b->o->jira || ticket_jira(&b->ticket, b->o->jira, err)) &&
	       (!b->o->servicenow || ticket_servicenow(&b->ticket, b->o->servicenow, err));
}

bool bundle_parts(struct bundle *b, struct err *err)
{
	involve_all(b);
	/* Only a file or a caller of the document needs these. */
	if (b->o->to || b->o->snapshot)
		if (!add_snapshot(b, err))
			return false;
	if (!add_findings(b, err) || !add_trail(b, err) ||
		!add_text(b, "ledger.jsonl", "application/jsonl", b->about.ledger, err) ||
		!add_text(b, "screen.txt", "text/plain", b->about.screen, err) ||
		!add_text(b, "screen.ans", "text/plain", b->about.screen_ansi, err))
		return false;
	if (b->copy && !rts_copy_raws(b->copy, raw_wanted, raw_added, b, err))
		return false;
	return add_redactions(b, err) && add_tickets(b, err) && make_forms(b, err) &&
	       (!b->copy || add_contents(b, err));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const char *ledger_event_name(enum ledger_event e)
{
	static const char *const names[LEDGER_EVENT_COUNT] = {"planned", "refused", "approved",
		"begun", "sending", "answered", "lost", "read", "done", "failed", "unknown",
		"watched", "settled", "mended"};

	return (unsigned)e < LEDGER_EVENT_COUNT ? names[e] : "";
}

void who_am_i(struct who *w)
{
	memset(w, 0, sizeof(*w));
}

struct ledger *ledger_open(const struct ledger_opts *o, const struct who *who, struct err *err)
{
	(void)who;
	(void)err_set(err, ERR_IO, o->path, "not yet");
	return NULL;
}

void ledger_close(struct ledger *l)
{
	(void)l;
}

bool ledger_lock(struct ledger *l, const char *what, struct err *err)
{
	(void)l, (void)what;
	return err_set(err, ERR_IO, "", "not yet");
}

void ledger_unlock(struct ledger *l)
{
	(void)l;
}

bool ledger_reserve(struct ledger *l, size_t bytes, struct err *err)
{
	(void)l, (void)bytes;
	return err_set(err, ERR_IO, "", "not yet");
}

bool ledger_append(
	struct ledger *l, enum ledger_event e, const char *act, json_t *detail, struct err *err)
{
	(void)l, (void)e, (void)act;
	json_decref(detail);
	return err_set(err, ERR_IO, "", "not yet");
}

bool ledger_read(
	const char *path, int64_t since_us, size_t most, ledger_line_vec *out, struct err *err)
{
	(void)since_us, (void)most, (void)out;
	return err_set(err, ERR_IO, path, "not yet");
}

void ledger_facts(const char *path, const struct who *who, const char *device, const char *port,
	int64_t now_us, struct ledger_facts *out)
{
	(void)who, (void)device, (void)port, (void)now_us;
	memset(out, 0, sizeof(*out));
	(void)err_set(&out->unusable, ERR_IO, path, "not yet");
}

bool ledger_verify(const char *path, struct ledger_report *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	return err_set(err, ERR_IO, path, "not yet");
}

char *ledger_default_path(void)
{
	return mem_strdup("/nonexistent/railtop/actions.jsonl");
}

char *ledger_beside(const char *path, const char *name)
{
	(void)path;
	return mem_strdup(name);
}

void sha256_hex(const void *bytes, size_t n, char out[65])
{
	(void)bytes, (void)n;
	memset(out, '0', 64);
	out[64] = '\0';
}

bool approval_offer(const char *dir, const char *hash, json_t *plan, struct err *err)
{
	(void)hash;
	json_decref(plan);
	return err_set(err, ERR_IO, dir, "not yet");
}

bool approval_give(const char *dir, const char *hash, const struct who *who, const struct clock *c,
	struct err *err)
{
	(void)hash, (void)who, (void)c;
	return err_set(err, ERR_IO, dir, "not yet");
}

bool approval_found(const char *dir, const char *hash, const struct who *who, int64_t now_us,
	char *by, size_t size, struct err *why)
{
	(void)hash, (void)who, (void)now_us;
	(void)str_copy(by, size, "");
	return err_set(why, ERR_REFUSED, dir, "not yet");
}

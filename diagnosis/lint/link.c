/* SPDX-License-Identifier: Apache-2.0 */
/* MTU and PFC watchdog. */
#include <string.h>

#include "base/str.h"
#include "diagnosis/lint/rules.h"

/* ---- MTU ---- */

static uint64_t mtu_value(const struct lint *l, const struct port *p)
{
	(void)l;
	return p->mtu ? p->mtu : LINT_UNSPOKEN;
}

/*
 * Compares with the other end: a host may have a lower MTU than its switch, never a higher one.
 * Switches of different vendors include other headers; only those of one kind must be equal.
 */
static bool ends_disagree(const struct lint *l, const struct port *p, const struct port *q)
{
	if (!q || !q->mtu)
		return false;
	if (lint_is_host(l, p))
		return p->mtu > q->mtu;
	return !lint_is_host(l, q) && p->id < q->id && p->mtu != q->mtu &&
	       str_eq(model_dev_of(l->m, p)->dialect, model_dev_of(l->m, q)->dialect);
}

static int mtu_port(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_MTU, .reason = "siblings"};
	const struct port *q = lint_peer(l, p);
	uint64_t most = 0, other;
	unsigned should;
	char value[16];
	bool known;

	if (!p->mtu)
		return LINT_UNKNOWN;
	known = lint_usual(l, p, &most);
	should = (unsigned)most;
	if (!known || p->mtu == should) {
		/* Reported at the end that differs from its siblings. */
		if (!ends_disagree(l, p, q) ||
			(known && lint_usual(l, q, &other) && other != q->mtu))
			return LINT_OK;
		should = q->mtu;
		w.reason = "other end";
	}
	if (q)
		w.peer = at_port(q->id);
	(void)str_printf(w.is, sizeof(w.is), "mtu %u", p->mtu);
	(void)str_printf(w.should, sizeof(w.should), "mtu %u", should);
	(void)str_printf(value, sizeof(value), "%u", should);
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_mtu = {
	.id = FIND_LINT_MTU, .what = "MTU", .value = mtu_value, .port = mtu_port};

/* ---- PFC watchdog ---- */

static const struct watchdog *watchdog_of(const struct lint *l, const struct port *p)
{
	unsigned mask = lossless_priorities(&l->m->lossless);

	for (unsigned i = 0; i < PRIORITIES; i++)
		if ((mask >> i & 1U) && p->wd[i].state != WD_UNKNOWN)
			return &p->wd[i];
	return NULL;
}

/* State, timers (capped at 16 s, far beyond any use) and the action's first letter in one
 * number. */
static uint64_t watchdog_value(const struct lint *l, const struct port *p)
{
	const struct watchdog *w = lint_is_host(l, p) ? NULL : watchdog_of(l, p);
	uint64_t detect, restore;

	if (!w)
		return LINT_UNSPOKEN;
	if (w->state == WD_OFF)
		return 0;
	detect = w->detect_ms < 0x3fff ? w->detect_ms : 0x3fff;
	restore = w->restore_ms < 0x3fff ? w->restore_ms : 0x3fff;
	return UINT64_C(1) << 48 | detect << 24 | restore << 8 | (unsigned char)w->action[0];
}

static void watchdog_text(char *dst, size_t size, uint64_t v)
{
	static const struct {
		char letter;
		const char *word;
	} actions[] = {{'d', "drop"}, {'f', "forward"}, {'a', "alert"}, {'b', "big red switch"}};
	const char *action = "on";

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if ((char)(v & 0xff) == actions[i].letter)
			action = actions[i].word;
	if (!v)
		(void)str_copy(dst, size, "no watchdog");
	else
		(void)str_printf(dst, size, "%s, detect %u ms, restore %u ms", action,
			(unsigned)(v >> 24 & 0x3fff), (unsigned)(v >> 8 & 0x3fff));
}

/* The words for cure.c: "drop 400 400", as far as they are known; "!": no watchdog. */
static void watchdog_words(char *dst, size_t size, uint64_t v)
{
	char text[64];
	size_t n;

	watchdog_text(text, sizeof(text), v);
	n = strcspn(text, ",");
	if (!v)
		(void)str_copy(dst, size, "!");
	else
		(void)str_printf(dst, size, "%.*s %u %u", (int)n,
			str_starts(text, "on,") ? "drop" : text, (unsigned)(v >> 24 & 0x3fff),
			(unsigned)(v >> 8 & 0x3fff));
}

static int watchdog_port(struct lint *l, const struct port *p)
{
	struct lint_difference w = {.id = FIND_LINT_WATCHDOG, .reason = "siblings"};
	uint64_t is = watchdog_value(l, p), should;
	char value[48];

	if (lint_is_host(l, p))
		return LINT_NOTHING;
	if (is == LINT_UNSPOKEN || !lint_usual(l, p, &should))
		return LINT_UNKNOWN;
	if (is == should)
		return LINT_OK;
	watchdog_text(w.is, sizeof(w.is), is);
	watchdog_text(w.should, sizeof(w.should), should);
	watchdog_words(value, sizeof(value), should);
	w.value = value;
	return lint_differs(l, p, &w);
}

const struct lint_check lint_watchdog = {.id = FIND_LINT_WATCHDOG,
	.what = "PFC watchdog",
	.value = watchdog_value,
	.port = watchdog_port};

/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic/sonic_redis.h"

/* ---- values ---- */

void redis_u64(struct redis_value *v, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	v->len = sizeof(digits) - at;
	memcpy(v->text, digits + at, v->len);
	v->text[v->len] = '\0';
}

void redis_text(struct redis_value *v, const char *text)
{
	(void)str_copy(v->text, sizeof(v->text), text);
	v->len = strlen(v->text);
}

void redis_textf(struct redis_value *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
	v->len = strlen(v->text);
}

void redis_give(redis_field_fn each, void *arg, const char *name, const struct redis_value *v)
{
	each(arg, name, strlen(name), v);
}

void redis_give_text(redis_field_fn each, void *arg, const char *name, const char *text)
{
	struct redis_value v;

	redis_text(&v, text);
	redis_give(each, arg, name, &v);
}

void redis_give_u64(redis_field_fn each, void *arg, const char *name, uint64_t n)
{
	struct redis_value v;

	redis_u64(&v, n);
	redis_give(each, arg, name, &v);
}

void redis_give_time(redis_field_fn each, void *arg, const char *name, int64_t us)
{
	char text[40];
	time_t t = (time_t)(us / CLOCK_SEC);
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	(void)strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm);
	redis_give_text(each, arg, name, text);
}

void redis_give_mask(redis_field_fn each, void *arg, const char *name, unsigned mask)
{
	char text[17];
	size_t n = 0;

	for (unsigned i = 0; i < 8; i++) {
		if (!(mask >> i & 1))
			continue;
		if (n)
			text[n++] = ',';
		text[n++] = (char)('0' + i);
	}
	text[n] = '\0';
	if (n)
		redis_give_text(each, arg, name, text);
}

unsigned redis_mask(const char *text, size_t n)
{
	unsigned mask = 0;

	for (size_t i = 0; i < n; i++)
		if (text[i] >= '0' && text[i] <= '7')
			mask |= 1u << (text[i] - '0');
	return mask;
}

/* ---- keys ---- */

static bool name_is(const struct sim_port *p, const char *text, size_t n)
{
	return strlen(p->name) == n && !memcmp(p->name, text, n);
}

struct sim_port *redis_port(const struct redis *r, const char *name, size_t *n)
{
	size_t i = strlen("Ethernet"), v = 0;

	if (*n <= i || memcmp(name, "Ethernet", i) != 0)
		return NULL;
	for (; i < *n && isdigit((unsigned char)name[i]) && v < 100000; i++)
		v = v * 10 + (size_t)(name[i] - '0');
	*n = i;
	/* The port at the formula's position, unless the fabric's file names ports differently. */
	v /= SONIC_LANES;
	if (v < r->d->nports && name_is(&r->d->ports[v], name, i))
		return &r->d->ports[v];
	for (unsigned p = 0; p < r->d->nports; p++)
		if (name_is(&r->d->ports[p], name, i))
			return &r->d->ports[p];
	return NULL;
}

bool redis_open_port(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = n;

	row->port = redis_port(r, rest, &used);
	return row->port && used == n;
}

void redis_keys_ports(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	for (unsigned i = 0; i < r->d->nports; i++) {
		(void)snprintf(key, sizeof(key), "%s%s", t->prefix, r->d->ports[i].name);
		each(arg, key);
	}
}

bool redis_open_queue(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = n;

	row->port = redis_port(r, rest, &used);
	if (!row->port || n != used + 2 || rest[used] != '|' || rest[used + 1] < '0' ||
		rest[used + 1] > '7')
		return false;
	row->index = (unsigned)(rest[used + 1] - '0');
	return true;
}

void redis_keys_queues(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];

	for (unsigned p = 0; p < r->d->nports; p++) {
		for (unsigned i = 0; i < 8; i++) {
			(void)snprintf(
				key, sizeof(key), "%s%s|%u", t->prefix, r->d->ports[p].name, i);
			each(arg, key);
		}
	}
}

bool redis_open_single(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	(void)r, (void)rest, (void)row;
	return n == 0;
}

void redis_keys_single(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	(void)r;
	each(arg, t->prefix);
}

bool redis_open_named(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	const char *const *list = row->table->arg;

	(void)r;
	for (row->index = 0; list[row->index]; row->index++)
		if (strlen(list[row->index]) == n && !memcmp(list[row->index], rest, n))
			return true;
	return false;
}

void redis_keys_named(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[128];

	(void)r;
	for (const char *const *list = t->arg; *list; list++) {
		(void)snprintf(key, sizeof(key), "%s%s", t->prefix, *list);
		each(arg, key);
	}
}

static const struct sim_port *neighbor_of(const struct sim_port *p)
{
	return !p->bgp.configured ? NULL : p->plan_peer ? p->plan_peer : p->peer;
}

bool redis_open_neighbor(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	char address[16];

	for (unsigned i = 0; i < r->d->nports; i++) {
		struct sim_port *p = &r->d->ports[i];
		const struct sim_port *far = neighbor_of(p);

		if (!far)
			continue;
		personality_link_address(far, address);
		if (strlen(address) != n || memcmp(address, rest, n) != 0)
			continue;
		row->port = p;
		return true;
	}
	return false;
}

void redis_keys_neighbors(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96], address[16];

	for (unsigned i = 0; i < r->d->nports; i++) {
		const struct sim_port *far = neighbor_of(&r->d->ports[i]);

		if (!far)
			continue;
		personality_link_address(far, address);
		(void)snprintf(key, sizeof(key), "%s%s", t->prefix, address);
		each(arg, key);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/obs_find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

bool has_port(const struct obs *o, const char *name)
{
	for (size_t i = 0; i < o->ports.n; i++)
		if (str_eq(o->ports.at[i].name, name))
			return true;
	return false;
}

struct obs_port_ref at_port(const struct obs *o, const char *name)
{
	for (size_t i = 0; name && i < o->ports.n; i++)
		if (str_eq(o->ports.at[i].name, name))
			return (struct obs_port_ref){o, (uint32_t)i};
	if (name)
		fail_msg("no port %s among %zu", name, o->ports.n);
	return (struct obs_port_ref){o, OBS_NO_PORT};
}

static const struct obs_item *find_cell(struct obs_port_ref at, const char *counter, unsigned sub)
{
	enum counter_id id = counter_by_name(counter);
	const struct obs_item *found = NULL;
	uint16_t cell;

	assert_true(id != COUNTER_COUNT);
	cell = counter_cell(id, sub);
	for (size_t i = 0; i < at.o->items.n; i++) {
		const struct obs_item *it = &at.o->items.at[i];

		if (it->port == at.port && it->cell == cell &&
			(it->kind == OBS_COUNT || it->kind == OBS_GAUGE || it->kind == OBS_VALID))
			found = it;
	}
	return found;
}

double cell_value(struct obs_port_ref at, const char *counter, unsigned sub)
{
	const struct obs_item *it = find_cell(at, counter, sub);

	if (it && it->kind == OBS_COUNT)
		return (double)it->u64;
	return it && it->kind == OBS_GAUGE ? it->real : NAN;
}

uint64_t cell_count(struct obs_port_ref at, const char *counter, unsigned sub)
{
	const struct obs_item *it = find_cell(at, counter, sub);

	if (!it || it->kind != OBS_COUNT)
		fail_msg("%s[%u] has no count", counter, sub);
	return it->u64;
}

enum validity cell_validity(struct obs_port_ref at, const char *counter, unsigned sub)
{
	const struct obs_item *it = find_cell(at, counter, sub);

	if (!it)
		return VALID_UNKNOWN;
	return it->kind == OBS_VALID ? (enum validity)it->code : VALID_OK;
}

const char *cell_cure(struct obs_port_ref at, const char *counter, unsigned sub)
{
	const struct obs_item *it = find_cell(at, counter, sub);

	return it && it->kind == OBS_VALID ? obs_text(at.o, it->text) : "";
}

static const struct obs_item *find_attr(
	struct obs_port_ref at, enum obs_attr attr, unsigned sub, enum obs_kind kind)
{
	const struct obs_item *found = NULL;

	for (size_t i = 0; i < at.o->items.n; i++) {
		const struct obs_item *it = &at.o->items.at[i];

		if (it->kind == kind && it->port == at.port && it->code == attr && it->sub == sub)
			found = it;
	}
	return found;
}

const char *attr_word(struct obs_port_ref at, enum obs_attr attr, unsigned sub)
{
	const struct obs_item *it = find_attr(at, attr, sub, OBS_WORD);

	return it ? obs_text(at.o, it->text) : "(none)";
}

double attr_number(struct obs_port_ref at, enum obs_attr attr, unsigned sub)
{
	const struct obs_item *it = find_attr(at, attr, sub, OBS_NUMBER);

	return it ? it->real : (double)NAN;
}

const char *lldp_of(struct obs_port_ref at, char *dst, size_t size)
{
	str_copy(dst, size, "(none)");
	for (size_t i = 0; i < at.o->items.n; i++) {
		const struct obs_item *it = &at.o->items.at[i];

		if (it->kind == OBS_LLDP && it->port == at.port)
			str_printf(dst, size, "%s:%s", obs_text(at.o, it->text),
				obs_text(at.o, it->text2));
	}
	return dst;
}

enum validity capability_of(const struct obs *o, const char *need, const char **cure)
{
	enum validity v = VALID_UNKNOWN;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_CAPABILITY || !str_eq(obs_text(o, it->text), need))
			continue;
		v = it->code;
		if (cure)
			*cure = obs_text(o, it->text2);
	}
	return v;
}

char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	struct buf b;
	char part[16384];
	size_t n;

	if (!f)
		return NULL;
	buf_init(&b, 64u << 20);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	return buf_take(&b, len);
}

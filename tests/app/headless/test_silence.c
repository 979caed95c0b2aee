/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that do not report are told by their causes, however many there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/headless/silence.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/observation.h"
#include "tests/support/cases.h"

static struct model *fabric_of(unsigned devices)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "t");
	for (unsigned i = 0; i < devices; i++) {
		struct plan_device *d = vec_add(&plan.devices);
		char address[32];

		(void)str_printf(d->name, sizeof(d->name), "leaf-%02u", i);
		(void)str_printf(address, sizeof(address), "10.0.%u.%u", i, i + 100);
		d->address = mem_strdup(address);
		d->transport = mem_strdup("ssh");
		d->tier = TIER_LEAF;
		d->rail = -1;
		d->interval_us = CLOCK_SEC;
	}
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

static void fail_device(struct model *m, unsigned i, const char *cure)
{
	const struct device *d = m->devices.at[i];
	struct obs *o = obs_new(d->name, "connect");

	o->result = OBS_FAILED;
	err_set(&o->err, ERR_UNREACHABLE, d->name, "%s port %u: no answer", d->address, 4000 + i);
	err_cure(&o->err, cure, 4000 + i, d->address, d->name);
	model_apply(m, o, CLOCK_SEC);
	obs_free(o);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* The cures differ by addresses, ports and names only: then it is one. */
CASE(one_cause_is_told_once)
{
	struct model *m = fabric_of(12);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; i < 11; i++)
		fail_device(m, i, "check with ssh -v -p %u %s that %s answers");
	fail_device(m, 11, "trust the key (%u) of %s, which is %s");
	(void)model_age(m, CLOCK_SEC);
	silence_report(m, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "railtop: 12 of 12 devices did not report:\n"));
	assert_non_null(
		strstr(text, "unreachable: leaf-[00-10]: such as leaf-00: 10.0.0.100 port"));
	assert_non_null(strstr(text, "unreachable: leaf-11: 10.0.11.111 port 4011: no answer"));
	assert_int_equal(count(text, "cure: "), 2);
	free(text);
	model_free(m);
}

CASES_MAIN(NULL, NULL)

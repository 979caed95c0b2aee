/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/inventory_expect.h"

#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "base/buf.h"
#include "tests/support/cases.h"

static void add_line(void *ctx, const struct err *problem)
{
	char line[1024];

	assert_true(problem->code == ERR_CONFIG || problem->code == ERR_IO);
	(void)buf_addf(ctx, "%s\n", err_format(problem, line, sizeof(line)));
}

char *inventory_problems(const char *text, size_t len, struct plan *plan)
{
	struct buf b;
	bool ok;

	buf_init(&b, 1 << 20);
	ok = inventory_parse("f.yaml", "/etc/railtop", text, len, plan, add_line, &b);
	assert_int_equal(ok, b.len == 0);
	return buf_take(&b, NULL);
}

void inventory_expect(const char *text, const char *want, struct plan *plan)
{
	char *got = inventory_problems(text, strlen(text), plan);

	assert_string_equal(got, want);
	free(got);
}

void inventory_says(const char *text, const char *want)
{
	struct plan plan;

	inventory_expect(text, want, &plan);
	plan_free(&plan);
}

const struct plan_device *inventory_device(const struct plan *p, const char *name)
{
	int i = plan_find(p, name);

	if (i < 0)
		fail_msg("no device %s", name);
	return &p->devices.at[i];
}

const struct plan_link *inventory_link(const struct plan *p, const char *name, const char *port)
{
	for (size_t i = 0; i < p->links.n; i++) {
		const struct plan_link *l = &p->links.at[i];

		if ((strcmp(p->devices.at[l->a].name, name) == 0 && strcmp(l->a_port, port) == 0) ||
			(strcmp(p->devices.at[l->b].name, name) == 0 &&
				strcmp(l->b_port, port) == 0))
			return l;
	}
	return NULL;
}

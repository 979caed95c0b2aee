/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/support/inventory_expect.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/inventory_yaml.h"
#include "base/buf.h"
#include "tests/support/cases.h"

static void add_line(void *ctx, const struct err *problem)
{
	char line[1024];

	(void)buf_addf(ctx, "%s\n", err_format(problem, line, sizeof(line)));
}

void inventory_expect(const char *text, const char *want, struct plan *plan)
{
	struct buf b;
	bool ok;
	char *got;

	buf_init(&b, 1 << 20);
	ok = inventory_parse("f.yaml", "/etc/railtop", text, strlen(text), plan, add_line, &b);
	got = buf_take(&b, NULL);
	assert_string_equal(got, want);
	assert_int_equal(ok, !*want);
	free(got);
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

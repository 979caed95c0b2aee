/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"

/* ip(8): the addresses of the management port and of the loopback, a line each; neighbours. */

static int print_neighbours(const struct machine *m, struct buf *out)
{
	json_t *all = personality_neighbours(m);
	char *text = json_dumps(all, JSON_COMPACT);

	(void)buf_addf(out, "%s\n", text ? text : "[]");
	free(text);
	json_decref(all);
	return 0;
}

int sonic_ip(struct machine *m, const struct shell_call *c)
{
	bool shows = false, json = false;
	const char *to = NULL;
	char own[24];
	int at = 1;

	for (; at < c->argc && c->argv[at][0] == '-'; at++)
		json |= str_starts(c->argv[at], "-j");
	if (json && at < c->argc && c->argv[at][0] == 'n' && str_starts("neighbour", c->argv[at]))
		return print_neighbours(m, c->out);
	shows = at < c->argc && c->argv[at][0] == 'a' && str_starts("address", c->argv[at]);
	if (!shows) {
		(void)buf_addf(c->err, "Object \"%s\" is unknown, try \"ip help\".\n",
			at < c->argc ? c->argv[at] : "");
		return 1;
	}
	for (; at + 1 < c->argc; at++)
		if (!strcmp(c->argv[at], "to"))
			to = c->argv[at + 1];
	personality_address(m->d, own);
	if (!to || !strcmp(to, "127.0.0.1"))
		(void)buf_adds(c->out, "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft "
				       "forever preferred_lft forever\n");
	if (!to || !strcmp(to, own))
		(void)buf_addf(c->out,
			"2: eth0    inet %s/24 brd 10.255.255.255 scope global eth0\\       "
			"valid_lft "
			"forever preferred_lft forever\n",
			own);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a known_hosts file; its first word, up to a blank, is also the host that is looked up.
 * Every result is a line of the file, in its order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/known_hosts.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct known_hosts *k, uint32_t i, size_t size)
{
	struct known_line l;

	if (i >= known_hosts_count(k))
		abort();
	l = known_hosts_line(k, i);
	if (!l.number || l.number > size + 1 || !l.type[0] || !l.key[0] ||
		strpbrk(l.key, " \t\n") != NULL || strlen(l.type) + strlen(l.key) > size)
		abort();
}

static void look(const struct known_hosts *k, const char *host, unsigned port, size_t size)
{
	struct known_found found = {0};

	known_hosts_find(k, host, port, &found);
	for (size_t i = 0; i < found.lines.n; i++) {
		check_line(k, found.lines.at[i], size);
		if (i && found.lines.at[i - 1] >= found.lines.at[i])
			abort();
	}
	vec_free(&found.lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_alloc(size + 1), host[300];
	struct known_hosts *k;
	unsigned first = 0;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	(void)str_copyn(host, sizeof(host), text, strcspn(text, " \t\n,"));
	k = known_hosts_new(text, size);
	if ((known_hosts_unreadable(k, &first) > 0) != (first > 0))
		abort();
	look(k, host, 22, size);
	look(k, host, 2222, size);
	look(k, "leaf-1", 22, size);
	known_hosts_free(k);
	return 0;
}

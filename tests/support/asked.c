/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/asked.h"

#include <string.h>

#include "base/str.h"

#define HEAD_MAX 256

static void read_facts(struct facts *facts, char **save)
{
	char *fact, *value;

	while ((fact = strtok_r(NULL, " ", save))) {
		value = strchr(fact, '=');
		if (!value)
			continue;
		*value++ = '\0';
		facts_set(facts, fact, value);
	}
}

bool asked_read(struct asked *a, const char *bytes, size_t len)
{
	const char *end = len ? memchr(bytes, '\n', len < HEAD_MAX ? len : HEAD_MAX) : NULL;
	char line[HEAD_MAX], *save = NULL, *kind, *request;

	memset(a, 0, sizeof(*a));
	a->target = (struct target){
		.device = "leaf-r0-00", .tier = TIER_LEAF, .lossless = 1U << 3, .facts = &a->facts};
	if (!end)
		return false;
	(void)str_copyn(line, sizeof(line), bytes, (size_t)(end - bytes));
	kind = strtok_r(line, " ", &save);
	request = kind ? strtok_r(NULL, " ", &save) : NULL;
	if (!request || !str_copy(a->request, sizeof(a->request), request))
		return false;
	if (str_eq(kind, "host"))
		a->target.tier = TIER_HOST;
	a->target.transport = str_eq(kind, "https") ? TRANSPORT_HTTPS : TRANSPORT_SSH;
	read_facts(&a->facts, &save);
	a->answer = end + 1;
	a->len = len - (size_t)(a->answer - bytes);
	return true;
}

void asked_free(struct asked *a)
{
	facts_free(&a->facts);
}

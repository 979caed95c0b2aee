/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/memory_search.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART       ((size_t)1 << 20)
#define RANGE_MOST ((uintptr_t)1 << 29)

struct words {
	const char *text[3];
	size_t len[3];
};

static bool is_here(const char *at, const struct words *w)
{
	for (int i = 0; i < 3; at += w->len[i++])
		if (memcmp(at, w->text[i], w->len[i]) != 0)
			return false;
	return true;
}

static unsigned search_range(
	int fd, uintptr_t from, uintptr_t to, const struct words *w, char *room)
{
	size_t all = w->len[0] + w->len[1] + w->len[2];
	unsigned found = 0;

	while (to - from >= all) {
		size_t want = to - from < PART ? to - from : PART;
		ssize_t n = pread(fd, room, want, (off_t)from);

		if (n < (ssize_t)all)
			break;
		for (size_t i = 0; i + all <= (size_t)n; i++)
			found += room[i] == w->text[0][0] && is_here(room + i, w);
		/* One that spans two parts is seen in the second. */
		from += (size_t)n - all + 1;
	}
	return found;
}

int memory_search_in(pid_t pid, const char *middle, const char *before, const char *after)
{
	struct words w = {{before, middle, after}, {strlen(before), strlen(middle), strlen(after)}};
	char path[64], line[512], *room = malloc(PART);
	int fd, found = 0;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!maps || fd < 0)
		found = -1;
	while (found >= 0 && fgets(line, sizeof(line), maps)) {
		uintptr_t from, to;
		char rights[8];

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &from, &to, rights) != 3 ||
			rights[0] != 'r' || rights[1] != 'w' || strstr(line, "[v"))
			continue;
		/* What sanitizers keep about all addresses, terabytes of it, is no copy. */
		if (to - from > RANGE_MOST)
			continue;
		/* The room of the search has what was read last. */
		if (pid == getpid() && (uintptr_t)room >= from && (uintptr_t)room < to)
			continue;
		found += (int)search_range(fd, from, to, &w, room);
	}
	if (maps)
		(void)fclose(maps);
	if (fd >= 0)
		(void)close(fd);
	if (room)
		explicit_bzero(room, PART);
	free(room);
	return found;
}

unsigned memory_search(const char *middle, const char *before, const char *after)
{
	int found = memory_search_in(getpid(), middle, before, after);

	return found < 0 ? 0 : (unsigned)found;
}

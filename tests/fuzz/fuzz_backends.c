/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/jsonl.h"
#include "tests/fuzz/fuzz_backends.h"

/*
 * libFuzzer entry for every decoder: the first byte chooses dialect and request, the rest is the
 * answer of a device that lies.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I. tests/fuzz/fuzz_backends.c \
 *     backends/dialect_*.c backends/parse_*.c backends/jsonl.c backends/backend.c \
 *     backends/request.c fabric/observation.c fabric/counter.c fabric/event.c base/[a-z]*.c \
 *     -ljansson -lm -o fuzz_backends
 *
 * With -DREPLAY it gets a main() that runs the files named on the command line once each.
 */

static const struct {
	const char *dialect, *request; /* NULL: JSON lines */
} targets[] = {
	{"sonic", "fast"},
	{"sonic", "optics"},
	{"sonic", "config"},
	{"eos", "fast"},
	{"eos", "pfc"},
	{"eos", "ecn"},
	{"eos", "queues"},
	{"eos", "voq"},
	{"eos", "watchdog"},
	{"eos", "phy"},
	{"eos", "optics"},
	{"eos", "lldp"},
	{"eos", "errdisabled"},
	{"linux", "fast"},
	{"linux", "slow"},
	{NULL, NULL},
};

static void fuzz_dialect(const char *dialect, const char *request, const char *bytes, size_t len)
{
	const struct target t = {.device = "fuzz", .tier = TIER_LEAF, .lossless = 0x18};
	struct obs *o = obs_new(t.device, request);
	struct err err = {0};

	/* A refusal without a word, or an item that points nowhere, is a bug as well as a crash. */
	if (!backend_by_name(dialect)->parse(&t, request, bytes, len, o, &err) && !*err.text)
		abort();
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].port != OBS_NO_PORT && o->items.at[i].port >= o->ports.n)
			abort();
	for (size_t i = 0; i < o->strings.n; i++)
		if (o->strings.at[i] == '\x1b')
			abort();
	obs_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t which;
	char *bytes;

	if (!size)
		return 0;
	which = data[0] % (sizeof(targets) / sizeof(targets[0]));
	bytes = malloc(size);
	if (!bytes)
		return 0;
	memcpy(bytes, data + 1, size - 1);
	bytes[size - 1] = '\0';
	if (targets[which].dialect) {
		fuzz_dialect(targets[which].dialect, targets[which].request, bytes, size - 1);
	} else {
		struct err err = {0};
		struct obs *o = jsonl_parse(bytes, size - 1, NULL, NULL, NULL, &err);

		if (!o && !*err.text)
			abort();
		obs_free(o);
	}
	free(bytes);
	return 0;
}

#ifdef REPLAY
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		static uint8_t bytes[1 << 20];
		FILE *f = fopen(argv[i], "rb");
		size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;

		if (f)
			fclose(f);
		(void)LLVMFuzzerTestOneInput(bytes, n);
	}
	return 0;
}
#endif

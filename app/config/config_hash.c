/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/config_hash.h"

#include <stdio.h>

#include "actions/ledger/ledger.h"
#include "base/buf.h"
#include "base/regular_file.h"

#define CONFIG_MAX ((size_t)64 << 20)

void config_hash(const char *path, char hex[65])
{
	FILE *f = path ? regular_file_stream(path) : NULL;
	char chunk[65536];
	struct buf b;
	size_t n;

	hex[0] = '\0';
	if (!f)
		return;
	buf_init(&b, CONFIG_MAX);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(&b, chunk, n))
		continue;
	if (!ferror(f) && !b.overflow)
		sha256_hex(b.data ? b.data : "", b.len, hex);
	(void)fclose(f);
	buf_free(&b);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/server_internal.h"

/* Output that a defective device may send: binary noise with terminal escapes. */

/*
 * Moves the cursor, clears the screen, sets the title, opens a link, makes the terminal reply. A
 * console must pass none of these to its screen.
 */
static const char escapes[] = "\033[2J\033[H\033]0;owned\007\033[31;5m\033[?1049h\033[6n\033]52;c;"
			      "aGk=\007\033]8;;http://127.0.0.1/\007\033(0\x9b"
			      "1;1H\x00\xff\xfe\xc3\x28\xe2\x80\xae";

void server_garbage(struct buf *out, uint64_t seed)
{
	uint64_t z = seed | 1;

	for (int i = 0; i < 512; i++) {
		/* xorshift64 (Marsaglia 2003) */
		z ^= z << 13;
		z ^= z >> 7;
		z ^= z << 17;
		(void)buf_add(out, &z, sizeof(z));
		if (i % 16 == 0)
			(void)buf_add(out, escapes, sizeof(escapes) - 1);
	}
}

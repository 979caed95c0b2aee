/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_SLOT_H
#define TESTS_SUPPORT_SLOT_H

#include <stddef.h>

/*
 * The addresses and TCP ports of a test program that runs beside others. tests/run_one.sh gives
 * each a slot (TEST_SLOT, 0 to 99) that no other has at that time; a program that is started by
 * hand makes one of its process id, above those.
 */

/* "127.N.0.1": the first address of the slot's own network, for railtop-emulator --listen. */
const char *slot_address(char *dst, size_t size);

/*
 * A free TCP port of 127.0.0.1, never the same twice in a row. It is below the ports that the
 * kernel gives to clients and of this slot only, so that no other program takes it meanwhile.
 */
unsigned slot_port(void);

#endif

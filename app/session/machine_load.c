/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/machine_load.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"

/* Runnable threads a processor. At twice the processors each waits as long as it runs. Railtop's
 * own. */
#define BUSY 2.0

bool machine_busy_of(double load, long processors, char *dst, size_t size)
{
	if (size)
		dst[0] = '\0';
	if (processors < 1 || !(load > BUSY * (double)processors))
		return false;
	return str_printf(dst, size,
		"this machine is busy (load %.0f on %ld processor%s): it may be the reason", load,
		processors, str_plural((size_t)processors));
}

bool machine_busy(char *dst, size_t size)
{
	double load = 0;

	return getloadavg(&load, 1) == 1 &&
	       machine_busy_of(load, sysconf(_SC_NPROCESSORS_ONLN), dst, size);
}

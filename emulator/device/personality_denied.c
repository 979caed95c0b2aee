/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/personality.h"

int personality_denied(
	const struct sim_device *d, const char *command, struct buf *out, struct buf *err)
{
	if (str_eq(d->dialect, "eos")) {
		(void)buf_adds(out, "% Invalid input (privileged mode required)\n");
		return 1;
	}
	if (str_eq(d->dialect, "nxos")) {
		(void)buf_adds(out, "% Permission denied for the role\n");
		return 1;
	}
	if (strstr(command, "sudo ")) {
		(void)buf_adds(err, "sudo: a password is required\n");
		return 1;
	}
	/* The messages of these tools when they run without root. */
	if (strstr(command, "vtysh"))
		(void)buf_adds(err, "Exiting: failed to connect to any daemons.\n");
	else if (str_eq(d->dialect, "cumulus") && str_starts(command, "nv "))
		(void)buf_adds(err, "Error: You do not have permission to execute that command.\n");
	else if (str_eq(d->dialect, "sonic"))
		(void)buf_adds(err, "Root privileges are required for this operation\n");
	else
		(void)buf_adds(err, "RTNETLINK answers: Operation not permitted\n");
	return str_eq(d->dialect, "linux") ? 2 : 1;
}

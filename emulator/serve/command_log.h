/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_COMMAND_LOG_H
#define EMULATOR_COMMAND_LOG_H

#include "base/clock.h"
#include "base/err.h"
#include "emulator/device/personality.h"

/*
 * The log of commands that devices receive: one JSON line for each command, HTTPS request and
 * forwarded connection, in order, with every byte of the command. With it, a test can prove which
 * commands a console sent and that none of them changed anything. All functions accept NULL for a
 * log that is not kept.
 *
 *   {"t":1763769600.25,"device":"leaf-r0-00","via":"ssh","user":"noc","command":"...","input":"...",
 *    "status":0,"changed":false}
 *   {...,"via":"https","user":"noc","method":"POST","path":"/command-api","query":"","body":"...",
 *    "status":200,"changed":false}
 *   {...,"via":"forward","port":28028,"input":"..."}
 *
 * "wrote": it had a write. "changed": the write took effect too (a write may be refused or lost).
 * Input and body: the first 4 KB; longer ones have their size in "input_size", "body_size". Bytes
 * that are not UTF-8 are written as \\u0080 to \\u00ff.
 */
struct command_log;

/* Creates the file anew, readable by its owner only. */
struct command_log *command_log_open(const char *path, const struct clock *clock, struct err *err);
void command_log_close(struct command_log *l);

void command_log_exec(struct command_log *l, const struct sim_device *d, const char *command,
	const struct buf *input, int status, const struct sim_request *done);
void command_log_http(struct command_log *l, const struct sim_device *d, const char *user,
	const struct http_request *q, unsigned status, const struct sim_request *done);
/* input NULL: the connection was requested. */
void command_log_forward(
	struct command_log *l, const struct sim_device *d, int port, const struct buf *input);

#endif

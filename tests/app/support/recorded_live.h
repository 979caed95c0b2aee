/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_RECORDED_LIVE_H
#define TESTS_APP_SUPPORT_RECORDED_LIVE_H

#include <stdbool.h>

/*
 * One session watches and records an emulated incident behind real SSH and HTTPS. The file, opened
 * again, shows at each moment the same views, findings and traces as the live session. One incident
 * a program, as each may take long on a slow machine. faults ends with NULL.
 */
void recorded_live(const char *name, const char *const faults[], bool in_pieces);

#endif

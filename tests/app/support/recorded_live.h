/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_RECORDED_LIVE_H
#define TESTS_APP_SUPPORT_RECORDED_LIVE_H

#include <stdbool.h>

/*
 * An emulated incident, behind real SSH and HTTPS, is watched and recorded by one session: opened
 * again, its file shows at each moment what every view, finding and trace showed live. One a
 * program, as each may take long on a slow machine. faults ends with NULL.
 */
void recorded_live(const char *name, const char *const faults[], bool in_pieces);

#endif

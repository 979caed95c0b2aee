/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CHECK_H
#define APP_CHECK_H

#include "app/options.h"
#include "fabric/model.h"

/* The two forms of `railtop check`: what each device answered and what it cannot report. */
bool check_text(const struct model *m, int64_t now_us, FILE *out);
bool check_json(const struct model *m, int64_t now_us, FILE *out);

#endif

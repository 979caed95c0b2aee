/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_GPU_PANEL_H
#define VIEWS_PANELS_GPU_PANEL_H

#include "views/panels/panel.h"

/* One line about the GPUs of a host, their links and their domain; 0 lines where none is known. */
size_t panel_gpus_line(const struct device *d, struct panel_line *out);

#endif

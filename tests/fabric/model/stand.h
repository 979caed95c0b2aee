/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FABRIC_MODEL_STAND_H
#define TESTS_FABRIC_MODEL_STAND_H

#include "fabric/model/model.h"

/*
 * A small model for tests of code that reads the model. node000 and node001 have mlx5_0 and mlx5_1
 * on leaf-r0-00 and leaf-r1-00, both leaves are on spine-000; two rails, priority 3 lossless. All
 * devices are fresh at STAND_NOW, planned ports are seen and up at 400G. Values are put into the
 * cells directly: other tests cover how observations become values.
 */
#define STAND_NOW (INT64_C(1700000000) * 1000000)

struct model *stand_new(void);
struct port *stand_port(const struct model *m, const char *device, const char *port);
void stand_count(struct port *p, counter_id id, unsigned sub, uint64_t value, double rate);
void stand_gauge(struct port *p, counter_id id, unsigned sub, double value);
void stand_invalid(struct port *p, counter_id id, unsigned sub, enum validity v);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIAGNOSIS_ENGINE_SMALL_FABRIC_H
#define TESTS_DIAGNOSIS_ENGINE_SMALL_FABRIC_H

#include "fabric/model/model.h"

/*
 * 4 hosts of 4 NICs (node000 ... node003, mlx5_0 ... mlx5_3), one leaf a rail (leaf-r0 ... leaf-r3:
 * Ethernet0, 4, 8, 12 to the hosts, Ethernet16 and 20 up), two spines (Ethernet1/1 ... 4/1, one a
 * leaf). Everything is up at 400G and fresh; LLDP agrees with the plan.
 */
#define SMALL_NOW (INT64_C(1700000000) * 1000000)

struct model *small_fabric(void);
struct port *small_port(const struct model *m, const char *device, const char *port);
/* A cable between the two: both report it over LLDP. "" for b: no neighbour is seen at a. */
void small_cable(struct model *m, const char *a_device, const char *a_port, const char *b_device,
	const char *b_port);
/* No port has a neighbour. */
void small_uncable(struct model *m);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_OUTLIER_H
#define VIEWS_OUTLIER_H

#include "views/view.h"

/*
 * Finds the outlier among the NICs of a host. In an all-reduce all rails do the same, so a NIC that
 * differs is worth a look before any threshold is exceeded.
 *
 * Compares in this order, and the first outlier wins: link state, loss per second (drops and
 * packets out of order), per cent paused (the worse direction), receive rate. A number is odd when
 * it is more than ODD_MADS median absolute deviations from the median. At least ODD_MIN numbers
 * must be known, and the difference must matter (see outlier.c).
 */
#define ODD_NICS 16
#define ODD_MIN  3
#define ODD_MADS 3.0

struct outlier {
	int nic;       /* index into the NICs given, -1: none differs */
	char text[80]; /* "mlx5_3: rx 42% (others 78%)", "" when none */
};

/*
 * The NICs of a host by rail (a port without a rail is placed by the order of names); NULL for a
 * missing one. A bond of RDMA NICs is one NIC; its slaves, and bonds of Ethernet NICs, are none.
 */
void host_nics(const struct model *m, const struct device *d, const struct port *nics[ODD_NICS]);
/* nics may hold NULL. */
struct outlier outlier_find(const struct model *m, const struct port *const nics[ODD_NICS]);

/* Index of the value furthest from the median beyond ODD_MADS deviations and min_difference, -1
 * when none; NAN values are left out. *median may be NULL. */
int outlier_value(const double *v, size_t n, double min_difference, double *median);

#endif

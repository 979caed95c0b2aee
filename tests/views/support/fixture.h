/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_FIXTURE_H
#define TESTS_VIEWS_SUPPORT_FIXTURE_H

#include "fabric/model/model.h"
#include "views/view.h"

/*
 * A small fabric: 2 hosts with 8 NICs, 8 rails with one leaf each, 2 spines that serve all rails;
 * lossless priority 3. node00n:mlx5_r - leaf-rR-00:Ethernet(4n), leaf-rR-00:Ethernet(8+4s) -
 * spine-00s:Ethernet(R+1)/1. Every link carries LOAD of its 400G both ways.
 */
#define FIX_START INT64_C(1700000000000000) /* wall time of the first poll */
#define FIX_LOAD  0.5

/* The differences at one port, per second. */
struct fault {
	const char *device, *port;
	bool down;
	double load;       /* share of line rate instead of FIX_LOAD; 0: as usual */
	double pfc_frames; /* PFC frames received per second on priority 3 */
	double pfc_us;     /* microseconds per second paused by the peer on priority 3 */
	double drops;      /* packets per second dropped at queue 3 */
	const char *lldp_device, *lldp_port; /* another neighbour than planned */
};

struct model *fix_model(void);
/* Every device answers at FIX_START + second s; two calls give rates. faults: may be NULL. */
void fix_poll(struct model *m, int s, const struct fault *faults, size_t n);
/* The same for one device. */
void fix_poll_device(
	struct model *m, struct device *d, int s, const struct fault *faults, size_t n);
int64_t fix_time(int s);

struct port *fix_port(const struct model *m, const char *device, const char *port);
struct ref fix_device_ref(const struct model *m, const char *name);
struct ref fix_port_ref(const struct model *m, const char *device, const char *port);
/* The view of that name; fails the test when there is none. */
const struct view_ops *fix_view(const char *name);
/* Context in batch mode at second s. */
struct view_ctx fix_ctx(const struct model *m, int s);
/* The cell of a row in the column with that id; fails the test when there is no such column. */
struct view_cell fix_cell(
	const struct view_ctx *ctx, const struct view_ops *v, struct ref row, const char *column);
size_t fix_column(const struct view_ops *v, const char *column);
#define assert_cell(ctx, v, row, column, expected)                                                 \
	do {                                                                                       \
		struct view_cell cell_ = fix_cell(ctx, v, row, column);                            \
		assert_string_equal(cell_.text, expected);                                         \
	} while (0)
row_vec fix_rows(const struct view_ctx *ctx, const struct view_ops *v);

/* What each test of a view has: the fabric, a context of second 1, the rows that were listed last.
 */
struct fix {
	struct model *m;
	struct view_ctx ctx;
	row_vec rows;
	struct ref scope; /* where fix_leads() led to */
};
int fix_open(void **state);
int fix_close(void **state); /* and frees a cache that the context has */

/* Seconds 0 and 1, with the same faults. */
void fix_polls(struct model *m, const struct fault *faults, size_t n);
/* Lists the rows anew; returns their number. */
size_t fix_list(struct fix *x, const struct view_ops *v);
#define assert_row(x, v, row, column, expected)                                                    \
	assert_cell(&(x)->ctx, v, (x)->rows.at[row], column, expected)
/* Enter on that row leads to the view of that name. */
void fix_leads(struct fix *x, const struct view_ops *v, struct ref row, const char *view);

#endif

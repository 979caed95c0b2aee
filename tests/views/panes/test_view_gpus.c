/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fake_diag.h"
#include "views/panels/gpu_panel.h"
#include "views/view.h"

static void tell(struct model *m, int s, const char *links, const char *fabric, unsigned gpus)
{
	struct obs *o = obs_new("node000", "nvlink");

	o->result = OBS_DATA;
	o->received_us = fix_time(s);
	for (unsigned i = 0; i < gpus; i++) {
		obs_word(o, OBS_NO_PORT, ATTR_GPU_LINKS, i, links);
		obs_word(o, OBS_NO_PORT, ATTR_GPU_FABRIC, i, fabric);
	}
	obs_number(o, OBS_NO_PORT, ATTR_GPU_COUNT, 0, gpus);
	obs_word(o, OBS_NO_PORT, ATTR_GPU_DOMAIN, 0, "fm=active imex=degraded members=18 ready=17");
	model_apply(m, o, fix_time(s));
	obs_free(o);
}

static const struct view_ops *gpus_view(void)
{
	return view_by_name("gpus");
}

static const char *cell(const struct view_ctx *ctx, const char *id, size_t row)
{
	static struct view_cell c;
	row_vec rows = {0};

	gpus_view()->rows(ctx, &rows);
	assert_true(row < rows.n);
	for (size_t i = 0; i < gpus_view()->ncolumns; i++)
		if (str_eq(gpus_view()->columns[i].id, id))
			gpus_view()->cell(ctx, rows.at[row], i, &c);
	vec_free(&rows);
	return c.text;
}

#define LINKS "kind=nvlink name=H100 links=18 active=18 gbs=26.562 crc=0 replay=0 recovery=5"

CASE(the_gpus_of_a_host)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	struct panel_line line;
	row_vec rows = {0};

	fix_poll(m, 0, NULL, 0);
	gpus_view()->rows(&ctx, &rows);
	assert_int_equal(rows.n, 0);
	/* 36 counts both directions of the links, and one of the port. */
	assert_non_null(strstr(gpus_view()->help, "18 of them are 18 such ports"));
	assert_non_null(strstr(gpus_view()->empty(&ctx), "nvidia-smi or amd-smi"));
	assert_int_equal(panel_gpus_line(model_device(m, "node000"), &line), 0);
	tell(m, 1, LINKS, "bus=0000:1b:00.0 state=completed status=success", 2);
	assert_string_equal(cell(&ctx, "links", 0), "18 of 18");
	assert_string_equal(cell(&ctx, "recovery", 1), "5");
	assert_string_equal(cell(&ctx, "grown", 1), "0");
	assert_string_equal(cell(&ctx, "state", 0), "completed");
	assert_string_equal(cell(&ctx, "health", 0), "-");
	assert_string_equal(cell(&ctx, "other", 0), "-");
	assert_int_equal(panel_gpus_line(model_device(m, "node000"), &line), 1);
	assert_string_equal(line.head, "NVLink");
	assert_string_equal(line.text,
		"2 GPUs, 18 links each at 26.6 GB/s, 10 errors since the driver was loaded, fabric "
		"completed, manager active, IMEX degraded: 17 of 18 ready");
	assert_int_equal(line.role, ROLE_NORMAL);
	/* Links go, errors grow, the second GPU is not named any more. */
	tell(m, 2, "kind=nvlink name=H100 links=18 active=16 gbs=26.562 down=0,1 recovery=8",
		"state=completed status=insufficient-resources", 1);
	assert_string_equal(cell(&ctx, "links", 0), "16 of 18!");
	assert_string_equal(cell(&ctx, "grown", 0), "3!");
	assert_string_equal(cell(&ctx, "crc", 0), "-");
	assert_string_equal(cell(&ctx, "state", 0), "insufficient-resources!");
	assert_non_null(strstr(cell(&ctx, "data", 1), "gone"));
	assert_int_equal(panel_gpus_line(model_device(m, "node000"), &line), 1);
	assert_int_equal(line.role, ROLE_CRIT);
	assert_non_null(strstr(line.text, "2 GPUs, 1 gone, 16 to 18 links"));
	model_free(m);
}

/* Unknown is neither zero nor healthy. */
CASE(what_is_not_told_is_unknown)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	struct panel_line line;

	tell(m, 1, "kind=xgmi", "", 4);
	assert_string_equal(cell(&ctx, "links", 0), "-");
	assert_string_equal(cell(&ctx, "grown", 0), "-");
	assert_int_equal(panel_gpus_line(model_device(m, "node000"), &line), 1);
	assert_string_equal(line.head, "xGMI");
	assert_non_null(strstr(line.text, "4 GPUs, links unknown, errors unknown"));
	/* Cards without links are no line. */
	tell(m, 2, "kind=none name=L40S", "", 4);
	assert_string_equal(cell(&ctx, "links", 0), "n/a");
	assert_int_equal(panel_gpus_line(model_device(m, "node000"), &line), 0);
	model_free(m);
}

CASES_MAIN(NULL, NULL)

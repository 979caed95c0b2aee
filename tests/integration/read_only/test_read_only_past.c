/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "tests/integration/read_only/read_check.h"
#include "tests/integration/read_only/read_walk.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

/* The console on a file changes nothing and asks no device, with any input. */

/* On a file there is nobody to ask: not a byte goes to any device, and no action has a name. */
static void walk_open(const struct fixture *x, const char *file, bool keys)
{
	unsigned devices, before = read_check_log(x->log, &devices);
	char program[256];
	const char *const argv[] = {
		built_path("railtop", program, sizeof(program)), "open", file, NULL};
	const struct vt_opts opts = {.rows = 40, .cols = 120, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	vt_wait_text(vt, "REPLAY", 60);
	vt_settle(vt);
	walk_type_command(vt, "act port-bounce leaf-r3-00:Ethernet12");
	vt_settle(vt);
	assert_true(vt_has(vt, "this console changes nothing on a device"));
	walk_calm(vt);
	walk_palette(x, vt);
	if (keys)
		walk_keys(x, vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
	assert_int_equal(read_check_log(x->log, &devices), before);
	assert_int_not_equal(access(x->marker, F_OK), 0);
}

CASE(recording)
{
	struct fixture *x = *state;

	walk_open(x, x->recording, true);
}

CASE(snapshot)
{
	struct fixture *x = *state;

	/* A key asks a snapshot the same as a recording. */
	walk_open(x, x->snapshot, effort_full());
}

static int files(void **state)
{
	static const char *const record[] = {"-f", "@F", "--for", "20s", "-o", "@R", NULL};
	static const char *const snapshot_of[] = {
		"-f", "@F", "--for", "20s", "-o", "@S", "--incident", "INC-1", NULL};
	static struct fixture x;

	walk_up(&x, &fabrics[0]);
	/* A starved machine may not have heard every device; the devices it has are enough to
	 * walk. */
	walk_run(&x, "record", record, x.acting, x.p->leaf, -1);
	walk_run(&x, "snapshot", snapshot_of, x.acting, x.p->leaf, -1);
	*state = &x;
	return 0;
}

static int fabric_down(void **state)
{
	if (*state)
		walk_down(*state, 200);
	return 0;
}

CASES_MAIN(files, fabric_down)

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/integration/read_only/read_walk.h"

/* No key of any view changes a device in read-only mode, with any grants of the inventory. */

static void every_key(void **state)
{
	struct fixture x;

	(void)state;
	walk_up(&x, &fabrics[0]);
	walk_console(&x, x.acting, true, true);
	walk_down(&x, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_key)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

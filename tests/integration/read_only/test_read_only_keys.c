/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/read_only/read_walk.h"
#include "tests/support/cases.h"

/* No key of any view changes a device in read-only mode, with any grants of the inventory. */

CASE(every_key)
{
	struct fixture x;

	walk_up(&x, &fabrics[0]);
	walk_console(&x, x.acting, true, true);
	walk_down(&x, 500);
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/entry.h"

void entry_free(struct entry *e)
{
	obs_free(e->obs);
	e->obs = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/ledger_file.h"

#include <stdlib.h>

#include "actions/ledger/ledger.h"
#include "app/inventory/inventory_yaml.h"
#include "app/sandbox/confine.h"
#include "base/mem.h"

bool ledger_file_find(const struct options *o, struct ledger_file *f, struct err *err)
{
	struct plan plan;
	bool ok = true;

	f->path = o->ledger ? mem_strdup(o->ledger) : NULL;
	if (!f->path && o->inventory) {
		ok = inventory_load(o->inventory, &plan, NULL, NULL, err);
		if (ok)
			confine_plan(&plan);
		if (ok && plan.actions.ledger)
			f->path = mem_strdup(plan.actions.ledger);
		plan_free(&plan);
	}
	if (ok && !f->path)
		f->path = ledger_default_path();
	return ok;
}

void ledger_file_free(struct ledger_file *f)
{
	free(f->path);
	f->path = NULL;
}

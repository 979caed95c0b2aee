/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_default.h"
#include "app/console/console_app.h"
#include "app/console/noc_app.h"

int sub_console(const struct options *o)
{
	struct console_app_opts opts = {.options = o, .inventory = o->inventory};

	if (o->from && !o->noc)
		return open_recording(o, o->from);
	if (o->from) {
		(void)fprintf(stderr, "railtop: --noc shows live data\n"
				      "  cure: railtop open FILE[@TIME] shows a recording\n");
		return EXIT_USAGE;
	}
	if (!o->inventory && !o->observations) {
		options_usage(stderr, NULL);
		(void)fprintf(stderr, "\nrailtop: no inventory is given\n  cure: %s\n",
			inventory_default_cure());
		return EXIT_USAGE;
	}
	if (o->noc)
		return noc_run(o);
	return console_app_run(&opts);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/console_app.h"
#include "app/console/noc_app.h"

int sub_console(const struct options *o)
{
	struct console_app_opts opts = {.options = o, .inventory = o->inventory};

	if (!o->inventory && !o->observations) {
		options_usage(stderr, NULL);
		(void)fprintf(stderr,
			"\nrailtop: no inventory: give -f fabric.yaml, or try: railtop demo\n");
		return EXIT_USAGE;
	}
	if (o->noc)
		return noc_run(o);
	return console_app_run(&opts);
}

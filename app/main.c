/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/options/options.h"
#include "backends/contract/backend.h"
#include "backends/collector/collector.h"
#include "base/log.h"

static int fail_usage(const struct err *err)
{
	err_print(err);
	return EXIT_USAGE;
}

/* The dialects are listed only here, so that a new one changes no other text. */
static void print_version(void)
{
	(void)printf("railtop %s\ndialects:\n", RAILTOP_VERSION);
	for (size_t i = 0; i < backend_count; i++)
		(void)printf("  %-10s %s\n", backend_table[i]->name, backend_table[i]->title);
}

int main(int argc, char **argv)
{
	const struct subcommand *sub = NULL;
	struct options o;
	struct err err = {0};
	int code;

	/* A file that reaches its limit (ulimit -f) is an error of its write, as a full disk is. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Libraries would write the keys of all TLS sessions there; a shell's setting is no order.
	 */
	(void)unsetenv("SSLKEYLOGFILE");
	(void)setlocale(LC_ALL, "");
	/* Numbers are printed and parsed with a decimal point in every locale. */
	(void)setlocale(LC_NUMERIC, "C");
	if (!options_read(argc, argv, &o, &sub, &err)) {
		options_free(&o);
		return fail_usage(&err);
	}
	if (o.version) {
		print_version();
		code = EXIT_FINE;
	} else if (o.help) {
		options_usage(stdout, argc > 1 && argv[1][0] != '-' ? sub : NULL);
		code = EXIT_FINE;
	} else if (o.log && !log_open(o.log)) {
		err_set(&err, ERR_IO, o.log, "cannot be written");
		code = fail_usage(&err);
	} else {
		log_line("railtop", "begun: %s, process %ld", RAILTOP_VERSION, (long)getpid());
		code = sub->run(&o);
		log_line("railtop", "ended with code %d", code);
	}
	log_close();
	if (collector_lives_on()) {
		(void)fflush(NULL);
		_exit(code);
	}
	options_free(&o);
	return code;
}

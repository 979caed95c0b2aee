/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "app/inventory/inventory_default.h"
#include "app/options/options.h"
#include "app/sandbox/confine.h"
#include "backends/contract/backend.h"
#include "backends/collector/collector.h"
#include "base/clock_zone.h"
#include "base/json_out.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process/fault_words.h"
#include "base/process/locale_take.h"
#include "base/process/standard_streams.h"

static int fail_usage(const struct err *err)
{
	err_print(err);
	return EXIT_USAGE;
}

/* The dialects are listed only here, so that a new one changes no other text. */
static void print_version(void)
{
	char kernel[160];

	(void)printf("railtop %s\ndialects:\n", RAILTOP_VERSION);
	for (size_t i = 0; i < backend_count; i++)
		(void)printf("  %-10s %s\n", backend_table[i]->name, backend_table[i]->title);
	sandbox_kernel_text(kernel, sizeof(kernel));
	(void)printf("sandbox: %s\n", kernel);
}

/* Fills in the inventory of a command line without one, and says so on a terminal. */
static void find_inventory(struct options *o, char *path, size_t size)
{
	/* One that is polled may not be guessed where another source was named. */
	if (!options_take(o->sub, OPT_INVENTORY) || o->inventory || o->observations || o->from ||
		o->ledger)
		return;
	o->inventory = inventory_default(path, size);
	if (o->inventory && isatty(STDERR_FILENO) == 1)
		(void)fprintf(stderr, "railtop: inventory %s\n", o->inventory);
}

/* These two would go on without memory that they could not get, or end without a word. */
static void give_memory_to_libraries(void)
{
	json_out_needs_memory();
	(void)uv_replace_allocator(mem_alloc, mem_resize, mem_calloc, free);
}

/* Writes the rest of standard output: a full disk is an error of every command. */
static int finish_output(int code)
{
	bool failed_before = ferror(stdout) != 0;
	struct err err = {0};

	errno = 0;
	if (fflush(stdout) == 0 && !failed_before)
		return code;
	/* A command that noticed has said so, and its reader may have had enough (| head). */
	if (code == EXIT_INTERNAL || errno == EPIPE)
		return code;
	if (errno) {
		(void)err_system(
			&err, ERR_IO, "standard output", "could not be written completely", errno);
	} else {
		(void)err_set(&err, ERR_IO, "standard output", "could not be written completely");
		(void)err_cure(&err, "see whether its file system is full: df -h, quota");
	}
	err_print(&err);
	return EXIT_INTERNAL;
}

int main(int argc, char **argv)
{
	char inventory[4096];
	const struct subcommand *sub = NULL;
	struct options o;
	struct err err = {0};
	int code;

	standard_streams_open();
	fault_words_begin();
	give_memory_to_libraries();
	/* A file that reaches its limit (ulimit -f) is an error of its write, as a full disk is. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Libraries would write the keys of all TLS sessions there; a shell's setting is no order.
	 */
	(void)unsetenv("SSLKEYLOGFILE");
	locale_take();
	if (!options_read(argc, argv, &o, &sub, &err)) {
		options_free(&o);
		return fail_usage(&err);
	}
	if (o.version) {
		print_version();
		code = EXIT_FINE;
	} else if (o.help) {
		options_usage(stdout, sub);
		code = EXIT_FINE;
	} else if (o.log && !log_open(o.log)) {
		err_system(&err, ERR_USAGE, o.log, "the log cannot be written", errno);
		code = fail_usage(&err);
	} else {
		log_line("railtop", "begun: %s, process %ld", RAILTOP_VERSION, (long)getpid());
		find_inventory(&o, inventory, sizeof(inventory));
		clock_zone_load();
		if (!confine_is_late(&o) && !confine_begin(&o, NULL, &err))
			code = fail_usage(&err);
		else
			code = sub->run(&o);
		confine_end();
		log_line("railtop", "ended with code %d", code);
	}
	code = finish_output(code);
	log_close();
	if (collector_lives_on()) {
		(void)fflush(NULL);
		_exit(code);
	}
	options_free(&o);
	return code;
}

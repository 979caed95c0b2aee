/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perftest on one NIC: two servers in the background on one host, and clients on the other one. All
 * of them end by themselves, after their measurement or by timeout(1).
 */
#include <math.h>
#include <string.h>

#include "backends/dialects/linux/change.h"
#include "backends/dialects/linux/linux.h"
#include "backends/parse/first_line.h"
#include "backends/parse/perftest.h"
#include "base/clock.h"
#include "base/str.h"

/* The client's time beside that of its measurement: to connect, and to register memory. */
#define CLIENT_SPARE_S 20

/*
 * The programs that the shell finds, and the command lines of those that run. Under hidepid these
 * are the login's own, and they are the ones that matter.
 */
const char linux_perftest_script[] =
	/* clang-format off */
	"PATH=$PATH:/usr/sbin:/sbin\n"
	"LC_ALL=C\n"
	"export LC_ALL\n"
	"echo @@begin 1\n"
	"echo @@programs\n"
	"command -v ib_write_bw\n"
	"command -v ib_read_lat\n"
	"command -v timeout\n"
	"echo @@running\n"
	"for f in $(grep -slxE 'ib_(write_bw|read_lat)' \"${PROC:-/proc}\"/[0-9]*/comm); do\n"
	"tr '\\000' ' ' <\"${f%comm}cmdline\" 2>/dev/null\n"
	"echo\n"
	"done\n"
	"echo @@end\n";
/* clang-format on */

bool linux_is_perftest(const struct order *o)
{
	return o->verb == VERB_PERFTEST_SERVE || o->verb == VERB_PERFTEST_RUN;
}

/* ---- the commands ---- */

/*
 * 64 KB is the size that both ends take by themselves; a larger one is refused by some NICs. The
 * two ends must have the same size, duration and class.
 */
static void program_words(const struct order *o, enum perftest_tool tool, char *dst, size_t size)
{
	char tclass[24] = "", duration[40] = "";

	if (o->tclass >= 0)
		(void)str_printf(tclass, sizeof(tclass), " --tclass=%d", o->tclass);
	if (tool == PERFTEST_BANDWIDTH)
		(void)str_printf(
			duration, sizeof(duration), " --report_gbits -D %d", PERFTEST_SECONDS);
	(void)str_printf(dst, size, "%s -d %s -p %u -F%s%s", perftest_program(tool), o->port,
		o->tcp_port + (unsigned)tool, duration, tclass);
}

static void add_command(const struct order *o, enum perftest_tool tool, struct request_list *out)
{
	char words[200], line[400];
	struct request *r;

	program_words(o, tool, words, sizeof(words));
	if (o->verb == VERB_PERFTEST_SERVE)
		(void)str_printf(line, sizeof(line),
			"{ timeout %u %s </dev/null >/dev/null 2>&1 & }", o->seconds, words);
	else
		(void)str_printf(line, sizeof(line), "timeout %u %s %s",
			PERFTEST_SECONDS + CLIENT_SPARE_S, words, o->peer);
	r = requests_ssh(out, verb_name(o->verb), line, NULL);
	r->change = true;
	if (o->verb == VERB_PERFTEST_RUN)
		r->timeout_us = (PERFTEST_SECONDS + 2 * CLIENT_SPARE_S) * CLOCK_SEC;
}

bool linux_perftest_command(const struct order *o, struct request_list *out, struct err *err)
{
	if (o->verb == VERB_PERFTEST_RUN) {
		add_command(o, o->tool, out);
		return true;
	}
	if (!o->seconds || o->seconds > PERFTEST_SERVE_MOST_S)
		return err_set(err, ERR_REFUSED, o->port, "a server waits for 1 to %d s",
			PERFTEST_SERVE_MOST_S);
	for (unsigned t = 0; t < PERFTEST_TOOLS; t++)
		add_command(o, (enum perftest_tool)t, out);
	return true;
}

/* ---- the condition ---- */

/* Copies the word behind an option; false: the line has no such option. */
static bool option_of(const char *line, const char *option, char *dst, size_t size)
{
	const char *at = strstr(line, option);

	if (!at)
		return false;
	at += strlen(option);
	return str_copyn(dst, size, at, strcspn(at, " "));
}

static void add_running(const char *line, struct condition *c)
{
	char port[NAME_MAX_LEN], tcp[16] = "18515", word[NAME_MAX_LEN + 24];
	size_t n = strlen(c->perftests);

	if (!option_of(line, " -d ", port, sizeof(port)))
		return;
	(void)option_of(line, " -p ", tcp, sizeof(tcp));
	(void)str_printf(word, sizeof(word), "%s%s:%s ", n ? "" : " ", port, tcp);
	/* More than fit are not ours: a host has eight NICs and two programs for each. */
	if (n + strlen(word) < sizeof(c->perftests))
		(void)str_copy(c->perftests + n, sizeof(c->perftests) - n, word);
}

bool linux_perftest_see(
	const struct target *t, const struct reply *r, struct condition *c, struct err *err)
{
	struct section s;
	size_t at = 0, in;
	char line[LINE_TEXT];
	unsigned programs = 0;
	bool ended = false;

	while (section_next(r->bytes, r->len, &at, &s)) {
		ended |= section_is(&s, "end");
		in = 0;
		while (section_is(&s, "programs") && line_next(&s, &in, line))
			programs += line[0] == '/';
		while (section_is(&s, "running") && line_next(&s, &in, line))
			add_running(line, c);
	}
	if (!ended) {
		err_set(err, ERR_PROTOCOL, t->device, "the script's output breaks off: %s",
			parse_first_line(r->bytes, r->len, line, sizeof(line)));
		return err_cure(err,
			"the login shell must run `sh -s`: try ssh %s sh -s </dev/null", t->device);
	}
	c->perftest = programs == PERFTEST_TOOLS + 1;
	c->pending = 0;
	return true;
}

/* ---- the answers ---- */

static enum taken serve_taken(const struct target *t, const struct reply *r, struct err *err)
{
	char line[LINE_TEXT];

	if (r->status == 0)
		return TAKEN_YES;
	err_set(err, ERR_PROTOCOL, t->device, "the server was not started: %s",
		parse_first_line(r->complaint, strlen(r->complaint), line, sizeof(line)));
	return TAKEN_NO;
}

enum taken linux_perftest_taken(const struct target *t, const struct order *o,
	const struct reply *r, struct change_notes *notes, struct err *err)
{
	struct measurement *m = &notes->measurement;
	struct perftest_result result;

	if (o->verb == VERB_PERFTEST_SERVE)
		return serve_taken(t, r, err);
	notes->measured = true;
	*m = (struct measurement){.tool = o->tool, .value = (double)NAN};
	(void)str_copy(m->port, sizeof(m->port), o->port);
	/* A NIC that cannot be measured is a result: the others are measured all the same. */
	if (!perftest_read(r->bytes, r->len, r->complaint, &result, m->why, sizeof(m->why))) {
		if (r->status == 124)
			(void)str_printf(m->why, sizeof(m->why), "it did not end within %d s",
				PERFTEST_SECONDS + CLIENT_SPARE_S);
		return TAKEN_YES;
	}
	m->why[0] = '\0';
	m->value = o->tool == PERFTEST_BANDWIDTH ? result.gbps
		   : !isnan(result.typical_us)   ? result.typical_us
						 : result.average_us;
	if (r->status != 0 || isnan(m->value)) {
		m->value = (double)NAN;
		(void)str_printf(m->why, sizeof(m->why), "it ended with status %d", r->status);
	}
	return TAKEN_YES;
}

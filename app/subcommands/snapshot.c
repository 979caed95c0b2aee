/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/config/config_hash.h"
#include "app/session/file_moment.h"
#include "app/headless/headless.h"
#include "app/session/ledger_file.h"
#include "app/output/output.h"
#include "app/session/session.h"
#include "app/config/user_identity.h"
#include "app/output/ticket_words_json.h"
#include "archive/snapshot_file/bundle.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define DOCUMENT_MAX ((size_t)1 << 30)
#define WINDOW_US    (900 * INT64_C(1000000))
/* Limit of the wait for the disk after a signal. */
#define FLUSH_US (10 * CLOCK_SEC)

/* The requested snapshot and its progress. */
struct snapshot {
	const struct options *o;
	const char *from;
	int64_t at_us, wall_us; /* session time, and what the clock showed */
	atomic_int flushed;     /* 0: not requested, 1: under way, 2: done */
	int64_t asked_us;       /* time of that request, monotonic */
	struct buf text, markdown, ticket, json, jira, servicenow;
	/* From the source if that is a snapshot: its ticket's texts (NULL: none), and its ledger
	 * lines. */
	struct ticket_words *words;
	enum fabric_state state; /* the fabric's state at the moment */
	struct buf ledger;
};

static bool write_documents(struct snapshot *s, struct err *err)
{
	const struct output files[] = {{s->o->text, &s->text, false},
		{s->o->md, &s->markdown, false}, {s->o->ticket, &s->ticket, false},
		{s->o->json, &s->json, false}, {s->o->jira, &s->jira, false},
		{s->o->servicenow, &s->servicenow, false}};

	return output_write(files, sizeof(files) / sizeof(files[0]), err);
}

/* Ledger lines: those of the source if it has any, else those of the window in the local ledger. */
static char *ledger_lines(struct snapshot *s, size_t *lines)
{
	struct ledger_file file = {0};
	char *text = NULL;

	*lines = 0;
	if (s->ledger.len) {
		for (size_t i = 0; i < s->ledger.len; i++)
			*lines += s->ledger.data[i] == '\n';
		return mem_strdup(s->ledger.data);
	}
	if (ledger_file_find(s->o, &file, NULL))
		text = ledger_window(file.path, s->wall_us - WINDOW_US, s->wall_us, lines);
	ledger_file_free(&file);
	return text;
}

static bool make_snapshot(struct snapshot *s, struct err *err)
{
	char user[32], host[NAME_MAX_LEN], config[65], *ledger;
	size_t lines;
	bool ok;
	struct bundle_opts b = {.from = s->from,
		.at_us = s->at_us,
		.last_us = WINDOW_US,
		.to = s->o->output,
		.redact = s->o->redact,
		.about = {.tool = "railtop " RAILTOP_VERSION,
			.user = user,
			.host = host,
			.mode = "read-only",
			.config_sha256 = config,
			.reason = s->o->reason ? s->o->reason : "",
			.incident = s->o->incident ? s->o->incident : "",
			.screen = "",
			.screen_ansi = ""},
		.text = s->o->text ? &s->text : NULL,
		.markdown = s->o->md ? &s->markdown : NULL,
		.json = s->o->ticket ? &s->ticket : NULL,
		.jira = s->o->jira ? &s->jira : NULL,
		.servicenow = s->o->servicenow ? &s->servicenow : NULL,
		.state = &s->state,
		.snapshot = s->o->json ? &s->json : NULL};

	user_identity(user, sizeof(user), host, sizeof(host));
	config_hash(s->o->inventory, config);
	ticket_words_take(s->words, s->o->reason != NULL, s->o->incident != NULL, &b.about);
	ledger = ledger_lines(s, &lines);
	b.about.ledger = ledger ? ledger : "";
	b.about.ledger_lines = lines;
	ok = bundle_write(&b, err) && write_documents(s, err);
	free(ledger);
	return ok;
}

/* The last entries may still be in the writer's queue. A signal ends collecting but also waits for
 * them, unless the disk hangs. */
static bool may_make(struct snapshot *s, bool interrupted)
{
	return atomic_load(&s->flushed) == 2 ||
	       (interrupted && clock_mono(&clock_system) - s->asked_us > FLUSH_US);
}

/* Called in the writer's thread. */
static void flush_done(void *ctx, const struct err *e)
{
	(void)e;
	atomic_store(&((struct snapshot *)ctx)->flushed, 2);
}

/* The snapshot is made of what was recorded meanwhile. What it lost is told: it would look whole.
 */
static bool all_recorded(const struct snapshot *s, struct recording *r)
{
	struct rts_status is = recording_status(r);
	struct err err = {0};

	if (!is.lost)
		return true;
	err_set(&err, ERR_IO, s->o->output ? s->o->output : "snapshot",
		"is not whole: %llu batches of answers were not recorded: %s",
		(unsigned long long)is.lost, is.err.text);
	(void)err_cure(&err, "%s",
		is.err.cure[0] ? is.err.cure : "TMPDIR names another directory for the last hour");
	err_print(&err);
	return false;
}

static bool on_collected(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct snapshot *s = ctx;
	struct err err = {0};

	if (!c)
		return true;
	if (atomic_load(&s->flushed) == 0) {
		s->from = recording_live_path(session_recording(c->session));
		s->at_us = c->now_us;
		s->wall_us = model_wall(c->model, c->now_us);
		if (!s->from) {
			*code = EXIT_INTERNAL;
			return true;
		}
		atomic_store(&s->flushed, 1);
		s->asked_us = clock_mono(&clock_system);
		recording_flush(session_recording(c->session), flush_done, s);
	}
	if (!may_make(s, interrupted))
		return false;
	*code = headless_judged_code(c->model, diag_verdict(c->diag)->state);
	/* First why data is missing, then what that led to. */
	if (!all_recorded(s, session_recording(c->session)))
		*code = EXIT_INTERNAL;
	if (!make_snapshot(s, &err)) {
		err_print(&err);
		*code = EXIT_INTERNAL;
	}
	return true;
}

static int from_file(struct snapshot *s)
{
	struct file_moment at;
	struct err err = {0};
	struct rts *r = NULL;
	int code;
	bool ok = file_moment_read(s->o->from, &at, &err);

	r = ok ? rts_open(at.path, &err) : NULL;
	ok = r && file_moment_time(&at, rts_clock(r), rts_info(r)->from_us, rts_info(r)->to_us,
			  &s->at_us, &err);
	if (ok)
		s->wall_us = clock_track_wall(rts_clock(r), s->at_us);
	if (ok && at.said[0])
		(void)fprintf(stderr, "railtop: %s\n", at.said);
	if (ok) {
		s->words = ticket_words_of(r);
		(void)rts_part(r, "ledger.jsonl", &s->ledger, NULL);
	}
	rts_close(r);
	s->from = at.path;
	code = ok && make_snapshot(s, &err) ? EXIT_FINE : ok ? EXIT_INTERNAL : EXIT_USAGE;
	s->from = NULL;
	if (code != EXIT_FINE)
		err_print(&err);
	else if (s->state >= FABRIC_SUSPECT)
		code = EXIT_FINDINGS;
	return code;
}

/* The first output that equals another one; NULL: none. */
static const char *named_twice(const char *const *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (output_same(out[i], out[k]))
				return out[i];
	return NULL;
}

static int check_usage(const struct options *o)
{
	const char *const out[] = {
		o->json, o->text, o->md, o->ticket, o->jira, o->servicenow, o->output};
	const char *twice = named_twice(out, sizeof(out) / sizeof(out[0]));
	unsigned to_stdout = 0;

	for (size_t i = 0; i + 1 < sizeof(out) / sizeof(out[0]); i++)
		to_stdout += str_eq(out[i], "-");
	if (!o->output && !o->json && !o->text && !o->md && !o->ticket && !o->jira &&
		!o->servicenow)
		(void)fprintf(stderr, "railtop snapshot: an output is missing: -o FILE.rts, --text "
				      "FILE|-, --md, --ticket, --jira, --servicenow or --json\n");
	else if (to_stdout > 1)
		(void)fprintf(stderr, "railtop snapshot: only one of --json, --text, --md, "
				      "--ticket, --jira, --servicenow can be standard output\n");
	else if (str_eq(o->output, "-"))
		(void)fprintf(stderr, "railtop snapshot: -o names a file: incident.rts\n");
	else if (twice)
		(void)fprintf(stderr,
			"railtop snapshot: %s: two outputs have this name: name a file for each\n",
			twice);
	else if (o->output && access(o->output, F_OK) == 0)
		(void)fprintf(stderr,
			"railtop: %s: exists already (a snapshot is never overwritten: name "
			"another file)\n",
			o->output);
	else
		return EXIT_FINE;
	return EXIT_USAGE;
}

/* Checked before collecting, whose result would otherwise be lost. */
static int outputs_allowed(const struct options *o)
{
	const char *const out[] = {
		o->json, o->text, o->md, o->ticket, o->jira, o->servicenow, o->output};
	struct err err = {0};

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		if (!output_allowed(out[i], OUTPUT_PAGE, &err)) {
			err_print(&err);
			return EXIT_USAGE;
		}
	return EXIT_FINE;
}

int sub_snapshot(const struct options *o)
{
	struct snapshot s = {.o = o, .at_us = INT64_MAX, .wall_us = INT64_MAX};
	struct recording_opts recording = {.live = true, .patient = true};
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 10 * CLOCK_SEC,
		.more = on_collected,
		.ctx = &s,
		.recording = &recording,
	};
	int code = check_usage(o);

	if (code == EXIT_FINE)
		code = outputs_allowed(o);
	if (code != EXIT_FINE)
		return code;
	buf_init(&s.text, DOCUMENT_MAX);
	buf_init(&s.markdown, DOCUMENT_MAX);
	buf_init(&s.ticket, DOCUMENT_MAX);
	buf_init(&s.json, DOCUMENT_MAX);
	buf_init(&s.jira, DOCUMENT_MAX);
	buf_init(&s.servicenow, DOCUMENT_MAX);
	buf_init(&s.ledger, DOCUMENT_MAX);
	code = o->from ? from_file(&s) : headless_run(&opts);
	buf_free(&s.text);
	buf_free(&s.markdown);
	buf_free(&s.ticket);
	buf_free(&s.json);
	buf_free(&s.jira);
	buf_free(&s.servicenow);
	buf_free(&s.ledger);
	ticket_words_free(s.words);
	return code;
}

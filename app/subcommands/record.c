/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <unistd.h>

#include "app/headless/headless.h"
#include "app/session/session.h"
#include "base/clock.h"
#include "base/str.h"

static void size_text(uint64_t bytes, char *dst, size_t size)
{
	char si[16];

	(void)str_printf(dst, size, "%sB", str_si((double)bytes, si, sizeof(si)));
}

/* The progress line for the terminal. */
static void status_line(const struct collected *c, char *dst, size_t size)
{
	struct rts_status s = recording_status(session_recording(c->session));
	struct coverage v = model_coverage(c->model);
	char bytes[16], problem[640] = "", lost[48] = "", seen[80];

	size_text(s.bytes, bytes, sizeof(bytes));
	if (s.lost)
		(void)str_printf(lost, sizeof(lost), ", %" PRIu64 " LOST", s.lost);
	if (recording_problem(session_recording(c->session), problem, sizeof(problem)))
		(void)fprintf(stderr, "\r\033[Krailtop: %s\n", problem);
	(void)str_printf(dst, size, "recording: %s, %lld s, %s%s", bytes,
		(long long)((s.to_us - s.from_us) / CLOCK_SEC),
		coverage_words(&v, seen, sizeof(seen)), lost);
}

static int print_result(const struct options *o, const struct collected *c)
{
	struct rts_status s;
	char from[32], to[32], bytes[16], why[640];

	recording_settle(session_recording(c->session));
	s = recording_status(session_recording(c->session));
	if (s.failed) {
		(void)fprintf(stderr, "railtop: %s: not recorded: %s\n", o->output,
			err_format(&s.err, why, sizeof(why)));
		return EXIT_INTERNAL;
	}
	size_text(s.bytes, bytes, sizeof(bytes));
	(void)fprintf(stderr, "railtop: %s: %s to %s, %s\n", o->output,
		s.from_us ? model_utc(c->model, s.from_us, from, sizeof(from)) : "nothing",
		s.from_us ? model_utc(c->model, s.to_us, to, sizeof(to)) : "nothing", bytes);
	if (s.lost)
		(void)fprintf(stderr,
			"railtop: %s: %" PRIu64
			" answers were LOST: the disk was full or too slow (the gaps are marked)\n",
			o->output, s.lost);
	return s.lost ? EXIT_INTERNAL : headless_exit_code(c->model);
}

int sub_record(const struct options *o)
{
	struct recording_opts recording = {.path = o->output,
		.rotate_bytes = o->rotate_size,
		.rotate_us = o->rotate_age_us,
		.keep = (unsigned)o->keep,
		.patient = o->observations != NULL};
	struct headless_opts opts = {
		.options = o,
		/* Records for a shift, or until a signal. */
		.for_us = o->for_us ? o->for_us : INT64_MAX,
		.done = print_result,
		.status = status_line,
		.recording = &recording,
	};

	if (!o->output || str_eq(o->output, "-")) {
		(void)fprintf(stderr, "railtop record: a file is missing: -o shift.rts\n");
		return EXIT_USAGE;
	}
	return headless_run(&opts);
}

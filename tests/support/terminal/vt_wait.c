/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/terminal/vt_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/str.h"
#include "tests/support/cases.h"

static int64_t deadline_after(double seconds)
{
	const char *env = getenv("VT_DEADLINE_S");
	double usual = 30;

	/* A slow machine is slow for a caller with its own deadline, too. */
	if (env && str_to_double(env, &usual) && seconds < usual)
		seconds = usual;
	return vt_now_ms() + (int64_t)(1000 * (seconds > 0 ? seconds : usual));
}

static void fail_with_screen(struct vt *vt, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void fail_with_screen(struct vt *vt, const char *fmt, ...)
{
	char what[512], *screen = vt_screen(vt);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	(void)fprintf(stderr,
		"%s; %llu bytes written, %lu questions, %lu keys typed, %lu taken, program %s; "
		"the screen is\n%s",
		what, (unsigned long long)vt->bytes, vt->questions, vt->typed, vt->idle_keys,
		vt->eof ? "gone" : "running", screen);
	free(screen);
	fail_msg("%s", what);
}

struct condition {
	bool (*holds)(struct vt *vt, const struct condition *c);
	const char *text;
	unsigned long n, after;
};

static void wait_for(struct vt *vt, const struct condition *c, double seconds, const char *what)
{
	int64_t end = deadline_after(seconds);

	while (!c->holds(vt, c)) {
		int64_t left = end - vt_now_ms();

		if (left <= 0 || (vt->eof && vt->idle_fd < 0))
			fail_with_screen(
				vt, "no %s \"%s\" %lu", what, c->text ? c->text : "", c->n);
		(void)vt_pump(vt, (int)left);
	}
}

static bool idle_with_keys(struct vt *vt, const struct condition *c)
{
	return vt->idle_keys >= c->n && vt->idle_lines > c->after;
}

static bool on_screen(struct vt *vt, const struct condition *c)
{
	return vt_has(vt, c->text);
}

static bool off_screen(struct vt *vt, const struct condition *c)
{
	return !vt_has(vt, c->text);
}

static bool asked(struct vt *vt, const struct condition *c)
{
	return vt->questions >= c->n;
}

void vt_wait_idle(struct vt *vt, unsigned long keys)
{
	wait_for(vt, &(struct condition){.holds = idle_with_keys, .n = keys}, 0, "idle with keys");
}

void vt_settle(struct vt *vt)
{
	struct condition c = {.holds = idle_with_keys, .n = vt->typed, .after = vt->settled_at};

	wait_for(vt, &c, 0, "idle with keys");
}

void vt_wait_text(struct vt *vt, const char *text, double seconds)
{
	wait_for(vt, &(struct condition){.holds = on_screen, .text = text}, seconds, "text");
}

void vt_wait_gone(struct vt *vt, const char *text, double seconds)
{
	wait_for(vt, &(struct condition){.holds = off_screen, .text = text}, seconds,
		"screen without");
}

static bool in_output(struct vt *vt, const struct condition *c)
{
	size_t from = vt->output_mark;

	return vt->output.len > from && memmem(vt->output.data + from, vt->output.len - from,
						c->text, strlen(c->text)) != NULL;
}

void vt_wait_output(struct vt *vt, const char *bytes)
{
	wait_for(vt, &(struct condition){.holds = in_output, .text = bytes}, 0, "output");
}

void vt_wait_questions(struct vt *vt, unsigned long n)
{
	wait_for(vt, &(struct condition){.holds = asked, .n = n}, 0, "question number");
}

void vt_run_for(struct vt *vt, double seconds)
{
	int64_t end = vt_now_ms() + (int64_t)(1000 * seconds), left;

	while ((left = end - vt_now_ms()) > 0 && !(vt->eof && vt->idle_fd < 0))
		(void)vt_pump(vt, (int)left);
}

int vt_wait_exit(struct vt *vt)
{
	int64_t end = deadline_after(0);

	while (!vt->eof) {
		if (vt_now_ms() >= end)
			fail_with_screen(vt, "the program did not end");
		(void)vt_pump(vt, (int)(end - vt_now_ms()));
	}
	if (!vt->exited) {
		(void)waitpid(vt->pid, &vt->status, 0);
		vt->exited = true;
	}
	return WIFSIGNALED(vt->status) ? 128 + WTERMSIG(vt->status) : WEXITSTATUS(vt->status);
}

void vt_leave(struct vt *vt)
{
	/* In an open prompt Ctrl-C only closes that. */
	vt_key(vt, "Esc");
	vt_settle(vt);
	vt_key(vt, "Ctrl-c");
	assert_int_equal(vt_wait_exit(vt), 0);
	vt_free(vt);
}

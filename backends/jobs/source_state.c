/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/source_state.h"

#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/need.h"

void job_source_say(struct obs *o, const char *source, enum validity v, const char *text)
{
	char need[48];

	(void)str_printf(need, sizeof(need), NEED_JOB_SOURCE "%s", source);
	obs_capability(o, need, v, text);
}

bool job_source_said(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_CAPABILITY &&
			str_starts(obs_text(o, o->items.at[i].text), NEED_JOB_SOURCE))
			return true;
	return false;
}

/* The messages of dash, bash, busybox, zsh and csh: "not found" and "Command not found". */
static bool is_missing(const char *program, int status, const char *complaint)
{
	const char *at = strstr(complaint, program);

	return status == 127 || (at && strstr(at, "ot found"));
}

bool job_source_explain(
	const char *device, const char *program, int status, const char *complaint, struct err *err)
{
	if (is_missing(program, status, complaint)) {
		err_set(err, ERR_UNSUPPORTED, device, "%s is not found", program);
		return !err_cure(err,
			"install it, or link it in /usr/local/bin: a login without a terminal has "
			"a short PATH");
	}
	if (status == 126 || strstr(complaint, "ermission denied")) {
		err_set(err, ERR_UNAUTHORISED, device, "%.80s", complaint);
		return !err_cure(err, "give railtop's user the right to run %s", program);
	}
	return false;
}

enum validity job_lines_state(const struct obs_lines *all, const char *example, const char *trouble,
	const char *cure, char *text, size_t size)
{
	text[0] = '\0';
	if (all->known)
		return VALID_OK;
	if (all->seen) {
		(void)str_printf(text, size, "0 of %u line%s understood, such as \"%.40s\"; %s",
			all->seen, str_plural(all->seen), example, cure);
		return VALID_DISABLED;
	}
	(void)str_copy(text, size, trouble[0] ? trouble : "no line yet");
	return trouble[0] ? VALID_DISABLED : VALID_UNKNOWN;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/audit_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define LEDGER_MAX ((size_t)64 << 20)

void audit_rows_add(
	struct audit_log *log, const struct ledger_line *line, const struct clock_track *clock)
{
	struct audit_row *r = vec_add(&log->rows);

	r->n = line->n;
	r->t_us = clock_track_session(clock, line->t_us);
	(void)str_copy(r->event, sizeof(r->event), ledger_event_name(line->event));
	(void)str_copy(r->act, sizeof(r->act), line->act);
	(void)str_copy(r->action, sizeof(r->action), line->action);
	(void)str_copy(r->user, sizeof(r->user), line->user);
	(void)str_copy(r->from, sizeof(r->from), line->from);
	(void)str_copy(r->device, sizeof(r->device), line->device);
	(void)str_copy(r->port, sizeof(r->port), line->port);
	(void)str_copy(r->incident, sizeof(r->incident), line->incident);
	(void)str_copy(r->text, sizeof(r->text), line->text);
}

/* ledger_read() reads only files. So the text goes into a temporary file with mode 0600. */
static bool read_lines(const struct buf *text, ledger_line_vec *lines, struct err *err)
{
	const char *base = getenv("TMPDIR");
	char path[1024];
	int fd;
	bool ok;

	if (!str_printf(path, sizeof(path), "%s/railtop-audit-XXXXXX",
		    base && base[0] == '/' ? base : "/tmp"))
		return err_set(err, ERR_LIMIT, "TMPDIR", "the path is too long");
	fd = mkstemp(path);
	if (fd < 0) {
		err_system(err, ERR_IO, path, "the temporary file cannot be created", errno);
		return err_cure(err, "TMPDIR names a directory that you may write to");
	}
	ok = fd_write_all(fd, text->data, text->len) ||
	     err_system(err, ERR_IO, path, "cannot be written", errno);
	ok = ok && ledger_read(path, 0, 0, lines, err);
	(void)close(fd);
	(void)unlink(path);
	return ok;
}

bool audit_rows_of_file(struct audit_log *log, struct rts *file, struct err *err)
{
	ledger_line_vec lines = {0};
	struct buf text;
	bool ok = true;

	(void)str_copy(log->path, sizeof(log->path), "the snapshot's own ledger");
	buf_init(&text, LEDGER_MAX);
	if (rts_part(file, "ledger.jsonl", &text, NULL) && text.len)
		ok = read_lines(&text, &lines, err);
	for (size_t i = 0; i < lines.n; i++)
		audit_rows_add(log, &lines.at[i], rts_clock(file));
	vec_free(&lines);
	buf_free(&text);
	return ok;
}

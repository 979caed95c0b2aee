/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/manager_note.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* "crit|12.5|sw-qm01|35|Link Downed: ...": the last field may contain the separator. */
#define SEPARATOR '|'
#define FIELDS    5

static const char *field_text(char *dst, size_t size, const char *text)
{
	(void)str_copyn(dst, size, text, strnlen(text, size - 1));
	for (char *c = dst; *c; c++)
		*c = *c == SEPARATOR ? '/' : *c;
	return dst;
}

void note_write(const struct manager_note *n, char *dst, size_t size)
{
	char device[sizeof(n->device)], port[sizeof(n->port)], percent[24] = "";
	/* Whole numbers: a locale has its own sign before a fraction. */
	long hundredths = n->percent >= 0 && n->percent < 1e6 ? lround(100 * n->percent) : 0;

	if (!isnan(n->percent))
		(void)str_printf(
			percent, sizeof(percent), "%ld.%02ld", hundredths / 100, hundredths % 100);
	(void)str_printf(dst, size, "%s|%s|%s|%s|%s", severity_name(n->severity), percent,
		field_text(device, sizeof(device), n->device),
		field_text(port, sizeof(port), n->port), n->text);
}

bool note_read(const char *text, struct manager_note *n)
{
	char severity[12], percent[24];
	struct {
		char *to;
		size_t size;
	} fields[FIELDS] = {{severity, sizeof(severity)}, {percent, sizeof(percent)},
		{n->device, sizeof(n->device)}, {n->port, sizeof(n->port)},
		{n->text, sizeof(n->text)}};

	*n = (struct manager_note){.severity = SEV_UNKNOWN, .percent = NAN};
	for (unsigned i = 0; i < FIELDS; i++) {
		size_t len = i + 1 < FIELDS ? strcspn(text, "|") : strlen(text);

		if (i + 1 < FIELDS && !text[len])
			return false;
		(void)str_copyn(fields[i].to, fields[i].size, text,
			len < fields[i].size ? len : fields[i].size - 1);
		text += len + (i + 1 < FIELDS);
	}
	for (int s = SEV_UNKNOWN; s < SEV_COUNT; s++)
		if (str_eq(severity, severity_name((enum severity)s)))
			n->severity = (enum severity)s;
	if (*percent)
		n->percent = strtod(percent, NULL);
	return true;
}

void notes_begin(struct manager_notes **notes, unsigned kind, double total, int64_t now_us)
{
	if (kind >= MANAGER_KINDS || !(total >= 0 && total < 1e9))
		return;
	if (!*notes)
		*notes = mem_calloc(1, sizeof(**notes));
	memset((*notes)->at[kind], 0, sizeof((*notes)->at[kind]));
	(*notes)->total[kind] = (unsigned)total;
	(*notes)->told_us[kind] = now_us;
}

void notes_take(struct manager_notes *notes, unsigned sub, const char *text)
{
	struct manager_note n;
	char *to;

	if (!notes || sub >= NOTE_SUBS || !note_read(text, &n))
		return;
	to = notes->at[sub / NOTES_MOST][sub % NOTES_MOST];
	(void)str_copyn(to, NOTE_SIZE, text, strnlen(text, NOTE_SIZE - 1));
}

unsigned notes_kept(const struct manager_notes *notes, enum manager_note_kind kind)
{
	unsigned n = 0;

	while (notes && n < NOTES_MOST && notes->at[kind][n][0])
		n++;
	return n;
}

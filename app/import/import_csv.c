/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of cables or devices: railtop's own wiring table, the cable export of NetBox, and
 * those of spreadsheets. The heading says which column is which; without one the columns are
 * device,port,device,port[,speed]. Separators: comma, semicolon or tab; quotes as in RFC 4180.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "app/import/import.h"
#include "base/str.h"

#define COLUMNS_MAX 64
#define CELL_MAX    160
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

enum column {
	A_DEVICE,
	A_PORT,
	A_TYPE,
	B_DEVICE,
	B_PORT,
	B_TYPE,
	SPEED,
	NAME,
	ROLE,
	ADDRESS,
	SYSTEM,
	RACK,
	UNIT,
	COLUMN_COUNT,
};

/* Headings without blanks, '_' and '-', in lower case. */
static const struct heading {
	const char *name;
	enum column column;
} headings[] = {
	{"adevice", A_DEVICE},
	{"sideadevice", A_DEVICE},
	{"terminationadevice", A_DEVICE},
	{"sourcedevice", A_DEVICE},
	{"sourcehost", A_DEVICE},
	{"source", A_DEVICE},
	{"localdevice", A_DEVICE},
	{"fromdevice", A_DEVICE},
	{"srcdevice", A_DEVICE},
	{"device1", A_DEVICE},
	{"devicea", A_DEVICE},
	{"sourcename", A_DEVICE},
	{"aport", A_PORT},
	{"ainterface", A_PORT},
	{"sideaname", A_PORT},
	{"terminationaname", A_PORT},
	{"sourceport", A_PORT},
	{"sourceinterface", A_PORT},
	{"localport", A_PORT},
	{"localinterface", A_PORT},
	{"fromport", A_PORT},
	{"srcport", A_PORT},
	{"port1", A_PORT},
	{"porta", A_PORT},
	{"interfacea", A_PORT},
	{"interface1", A_PORT},
	{"sideatype", A_TYPE},
	{"terminationatype", A_TYPE},
	{"bdevice", B_DEVICE},
	{"sidebdevice", B_DEVICE},
	{"terminationbdevice", B_DEVICE},
	{"destinationdevice", B_DEVICE},
	{"destinationhost", B_DEVICE},
	{"destination", B_DEVICE},
	{"destdevice", B_DEVICE},
	{"dstdevice", B_DEVICE},
	{"remotedevice", B_DEVICE},
	{"peerdevice", B_DEVICE},
	{"neighbor", B_DEVICE},
	{"neighbour", B_DEVICE},
	{"todevice", B_DEVICE},
	{"targetdevice", B_DEVICE},
	{"device2", B_DEVICE},
	{"deviceb", B_DEVICE},
	{"destinationname", B_DEVICE},
	{"bport", B_PORT},
	{"binterface", B_PORT},
	{"sidebname", B_PORT},
	{"terminationbname", B_PORT},
	{"destinationport", B_PORT},
	{"destinationinterface", B_PORT},
	{"destport", B_PORT},
	{"dstport", B_PORT},
	{"remoteport", B_PORT},
	{"remoteinterface", B_PORT},
	{"peerport", B_PORT},
	{"peerinterface", B_PORT},
	{"neighborport", B_PORT},
	{"toport", B_PORT},
	{"targetport", B_PORT},
	{"port2", B_PORT},
	{"portb", B_PORT},
	{"interfaceb", B_PORT},
	{"interface2", B_PORT},
	{"sidebtype", B_TYPE},
	{"terminationbtype", B_TYPE},
	{"speed", SPEED},
	{"linkspeed", SPEED},
	{"rate", SPEED},
	{"name", NAME},
	{"hostname", NAME},
	{"devicename", NAME},
	{"role", ROLE},
	{"tier", ROLE},
	{"devicerole", ROLE},
	{"function", ROLE},
	{"type", ROLE},
	{"address", ADDRESS},
	{"ip", ADDRESS},
	{"ipaddress", ADDRESS},
	{"mgmtip", ADDRESS},
	{"managementip", ADDRESS},
	{"primaryip", ADDRESS},
	{"primaryip4", ADDRESS},
	{"oobip", ADDRESS},
	{"dialect", SYSTEM},
	{"platform", SYSTEM},
	{"os", SYSTEM},
	{"nos", SYSTEM},
	{"rack", RACK},
	{"unit", UNIT},
	{"position", UNIT},
};

struct table {
	struct import *im;
	const char *at, *end;
	size_t line, row_line; /* row_line: where the row begins */
	char separator;
	char cells[COLUMNS_MAX][CELL_MAX];
	size_t n;
	int column[COLUMN_COUNT]; /* -1: the table has none */
};

/* ---- rows ---- */

/* The separator that the first line has most. */
static char find_separator(const char *text, size_t len)
{
	static const char all[] = ",;\t";
	size_t best = 0, n = 0;
	char found = ',';

	for (size_t k = 0; k < 3; k++) {
		n = 0;
		for (size_t i = 0; i < len && text[i] != '\n'; i++)
			n += text[i] == all[k];
		if (n > best) {
			best = n;
			found = all[k];
		}
	}
	return found;
}

static void put_cell(struct table *t, const char *text, size_t n)
{
	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (t->n >= COLUMNS_MAX)
		return;
	/* A longer text is none of the names that are looked for. */
	if (n >= CELL_MAX)
		n = CELL_MAX - 1;
	(void)str_copyn(t->cells[t->n++], CELL_MAX, text, n);
}

/* A quoted cell; two quotes are one. False: the quote does not end. */
static bool read_quoted(struct table *t, struct err *err)
{
	char cell[CELL_MAX];
	size_t n = 0;

	for (t->at++; t->at < t->end; t->at++) {
		if (*t->at == '"' && (t->at + 1 == t->end || t->at[1] != '"'))
			break;
		t->at += *t->at == '"';
		t->line += *t->at == '\n';
		if (n + 1 < sizeof(cell))
			cell[n++] = *t->at;
	}
	if (t->at == t->end) {
		(void)import_error(t->im, err, t->row_line, "a quote does not end");
		return err_cure(err, "two quotes stand for one within a quoted cell");
	}
	put_cell(t, cell, n);
	t->at++;
	while (t->at < t->end && *t->at != t->separator && *t->at != '\n')
		t->at++;
	return true;
}

/* Reads a row into t->cells; t->n 0: an empty line or a comment. */
static bool read_row(struct table *t, struct err *err)
{
	t->n = 0;
	t->row_line = ++t->line;
	if (*t->at == '#') {
		while (t->at < t->end && *t->at != '\n')
			t->at++;
		t->at++;
		return true;
	}
	while (true) {
		const char *from = t->at;

		if (from < t->end && *from == '"') {
			if (!read_quoted(t, err))
				return false;
		} else {
			while (t->at < t->end && *t->at != t->separator && *t->at != '\n')
				t->at++;
			put_cell(t, from, (size_t)(t->at - from));
		}
		if (t->at >= t->end || *t->at++ == '\n')
			break;
	}
	if (t->n == 1 && !t->cells[0][0])
		t->n = 0;
	return true;
}

/* ---- headings ---- */

static void plain_heading(const char *text, char *dst, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		if (isalnum((unsigned char)*text))
			dst[n++] = (char)tolower((unsigned char)*text);
	dst[n] = '\0';
}

static bool find_column(const char *text, enum column *out)
{
	char plain[CELL_MAX];

	plain_heading(text, plain, sizeof(plain));
	for (size_t i = 0; i < COUNT_OF(headings); i++) {
		if (str_eq(headings[i].name, plain)) {
			*out = headings[i].column;
			return true;
		}
	}
	return false;
}

/* railtop's own heading has device and port twice. */
static bool own_heading(const struct table *t)
{
	return t->n >= 4 && strcasecmp(t->cells[0], "device") == 0 &&
	       strcasecmp(t->cells[2], "device") == 0;
}

static void fixed_columns(struct table *t)
{
	t->column[A_DEVICE] = 0;
	t->column[A_PORT] = 1;
	t->column[B_DEVICE] = 2;
	t->column[B_PORT] = 3;
	if (t->n > 4)
		t->column[SPEED] = 4;
}

static bool has_cables(const struct table *t)
{
	return t->column[A_DEVICE] >= 0 && t->column[A_PORT] >= 0 && t->column[B_DEVICE] >= 0 &&
	       t->column[B_PORT] >= 0;
}

/* Reads the first row. *is_row: it is no heading. */
static bool read_heading(struct table *t, bool *is_row, struct err *err)
{
	size_t known = 0;
	enum column c;

	*is_row = false;
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		t->column[i] = -1;
	if (own_heading(t)) {
		fixed_columns(t);
		return true;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (!find_column(t->cells[i], &c) || t->column[c] >= 0)
			continue;
		t->column[c] = (int)i;
		known++;
	}
	if (has_cables(t) || t->column[NAME] >= 0)
		return true;
	if (!known && (t->n == 4 || t->n == 5)) {
		fixed_columns(t);
		*is_row = true;
		return true;
	}
	(void)import_error(t->im, err, t->row_line, "the heading names neither cables nor devices");
	return err_cure(err, "cables: a_device,a_port,b_device,b_port[,speed]; devices: "
			     "name,role,address,platform,rack,unit");
}

/* ---- contents ---- */

static const char *cell_of(const struct table *t, enum column c)
{
	int at = t->column[c];

	return at >= 0 && (size_t)at < t->n ? t->cells[at] : "";
}

/* NetBox also exports cables of power and consoles: the type is "dcim.interface" or "interface". */
static bool is_interface(const char *type)
{
	return !*type || strcasestr(type, "interface");
}

static void read_cable(struct table *t)
{
	const char *a = cell_of(t, A_DEVICE), *b = cell_of(t, B_DEVICE);

	if (!is_interface(cell_of(t, A_TYPE)) || !is_interface(cell_of(t, B_TYPE))) {
		import_skip(t->im, "cables that end at no network interface", a);
		return;
	}
	if (!*a || !*b) {
		import_skip(t->im, "rows without two devices", *a ? a : b);
		return;
	}
	import_link(t->im, import_device(t->im, a), cell_of(t, A_PORT), import_device(t->im, b),
		cell_of(t, B_PORT), import_speed(cell_of(t, SPEED)));
}

/* "R12" and "14", or both in one cell: "R12 U14". */
static void put_rack(struct found *f, const char *rack, const char *unit)
{
	const char *both = *unit ? NULL : strstr(rack, " U");
	bool split = both && both[2] && strspn(both + 2, "0123456789.") == strlen(both + 2);
	size_t len = split ? (size_t)(both - rack) : strlen(rack);

	if (split)
		unit = both + 2;
	(void)str_sanitise(f->rack, sizeof(f->rack), rack, len);
	/* A part of a number is another number. */
	if (strlen(unit) < sizeof(f->unit))
		(void)str_sanitise(f->unit, sizeof(f->unit), unit, strlen(unit));
}

static void read_device(struct table *t)
{
	size_t at = *cell_of(t, NAME) ? import_device(t->im, cell_of(t, NAME)) : SIZE_MAX;

	if (at == SIZE_MAX)
		return;
	if (!import_role(t->im, at, cell_of(t, ROLE), "its role in the table") && *cell_of(t, ROLE))
		t->im->said.at[at].needs_cable = true;
	import_system(t->im, at, cell_of(t, SYSTEM));
	import_address(t->im, at, cell_of(t, ADDRESS));
	put_rack(&t->im->d.devices.at[at], cell_of(t, RACK), cell_of(t, UNIT));
}

static bool read_csv(struct import *im, const char *text, size_t len, struct err *err)
{
	static struct table t;
	bool headed = false, is_row = true;

	/* A byte order mark, as spreadsheets write it. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	t = (struct table){.im = im, .at = text, .end = text + len};
	t.separator = find_separator(text, len);
	while (t.at < t.end) {
		if (!read_row(&t, err))
			return false;
		if (!t.n)
			continue;
		if (!headed && !read_heading(&t, &is_row, err))
			return false;
		if (!headed && !is_row) {
			headed = true;
			continue;
		}
		headed = true;
		if (has_cables(&t))
			read_cable(&t);
		else
			read_device(&t);
	}
	return headed || import_error(im, err, 0, "has no row");
}

const struct importer importer_csv = {
	.name = "csv",
	.help = "tables of cables or devices, with a heading or as device,port,device,port[,speed]",
	.read = read_csv,
};

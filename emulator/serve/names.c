/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/serve/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/types.h"

#define DIGITS_MOST 9

struct list {
	names_add *add;
	void *arg;
	struct err *err;
	char name[NAME_MAX_LEN];
	size_t left;
};

static bool list_error(const struct list *x, const char *at, const char *what)
{
	err_set(x->err, ERR_CONFIG, "", "\"%.40s\": %s", at, what);
	return err_cure(x->err, "write name[000-499] or name[0,2,5-7]");
}

static bool expand_entry(struct list *x, const char *s, size_t len);

/* "00-15": the number of digits of the first number is the width of all. */
static bool read_range(
	const char **s, unsigned long *from, unsigned long *to, int *width, const char **problem)
{
	size_t n = strspn(*s, "0123456789");

	*width = (int)n;
	*problem = "a number of 1 to 9 digits is expected";
	if (!n || n > DIGITS_MOST)
		return false;
	*from = *to = strtoul(*s, NULL, 10);
	*s += n;
	if (**s != '-')
		return true;
	(*s)++;
	n = strspn(*s, "0123456789");
	if (!n || n > DIGITS_MOST)
		return false;
	*to = strtoul(*s, NULL, 10);
	*s += n;
	*problem = "the range runs backwards";
	return *to >= *from;
}

static bool expand_numbers(struct list *x, const char *s, size_t len)
{
	const char *open = s - 1, *close = strchr(s, ']'), *problem;
	unsigned long from = 0, to = 0;
	int width = 0;

	if (!close)
		return list_error(x, open, "'[' is never closed");
	for (;; s++) {
		if (!read_range(&s, &from, &to, &width, &problem))
			return list_error(x, open, problem);
		if (s != close && *s != ',')
			return list_error(x, open, "only digits, '-' and ',' go into brackets");
		for (unsigned long v = from; v <= to; v++) {
			if (!str_printf(x->name + len, sizeof(x->name) - len, "%0*lu", width, v))
				return list_error(x, open, "the name becomes longer than 63 bytes");
			if (!expand_entry(x, close + 1, strlen(x->name)))
				return false;
		}
		if (s == close)
			return true;
	}
}

/*
 * Expands one entry. x->name has len bytes; s is the rest of the entry, up to a comma or the end of
 * the list.
 */
static bool expand_entry(struct list *x, const char *s, size_t len)
{
	size_t n = strcspn(s, "[], ");

	if (len + n >= sizeof(x->name))
		return list_error(x, s, "the name is longer than 63 bytes");
	memcpy(x->name + len, s, n);
	len += n;
	x->name[len] = '\0';
	s += n;
	if (*s == '[')
		return expand_numbers(x, s + 1, len);
	if (*s == ']')
		return list_error(x, s, "']' without '['");
	s += strspn(s, " ");
	if (*s && *s != ',')
		return list_error(x, s, "a blank inside a name");
	if (!len)
		return list_error(x, s, "a name is missing");
	if (!x->left--) {
		err_set(x->err, ERR_CONFIG, "", "the list has too many names");
		return err_cure(x->err, "check its ranges");
	}
	return x->add(x->arg, x->name, x->err);
}

/* End of the entry that begins at s: its comma or the end of the list. */
static const char *entry_end(const char *s)
{
	for (bool inside = false; *s && (inside || *s != ','); s++)
		inside = *s == '[' || (inside && *s != ']');
	return s;
}

bool names_expand(const char *list, size_t limit, names_add *add, void *arg, struct err *err)
{
	struct list x = {.add = add, .arg = arg, .err = err, .left = limit};

	for (const char *s = list;; s++) {
		s += strspn(s, " ");
		if (!expand_entry(&x, s, 0))
			return false;
		s = entry_end(s);
		if (!*s)
			return true;
	}
}

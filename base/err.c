/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

bool err_set(struct err *e, enum err_code code, const char *origin, const char *fmt, ...)
{
	char raw[sizeof(e->text)];
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	(void)vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	e->code = code;
	e->cure[0] = '\0';
	str_sanitise(e->text, sizeof(e->text), raw, strlen(raw));
	str_sanitise(
		e->origin, sizeof(e->origin), origin ? origin : "", origin ? strlen(origin) : 0);
	return false;
}

bool err_cure(struct err *e, const char *fmt, ...)
{
	char raw[sizeof(e->cure)];
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	(void)vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	str_sanitise(e->cure, sizeof(e->cure), raw, strlen(raw));
	return false;
}

static const char *cure_of(int error)
{
	switch (error) {
	case EIO:
		return "the disk or its file system fails: dmesg has more";
	case ENOSPC:
	case EDQUOT:
		return "free space there: df -h, df -i, quota";
	case EFBIG:
		return "write elsewhere, or raise the limit of file sizes: ulimit -f";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files: ulimit -n, or LimitNOFILE= of the systemd "
		       "unit";
	case ENOMEM:
	case EAGAIN:
		return "this machine has no memory or no processes left: free -m, ulimit -u";
	case EACCES:
	case EPERM:
		return "check its owner and mode, and those of its directories";
	case EROFS:
		return "write elsewhere: that file system is read-only";
	case ENOENT:
	case ENOTDIR:
		return "check the path";
	case EINTR:
		return "a signal interrupted it: try again";
	default:
		return "";
	}
}

bool err_system(struct err *e, enum err_code code, const char *origin, const char *what, int error)
{
	const char *cure = cure_of(error);

	err_set(e, code, origin, "%s%s%s", what, *what ? ": " : "", strerror(error));
	return *cure ? err_cure(e, "%s", cure) : false;
}

const char *err_code_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",
		[ERR_USAGE] = "usage",
		[ERR_CONFIG] = "config",
		[ERR_IO] = "io",
		[ERR_UNREACHABLE] = "unreachable",
		[ERR_UNAUTHORISED] = "unauthorised",
		[ERR_TIMEOUT] = "timeout",
		[ERR_PROTOCOL] = "protocol",
		[ERR_LIMIT] = "limit",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_REFUSED] = "refused",
		[ERR_INTERNAL] = "internal",
	};

	if ((unsigned)code >= sizeof(names) / sizeof(names[0]))
		return "internal";
	return names[code];
}

char *err_format(const struct err *e, char *dst, unsigned long size)
{
	(void)snprintf(dst, size, "%s%s%s%s%s%s", e->origin, e->origin[0] ? ": " : "", e->text,
		e->cure[0] ? " (" : "", e->cure, e->cure[0] ? ")" : "");
	return dst;
}

void err_print(const struct err *e)
{
	char text[sizeof(e->origin) + sizeof(e->text) + sizeof(e->cure) + 8];

	(void)fprintf(stderr, "railtop: %s\n", err_format(e, text, sizeof(text)));
}

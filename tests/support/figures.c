/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/built.h"
#include "tests/support/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

struct figures {
	char path[256];
	FILE *out;
	unsigned n;
	bool ok, quick;
};

bool figures_quick(void)
{
	const char *quick = getenv("QUICK");

	return quick && *quick && !str_eq(quick, "0");
}

unsigned figures_times(unsigned otherwise, unsigned quick)
{
	return figures_quick() ? quick : otherwise;
}

struct figures *figures_new(const char *name)
{
	struct figures *f = mem_calloc(1, sizeof(*f));
	char dir[200];

	(void)built_path("bench", dir, sizeof(dir));
	(void)mkdir(dir, 0777);
	(void)str_printf(f->path, sizeof(f->path), "%s/%s.json", dir, name);
	f->quick = figures_quick();
	f->out = f->quick ? NULL : fopen(f->path, "we");
	f->ok = f->quick || f->out != NULL;
	if (f->out)
		(void)fprintf(f->out, "{\"figures\":[");
	if (f->quick)
		(void)printf("quick, with the least of everything: no figure here counts\n");
	(void)printf("%-56s %12s  %-10s %12s\n", name, "value", "unit", "at most");
	return f;
}

static void put(struct figures *f, const char *name, double value, const char *unit, double target,
	bool ok, const char *sign)
{
	char bound[24] = "-", shown[32], number[40] = "null";

	if (target > 0)
		(void)str_printf(bound, sizeof(bound), "%.6g", target);
	if (!isnan(value))
		(void)str_printf(number, sizeof(number), "%.17g", value);
	(void)str_printf(shown, sizeof(shown), "%s%s", target > 0 ? sign : "", bound);
	/* So little says nothing about a bound, but that there is a number. */
	if (f->quick)
		ok = target <= 0 || !isnan(value);
	(void)printf(
		"  %-54s %12.4g  %-10s %12s %s\n", name, value, unit, shown, ok ? "" : "MISSED");
	(void)fflush(stdout);
	f->ok = f->ok && ok;
	if (!f->out)
		return;
	(void)fprintf(f->out,
		"%s\n{\"name\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"target\":%s,\"ok\":%s}",
		f->n++ ? "," : "", name, number, unit, target > 0 ? bound : "null",
		ok ? "true" : "false");
}

void figure(struct figures *f, const char *name, double value, const char *unit, double target)
{
	put(f, name, value, unit, target, target <= 0 || value <= target, "");
}

void figure_least(
	struct figures *f, const char *name, double value, const char *unit, double target)
{
	put(f, name, value, unit, target, target <= 0 || value >= target, ">= ");
}

void figure_none(struct figures *f, const char *name, double value, const char *unit)
{
	put(f, name, value, unit, 0, value <= 0, "");
}

bool figures_end(struct figures *f)
{
	struct utsname u;
	bool ok = f->ok;

	if (f->out) {
		(void)uname(&u);
		(void)fprintf(f->out, "],\n\"machine\":\"%s %s, %ld processors\"}\n", u.release,
			u.machine, sysconf(_SC_NPROCESSORS_ONLN));
		ok = fclose(f->out) == 0 && ok;
	}
	free(f);
	return ok;
}

double thread_cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median_of(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
	return values[n / 2];
}

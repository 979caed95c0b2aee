/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* NX-OS formats of names, times and tables. */

#define DAY (86400 * CLOCK_SEC)

void nxos_short_name(const struct sim_port *p, const char *head, char *dst, size_t size)
{
	if (str_starts(p->name, "Ethernet"))
		(void)str_printf(dst, size, "%s%s", head, p->name + strlen("Ethernet"));
	else
		(void)str_copy(dst, size, p->name);
}

const char *nxos_speed(const struct sim_port *p, char dst[16])
{
	(void)str_printf(dst, 16, "%uG", p->speed_mbps / 1000);
	return dst;
}

bool nxos_is_wanted(const struct nxos_query *q, const struct sim_port *p)
{
	return !q->only || q->only == p;
}

const char *nxos_down_reason(const struct sim_port *p)
{
	if (p->up)
		return NULL;
	if (!p->config.admin_up)
		return "Administratively down";
	return p->carrier_down ? "Link failure" : "Link not connected";
}

void nxos_ago(int64_t us, char dst[40])
{
	int64_t s = us > 0 ? us / CLOCK_SEC : 0, days = s / 86400;

	if (days >= 7)
		(void)str_printf(dst, 40, "%lldweek(s) %lldday(s)", (long long)(days / 7),
			(long long)(days % 7));
	else if (days)
		(void)str_printf(
			dst, 40, "%lldd%02lldh", (long long)days, (long long)(s / 3600 % 24));
	else
		(void)str_printf(dst, 40, "%02lld:%02lld:%02lld", (long long)(s / 3600),
			(long long)(s / 60 % 60), (long long)(s % 60));
}

void nxos_duration(int64_t us, char dst[40])
{
	int64_t s = us > 0 ? us / CLOCK_SEC : 0;
	char days[24] = "";

	if (s >= 86400)
		(void)str_printf(days, sizeof(days), "%lldD", (long long)(s / 86400));
	(void)str_printf(dst, 40, "P%sT%lldH%lldM%lldS", days, (long long)(s / 3600 % 24),
		(long long)(s / 60 % 60), (long long)(s % 60));
}

void nxos_when(int64_t us, const char *format, char *dst, size_t size)
{
	time_t t = (time_t)(us / CLOCK_SEC);
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	if (!strftime(dst, size, format, &tm))
		dst[0] = '\0';
}

void nxos_timestamp(int64_t us, char dst[40])
{
	char seconds[32];

	nxos_when(us, "%Y-%m-%dT%H:%M:%S", seconds, sizeof(seconds));
	(void)str_printf(dst, 40, "%s.%03d+00:00", seconds, (int)(us % CLOCK_SEC / CLOCK_MSEC));
}

bool nxos_neighbor(
	const struct machine *m, const struct sim_port *p, char address[16], unsigned *asn)
{
	const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;

	if (!p->bgp.configured || !far)
		return false;
	personality_link_address(far, address);
	*asn = sim_device_of(m->ctx->sim, far)->asn;
	return true;
}

const char *nxos_bgp_state(const struct sim_port *p)
{
	if (p->bgp.shut)
		return "Shut (Admin)";
	if (p->bgp.established)
		return "Established";
	return p->up ? "Active" : "Idle";
}

void nxos_dbm(double v, char dst[16])
{
	if (!isfinite(v) || v <= -40)
		(void)str_copy(dst, 16, "N/A");
	else
		(void)str_printf(dst, 16, "%.2f", v);
}

void nxos_str(json_t *o, const char *key, const char *text)
{
	(void)json_object_set_new_nocheck(o, key, json_string(text ? text : ""));
}

void nxos_strf(json_t *o, const char *key, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	nxos_str(o, key, text);
}

void nxos_int(json_t *o, const char *key, uint64_t v)
{
	(void)json_object_set_new_nocheck(o, key, json_integer((json_int_t)v));
}

/* Called tens of thousands of times per answer: avoids printf and the check for broken UTF-8. */
void nxos_digits(json_t *o, const char *key, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	(void)json_object_set_new_nocheck(
		o, key, json_stringn_nocheck(digits + n, sizeof(digits) - n));
}

void nxos_num(const struct nxos_query *q, json_t *o, const char *key, uint64_t v)
{
	if (q->native)
		nxos_int(o, key, v);
	else
		nxos_digits(o, key, v);
}

void nxos_table(const struct nxos_query *q, json_t *o, const char *name, json_t *rows)
{
	char table[64], row[64];
	json_t *one = rows;

	(void)str_printf(table, sizeof(table), "TABLE_%s", name);
	(void)str_printf(row, sizeof(row), "ROW_%s", name);
	if (json_array_size(rows) == 1 && !q->native)
		one = json_array_get(rows, 0);
	if (json_array_size(rows)) {
		json_t *inner = json_object();

		(void)json_object_set(inner, row, one);
		(void)json_object_set_new(o, table, inner);
	}
	json_decref(rows);
}

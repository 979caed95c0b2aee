/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/* `show`: dispatch, and the commands without a table of ports. */

static void date_of(const struct machine *m, const char *fmt, char *dst, size_t size)
{
	time_t t = (time_t)(personality_clock(m->ctx, m->d) / CLOCK_SEC);
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	(void)strftime(dst, size, fmt, &tm);
}

static void print_platform(const struct machine *m, struct buf *out)
{
	(void)buf_addf(out,
		"Platform: %s\nHwSKU: %s\nASIC: %s\nASIC Count: 1\nSerial Number: %s\n"
		"Model Number: N/A\nHardware Revision: N/A\n",
		sonic_platform_name(m->d), m->d->model, sonic_asic(m->d), m->d->serial);
}

static int64_t uptime_s(const struct machine *m)
{
	return (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;
}

static int show_version(struct machine *m, const struct shell_call *c)
{
	long long up = (long long)uptime_s(m);
	char date[40];

	date_of(m, "%a %d %b %Y %H:%M:%S", date, sizeof(date));
	(void)buf_addf(c->out,
		"\nSONiC Software Version: %s\nSONiC OS Version: 12\nDistribution: Debian 12.8\n"
		"Kernel: " SONIC_KERNEL "\nBuild commit: 5f3b1c0d2\n"
		"Build date: Tue Dec 10 04:27:41 UTC 2024\nBuilt by: azureuser\n\n",
		m->d->os_version);
	print_platform(m, c->out);
	(void)buf_addf(c->out,
		"Uptime: %.8s up %lld days, %2lld:%02lld,  1 user,  load average: 2.97, 5.17, "
		"8.29\nDate: %s\n\nDocker images:\n",
		date + 16, up / 86400, up / 3600 % 24, up / 60 % 60, date);
	return 0;
}

static int show_uptime(struct machine *m, const struct shell_call *c)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = {{604800, "week"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}};
	int64_t up = uptime_s(m);
	const char *sep = "up ";

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		long long n = (long long)(up / units[i].seconds);

		up %= units[i].seconds;
		if (!n && i < 3)
			continue;
		(void)buf_addf(c->out, "%s%lld %s%s", sep, n, units[i].name, n == 1 ? "" : "s");
		sep = ", ";
	}
	(void)buf_adds(c->out, "\n");
	return 0;
}

static int show_clock(struct machine *m, const struct shell_call *c)
{
	char date[40];

	date_of(m, "%a %b %d %H:%M:%S UTC %Y", date, sizeof(date));
	(void)buf_addf(c->out, "%s\n", date);
	return 0;
}

/* show logging [PROCESS] [-l N] */
static int show_logging(struct machine *m, const struct shell_call *c)
{
	const char *process = NULL, *end, *p;
	uint64_t lines = 0;
	struct buf all;

	for (int i = 2; i < c->argc; i++) {
		if ((str_eq(c->argv[i], "-l") || str_eq(c->argv[i], "--lines")) && i + 1 < c->argc)
			(void)str_to_u64(c->argv[++i], &lines);
		else if (c->argv[i][0] != '-')
			process = c->argv[i];
	}
	buf_init(&all, 1u << 20);
	sonic_syslog(m->ctx, m->d, &all);
	p = all.data ? all.data : "";
	end = p + all.len;
	if (lines) {
		uint64_t left = lines + 1;
		const char *q = end;

		while (q > p && left)
			if (*--q == '\n')
				left--;
		p = left ? p : q + 1;
	}
	for (const char *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			break;
		if (!process || memmem(p, (size_t)(nl - p), process, strlen(process)))
			(void)buf_add(c->out, p, (size_t)(nl - p) + 1);
	}
	buf_free(&all);
	return 0;
}

static int show_platform(struct machine *m, const struct shell_call *c)
{
	if (!str_eq(c->argc > 2 ? c->argv[2] : NULL, "summary"))
		return sonic_no_command(c, "show platform", c->argc > 2 ? c->argv[2] : NULL);
	print_platform(m, c->out);
	return 0;
}

static int show_reboot_cause(struct machine *m, const struct shell_call *c)
{
	char utc[32];

	(void)clock_format_utc(m->d->boot_us + m->d->clock_skew_us, utc, sizeof(utc));
	(void)buf_addf(c->out, "User issued 'reboot' command [User: admin, Time: %s]\n", utc);
	return 0;
}

static int show_pfcwd(struct machine *m, const struct shell_call *c)
{
	return sonic_pfcwd_show(m, c, 2);
}

static int show_pool(struct machine *m, const struct shell_call *c)
{
	static const char *const titles[] = {"Pool", "Bytes", NULL};
	struct sonic_table t;
	struct redis r;

	if (c->argc < 3 ||
		(!str_eq(c->argv[2], "watermark") && !str_eq(c->argv[2], "persistent-watermark")))
		return sonic_no_command(c, "show buffer_pool", c->argc > 2 ? c->argv[2] : NULL);
	redis_open(&r, m->ctx, m->d, COUNTERS_DB);
	(void)buf_adds(c->out, "Shared pool maximum occupancy:\n");
	sonic_table_init(&t, titles, "r");
	for (unsigned i = 0; sonic_pools[i]; i++) {
		struct redis_value v;
		char key[64];

		(void)str_printf(key, sizeof(key), "USER_WATERMARKS:oid:0x%llx",
			(unsigned long long)redis_oid(&r, OID_POOL, 0, i));
		sonic_cell(&t, "%s", sonic_pools[i]);
		sonic_cell(&t, "%s",
			redis_field(&r, key, "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", &v) ? v.text
											 : "N/A");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_ip(struct machine *m, const struct shell_call *c)
{
	if (c->argc > 3 && str_eq(c->argv[2], "bgp") && str_eq(c->argv[3], "summary"))
		return sonic_show_bgp(m, c);
	if (c->argc > 2 && str_eq(c->argv[2], "bgp"))
		return sonic_no_command(c, "show ip bgp", c->argc > 3 ? c->argv[3] : NULL);
	return sonic_no_command(c, "show ip", c->argc > 2 ? c->argv[2] : NULL);
}

static int show_hash(struct machine *m, const struct shell_call *c)
{
	(void)m;
	if (!str_eq(c->argc > 2 ? c->argv[2] : NULL, "global"))
		return sonic_no_command(c, "show switch-hash", c->argc > 2 ? c->argv[2] : NULL);
	(void)buf_adds(c->out,
		"{\n    \"ecmp\": {\n        \"algorithm\": \"CRC\",\n        \"hash_field\": [\n"
		"            \"DST_IP\",\n            \"SRC_IP\",\n            \"IP_PROTOCOL\",\n"
		"            \"L4_DST_PORT\",\n            \"L4_SRC_PORT\"\n        ]\n    },\n"
		"    \"lag\": {\n        \"algorithm\": \"CRC\",\n        \"hash_field\": [\n"
		"            \"DST_IP\",\n            \"SRC_IP\",\n            \"IP_PROTOCOL\",\n"
		"            \"L4_DST_PORT\",\n            \"L4_SRC_PORT\"\n        ]\n    }\n}\n");
	return 0;
}

static int show_watermark(struct machine *m, const struct shell_call *c)
{
	(void)m;
	(void)buf_adds(c->out, "\nTelemetry interval 120 second(s)\n\n");
	return 0;
}

static const struct {
	const char *word;
	int (*run)(struct machine *m, const struct shell_call *c);
} commands[] = {
	{"version", show_version},
	{"uptime", show_uptime},
	{"clock", show_clock},
	{"logging", show_logging},
	{"platform", show_platform},
	{"reboot-cause", show_reboot_cause},
	{"interfaces", sonic_show_interfaces},
	{"interface", sonic_show_interfaces},
	{"pfc", sonic_show_pfc},
	{"pfcwd", show_pfcwd},
	{"queue", sonic_show_queue},
	{"priority-group", sonic_show_pg},
	{"buffer_pool", show_pool},
	{"ecn", sonic_show_ecn},
	{"lldp", sonic_show_lldp},
	{"ip", show_ip},
	{"switch-hash", show_hash},
	{"watermark", show_watermark},
};

int sonic_show(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 1 ? c->argv[1] : NULL;

	for (size_t i = 0; word && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (str_eq(commands[i].word, word))
			return commands[i].run(m, c);
	return sonic_no_command(c, "show", word);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* The show commands about the switch as a whole and its neighbours. */

struct span {
	uint64_t days, hours, minutes, seconds;
};

static struct span uptime_of(const struct machine *m)
{
	int64_t up = (sim_now(m->ctx->sim) - m->d->boot_us) / CLOCK_SEC;
	uint64_t s = up > 0 ? (uint64_t)up : 0;

	return (struct span){s / 86400, s / 3600 % 24, s / 60 % 60, s % 60};
}

/* Converts fabric time to the device's own clock. */
static int64_t on_its_clock(const struct machine *m, int64_t us)
{
	return us + m->d->clock_skew_us;
}

json_t *nxos_version(const struct nxos_query *q)
{
	const struct sim_device *d = q->m->d;
	struct span up = uptime_of(q->m);
	json_t *o = json_object(), *packages = json_array(), *package = json_object();
	char booted[40];

	nxos_str(o, "header_str",
		"Cisco Nexus Operating System (NX-OS) Software\n"
		"TAC support: http://www.cisco.com/tac\n");
	nxos_str(o, "bios_ver_str", "01.12");
	nxos_str(o, "kickstart_ver_str", d->os_version);
	nxos_str(o, "nxos_ver_str", d->os_version);
	nxos_str(o, "bios_cmpl_time", "07/04/2023");
	nxos_str(o, "kick_file_name", "bootflash:///nxos64-cs.10.4.3.F.bin");
	nxos_str(o, "nxos_file_name", "bootflash:///nxos64-cs.10.4.3.F.bin");
	nxos_str(o, "kick_cmpl_time", "3/30/2024 12:00:00");
	nxos_str(o, "nxos_cmpl_time", "3/30/2024 12:00:00");
	nxos_str(o, "kick_tmstmp", "03/30/2024 19:03:41");
	nxos_str(o, "nxos_tmstmp", "03/30/2024 19:03:41");
	nxos_strf(o, "chassis_id", "Nexus9000 %s Chassis",
		d->model + (str_starts(d->model, "N9K-") ? 4 : 0));
	nxos_str(o, "cpu_name", "Intel(R) Xeon(R) CPU D-1633N @ 2.50GHz");
	nxos_int(o, "memory", 32827288);
	nxos_str(o, "mem_type", "kB");
	nxos_str(o, "proc_board_id", d->serial);
	nxos_str(o, "host_name", d->name);
	nxos_int(o, "bootflash_size", 115343360);
	nxos_int(o, "kern_uptm_days", up.days);
	nxos_int(o, "kern_uptm_hrs", up.hours);
	nxos_int(o, "kern_uptm_mins", up.minutes);
	nxos_int(o, "kern_uptm_secs", up.seconds);
	nxos_when(on_its_clock(q->m, d->boot_us), "%a %b %e %H:%M:%S %Y", booted, sizeof(booted));
	nxos_int(o, "rr_usecs", (uint64_t)(d->boot_us % CLOCK_SEC));
	nxos_str(o, "rr_ctime", booted);
	nxos_str(o, "rr_reason", "Reset Requested by CLI command reload");
	nxos_str(o, "rr_sys_ver", d->os_version);
	nxos_str(o, "rr_service", "");
	nxos_str(o, "plugins", "Core Plugin, Ethernet Plugin");
	nxos_str(o, "manufacturer", "Cisco Systems, Inc.");
	nxos_str(package, "package_id", "");
	(void)json_array_append_new(packages, package);
	nxos_table(q, o, "package_list", packages);
	return o;
}

void nxos_version_text(const struct nxos_query *q, struct buf *out)
{
	const struct sim_device *d = q->m->d;
	struct span up = uptime_of(q->m);

	(void)buf_addf(out,
		"Cisco Nexus Operating System (NX-OS) Software\n"
		"TAC support: http://www.cisco.com/tac\n\n"
		"Software\n  BIOS: version 01.12\n NXOS: version %s\n"
		"  NXOS image file is: bootflash:///nxos64-cs.10.4.3.F.bin\n\n"
		"Hardware\n  cisco Nexus9000 %s Chassis\n"
		"  Intel(R) Xeon(R) CPU D-1633N @ 2.50GHz with 32827288 kB of memory.\n"
		"  Processor Board ID %s\n  Device name: %s\n  bootflash:  115343360 kB\n\n"
		"Kernel uptime is %llu day(s), %llu hour(s), %llu minute(s), %llu second(s)\n\n"
		"Last reset\n  Reason: Reset Requested by CLI command reload\n"
		"  System version: %s\n\nplugin\n  Core Plugin, Ethernet Plugin\n",
		d->os_version, d->model + (str_starts(d->model, "N9K-") ? 4 : 0), d->serial,
		d->name, (unsigned long long)up.days, (unsigned long long)up.hours,
		(unsigned long long)up.minutes, (unsigned long long)up.seconds, d->os_version);
}

json_t *nxos_hostname(const struct nxos_query *q)
{
	json_t *o = json_object();

	nxos_str(o, "hostname", q->m->d->name);
	return o;
}

void nxos_hostname_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_addf(out, "%s \n", q->m->d->name);
}

static void clock_of(const struct machine *m, char dst[64])
{
	int64_t now = personality_clock(m->ctx, m->d);
	char time[16], date[32];

	nxos_when(now, "%H:%M:%S", time, sizeof(time));
	nxos_when(now, "%a %b %d %Y", date, sizeof(date));
	(void)str_printf(
		dst, 64, "%s.%03d UTC %s", time, (int)(now % CLOCK_SEC / CLOCK_MSEC), date);
}

json_t *nxos_clock(const struct nxos_query *q)
{
	json_t *o = json_object();
	char now[64];

	clock_of(q->m, now);
	nxos_str(o, "simple_time", now);
	nxos_str(o, "time_source", "NTP");
	return o;
}

void nxos_clock_text(const struct nxos_query *q, struct buf *out)
{
	char now[64];

	clock_of(q->m, now);
	(void)buf_addf(out, "%s\nTime source is NTP\n", now);
}

json_t *nxos_uptime(const struct nxos_query *q)
{
	struct span up = uptime_of(q->m);
	json_t *o = json_object();
	char booted[40];

	nxos_when(on_its_clock(q->m, q->m->d->boot_us), "%a %b %e %H:%M:%S %Y", booted,
		sizeof(booted));
	nxos_str(o, "sys_st_time", booted);
	nxos_num(q, o, "sys_up_days", up.days);
	nxos_num(q, o, "sys_up_hrs", up.hours);
	nxos_num(q, o, "sys_up_mins", up.minutes);
	nxos_num(q, o, "sys_up_secs", up.seconds);
	nxos_num(q, o, "kn_up_days", up.days);
	nxos_num(q, o, "kn_up_hrs", up.hours);
	nxos_num(q, o, "kn_up_mins", up.minutes);
	nxos_num(q, o, "kn_up_secs", up.seconds);
	return o;
}

void nxos_uptime_text(const struct nxos_query *q, struct buf *out)
{
	struct span up = uptime_of(q->m);
	char booted[40];

	nxos_when(on_its_clock(q->m, q->m->d->boot_us), "%a %b %e %H:%M:%S %Y", booted,
		sizeof(booted));
	(void)buf_addf(out, "System start time:          %s\n", booted);
	for (int i = 0; i < 2; i++)
		(void)buf_addf(out,
			"%s uptime:              %llu days, %llu hours, %llu minutes, "
			"%llu seconds\n",
			i ? "Kernel" : "System", (unsigned long long)up.days,
			(unsigned long long)up.hours, (unsigned long long)up.minutes,
			(unsigned long long)up.seconds);
}

json_t *nxos_inventory(const struct nxos_query *q)
{
	static const char *const name[] = {"Chassis", "Slot 1"};
	json_t *rows = json_array(), *body = json_object(), *row;

	for (size_t i = 0; i < 2; i++) {
		row = json_object();
		nxos_strf(row, "name", "\"%s\"", name[i]);
		nxos_strf(row, "desc", "\"Nexus9000 %s %s\"", q->m->d->model,
			i ? "64x400G QSFP-DD Ethernet Module" : "Chassis");
		nxos_str(row, "productid", q->m->d->model);
		nxos_str(row, "vendorid", "V01");
		nxos_str(row, "serialnum", q->m->d->serial);
		(void)json_array_append_new(rows, row);
	}
	nxos_table(q, body, "inv", rows);
	return body;
}

void nxos_inventory_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_addf(out,
		"NAME: \"Chassis\",  DESCR: \"Nexus9000 %s Chassis\"\n"
		"PID: %-19s,  VID: V01 ,  SN: %s\n\n"
		"NAME: \"Slot 1\",  DESCR: \"64x400G QSFP-DD Ethernet Module\"\n"
		"PID: %-19s,  VID: V01 ,  SN: %s\n",
		q->m->d->model, q->m->d->model, q->m->d->serial, q->m->d->model, q->m->d->serial);
}

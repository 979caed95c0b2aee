/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/* `config`, `counterpoll` and `ecnconfig`. They change the device through sim_configure*(). */

static const char *word_at(const struct shell_call *c, int at)
{
	return at < c->argc ? c->argv[at] : NULL;
}

/* ---- interfaces ---- */

/* The next port of "Ethernet0,Ethernet4"; advances *list. NULL: no such port. */
static struct sim_port *next_port(const struct machine *m, const char **list)
{
	size_t n = strcspn(*list, ",");
	char name[24];
	bool fits = str_copyn(name, sizeof(name), *list, n);

	*list += n + ((*list)[n] == ',');
	return fits ? sonic_port(m, name) : NULL;
}

static int config_admin(struct machine *m, const struct shell_call *c, bool up)
{
	const char *list;
	char usage[80];

	(void)str_printf(usage, sizeof(usage), "config interface %s [OPTIONS] <interface_name>",
		up ? "startup" : "shutdown");
	if (c->argc < 4)
		return sonic_usage(c, usage, "Missing argument '<interface_name>'.");
	for (list = c->argv[3]; list == c->argv[3] || *list;)
		if (!next_port(m, &list))
			return sonic_usage(c, usage,
				"Interface name is invalid. Please enter a valid interface name!!");
	for (list = c->argv[3]; *list;) {
		struct sim_port *p = next_port(m, &list);
		struct sim_port_config config = p->config;

		config.admin_up = up;
		sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	}
	return 0;
}

/* config interface pfc priority <port> <0-7> on|off */
static int pfc_priority(struct machine *m, const struct shell_call *c)
{
	static const char usage[] =
		"config interface pfc priority [OPTIONS] <interface_name> PRIORITY STATUS";
	struct sim_port *p = c->argc > 4 ? sonic_port(m, c->argv[4]) : NULL;
	const char *prio = word_at(c, 5), *state = word_at(c, 6);
	struct sim_port_config config;
	uint8_t bit;

	if (c->argc < 7)
		return sonic_usage(c, usage, "Missing argument '%s'.",
			c->argc < 5   ? "<interface_name>"
			: c->argc < 6 ? "PRIORITY"
				      : "STATUS");
	if (prio[0] < '0' || prio[0] > '7' || prio[1])
		return sonic_usage(c, usage,
			"Invalid value for 'PRIORITY': '%s' is not one of '0', '1', '2', '3', '4', "
			"'5', '6', '7'.",
			prio);
	if (!str_eq(state, "on") && !str_eq(state, "off"))
		return sonic_usage(c, usage,
			"Invalid value for 'STATUS': '%s' is not one of 'on', 'off'.", state);
	if (!p)
		return sonic_usage(c, usage, "'interface_name' is None!");
	config = p->config;
	bit = (uint8_t)(1u << (prio[0] - '0'));
	config.pfc_mask = (uint8_t)(state[1] == 'n' ? config.pfc_mask | bit
						    : config.pfc_mask & ~(unsigned)bit);
	sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	return 0;
}

static int config_interface(struct machine *m, const struct shell_call *c)
{
	const char *verb = word_at(c, 2);

	if (str_eq(verb, "startup") || str_eq(verb, "shutdown"))
		return config_admin(m, c, verb[1] == 't');
	if (str_eq(verb, "pfc") && str_eq(word_at(c, 3), "priority"))
		return pfc_priority(m, c);
	if (str_eq(verb, "pfc"))
		return sonic_no_command(c, "config interface pfc", word_at(c, 3));
	return sonic_no_command(c, "config interface", verb);
}

/* ---- BGP ---- */

static int bgp_one(struct machine *m, const struct shell_call *c, bool shut)
{
	const char *who = word_at(c, 4);
	unsigned found = 0;
	char address[16], usage[96];

	(void)str_printf(usage, sizeof(usage),
		"config bgp %s neighbor [OPTIONS] <ipaddr_or_hostname>",
		shut ? "shutdown" : "startup");
	if (!who)
		return sonic_usage(c, usage, "Missing argument '<ipaddr_or_hostname>'.");
	for (unsigned i = 0; i < m->d->nports; i++) {
		struct sim_port *p = &m->d->ports[i];
		const struct sim_port *far = p->plan_peer ? p->plan_peer : p->peer;

		if (!p->bgp.configured || !far)
			continue;
		personality_link_address(far, address);
		if (!str_eq(address, who) && !str_eq(sim_device_of(m->ctx->sim, far)->name, who))
			continue;
		found++;
		(void)buf_addf(c->out, "%s BGP session with neighbor %s...\n",
			shut ? "Shutting down" : "Starting up", address);
		sim_configure_bgp(m->ctx->sim, p, shut, SONIC_USER);
	}
	if (!found)
		return sonic_usage(c, usage, "Could not locate neighbor '%s'", who);
	return 0;
}

static int config_bgp(struct machine *m, const struct shell_call *c)
{
	const char *verb = word_at(c, 2), *what = word_at(c, 3);
	bool shut = str_eq(verb, "shutdown");

	if (!shut && !str_eq(verb, "startup"))
		return sonic_no_command(c, "config bgp", verb);
	if (str_eq(what, "neighbor"))
		return bgp_one(m, c, shut);
	if (!str_eq(what, "all"))
		return sonic_no_command(
			c, shut ? "config bgp shutdown" : "config bgp startup", what);
	(void)buf_addf(c->out, "%s all BGP sessions...\n", shut ? "Shutting down" : "Starting up");
	for (unsigned i = 0; i < m->d->nports; i++)
		if (m->d->ports[i].bgp.configured)
			sim_configure_bgp(m->ctx->sim, &m->d->ports[i], shut, SONIC_USER);
	return 0;
}

/* ---- ECN ---- */

static bool read_thresholds(const struct shell_call *c, struct sim_port_config *change, bool *some)
{
	uint64_t n;

	for (int i = 1; i + 1 < c->argc; i++) {
		const char *a = c->argv[i] + strspn(c->argv[i], "-");

		if (c->argv[i][0] != '-')
			continue;
		/* RoCE packets are green. */
		if (str_eq(a, "gmin") || str_eq(a, "gmax") || str_eq(a, "gdrop")) {
			if (!str_to_u64(c->argv[i + 1], &n) || n > UINT32_MAX ||
				(a[1] == 'd' && n > 100))
				return false;
			*(str_eq(a, "gmin")         ? &change->ecn_min_bytes
				: str_eq(a, "gmax") ? &change->ecn_max_bytes
						    : &change->ecn_max_percent) = (unsigned)n;
			*some = true;
		}
	}
	return true;
}

static const char *option_value(const struct shell_call *c, const char *shorter, const char *longer)
{
	for (int i = 1; i + 1 < c->argc; i++)
		if (str_eq(c->argv[i], shorter) || str_eq(c->argv[i], longer))
			return c->argv[i + 1];
	return NULL;
}

static int ecn_profile(struct machine *m, const struct shell_call *c, const char *profile)
{
	if (!str_eq(profile, "AZURE_LOSSLESS")) {
		(void)buf_addf(c->out, "Profile %s does not exist\n", profile);
		return 1;
	}
	for (unsigned i = 0; i < m->d->nports; i++) {
		struct sim_port *p = &m->d->ports[i];
		struct sim_port_config config = p->config;
		bool some = false;

		if (!read_thresholds(c, &config, &some) ||
			config.ecn_min_bytes > config.ecn_max_bytes) {
			(void)buf_adds(c->err, "Invalid threshold value\n");
			return 1;
		}
		if (some)
			sim_configure(m->ctx->sim, p, &config, SONIC_USER);
	}
	return 0;
}

/* config ecn -profile P -gmin N -gmax N -gdrop N */
static int config_ecn(struct machine *m, const struct shell_call *c)
{
	const char *profile = option_value(c, "-profile", "--profile");

	if (!profile)
		return sonic_usage(c, "config ecn [OPTIONS]", "Missing option '-profile'.");
	return ecn_profile(m, c, profile);
}

/* ecnconfig -l | -p PROFILE -gmin N ... | -q 3 [on|off] */
int sonic_ecnconfig(struct machine *m, const struct shell_call *c)
{
	const char *queue = option_value(c, "-q", "--queue"),
		   *profile = option_value(c, "-p", "--profile");
	const char *state = c->argc > 3 ? c->argv[3] : NULL;

	if (c->argc > 1 && (str_eq(c->argv[1], "-l") || str_eq(c->argv[1], "--list")))
		return sonic_show_ecn(m, c);
	if (profile)
		return c->root ? ecn_profile(m, c, profile) : sonic_root_needed(c);
	if (!queue) {
		(void)buf_adds(c->err, "usage: ecnconfig [-h] [-v] [-l] [-p PROFILE] ...\n");
		return 2;
	}
	if (!state) {
		(void)buf_addf(c->out, "ECN status:\nqueue %s: %s\n", queue,
			m->d->nports && m->d->ports[0].config.ecn ? "on" : "off");
		return 0;
	}
	if (!c->root)
		return sonic_root_needed(c);
	for (unsigned i = 0; i < m->d->nports; i++) {
		struct sim_port_config config = m->d->ports[i].config;

		config.ecn = str_eq(state, "on");
		if (str_eq(queue, "3") && config.ecn != m->d->ports[i].config.ecn)
			sim_configure(m->ctx->sim, &m->d->ports[i], &config, SONIC_USER);
	}
	return 0;
}

/* ---- other commands ---- */

static int config_save(struct machine *m, const struct shell_call *c)
{
	(void)m;
	if (!str_eq(word_at(c, 2), "-y") && !str_eq(word_at(c, 2), "--yes")) {
		(void)buf_adds(
			c->out, "Existing files will be overwritten, continue? [y/N]: Aborted!\n");
		return 1;
	}
	(void)buf_adds(c->out, "Running command: /usr/local/bin/sonic-cfggen -d --print-data > "
			       "/etc/sonic/config_db.json\n");
	return 0;
}

static int config_pfcwd(struct machine *m, const struct shell_call *c)
{
	return sonic_pfcwd(m, c, 2, "config pfcwd");
}

int sonic_config(struct machine *m, const struct shell_call *c)
{
	static const struct {
		const char *word;
		int (*run)(struct machine *m, const struct shell_call *c);
	} all[] = {
		{"interface", config_interface},
		{"bgp", config_bgp},
		{"ecn", config_ecn},
		{"save", config_save},
		{"pfcwd", config_pfcwd},
	};
	const char *first = word_at(c, 1);

	if (first && first[0] != '-' && !c->root)
		return sonic_root_needed(c);
	for (size_t i = 0; first && i < sizeof(all) / sizeof(all[0]); i++)
		if (str_eq(all[i].word, first))
			return all[i].run(m, c);
	return sonic_no_command(c, "config", first);
}

/* ---- counterpoll ---- */

static int counterpoll_show(struct machine *m, const struct shell_call *c)
{
	static const char *const titles[] = {"Type", "Interval (in ms)", "Status", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "l");
	for (int g = 0; g < SONIC_GROUPS; g++) {
		bool set;
		unsigned ms;

		if (!sonic_groups[g].title)
			continue;
		ms = sonic_group_interval(m->ctx, m->d, (enum sonic_group)g, &set);
		sonic_cell(&t, "%s", sonic_groups[g].title);
		sonic_cell(&t, set ? "%u" : "default (%u)", ms);
		sonic_cell(&t, "%s",
			sonic_group_on(m->ctx, m->d, (enum sonic_group)g) ? "enable" : "disable");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

/* One word may stand for several groups: watermark for three. */
static int counterpoll_set(struct machine *m, const struct shell_call *c, const char *group,
	const struct sonic_group_info *info)
{
	const char *verb = word_at(c, 2);
	bool on = str_eq(verb, "enable"), timed = str_eq(verb, "interval");
	char usage[96];
	uint64_t ms = 0;

	(void)str_printf(usage, sizeof(usage), "counterpoll %s", group);
	if (!on && !timed && !str_eq(verb, "disable"))
		return sonic_no_command(c, usage, verb);
	(void)str_printf(
		usage, sizeof(usage), "counterpoll %s interval [OPTIONS] POLL_INTERVAL", group);
	if (timed && c->argc < 4)
		return sonic_usage(c, usage, "Missing argument 'POLL_INTERVAL'.");
	if (timed && (!str_to_u64(c->argv[3], &ms) || ms < info->low_ms || ms > info->high_ms))
		return sonic_usage(c, usage,
			"Invalid value for 'POLL_INTERVAL': %s is not in the range %u<=x<=%u.",
			c->argv[3], info->low_ms, info->high_ms);
	if (!c->root)
		return sonic_root_needed(c);
	for (int g = 0; g < SONIC_GROUPS; g++) {
		if (!str_eq(sonic_groups[g].cli, group))
			continue;
		if (timed)
			sonic_group_set_interval(m->ctx, m->d, (enum sonic_group)g, (unsigned)ms);
		else
			sonic_group_enable(m->ctx, m->d, (enum sonic_group)g, on);
	}
	return 0;
}

int sonic_counterpoll(struct machine *m, const struct shell_call *c)
{
	const char *group = word_at(c, 1);

	if (str_eq(group, "show"))
		return counterpoll_show(m, c);
	for (int g = 0; group && g < SONIC_GROUPS; g++)
		if (str_eq(sonic_groups[g].cli, group))
			return counterpoll_set(m, c, group, &sonic_groups[g]);
	return sonic_no_command(c, "counterpoll", group);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/linux/linux.h"
#include "base/str.h"

/*
 * An InfiniBand port asks its subnet: which node and port is at its other end, by two packets along
 * a path of one hop, and which subnet manager is the master. InfiniBand has no LLDP; this is what
 * it has in its place. The fabric is not swept: hundreds of hosts would.
 */

#define SM_CURE                                                                                    \
	"no subnet manager answers: start opensm on one node, or see UFM; without it no port "     \
	"becomes "                                                                                 \
	"active"
#define RIGHT_CURE                                                                                 \
	"let the user send MADs: USER ALL=(root) NOPASSWD: /usr/sbin/smpquery, /usr/sbin/sminfo"

struct peer {
	char description[80], guid[24], port[8];
	bool is_switch;
};

/* "NodeType:........................Switch": NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (!str_starts(line, key) || line[n] != ':')
		return NULL;
	return line + n + 1 + strspn(line + n + 1, ".");
}

static void peer_line(struct peer *p, const char *line)
{
	const char *v;

	if ((v = value_of(line, "Node Description")))
		(void)str_copy(p->description, sizeof(p->description), v);
	else if ((v = value_of(line, "NodeType")))
		p->is_switch = str_eq(v, "Switch");
	else if ((v = value_of(line, "Guid")))
		(void)str_copy(p->guid, sizeof(p->guid), v);
	else if ((v = value_of(line, "LocalPort")))
		(void)str_copy(p->port, sizeof(p->port), v);
}

/* Names that a chip has from the factory: many switches of a fabric share them. */
static bool is_of_factory(const char *description)
{
	static const char *const heads[] = {
		"Quantum", "SwitchIB", "SwitchX", "Infiniscale", "MT54", "Mellanox Technologies"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (str_starts(description, heads[i]))
			return true;
	return !*description;
}

/*
 * "MF0;ib-leaf01:MQM9700/U1" of a managed switch is ib-leaf01; "node002 mlx5_0" of an adapter is
 * that port of node002; an unnamed chip is its GUID.
 */
static void name_peer(struct peer *p, char device[NAME_MAX_LEN], char port[NAME_MAX_LEN])
{
	const char *from = p->description, *semicolon = strchr(from, ';');
	size_t n;

	(void)str_copy(port, NAME_MAX_LEN, p->port);
	if (semicolon && str_starts(from, "MF"))
		from = semicolon + 1;
	n = semicolon ? strcspn(from, ":") : strlen(from);
	if (!p->is_switch && strchr(from, ' ')) {
		n = strcspn(from, " ");
		(void)str_copy(port, NAME_MAX_LEN, from + n + 1);
	}
	if (is_of_factory(from) || !str_copyn(device, NAME_MAX_LEN, from, n))
		(void)str_copy(device, NAME_MAX_LEN, p->guid);
}

/* "mlx5_0/1" */
static uint32_t port_of(struct host *h, const char *arg)
{
	const char *slash = strrchr(arg, '/');
	char name[NAME_MAX_LEN], key[NAME_MAX_LEN + 4];
	struct host_port *p;
	uint64_t number;

	if (!slash || !str_copyn(name, sizeof(name), arg, (size_t)(slash - arg)) ||
		!str_to_u64(slash + 1, &number) || number > 255)
		return OBS_NO_PORT;
	p = host_port(h, name, (unsigned)number);
	if (!p)
		return OBS_NO_PORT;
	/* lldpd knows nothing of this port, and must not say that its neighbour is gone. */
	if (str_printf(key, sizeof(key), "ib.%s", name))
		obs_fact(h->o, key, "1");
	return p->port;
}

static void peer_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], device[NAME_MAX_LEN] = "", port[NAME_MAX_LEN] = "";
	uint32_t at_port = port_of(h, s->arg);
	struct peer p = {.is_switch = false};
	size_t at = 0;

	while (line_next(s, &at, line))
		peer_line(&p, line);
	if (at_port == OBS_NO_PORT || !*p.guid)
		return;
	name_peer(&p, device, port);
	obs_lldp(h->o, at_port, device, port);
	obs_word(h->o, at_port, ATTR_LLDP_DESCR, 0, p.description);
}

/* "sminfo: sm lid 4 sm guid 0x100004, activity count 88 priority 0 state 3 SMINFO_MASTER" */
static bool manager_line(struct host *h, uint32_t port, const char *line)
{
	const char *lid = strstr(line, "sm lid "), *guid = strstr(line, "sm guid ");
	const char *state = strstr(line, " SMINFO_");
	char text[80];

	if (!lid || !guid || !state)
		return false;
	(void)snprintf(text, sizeof(text), "subnet manager %s: lid %.*s, guid %.*s",
		str_eq(state, " SMINFO_MASTER")    ? "master"
		: str_eq(state, " SMINFO_STANDBY") ? "standby"
						   : state + strlen(" SMINFO_"),
		(int)strcspn(lid + 7, " "), lid + 7, (int)strcspn(guid + 8, ", "), guid + 8);
	obs_word(h->o, port, ATTR_DESCRIPTION, 0, text);
	return true;
}

static void manager_section(struct host *h, const struct section *s)
{
	uint32_t port = port_of(h, s->arg);
	bool found = false, refused = false;
	char line[LINE_TEXT];
	size_t at = 0;

	while (port != OBS_NO_PORT && line_next(s, &at, line)) {
		found |= manager_line(h, port, line);
		refused |= strstr(line, "ermission denied") || strstr(line, "can't open UMAD") ||
			   strstr(line, "password is required");
	}
	if (found)
		need_say(h->o, NEED_SUBNET, VALID_OK, "");
	else if (port != OBS_NO_PORT)
		need_say(h->o, NEED_SUBNET, VALID_DISABLED, refused ? RIGHT_CURE : SM_CURE);
	if (port != OBS_NO_PORT && !found && !refused)
		obs_word(h->o, port, ATTR_DESCRIPTION, 0, "no subnet manager answers");
}

bool linux_parse_subnet(struct host *h, const char *bytes, size_t len)
{
	struct section s;
	size_t at = 0;

	while (section_next(bytes, len, &at, &s)) {
		if (host_common_section(h, &s))
			continue;
		if (str_eq(s.name, "peer"))
			peer_section(h, &s);
		else if (str_eq(s.name, "sm"))
			manager_section(h, &s);
	}
	return h->begun;
}

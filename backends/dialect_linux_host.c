/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialect_linux.h"
#include "backends/parse_number.h"
#include "base/mem.h"
#include "base/str.h"

static size_t line_length(const char *s, size_t n)
{
	const char *end = memchr(s, '\n', n);

	return end ? (size_t)(end - s) : n;
}

static void section_title(struct section *s, const char *line, size_t n)
{
	const char *blank = memchr(line, ' ', n);
	size_t name = blank ? (size_t)(blank - line) : n;

	str_copyn(s->name, sizeof(s->name), line, name);
	if (blank)
		str_copyn(s->arg, sizeof(s->arg), blank + 1, n - name - 1);
	else
		s->arg[0] = '\0';
}

bool section_next(const char *bytes, size_t len, size_t *at, struct section *s)
{
	bool found = false;

	while (*at < len) {
		const char *line = bytes + *at;
		size_t n = line_length(line, len - *at);
		bool is_title = n >= 2 && line[0] == '@' && line[1] == '@';

		if (is_title && found)
			break;
		*at += n < len - *at ? n + 1 : n;
		if (is_title) {
			section_title(s, line + 2, n - 2);
			s->body = bytes + *at;
			found = true;
		}
	}
	if (found)
		s->len = (size_t)(bytes + *at - s->body);
	return found;
}

bool line_next(const struct section *s, size_t *at, char line[LINE_TEXT])
{
	size_t n;

	if (*at >= s->len)
		return false;
	n = line_length(s->body + *at, s->len - *at);
	str_copyn(line, LINE_TEXT, s->body + *at, n < LINE_TEXT ? n : LINE_TEXT - 1);
	*at += n + 1;
	line[strcspn(line, "\r")] = '\0';
	return true;
}

void host_free(struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++)
		free(h->ports.at[i]);
	vec_free(&h->ports);
	vec_free(&h->netdevs);
}

/* The one netdev of the function; with several only the port's own GID table can tell. */
static const char *only_netdev(const struct host *h, const char *rdma)
{
	const char *found = "";

	for (size_t i = 0; i < h->netdevs.n; i++) {
		if (!str_eq(h->netdevs.at[i].rdma, rdma))
			continue;
		if (*found)
			return "";
		found = h->netdevs.at[i].netdev;
	}
	return found;
}

/* A soft device hangs on a netdev, not on a bus. */
static bool is_nic(const struct host *h, const char *rdma)
{
	for (size_t i = 0; i < h->netdevs.n; i++)
		if (h->netdevs.at[i].is_nic && str_eq(h->netdevs.at[i].rdma, rdma))
			return true;
	return false;
}

struct host_port *host_port(struct host *h, const char *rdma, unsigned number)
{
	char name[NAME_MAX_LEN + 16];
	struct host_port *p;

	for (size_t i = h->ports.n; i-- > 0;)
		if (h->ports.at[i]->number == number && str_eq(h->ports.at[i]->rdma, rdma))
			return h->ports.at[i];
	if (h->ports.n >= HOST_PORTS_MAX)
		return NULL;
	p = mem_calloc(1, sizeof(*p));
	str_copy(p->rdma, sizeof(p->rdma), rdma);
	str_copy(p->netdev, sizeof(p->netdev), only_netdev(h, rdma));
	p->number = number;
	p->is_nic = is_nic(h, rdma);
	str_printf(name, sizeof(name), number == 1 ? "%s" : "%s/%u", rdma, number);
	p->port = obs_port(h->o, name);
	if (p->port == OBS_NO_PORT) {
		free(p);
		return NULL;
	}
	vec_push(&h->ports, p);
	return p;
}

struct host_port *host_by_netdev(struct host *h, const char *netdev)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (str_eq(h->ports.at[i]->netdev, netdev))
			return h->ports.at[i];
	return NULL;
}

struct host_port *host_ib_line(struct host *h, char *line, char **rest, char **value)
{
	char *slash = strstr(line, "/ports/"), *end;
	uint64_t number;

	if (!slash || slash == line || (size_t)(slash - line) >= NAME_MAX_LEN)
		return NULL;
	*slash = '\0';
	end = slash + strlen("/ports/");
	if (!parse_leading_u64(end, strlen(end), &number) || number > 255)
		return NULL;
	end += strspn(end, "0123456789");
	*value = strchr(end, ':');
	if (*end != '/' || !*value)
		return NULL;
	*(*value)++ = '\0';
	*rest = end + 1;
	return host_port(h, line, (unsigned)number);
}

struct host_port *host_net_line(struct host *h, char *line, char **rest, char **value)
{
	char *slash = strchr(line, '/');

	*value = slash ? strchr(slash, ':') : NULL;
	if (!*value)
		return NULL;
	*slash = '\0';
	*(*value)++ = '\0';
	*rest = slash + 1;
	return host_by_netdev(h, line);
}

/* "mlx5_3/device/net/eth3", or of a soft RDMA device, which lies on one: "rxe0/parent:eth3". */
void host_map_line(struct host *h, const char *line)
{
	const char *mark = strstr(line, "/device/net/"), *name;
	struct host_netdev *n;

	name = mark ? mark + strlen("/device/net/") : NULL;
	if (!mark && (mark = strstr(line, "/parent:")))
		name = mark + strlen("/parent:");
	if (!mark || strchr(line, '*') || h->netdevs.n >= (size_t)HOST_PORTS_MAX * 4)
		return;
	n = vec_add(&h->netdevs);
	n->is_nic = strstr(line, "/device/net/") != NULL;
	if (!str_copyn(n->rdma, sizeof(n->rdma), line, (size_t)(mark - line)) ||
		!str_copy(n->netdev, sizeof(n->netdev), name))
		h->netdevs.n--;
}

/* Nanoseconds since 1970; a date without %N (old busybox) prints seconds and perhaps a letter. */
static int64_t clock_us(const struct section *s)
{
	uint64_t v;

	if (!parse_leading_u64(s->body, s->len, &v))
		return 0;
	if (v > 1000000000000000ull)
		return (int64_t)(v / 1000);
	return v < 100000000000ull ? (int64_t)(v * 1000000) : 0;
}

static void first_word(const struct section *s, char *dst, size_t size)
{
	char line[LINE_TEXT];
	size_t at = 0;

	dst[0] = '\0';
	if (line_next(s, &at, line))
		str_copyn(dst, size, line, strcspn(line, " \t"));
}

static void map_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line))
		host_map_line(h, line);
}

/* "4: ACTIVE" */
static const char *state_word(const char *value)
{
	const char *colon = strstr(value, ": ");

	return colon ? colon + 2 : value;
}

static void ports_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT], *rest, *value;
	size_t at = 0;
	double gbps;

	while (line_next(s, &at, line)) {
		struct host_port *p = host_ib_line(h, line, &rest, &value);

		if (!p)
			continue;
		if (str_eq(rest, "state"))
			p->is_active = str_eq(state_word(value), "ACTIVE");
		else if (str_eq(rest, "phys_state"))
			str_copy(p->phys, sizeof(p->phys), state_word(value));
		else if (str_eq(rest, "link_layer"))
			p->is_ib = str_eq(value, "InfiniBand");
		else if (str_eq(rest, "rate") && p->is_nic) /* "400 Gb/sec (4X NDR)" */
			p->rate_mbps = parse_real(value, strlen(value), &gbps) == NUMBER_OK
					       ? gbps * 1000
					       : 0;
		else if (str_eq(rest, "gid_attrs/ndevs/0"))
			str_copy(p->netdev, sizeof(p->netdev), value);
	}
}

static void identity_section(struct host *h, const struct section *s)
{
	char word[128];
	double uptime;

	first_word(s, word, sizeof(word));
	if (str_eq(s->name, "uptime")) {
		if (parse_real(word, strlen(word), &uptime) == NUMBER_OK)
			obs_number(h->o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
	} else if (*word) {
		obs_word(h->o, OBS_NO_PORT, s->name[0] == 'n' ? ATTR_HOSTNAME : ATTR_BOOT_ID, 0,
			word);
	}
}

/* ---- what sleeps ---- */

static bool is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.-") == strlen(name);
}

/* It goes into a script: only what a shell has no other use for. */
static void stuck_add(struct host *h, const char *name)
{
	size_t n = strlen(h->stuck);

	if (is_plain(name) && n + strlen(name) + 2 < sizeof(h->stuck))
		(void)str_printf(h->stuck + n, sizeof(h->stuck) - n, "%s%s", n ? " " : "", name);
}

static void say_stuck(struct host *h, const char *name)
{
	stuck_add(h, name);
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		p->is_hung |= str_eq(p->netdev, name) || str_eq(p->rdma, name);
	}
}

static void tried(struct host *h)
{
	struct host_port *p = *h->trying ? host_by_netdev(h, h->trying) : NULL;

	if (p)
		p->is_read = true;
	h->trying[0] = '\0';
}

void host_settle(struct host *h)
{
	char key[32];

	if (h->ended)
		tried(h);
	else if (*h->trying)
		say_stuck(h, h->trying);
	(void)str_printf(key, sizeof(key), "stuck.%s", h->o->request);
	if (!str_eq(facts_get(h->target->facts, key), h->stuck))
		obs_fact(h->o, key, h->stuck);
}

bool host_common_section(struct host *h, const struct section *s)
{
	if (str_eq(s->name, "begin")) {
		h->begun = true;
		h->begin_us = clock_us(s);
	} else if (str_eq(s->name, "end")) {
		/* A clock that is far off ends the answer as well as any. */
		h->end_us = clock_us(s);
		h->ended = s->len && isdigit((unsigned char)s->body[0]);
	} else if (str_eq(s->name, "map")) {
		map_section(h, s);
	} else if (str_eq(s->name, "ports")) {
		ports_section(h, s);
	} else if (str_eq(s->name, "ib") || str_eq(s->name, "attr")) {
		ports_section(h, s);
		return false;
	} else if (str_eq(s->name, "rlink")) {
		host_rdma_link(h, s);
	} else if (str_eq(s->name, "try")) { /* the one before has answered */
		tried(h);
		str_copy(h->trying, sizeof(h->trying), s->arg);
	} else if (str_eq(s->name, "skip")) {
		tried(h);
		say_stuck(h, s->arg);
	} else if (str_eq(s->name, "hung")) {
		struct host_port *p = host_of_section(h, s);

		if (p)
			p->is_hung = true;
	} else if (str_eq(s->name, "name") || str_eq(s->name, "boot") ||
		   str_eq(s->name, "uptime")) {
		identity_section(h, s);
	} else {
		return false;
	}
	return true;
}

bool host_no_program(const char *bytes, size_t len)
{
	/* The shell's, coreutils' timeout's and busybox's words for it. */
	return memmem(bytes, len, "not found", 9) || memmem(bytes, len, "failed to run", 13) ||
	       memmem(bytes, len, "can't execute", 13);
}

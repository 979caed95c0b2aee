/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "backends/parse/number.h"
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

/* Returns the offset of the next title at the beginning of a line; len: there is none. */
static size_t next_title(const char *bytes, size_t len, size_t from)
{
	for (size_t at = from; at + 1 < len; at++) {
		const char *found = memchr(bytes + at, '@', len - at);

		if (!found)
			break;
		at = (size_t)(found - bytes);
		if ((at == from || bytes[at - 1] == '\n') && at + 1 < len && bytes[at + 1] == '@')
			return at;
	}
	return len;
}

bool section_next(const char *bytes, size_t len, size_t *at, struct section *s)
{
	size_t title = next_title(bytes, len, *at), n;

	*at = len;
	if (title >= len)
		return false;
	n = line_length(bytes + title, len - title);
	section_title(s, bytes + title + 2, n - 2);
	title += n < len - title ? n + 1 : n;
	*at = next_title(bytes, len, title);
	s->body = bytes + title;
	s->len = *at - title;
	s->is_plain = !memchr(s->body, '\0', s->len) && !memchr(s->body, '\r', s->len);
	return true;
}

bool line_span(const struct section *s, size_t *at, struct span *line)
{
	const char *end;
	size_t n;

	if (*at >= s->len)
		return false;
	line->at = s->body + *at;
	n = line_length(line->at, s->len - *at);
	*at += n + 1;
	line->n = n < LINE_TEXT ? n : LINE_TEXT - 1;
	if (s->is_plain)
		return true;
	line->n = strnlen(line->at, line->n);
	end = memchr(line->at, '\r', line->n);
	if (end)
		line->n = (size_t)(end - line->at);
	return true;
}

bool line_next(const struct section *s, size_t *at, char line[LINE_TEXT])
{
	struct span text;

	if (!line_span(s, at, &text))
		return false;
	str_copyn(line, LINE_TEXT, text.at, text.n);
	return true;
}

bool span_is(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.n == n && memcmp(s.at, word, n) == 0;
}

bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && memcmp(s.at, prefix, n) == 0;
}

struct span span_last_part(struct span path)
{
	const char *slash = memrchr(path.at, '/', path.n);
	size_t n = slash ? (size_t)(slash + 1 - path.at) : 0;

	return (struct span){path.at + n, path.n - n};
}

void host_free(struct host *h)
{
	for (size_t i = 0; i < h->ports.n; i++)
		free(h->ports.at[i]);
	vec_free(&h->ports);
	vec_free(&h->netdevs);
}

/*
 * Returns the only netdev of the function; with several only the port's own GID table can decide.
 */
const char *host_only_netdev(const struct host *h, const char *rdma)
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

/* A soft device is attached to a netdev, not to a bus. */
static bool is_nic(const struct host *h, const char *rdma)
{
	for (size_t i = 0; i < h->netdevs.n; i++)
		if (h->netdevs.at[i].is_nic && str_eq(h->netdevs.at[i].rdma, rdma))
			return true;
	return false;
}

/* Of its cells only the ranks are cleared: most answers have no counters. */
static struct host_port *new_port(void)
{
	struct host_port *p = mem_alloc(sizeof(*p));

	memset(p, 0, offsetof(struct host_port, cells));
	cells_reset(&p->cells);
	return p;
}

struct host_port *host_port(struct host *h, const char *rdma, unsigned number)
{
	char name[NAME_MAX_LEN + 16];
	struct host_port *p;

	/* Files of the same name come port by port, so the next port is tried first. */
	for (size_t k = 0, i = h->next_port; k < h->ports.n; k++, i++) {
		if (i >= h->ports.n)
			i = 0;
		p = h->ports.at[i];
		if (p->number != number || !str_eq(p->rdma, rdma))
			continue;
		h->next_port = i + 1;
		return p;
	}
	if (h->ports.n >= HOST_PORTS_MAX)
		return NULL;
	p = new_port();
	str_copy(p->rdma, sizeof(p->rdma), rdma);
	str_copy(p->netdev, sizeof(p->netdev), host_only_netdev(h, rdma));
	p->number = number;
	p->is_nic = is_nic(h, rdma);
	if (number == 1)
		str_copy(name, sizeof(name), rdma);
	else
		str_printf(name, sizeof(name), "%s/%u", rdma, number);
	p->port = obs_port(h->o, name);
	if (p->port == OBS_NO_PORT) {
		free(p);
		return NULL;
	}
	vec_push(&h->ports, p);
	return p;
}

static struct host_port *by_netdev(const struct host *h, struct span netdev)
{
	for (size_t i = 0; i < h->ports.n; i++)
		if (span_is(netdev, h->ports.at[i]->netdev))
			return h->ports.at[i];
	return NULL;
}

struct host_port *host_by_netdev(struct host *h, const char *netdev)
{
	return by_netdev(h, (struct span){netdev, strlen(netdev)});
}

static bool has_prefix(const struct host_way *way, struct span line)
{
	return way->n && line.n > way->n && memcmp(line.at, way->prefix, way->n) == 0;
}

static struct host_port *note_way(
	struct host_way *way, struct span line, size_t n, struct host_port *port)
{
	way->n = n <= sizeof(way->prefix) ? n : 0;
	memcpy(way->prefix, line.at, way->n);
	way->port = port;
	return port;
}

/* Splits "REST:VALUE" after the first n bytes of the line. */
static bool split_rest(struct span line, size_t n, struct span *rest, struct span *value)
{
	const char *colon = memchr(line.at + n, ':', line.n - n);

	if (!colon)
		return false;
	*rest = (struct span){line.at + n, (size_t)(colon - line.at) - n};
	*value = (struct span){colon + 1, line.n - n - rest->n - 1};
	return true;
}

struct host_port *host_ib_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value)
{
	static const char ports[] = "/ports/";
	const char *slash;
	char name[NAME_MAX_LEN];
	uint64_t number;
	size_t n;

	if (has_prefix(way, line))
		return split_rest(line, way->n, rest, value) ? way->port : NULL;
	slash = memchr(line.at, '/', line.n);
	if (slash && !span_starts((struct span){slash, line.n - (size_t)(slash - line.at)}, ports))
		slash = memmem(line.at, line.n, ports, sizeof(ports) - 1);
	n = slash ? (size_t)(slash - line.at) : 0;
	if (!n || !str_copyn(name, sizeof(name), line.at, n))
		return NULL;
	n += sizeof(ports) - 1;
	if (!parse_leading_u64(line.at + n, line.n - n, &number) || number > 255)
		return NULL;
	while (n < line.n && isdigit((unsigned char)line.at[n]))
		n++;
	if (n >= line.n || line.at[n++] != '/' || !split_rest(line, n, rest, value))
		return NULL;
	return note_way(way, line, n, host_port(h, name, (unsigned)number));
}

struct host_port *host_net_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value)
{
	const char *slash;
	size_t n;

	if (has_prefix(way, line))
		return split_rest(line, way->n, rest, value) ? way->port : NULL;
	slash = memchr(line.at, '/', line.n);
	if (!slash)
		return NULL;
	n = (size_t)(slash - line.at);
	if (!split_rest(line, n + 1, rest, value))
		return NULL;
	return note_way(way, line, n + 1, by_netdev(h, (struct span){line.at, n}));
}

/* Replaces the colon by a NUL. */
static void cut_line(
	char *line, struct span rest, struct span value, char **rest_at, char **value_at)
{
	*rest_at = line + (rest.at - line);
	*value_at = line + (value.at - line);
	(*value_at)[-1] = '\0';
}

struct host_port *host_ib_line(struct host *h, char *line, char **rest, char **value)
{
	struct host_way way = {.n = 0};
	struct span r, v;
	struct host_port *p = host_ib_span(h, &way, (struct span){line, strlen(line)}, &r, &v);

	if (p)
		cut_line(line, r, v, rest, value);
	return p;
}

struct host_port *host_net_line(struct host *h, char *line, char **rest, char **value)
{
	struct host_way way = {.n = 0};
	struct span r, v;
	struct host_port *p = host_net_span(h, &way, (struct span){line, strlen(line)}, &r, &v);

	if (p)
		cut_line(line, r, v, rest, value);
	return p;
}

/*
 * Reads "mlx5_3/device/net/eth3", or for a soft RDMA device, which is attached to one:
 * "rxe0/parent:eth3".
 */
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

/*
 * Reads nanoseconds since 1970; a date without %N (old busybox) prints seconds and perhaps a
 * letter.
 */
int64_t host_clock_us(const char *s, size_t n)
{
	uint64_t v;

	if (!parse_leading_u64(s, n, &v))
		return 0;
	if (v > 1000000000000000ull)
		return (int64_t)(v / 1000);
	return v < 100000000000ull ? (int64_t)(v * 1000000) : 0;
}

static int64_t clock_us(struct host *h, const struct section *s, enum host_word which)
{
	positions_word(h->target->slots, s->body,
		position_length(POSITION_WORD, s->body, s->body + s->len), which, false);
	return host_clock_us(s->body, s->len);
}

bool host_uptime(struct obs *o, const char *s, size_t n)
{
	double uptime;

	if (parse_real(s, n, &uptime) != NUMBER_OK)
		return false;
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
	return true;
}

/* "3977272.43 596590864.47": uptime and idle time. */
static void uptime_slots(struct host *h, const struct section *s)
{
	const char *end = s->body + s->len;
	size_t up = position_length(POSITION_WORD, s->body, end);
	const char *idle = s->body + up + (up < s->len);

	positions_word(h->target->slots, s->body, up, HOST_UPTIME, true);
	positions_word(h->target->slots, idle, position_length(POSITION_WORD, idle, end), HOST_IDLE,
		false);
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

/* Reads "4: ACTIVE". */
static struct span state_word(struct span value)
{
	const char *colon = memmem(value.at, value.n, ": ", 2);
	size_t n = colon ? (size_t)(colon + 2 - value.at) : 0;

	return (struct span){value.at + n, value.n - n};
}

/* Reads a line of a port's folder that is not a counter. */
static void port_word(struct host_port *p, struct span rest, struct span value)
{
	struct span word = state_word(value);
	double gbps;

	if (span_is(rest, "state"))
		p->is_active = span_is(word, "ACTIVE");
	else if (span_is(rest, "phys_state"))
		str_copyn(p->phys, sizeof(p->phys), word.at, word.n);
	else if (span_is(rest, "link_layer")) {
		p->is_ib = span_is(value, "InfiniBand");
		p->has_layer = p->is_ib || span_is(value, "Ethernet");
	} else if (span_is(rest, "rate")) /* "400 Gb/sec (4X NDR)" */
		p->rdma_mbps = parse_real(value.at, value.n, &gbps) == NUMBER_OK ? gbps * 1000 : 0;
	else if (span_is(rest, "gid_attrs/ndevs/0"))
		str_copyn(p->netdev, sizeof(p->netdev), value.at, value.n);
}

static bool is_counter(struct span rest)
{
	return span_starts(rest, "counters/") || span_starts(rest, "hw_counters/");
}

/*
 * Counters of the InfiniBand port agent (IBTA, PortCounters) do not wrap: they stay at their end.
 * A number that stands there is not "no news".
 */
static bool is_at_end(enum counter_id id, struct span value)
{
	switch (id) {
	case CTR_TX_WAIT:
		return span_is(value, "4294967295");
	case CTR_LINK_DOWN_EVENTS:
	case CTR_LINK_RECOVERIES:
		return span_is(value, "255");
	case CTR_RX_SYMBOL_ERRORS:
	case CTR_RX_ERRORS:
	case CTR_TX_DISCARDS:
		return span_is(value, "65535");
	default:
		return false;
	}
}

/* An Ethernet port has some of them too, without a meaning. */
static bool is_refused(
	struct host_port *p, const struct host_name *known, struct span rest, struct span value)
{
	enum counter_id id = (enum counter_id)known->id;

	if (!span_starts(rest, "counters/"))
		return false;
	if (!p->is_ib)
		return id == CTR_TX_WAIT || id == CTR_LINK_DOWN_EVENTS ||
		       id == CTR_LINK_RECOVERIES || id == CTR_RX_SYMBOL_ERRORS;
	if (!is_at_end(id, value))
		return false;
	_Static_assert(CTR_LINK_DOWN_EVENTS < 64, "a bit for each of these counters");
	p->full |= UINT64_C(1) << id;
	return true;
}

/* A number that is also used as a word is not a slot. */
static void offer_of_port(struct host *h, struct host_port *p, struct span rest, struct span value)
{
	struct span last = span_last_part(rest);
	const struct host_name *known = host_ib_name(&h->names, last.at, last.n);

	if (known && !is_refused(p, known, rest, value))
		host_offer_known(h, p, known, value);
	else if (known || is_counter(rest))
		host_unused(h, value);
}

/* with_counters: other files of the port may be counters. */
static void ports_section(struct host *h, const struct section *s, bool with_counters)
{
	struct host_way way = {.n = 0};
	struct span line, rest, value;
	size_t at = 0;

	while (line_span(s, &at, &line)) {
		struct host_port *p = host_ib_span(h, &way, line, &rest, &value);

		if (!p)
			continue;
		if (!is_counter(rest))
			port_word(p, rest, value);
		if (with_counters)
			offer_of_port(h, p, rest, value);
	}
}

static void identity_section(struct host *h, const struct section *s)
{
	char word[128];

	first_word(s, word, sizeof(word));
	if (str_eq(s->name, "uptime")) {
		(void)host_uptime(h->o, word, strlen(word));
		uptime_slots(h, s);
	} else if (*word) {
		obs_word(h->o, OBS_NO_PORT, s->name[0] == 'n' ? ATTR_HOSTNAME : ATTR_BOOT_ID, 0,
			word);
	}
}

/* Reads "mlx5_0/device/driver:../../../bus/pci/drivers/mlx5_core". */
static void drivers_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		const char *mark = strstr(line, "/device/driver:"), *slash = strrchr(line, '/');

		for (size_t i = 0; mark && slash > mark && i < h->ports.n; i++) {
			struct host_port *p = h->ports.at[i];
			size_t n = (size_t)(mark - line);

			if (strlen(p->rdma) == n && memcmp(p->rdma, line, n) == 0)
				(void)str_copy(p->driver, sizeof(p->driver), slash + 1);
		}
	}
}

/* ---- hung tools ---- */

static bool is_plain(const char *name)
{
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.-") == strlen(name);
}

/* The name goes into a script, so it may contain only characters without a meaning to a shell. */
static void stuck_add(struct host *h, const char *name)
{
	size_t n = strlen(h->stuck);

	if (is_plain(name) && n + strlen(name) + 2 < sizeof(h->stuck))
		(void)str_printf(h->stuck + n, sizeof(h->stuck) - n, "%s%s", n ? " " : "", name);
}

static void mark_stuck(struct host *h, const char *name)
{
	stuck_add(h, name);
	for (size_t i = 0; i < h->ports.n; i++) {
		struct host_port *p = h->ports.at[i];

		p->is_hung |= str_eq(p->netdev, name) || str_eq(p->rdma, name);
	}
}

static void mark_read(struct host *h)
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
		mark_read(h);
	else if (*h->trying)
		mark_stuck(h, h->trying);
	(void)str_printf(key, sizeof(key), "stuck.%s", h->o->request);
	if (!str_eq(facts_get(h->target->facts, key), h->stuck))
		obs_fact(h->o, key, h->stuck);
}

/* Reads "bond0.100 bond0": the addresses are on a VLAN, the counters on the netdev below it. */
static void lower_section(struct host *h, const struct section *s)
{
	char line[LINE_TEXT];
	size_t at = 0;

	while (line_next(s, &at, line)) {
		char *lower = strchr(line, ' ');

		if (!lower)
			continue;
		*lower++ = '\0';
		for (size_t i = 0; i < h->ports.n; i++)
			if (str_eq(h->ports.at[i]->netdev, line))
				str_copy(h->ports.at[i]->netdev, sizeof(h->ports.at[i]->netdev),
					lower);
	}
}

bool host_common_section(struct host *h, const struct section *s)
{
	if (section_is(s, "begin")) {
		h->begun = true;
		h->begin_us = clock_us(h, s, HOST_BEGIN);
	} else if (section_is(s, "end")) {
		/* Even a wrong clock marks the end of the answer. */
		h->end_us = clock_us(h, s, HOST_END);
		h->ended = s->len && isdigit((unsigned char)s->body[0]);
	} else if (section_is(s, "map")) {
		map_section(h, s);
	} else if (section_is(s, "ports") || section_is(s, "ib")) {
		ports_section(h, s, s->name[0] == 'i');
	} else if (section_is(s, "drivers")) {
		drivers_section(h, s);
	} else if (section_is(s, "lower")) {
		lower_section(h, s);
	} else if (section_is(s, "bonds")) {
		host_bonds_section(h, s);
	} else if (section_is(s, "plain")) {
		host_plain_section(h, s);
	} else if (section_is(s, "attr")) {
		ports_section(h, s, false);
		return false;
	} else if (section_is(s, "rlink")) {
		host_rdma_link(h, s);
	} else if (section_is(s, "try")) { /* the previous NIC has answered */
		mark_read(h);
		str_copy(h->trying, sizeof(h->trying), s->arg);
	} else if (section_is(s, "skip")) {
		mark_read(h);
		mark_stuck(h, s->arg);
	} else if (section_is(s, "hung")) {
		struct host_port *p = host_of_section(h, s);

		if (p)
			p->is_hung = true;
	} else if (section_is(s, "name") || section_is(s, "boot") || section_is(s, "uptime")) {
		identity_section(h, s);
	} else {
		return false;
	}
	return true;
}

bool host_no_program(const char *bytes, size_t len)
{
	/* The messages of the shell, of coreutils' timeout and of busybox. */
	return memmem(bytes, len, "not found", 9) || memmem(bytes, len, "failed to run", 13) ||
	       memmem(bytes, len, "can't execute", 13);
}

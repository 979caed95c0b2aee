/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/observation.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/gpu_link.h"
#include "fabric/vocabulary/manager_note.h"

/* Bounds of one batch. The largest real answer (128 ports, everything) is below a tenth of them. */
#define PORTS_MAX   4096
#define ITEMS_MAX   1000000
#define STRINGS_MAX (8U << 20)
#define TEXT_MAX    512
#define BGP_MAX     4096
#define ITEMS_FIRST 64 /* capacity for a small answer */
#define TEXTS_FIRST 512

struct obs *obs_new(const char *device, const char *request)
{
	struct obs *o = mem_calloc(1, sizeof(*o));

	str_sanitise(o->device, sizeof(o->device), device, strlen(device));
	str_sanitise(o->request, sizeof(o->request), request, strlen(request));
	vec_push(&o->strings, '\0');
	return o;
}

void obs_expect(struct obs *o, size_t items, size_t strings)
{
	if (items > o->items.size && items <= ITEMS_MAX) {
		o->items.at = mem_realloc(o->items.at, items, sizeof(*o->items.at));
		o->items.size = items;
	}
	if (strings > o->strings.size && strings <= STRINGS_MAX) {
		o->strings.at = mem_realloc(o->strings.at, strings, 1);
		o->strings.size = strings;
	}
}

struct obs *obs_share(struct obs *o)
{
	(void)atomic_fetch_add_explicit(&o->shares, 1, memory_order_relaxed);
	return o;
}

void obs_free(struct obs *o)
{
	if (o && atomic_fetch_sub_explicit(&o->shares, 1, memory_order_acq_rel) != 0)
		return;
	while (o) {
		struct obs *more = o->more;

		vec_free(&o->ports);
		vec_free(&o->items);
		vec_free(&o->bgp);
		vec_free(&o->nccl);
		vec_free(&o->strings);
		free(o->raw);
		free(o->asked);
		free(o);
		o = more;
	}
}

struct obs *obs_more(struct obs *o, const char *request)
{
	struct obs *more = obs_new(o->device, request);

	more->received_us = o->received_us;
	while (o->more)
		o = o->more;
	o->more = more;
	return more;
}

static bool item_tells(const struct obs *o, const struct obs_item *it)
{
	switch ((enum obs_kind)it->kind) {
	case OBS_COUNT:
	case OBS_GAUGE:
	case OBS_NUMBER:
		return true;
	case OBS_WORD:
	case OBS_LLDP:
		return obs_text(o, it->text)[0] != '\0';
	case OBS_EVENT:
		return it->code != EV_LOG && it->code != EV_LOG_ALARM && it->code != EV_LOG_UNREAD;
	case OBS_VALID:
	case OBS_CAPABILITY:
	case OBS_FACT:
		break;
	}
	return false;
}

bool obs_tells(const struct obs *o)
{
	if (o->unchanged_rest || o->bgp.n || o->nccl.n)
		return true;
	for (size_t i = 0; i < o->items.n; i++)
		if (item_tells(o, &o->items.at[i]))
			return true;
	return false;
}

struct obs_mark obs_mark(const struct obs *o)
{
	struct obs_mark mark = {.ports = o->ports.n, .items = o->items.n, .strings = o->strings.n};

	memcpy(mark.refresh_ms, o->refresh_ms, sizeof(mark.refresh_ms));
	return mark;
}

void obs_rewind(struct obs *o, const struct obs_mark *mark)
{
	o->ports.n = mark->ports;
	o->items.n = mark->items;
	o->strings.n = mark->strings;
	o->last_cure = 0;
	memcpy(o->refresh_ms, mark->refresh_ms, sizeof(mark->refresh_ms));
}

/*
 * The last eight bytes of a name of this length, with its NUL: port names of a device differ there
 * ("Ethernet192"). 0 for shorter names, of which a device has few.
 */
static uint64_t tail_of(const char *name, size_t len)
{
	uint64_t w = 0;

	if (len + 1 >= sizeof(w))
		memcpy(&w, name + len + 1 - sizeof(w), sizeof(w));
	return w;
}

uint32_t obs_port(struct obs *o, const char *name)
{
	char clean[NAME_MAX_LEN * 4];
	struct obs_port *p;
	size_t len = strnlen(name, sizeof(clean));
	uint64_t tail;

	if (len == 0 || len >= NAME_MAX_LEN)
		return OBS_NO_PORT;
	len = str_sanitise(clean, sizeof(clean), name, len);
	tail = tail_of(clean, len);
	/* Answers come port by port, so the last port is nearly always the wanted one. */
	for (size_t i = o->ports.n; i-- > 0;)
		if (tail_of(o->ports.at[i].name, len) == tail &&
			strcmp(o->ports.at[i].name, clean) == 0)
			return (uint32_t)i;
	if (o->ports.n >= PORTS_MAX)
		return OBS_NO_PORT;
	p = vec_add(&o->ports);
	(void)str_copy(p->name, sizeof(p->name), clean);
	return (uint32_t)(o->ports.n - 1);
}

static uint32_t add_text(struct obs *o, const char *text)
{
	char clean[TEXT_MAX];
	size_t n, at = o->strings.n;

	if (!text || !*text)
		return 0;
	n = str_sanitise(clean, sizeof(clean), text, strnlen(text, TEXT_MAX)) + 1;
	if (at + n > STRINGS_MAX)
		return 0;
	vec_reserve(&o->strings, at + n < TEXTS_FIRST ? TEXTS_FIRST : at + n);
	memcpy(o->strings.at + at, clean, n);
	o->strings.n += n;
	return (uint32_t)at;
}

/*
 * EEPROMs pad their texts with blanks, and some systems cut them off: without them a module is the
 * same in both.
 */
static uint32_t add_trimmed(struct obs *o, const char *text)
{
	char copy[TEXT_MAX];
	size_t n;

	if (!text || !*text)
		return 0;
	text += strspn(text, " ");
	n = strnlen(text, TEXT_MAX);
	if (!n || n == TEXT_MAX || text[n - 1] != ' ')
		return add_text(o, text);
	while (n && text[n - 1] == ' ')
		n--;
	(void)str_copyn(copy, sizeof(copy), text, n);
	return add_text(o, copy);
}

/* A repeated cure is stored once. */
static uint32_t add_cure(struct obs *o, const char *cure)
{
	if (!cure || !*cure)
		return 0;
	if (!o->last_cure || strcmp(obs_text(o, o->last_cure), cure) != 0)
		o->last_cure = add_text(o, cure);
	return o->last_cure;
}

static void more_items(struct obs *o)
{
	vec_reserve(&o->items, o->items.n < ITEMS_FIRST ? ITEMS_FIRST : o->items.n + 1);
}

static inline struct obs_item *add_item(struct obs *o, enum obs_kind kind, uint32_t port)
{
	struct obs_item *it;

	if (o->items.n >= ITEMS_MAX)
		return NULL;
	if (o->items.n == o->items.size)
		more_items(o);
	it = &o->items.at[o->items.n++];
	*it = (struct obs_item){.kind = (uint8_t)kind, .port = port};
	return it;
}

/* Whether the cell exists; *cell is its number. obs_gauge() does this for every reading. */
static inline bool find_cell(
	const struct obs *o, uint32_t port, enum counter_id id, unsigned sub, uint16_t *cell)
{
	unsigned at;

	if (port >= o->ports.n || (unsigned)id >= COUNTER_COUNT || sub >= CELL_COUNT)
		return false;
	at = counter_info[id].first_cell + sub;
	*cell = (uint16_t)at;
	return at < CELL_COUNT && cell_info[at].id == id;
}

void obs_count(struct obs *o, uint32_t port, counter_id id, unsigned sub, uint64_t value)
{
	struct obs_item *it;
	uint16_t cell;

	if (!find_cell(o, port, id, sub, &cell))
		return;
	if (cell_info[cell].kind == KIND_GAUGE) {
		obs_gauge(o, port, id, sub, (double)value);
		return;
	}
	it = add_item(o, OBS_COUNT, port);
	if (it) {
		it->cell = cell;
		it->u64 = value;
	}
}

static void add_cell(struct obs *o, uint32_t port, uint16_t cell, bool is_gauge, uint64_t value)
{
	struct obs_item *it = add_item(o, is_gauge ? OBS_GAUGE : OBS_COUNT, port);

	if (!it)
		return;
	it->cell = cell;
	if (is_gauge)
		it->real = (double)value;
	else
		it->u64 = value;
}

/* Per cell: whether it is a reading. Checked for every value. */
#define OF_ONE(is)  is
#define OF_PRIO(is) is, is, is, is, is, is, is, is
#define OF_LANE(is) OF_PRIO(is)
#define OF_BIN(is)  OF_PRIO(is), OF_PRIO(is)
static const uint8_t gauges[] = {
#define COUNTER(id, name, dim, kind, unit, group, bits, trend, abbr, help)                         \
	OF_##dim(KIND_##kind == KIND_GAUGE),
#include "fabric/vocabulary/counters.def"
#undef COUNTER
};
_Static_assert(sizeof(gauges) == CELL_COUNT, "one entry a cell");

void obs_cells(struct obs *o, uint32_t port, const uint64_t *value, const uint8_t *has)
{
	if (port >= o->ports.n)
		return;
	for (size_t first = 0; first < CELL_COUNT; first += sizeof(uint64_t)) {
		size_t end = first + sizeof(uint64_t);
		uint64_t any = 1;

		if (end <= CELL_COUNT)
			memcpy(&any, has + first, sizeof(any));
		for (size_t cell = first; any && cell < end && cell < CELL_COUNT; cell++)
			if (has[cell])
				add_cell(o, port, (uint16_t)cell, gauges[cell], value[cell]);
	}
}

void obs_gauge(struct obs *o, uint32_t port, counter_id id, unsigned sub, double value)
{
	struct obs_item *it;
	uint16_t cell;

	if (!find_cell(o, port, id, sub, &cell) || !isfinite(value))
		return;
	if (cell_info[cell].kind != KIND_GAUGE) {
		/* 2^63: no device means a larger count. */
		if (value >= 0 && value < 9.2e18)
			obs_count(o, port, id, sub, (uint64_t)value);
		return;
	}
	it = add_item(o, OBS_GAUGE, port);
	if (it) {
		it->cell = cell;
		it->real = value;
	}
}

void obs_invalid(struct obs *o, uint32_t port, counter_id id, unsigned sub, enum validity v,
	const char *cure)
{
	uint32_t text;
	struct obs_item *it;
	uint16_t cell;

	if (!find_cell(o, port, id, sub, &cell))
		return;
	text = add_cure(o, cure);
	it = add_item(o, OBS_VALID, port);
	if (it) {
		it->cell = cell;
		it->code = (uint8_t)v;
		it->text = text;
	}
}

unsigned obs_attr_subs(enum obs_attr attr)
{
	if (attr == ATTR_GPU_LINKS || attr == ATTR_GPU_FABRIC)
		return HOST_GPUS_MOST;
	return attr == ATTR_NOTE ? NOTE_SUBS : PRIORITIES;
}

void obs_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, double value)
{
	struct obs_item *it;

	if (!isfinite(value) || (unsigned)attr >= OBS_ATTR_COUNT || sub >= obs_attr_subs(attr))
		return;
	it = add_item(o, OBS_NUMBER, port);
	if (it) {
		it->code = (uint8_t)attr;
		it->sub = (uint8_t)sub;
		it->real = value;
	}
}

void obs_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const char *text)
{
	uint32_t at;
	struct obs_item *it;

	if ((unsigned)attr >= OBS_ATTR_COUNT || sub >= obs_attr_subs(attr))
		return;
	at = add_trimmed(o, text);
	it = add_item(o, OBS_WORD, port);
	if (it) {
		it->code = (uint8_t)attr;
		it->sub = (uint8_t)sub;
		it->text = at;
	}
}

void obs_lldp(struct obs *o, uint32_t port, const char *device, const char *peer_port)
{
	uint32_t text = add_text(o, device), text2 = add_text(o, peer_port);
	struct obs_item *it = add_item(o, OBS_LLDP, port);

	if (it) {
		it->text = text;
		it->text2 = text2;
	}
}

void obs_port_list(struct obs *o)
{
	if (o->ports.n)
		obs_number(o, OBS_NO_PORT, ATTR_PORT_LIST, 0, (double)o->ports.n);
}

void obs_event(
	struct obs *o, uint32_t port, enum event_kind kind, int64_t device_us, const char *text)
{
	uint32_t at = add_text(o, text);
	struct obs_item *it = add_item(o, OBS_EVENT, port);

	if (it) {
		it->code = (uint8_t)kind;
		it->time_us = device_us;
		it->text = at;
	}
}

void obs_log_line(struct obs *o, uint32_t port, int priority, enum event_kind kind,
	int64_t device_us, const char *text)
{
	size_t n = o->items.n;

	obs_event(o, port, kind, device_us, text);
	if (o->items.n > n && priority >= 0 && priority < PRIORITIES)
		o->items.at[n].sub = (uint8_t)(priority + 1);
}

void obs_log(
	struct obs *o, uint32_t port, int priority, bool alarm, int64_t device_us, const char *text)
{
	obs_log_line(o, port, priority, alarm ? EV_LOG_ALARM : EV_LOG, device_us, text);
}

void obs_fact(struct obs *o, const char *key, const char *value)
{
	uint32_t text = add_text(o, key), text2 = add_text(o, value);
	struct obs_item *it = add_item(o, OBS_FACT, OBS_NO_PORT);

	if (it) {
		it->text = text;
		it->text2 = text2;
	}
}

struct obs_bgp *obs_bgp(struct obs *o, enum bgp_afi afi, const char *vrf, const char *peer,
	const char *host, enum bgp_state state)
{
	struct obs_bgp *s;

	if (!*peer || o->bgp.n >= BGP_MAX)
		return NULL;
	s = vec_add(&o->bgp);
	s->afi = (uint8_t)afi;
	s->state = (uint8_t)state;
	s->peer = add_text(o, peer);
	s->host = add_text(o, host);
	s->vrf = add_text(o, vrf);
	s->since_s = (double)NAN;
	s->prefixes = s->drops = UINT64_MAX;
	return s;
}

uint32_t obs_string(struct obs *o, const char *text)
{
	return add_text(o, text);
}

struct obs_nccl *obs_nccl(struct obs *o, enum nccl_kind kind, enum nccl_source source)
{
	struct obs_nccl *r;

	if (o->nccl.n >= OBS_NCCL_MAX)
		return NULL;
	r = vec_add(&o->nccl);
	r->kind = (uint8_t)kind;
	r->source = (uint8_t)source;
	r->rank = r->nranks = r->peer = r->pid = r->gpu = r->local_gpu = -1;
	r->seq = r->completed = -1;
	r->took_us = r->took_max_us = r->wait_us = r->credit_us = (double)NAN;
	return r;
}

const char *nccl_source_name(enum nccl_source s)
{
	static const char *const names[NCCL_SOURCE_COUNT] = {"unknown", "nccl-ras", "inspector",
		"profiler", "flight-recorder", "nccl-log", "watchdog-log", "slurm", "file",
		"topology", "addresses", "kubernetes", "ray", "processes"};

	return (unsigned)s < NCCL_SOURCE_COUNT ? names[s] : names[SOURCE_UNKNOWN];
}

static const char *const trouble_names[TROUBLE_COUNT] = {"over", "gids", "hint", "copies", "advice",
	"note", "after", "timeout", "stuck", "error", "connect", "nic"};

const char *nccl_trouble_name(enum nccl_trouble t)
{
	return (unsigned)t < TROUBLE_COUNT ? trouble_names[t] : trouble_names[TROUBLE_ERROR];
}

enum nccl_trouble nccl_trouble_by_name(const char *s)
{
	for (unsigned i = 0; i < TROUBLE_COUNT; i++)
		if (strcmp(trouble_names[i], s) == 0)
			return (enum nccl_trouble)i;
	return TROUBLE_ERROR;
}

const char *nccl_state_name(enum nccl_state s)
{
	static const char *const names[NCCL_STATE_COUNT] = {"unknown", "running", "init",
		"finalizing", "aborted", "async-error", "unresponsive", "dead", "timed-out"};

	return (unsigned)s < NCCL_STATE_COUNT ? names[s] : names[NCCL_UNKNOWN];
}

static const char *const bgp_states[BGP_STATE_COUNT] = {
	[BGP_UNKNOWN] = "unknown",
	[BGP_IDLE] = "idle",
	[BGP_CONNECT] = "connect",
	[BGP_ACTIVE] = "active",
	[BGP_OPENSENT] = "opensent",
	[BGP_OPENCONFIRM] = "openconfirm",
	[BGP_ESTABLISHED] = "established",
	[BGP_ADMIN_DOWN] = "admin-down",
};

const char *bgp_state_name(enum bgp_state s)
{
	return (unsigned)s < BGP_STATE_COUNT ? bgp_states[s] : bgp_states[BGP_UNKNOWN];
}

enum bgp_state bgp_state_by_name(const char *s)
{
	/* Fast path: nearly all sessions. */
	if (strcmp(s, "Established") == 0)
		return BGP_ESTABLISHED;
	if (strcasestr(s, "admin") || strcasestr(s, "shut"))
		return BGP_ADMIN_DOWN;
	for (unsigned i = BGP_IDLE; i < BGP_ADMIN_DOWN; i++)
		if (strncasecmp(s, bgp_states[i], strlen(bgp_states[i])) == 0)
			return (enum bgp_state)i;
	return BGP_UNKNOWN;
}

const char *bgp_afi_name(enum bgp_afi a)
{
	static const char *const names[] = {"ipv4", "ipv6", "evpn", "other"};

	return (unsigned)a < sizeof(names) / sizeof(names[0]) ? names[a] : "other";
}

enum bgp_afi bgp_afi_by_name(const char *s)
{
	unsigned a = BGP_IPV4;

	while (a < BGP_OTHER && strcasecmp(s, bgp_afi_name((enum bgp_afi)a)) != 0)
		a++;
	return (enum bgp_afi)a;
}

const char *optics_limit_name(enum optics_limit l)
{
	static const char *const names[LIMIT_COUNT] = {
		"low_alarm", "low_warn", "high_warn", "high_alarm"};

	return (unsigned)l < LIMIT_COUNT ? names[l] : "";
}

void obs_capability(struct obs *o, const char *need, enum validity v, const char *cure)
{
	uint32_t text = add_text(o, need), text2 = add_text(o, cure);
	struct obs_item *it = add_item(o, OBS_CAPABILITY, OBS_NO_PORT);

	if (it) {
		it->code = (uint8_t)v;
		it->text = text;
		it->text2 = text2;
	}
}

const char *obs_text(const struct obs *o, uint32_t offset)
{
	return offset < o->strings.n ? o->strings.at + offset : "";
}

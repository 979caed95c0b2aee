/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/obs_same.h"

/*
 * Replies are read port by port. The result does not depend on the sizes of pieces, on a break, or
 * on the data of other ports that is kept meanwhile.
 */

#define FIXTURE "tests/backends/fixtures/sonic_fast.txt"

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static bool parse(const char *bytes, struct obs **o, struct err *err)
{
	*o = obs_new(leaf.device, "fast");
	return backend_by_name("sonic")->parse(&leaf, "fast", bytes, strlen(bytes), *o, err);
}

struct reply {
	char *text;
	char *head;  /* "t":..., without the ports and the comma before them */
	char *ports; /* "ports":{...} */
	size_t before;
};

static int setup(void **state)
{
	static struct reply r;
	size_t n;

	r.text = read_file(FIXTURE, &n);
	assert_non_null(r.text);
	r.before = (size_t)(strchr(r.text, '{') - r.text);
	r.ports = strdup(strstr(r.text, "\"ports\""));
	*strrchr(r.ports, '}') = '\0';
	r.head = strndup(r.text + r.before + 1,
		(size_t)(strstr(r.text, "\"ports\"") - r.text) - r.before - 1);
	*strrchr(r.head, ',') = '\0';
	*state = &r;
	return 0;
}

static int teardown(void **state)
{
	struct reply *r = *state;

	free(r->text);
	free(r->head);
	free(r->ports);
	return 0;
}

CASE(names_may_come_behind_the_ports)
{
	const struct reply *r = *state;
	struct obs *want, *o;
	struct err err = {0};
	struct buf b;

	assert_true(parse(r->text, &want, &err));
	assert_int_equal(want->ports.n, 2);
	buf_init(&b, 1 << 20);
	buf_add(&b, r->text, r->before);
	buf_addf(&b, "{%s,%s}", r->ports, r->head);
	assert_true(parse(b.data, &o, &err));
	obs_same(o, want);
	obs_free(o);
	buf_free(&b);

	/* All lists that our script sends, and the ports last: read in one go. */
	buf_init(&b, 1 << 20);
	buf_add(&b, r->text, r->before);
	buf_addf(&b, "{%s,\"mf\":[],\"fi\":{},%s}", r->head, r->ports);
	obs_free(want);
	assert_true(parse(b.data, &want, &err));
	b.len = r->before;
	buf_addf(&b, "{\"mf\":[],%s,\"fi\":{},%s}", r->ports, r->head);
	assert_true(parse(b.data, &o, &err));
	obs_same(o, want);
	obs_free(o);
	obs_free(want);
	buf_free(&b);
}

/* Only a whole answer states that it lists all ports. */
static void drop_port_list(struct obs *o)
{
	size_t last = o->items.n - 1;

	assert_int_equal(o->items.at[last].code, ATTR_PORT_LIST);
	assert_true(o->items.at[last].real == (double)o->ports.n);
	o->items.n = last;
}

CASE(what_breaks_off_leaves_nothing)
{
	const struct reply *r = *state;
	size_t n = strlen(r->text);
	struct obs *want, *o;
	struct err err = {0};
	struct buf b;

	/* An ASIC that answered, and one with an answer that breaks off. */
	buf_init(&b, 1 << 20);
	buf_addf(&b, "@asic asic0\n%s\n", r->text + r->before);
	assert_true(parse(b.data, &want, &err));
	drop_port_list(want);
	for (size_t cut = r->before + 1; cut < n - 3; cut += 7) {
		b.len = strlen("@asic asic0\n") + n - r->before + 1;
		b.data[b.len] = '\0';
		buf_adds(&b, "@asic asic1\n");
		buf_add(&b, r->text + r->before, cut - r->before);
		assert_true(parse(b.data, &o, &err));
		assert_int_equal(o->err.code, ERR_PROTOCOL);
		assert_non_null(strstr(o->err.text, "breaks off or is wrong at byte"));
		o->err = (struct err){0};
		obs_same(o, want);
		obs_free(o);
	}
	obs_free(want);
	buf_free(&b);

	b = (struct buf){0};
	for (size_t cut = r->before + 1; cut < n - 3; cut += 13) {
		char *half = strndup(r->text, cut);

		assert_false(parse(half, &o, &err));
		assert_int_equal(err.code, ERR_PROTOCOL);
		assert_int_equal(o->ports.n, 0);
		obs_free(o);
		free(half);
	}
}

/* A queue's row may be a text of numbers: then it has no watchdog, and none of the queue before. */
CASE(a_text_has_no_watchdog)
{
	static const char list[] = "\"3\":[[\"500\"";
	const struct reply *r = *state;
	const char *row = strstr(r->text, list);
	struct obs *o;
	struct err err = {0};
	struct obs_port_ref port;
	struct buf b;

	assert_non_null(row);
	buf_init(&b, 1 << 20);
	buf_add(&b, r->text, (size_t)(row - r->text));
	buf_addf(&b, "\"1\":[\"600 7\",null],\"2\"%s", row + strlen("\"3\""));
	row = strstr(b.data, ",\"90000\"]}");
	assert_non_null(row);
	b.len = (size_t)(row - b.data) + strlen(",\"90000\"]");
	buf_addf(&b, ",\"3\":[\"700 8\",null]%s",
		strstr(r->text, ",\"90000\"]}") + strlen(",\"90000\"]"));
	assert_true(parse(b.data, &o, &err));
	port = at_port(o, "Ethernet0");
	assert_true(cell_value(port, "queue_tx_packets", 1) == 600);
	assert_true(cell_value(port, "queue_tx_packets", 2) == 500);
	assert_true(cell_value(port, "queue_tx_packets", 3) == 700);
	assert_string_equal(attr_word(port, ATTR_PFCWD_STATE, 2), "operational");
	assert_string_not_equal(attr_word(port, ATTR_PFCWD_STATE, 1), "operational");
	assert_string_not_equal(attr_word(port, ATTR_PFCWD_STATE, 3), "operational");
	assert_true(isnan(attr_number(port, ATTR_PFCWD_DETECT_MS, 1)));
	assert_true(isnan(attr_number(port, ATTR_PFCWD_DETECT_MS, 3)));
	obs_free(o);
	buf_free(&b);
}

/*
 * Of the references to a queue the last one wins, whether its key names one port or more, and a
 * name is no other that begins like it.
 */
CASE(the_last_reference_of_a_queue_wins)
{
	static const char old[] = "[\"nonsense\",\"LOSSLESS\"]";
	static const char more[] = "[\"Ethernet16,Ethernet0|3\",\"METERED\"],"
				   "[\"Ethernet|3\",\"LOSSLESS\"],[\"Ethernet00|3\",\"LOSSLESS\"],"
				   "[\"Ethernet24|4\",\"METERED\"],[\"Ethernet24|4\",\"gone\"]";
	struct obs *o = obs_new(leaf.device, "config");
	struct err err = {0};
	struct buf b;
	size_t n;
	char *text = read_file("tests/backends/fixtures/sonic_config.txt", &n), *at;

	assert_non_null(text);
	at = strstr(text, old);
	assert_non_null(at);
	buf_init(&b, 1 << 20);
	(void)buf_add(&b, text, (size_t)(at - text));
	(void)buf_adds(&b, more);
	(void)buf_adds(&b, at + sizeof(old) - 1);
	assert_true(backend_by_name("sonic")->parse(&leaf, "config", b.data, b.len, o, &err));
	assert_true(attr_number(at_port(o, "Ethernet0"), ATTR_ECN_MIN_BYTES, 3) == 70000);
	assert_true(attr_number(at_port(o, "Ethernet16"), ATTR_ECN_MIN_BYTES, 3) == 70000);
	assert_true(attr_number(at_port(o, "Ethernet8"), ATTR_ECN_MIN_BYTES, 3) == 500000);
	assert_true(attr_number(at_port(o, "Ethernet24"), ATTR_ECN_MIN_BYTES, 3) == 500000);
	/* A row that is not there is no reference. */
	assert_true(attr_number(at_port(o, "Ethernet24"), ATTR_ECN_MIN_BYTES, 4) == 70000);
	obs_free(o);
	buf_free(&b);
	free(text);
}

static struct obs *optics(const char *text)
{
	struct obs *o = obs_new(leaf.device, "optics");
	struct err err = {0};

	assert_true(backend_by_name("sonic")->parse(&leaf, "optics", text, strlen(text), o, &err));
	return o;
}

/* A row of readings is a list, or a text that ends behind the last that was read. */
CASE(readings_come_as_a_list_or_as_a_text)
{
	static const char form[] = "{\"df\":[\"temperature\",\"voltage\",\"rx1power\","
				   "\"tx1power\",\"tx1bias\",\"rx2power\"],\"ports\":{"
				   "\"Ethernet0\":{\"d\":%s},\"Ethernet8\":{\"d\":%s}}}";
	char text[512];
	struct obs *list, *row;

	str_printf(text, sizeof(text), form, "[\"41.5\",\"3.3\",\"-inf\",null,\"7.25 mA\",\"N/A\"]",
		"[]");
	list = optics(text);
	str_printf(text, sizeof(text), form, "\"41.5|3.3|-inf|-|7.25 mA\"", "\"\"");
	row = optics(text);
	assert_true(cell_value(at_port(row, "Ethernet0"), "tx_bias_ma", 0) == 7.25);
	assert_true(cell_value(at_port(row, "Ethernet0"), "rx_power_dbm", 0) == -40);
	obs_same(list, row);
	obs_free(list);
	obs_free(row);
}

/* More profiles than are kept, named in an order that is not that of the ports. */
CASE(each_port_has_a_profile_of_its_own)
{
	enum { PORTS = 20 };
	struct buf b;
	struct obs *o;
	struct err err = {0};
	char name[32];

	buf_init(&b, 1 << 20);
	buf_adds(&b, "{\"mf\":[\"hostname\"],\"pf\":[\"pfc_enable\"],\"bf\":[\"xon\",\"xoff\"],"
		     "\"rf\":[\"ecn\",\"red_min_threshold\",\"green_min_threshold\"],\"ports\":{");
	for (int i = 0; i < PORTS; i++)
		buf_addf(&b, "%s\"Ethernet%d\":{\"p\":[\"3\"]}", i ? "," : "", i * 4);
	buf_adds(&b, "},\"wred\":{\"none\":[\"ecn_none\",\"1\",\"2\"]");
	for (int i = 0; i < PORTS; i++)
		buf_addf(&b, ",\"w%d\":[\"ecn_green\",\"1\",\"%d\"]", i, 1000 + i);
	buf_adds(&b, "},\"buffers\":{\"lossy\":[\"0\",null]");
	for (int i = 0; i < PORTS; i++)
		buf_addf(&b, ",\"b%d\":[\"7\",\"%d\"]", i, 2000 + i);
	buf_adds(&b, "},\"queues\":[[\"Ethernet0,Ethernet4|5\",\"none\"]");
	for (int i = 0; i < PORTS; i++)
		buf_addf(&b, ",[\"Ethernet%d|3\",\"w%d\"]", (i * 7 % PORTS) * 4, i * 7 % PORTS);
	/* The last that names a queue wins. */
	buf_adds(&b, ",[\"x|asic0|Ethernet76|3\",\"w5\"]],\"groups\":[[\"Ethernet0|0\",\"lossy\"]");
	for (int i = 0; i < PORTS; i++)
		buf_addf(&b, ",[\"Ethernet%d|3-4\",\"b%d\"]", i * 4, i);
	buf_adds(&b, "]}");
	o = obs_new(leaf.device, "config");
	assert_true(backend_by_name("sonic")->parse(&leaf, "config", b.data, b.len, o, &err));
	for (int i = 0; i < PORTS; i++) {
		struct obs_port_ref p;

		assert_true(str_printf(name, sizeof(name), "Ethernet%d", i * 4));
		p = at_port(o, name);
		assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 8);
		assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 1000 + (i == 19 ? 5 : i));
		assert_true(isnan(attr_number(p, ATTR_ECN_MIN_BYTES, 5)));
		assert_true(isnan(attr_number(p, ATTR_HEADROOM_BYTES, 0)));
		assert_true(attr_number(p, ATTR_HEADROOM_BYTES, 4) == 2000 + i);
		assert_true(attr_number(p, ATTR_XON_BYTES, 3) == 7);
	}
	obs_free(o);
	buf_free(&b);
}

CASES_MAIN(setup, teardown)

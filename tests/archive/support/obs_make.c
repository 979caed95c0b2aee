/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/archive/support/obs_make.h"
#include "tests/support/cases.h"

uint64_t dice_roll(struct dice *d)
{
	uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

unsigned dice_below(struct dice *d, unsigned n)
{
	return (unsigned)(dice_roll(d) % n);
}

static void port_poll(struct obs *o, uint32_t port, unsigned number, struct dice *d)
{
	uint64_t n = number;

	obs_word(o, port, ATTR_OPER, 0, "up");
	obs_number(o, port, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, port, CTR_RX_BYTES, 0, n * 200000000000U + dice_below(d, 1000000000));
	obs_count(o, port, CTR_TX_BYTES, 0, n * 210000000000U + dice_below(d, 1000000000));
	obs_count(o, port, CTR_RX_ERRORS, 0, 3);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		obs_count(
			o, port, CTR_PFC_RX_FRAMES, p, p == 3 ? n * 1000 + dice_below(d, 100) : 0);
		obs_count(o, port, CTR_QUEUE_DROPS, p, 0);
	}
	obs_gauge(o, port, CTR_TEMPERATURE_C, 0, 40 + dice_below(d, 30) / 10.0);
}

struct obs *obs_make_poll(const char *device, unsigned ports, unsigned number, int64_t t_us)
{
	struct obs *o = obs_new(device, "fast");
	struct dice d = {number * 1000 + ports};

	o->received_us = t_us;
	o->device_us = t_us - 1500;
	o->took_us = 20000 + dice_below(&d, 1000);
	o->bytes = 10000 + dice_below(&d, 10);
	for (unsigned i = 0; i < ports; i++) {
		char name[NAME_MAX_LEN];

		(void)str_printf(name, sizeof(name), "Ethernet%u", i * 8);
		port_poll(o, obs_port(o, name), number, &d);
		o->ports.at[i].sample_us = t_us - 2000;
	}
	return o;
}

static const char *any_text(struct dice *d, char dst[300])
{
	static const char *const texts[] = {"", "up", "down", "rs", "Bad signal integrity",
		"leaf-r0-00", "Ethernet12/3", "\xc3\xa4rger", "a longer text with blanks in it"};
	unsigned which = dice_below(d, 12);

	if (which < 9)
		return texts[which];
	(void)snprintf(dst, 300, "%u %0*u", dice_below(d, 1000), (int)dice_below(d, 250), 1U);
	return dst;
}

static double any_real(struct dice *d)
{
	static const double reals[] = {0, -0.0, 1.5, -3.271, 2.4e-4, 1e-300, 1e300, 400000, 0.1};
	unsigned which = dice_below(d, 12);
	uint64_t bits;
	double v;

	if (which < 9)
		return reals[which];
	bits = dice_roll(d);
	memcpy(&v, &bits, sizeof(v));
	return which == 9 ? v : (double)dice_below(d, 100000) / 1000;
}

static uint64_t any_count(struct dice *d)
{
	return dice_roll(d) >> dice_below(d, 64);
}

static void any_item(struct obs *o, struct dice *d, int64_t t_us)
{
	uint32_t port = o->ports.n ? dice_below(d, (unsigned)o->ports.n) : OBS_NO_PORT;
	enum counter_id id = (enum counter_id)dice_below(d, COUNTER_COUNT);
	unsigned sub = dice_below(d, counter_dim_size(id));
	char text[300], other[300];

	switch (dice_below(d, 10)) {
	case 0:
	case 1:
		obs_count(o, port, id, sub, any_count(d));
		break;
	case 2:
		obs_gauge(o, port, id, sub, any_real(d));
		break;
	case 3:
		obs_invalid(o, port, id, sub, (enum validity)dice_below(d, 6), any_text(d, text));
		break;
	case 4:
		obs_number(o, port, (enum obs_attr)dice_below(d, OBS_ATTR_COUNT), dice_below(d, 8),
			any_real(d));
		break;
	case 5:
		obs_word(o, dice_below(d, 3) ? port : OBS_NO_PORT,
			(enum obs_attr)dice_below(d, OBS_ATTR_COUNT), dice_below(d, 8),
			any_text(d, text));
		break;
	case 6:
		obs_lldp(o, port, any_text(d, text), any_text(d, other));
		break;
	case 7:
		obs_event(o, port, (enum event_kind)dice_below(d, EVENT_COUNT),
			dice_below(d, 2) ? t_us - 5 : 0, any_text(d, text));
		break;
	case 8:
		obs_log(o, port, (int)dice_below(d, 9) - 1, dice_below(d, 2), t_us,
			any_text(d, text));
		break;
	default:
		obs_capability(
			o, any_text(d, text), (enum validity)dice_below(d, 6), any_text(d, other));
		break;
	}
}

static void any_nccl(struct obs *o, struct dice *d)
{
	struct obs_nccl *r = obs_nccl(o, (enum nccl_kind)dice_below(d, NCCL_DONE + 1),
		(enum nccl_source)dice_below(d, NCCL_SOURCE_COUNT));
	char text[300];
	uint32_t at[3];

	for (unsigned i = 0; i < 3; i++)
		at[i] = obs_string(o, any_text(d, text));
	r->state = (uint8_t)dice_below(d, NCCL_STATE_COUNT);
	r->job = at[0];
	r->comm = at[1];
	r->host = at[2];
	r->func = at[0];
	r->text2 = at[1];
	r->rank = (int32_t)dice_below(d, 4096) - 1;
	r->peer = INT32_MIN;
	r->pid = INT32_MAX;
	r->seq = (int64_t)any_count(d);
	r->end_us = (int64_t)any_count(d);
	r->took_us = any_real(d);
	r->credit_us = any_real(d);
	r->bytes = any_count(d);
}

struct obs *obs_make_any(struct dice *d, int64_t t_us)
{
	static const char *const devices[] = {"leaf-0", "leaf-1", "node000", "spine \xe2\x82\xac"};
	static const char *const requests[] = {"fast", "optics", "log", "nccl"};
	struct obs *o = obs_new(devices[dice_below(d, 4)], requests[dice_below(d, 4)]);
	unsigned ports = dice_below(d, 5), items = dice_below(d, 40);
	char text[300], name[NAME_MAX_LEN];
	uint32_t port;

	o->received_us = t_us - (int64_t)dice_below(d, 2000);
	o->device_us = dice_below(d, 2) ? t_us - (int64_t)dice_below(d, 9999) : 0;
	o->took_us = (int64_t)dice_below(d, 99999);
	o->bytes = any_count(d);
	o->result = (enum obs_result)dice_below(d, 3);
	o->bgp_whole = dice_below(d, 2);
	o->followed = dice_below(d, 2);
	o->narrow[dice_below(d, COUNTER_COUNT)] = true;
	o->refresh_ms[dice_below(d, GROUP_COUNT)] = (uint32_t)dice_roll(d);
	if (o->result == OBS_FAILED || dice_below(d, 5) == 0) {
		(void)err_set(&o->err, (enum err_code)(1 + dice_below(d, ERR_INTERNAL)),
			any_text(d, text), "%s", any_text(d, text));
		(void)err_cure(&o->err, "%s", any_text(d, text));
	}
	for (unsigned i = 0; i < ports; i++) {
		(void)str_printf(name, sizeof(name), "swp%u", i + dice_below(d, 2));
		port = obs_port(o, name);
		o->ports.at[port].sample_us = dice_below(d, 2) ? t_us : 0;
	}
	while (items--)
		any_item(o, d, t_us);
	for (unsigned n = dice_below(d, 4); n; n--) {
		struct obs_bgp *b = obs_bgp(o, (enum bgp_afi)dice_below(d, BGP_OTHER + 1),
			any_text(d, text), "10.0.0.1", any_text(d, text),
			(enum bgp_state)dice_below(d, BGP_STATE_COUNT));

		b->since_s = any_real(d);
		b->remote_as = (uint32_t)dice_roll(d);
		b->prefixes = any_count(d);
	}
	for (unsigned n = dice_below(d, 6); n; n--)
		any_nccl(o, d);
	if (dice_below(d, 3) == 0)
		o->number = (uint32_t)dice_roll(d);
	o->unchanged_rest = dice_below(d, 4) == 0;
	return o;
}

static void equal_text(const struct obs *a, uint32_t at_a, const struct obs *b, uint32_t at_b)
{
	assert_string_equal(obs_text(a, at_a), obs_text(b, at_b));
}

/* Bits, not numbers: NAN is NAN, and no zero turns its sign. */
static void equal_real(double a, double b)
{
	assert_memory_equal(&a, &b, sizeof(a));
}

static void equal_nccl(const struct obs *a, const struct obs_nccl *x, const struct obs *b,
	const struct obs_nccl *y)
{
	assert_int_equal(x->kind, y->kind);
	assert_int_equal(x->source, y->source);
	assert_int_equal(x->state, y->state);
	equal_text(a, x->job, b, y->job);
	equal_text(a, x->comm, b, y->comm);
	equal_text(a, x->comm_name, b, y->comm_name);
	assert_int_equal(x->rank, y->rank);
	assert_int_equal(x->nranks, y->nranks);
	assert_int_equal(x->peer, y->peer);
	equal_text(a, x->host, b, y->host);
	assert_int_equal(x->pid, y->pid);
	assert_int_equal(x->gpu, y->gpu);
	assert_int_equal(x->local_gpu, y->local_gpu);
	equal_text(a, x->nic, b, y->nic);
	equal_text(a, x->func, b, y->func);
	assert_true(x->seq == y->seq && x->completed == y->completed);
	assert_true(x->begin_us == y->begin_us && x->end_us == y->end_us);
	equal_real(x->took_us, y->took_us);
	equal_real(x->took_max_us, y->took_max_us);
	equal_real(x->wait_us, y->wait_us);
	equal_real(x->credit_us, y->credit_us);
	assert_true(x->bytes == y->bytes);
	equal_text(a, x->text, b, y->text);
	equal_text(a, x->text2, b, y->text2);
}

static void equal_lists(const struct obs *a, const struct obs *b)
{
	assert_int_equal(a->items.n, b->items.n);
	for (size_t i = 0; i < a->items.n; i++) {
		const struct obs_item *x = &a->items.at[i], *y = &b->items.at[i];

		assert_true(x->kind == y->kind && x->code == y->code && x->sub == y->sub);
		assert_true(x->cell == y->cell && x->port == y->port);
		equal_text(a, x->text, b, y->text);
		if (obs_has_text2(x))
			equal_text(a, x->text2, b, y->text2);
		else
			assert_true(x->u64 == y->u64);
	}
	assert_int_equal(a->bgp.n, b->bgp.n);
	for (size_t i = 0; i < a->bgp.n; i++) {
		const struct obs_bgp *x = &a->bgp.at[i], *y = &b->bgp.at[i];

		equal_text(a, x->peer, b, y->peer);
		equal_text(a, x->host, b, y->host);
		equal_text(a, x->vrf, b, y->vrf);
		assert_true(x->afi == y->afi && x->state == y->state);
		assert_true(x->remote_as == y->remote_as && x->drops == y->drops);
		assert_true(x->prefixes == y->prefixes);
		equal_real(x->since_s, y->since_s);
	}
	assert_int_equal(a->nccl.n, b->nccl.n);
	for (size_t i = 0; i < a->nccl.n; i++)
		equal_nccl(a, &a->nccl.at[i], b, &b->nccl.at[i]);
}

void obs_assert_equal(const struct obs *a, const struct obs *b)
{
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->request, b->request);
	assert_int_equal(a->result, b->result);
	assert_int_equal(a->err.code, b->err.code);
	assert_string_equal(a->err.origin, b->err.origin);
	assert_string_equal(a->err.text, b->err.text);
	assert_string_equal(a->err.cure, b->err.cure);
	assert_true(a->received_us == b->received_us && a->device_us == b->device_us);
	assert_true(a->took_us == b->took_us && a->bytes == b->bytes);
	assert_memory_equal(a->refresh_ms, b->refresh_ms, sizeof(a->refresh_ms));
	assert_memory_equal(a->narrow, b->narrow, sizeof(a->narrow));
	assert_true(a->bgp_whole == b->bgp_whole && a->followed == b->followed);
	assert_true(a->unchanged_rest == b->unchanged_rest && a->number == b->number);
	assert_int_equal(a->ports.n, b->ports.n);
	for (size_t i = 0; i < a->ports.n; i++) {
		assert_string_equal(a->ports.at[i].name, b->ports.at[i].name);
		assert_true(a->ports.at[i].sample_us == b->ports.at[i].sample_us);
	}
	equal_lists(a, b);
}

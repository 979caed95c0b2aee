/* SPDX-License-Identifier: Apache-2.0 */
/* Serialisation of the windows. */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "diagnosis/window/sample_window_internal.h"

STATE_SIZE(struct sample, 128);
STATE_SIZE(struct track, 88);
STATE_SIZE(struct downs, 32);
STATE_SIZE(struct peaks, 232);
STATE_SIZE(struct sample_windows, 216);
_Static_assert(WINDOW_SAMPLES == 4, "diag_state_stamp() tells; then change this");

size_t windows_ports(const struct sample_windows *w)
{
	return w->tracks.n;
}

void windows_state(struct state *s, struct sample_windows *w, const struct model *m)
{
	uint32_t ports = (uint32_t)w->tracks.n;

	state_wall(s, &w->now_us);
	STATE_LIST(s, &w->samples, m->devices.n, n, state_u32(s, n));
	state_below(s, &ports, (uint32_t)m->ports.n + 1);
	if (s->loading)
		windows_grow(w, ports);
}

/* ---- samples: four of each port, most of the bytes ---- */

#define AT(field) offsetof(struct sample, field)
static const uint8_t reals[] = {AT(dt_s), AT(tx_bps), AT(rx_bps), AT(tx_util), AT(rx_util),
	AT(held), AT(holds), AT(lossless_tx_bps), AT(other_tx_bps), AT(lossless_rx_bps),
	AT(ecn_pps), AT(queue_peak), AT(pg_peak), AT(headroom_peak), AT(lossless_drops),
	AT(other_drops), AT(watchdog_drops), AT(down_drops), AT(fcs_pps), AT(cnp_sent),
	AT(cnp_handled), AT(cnp_ignored), AT(ce_received), AT(out_of_sequence), AT(seq_err),
	AT(ack_timeout), AT(rdma_tx_bps), AT(rdma_rx_bps)};
#undef AT
#define REALS 28
_Static_assert(sizeof(reals) == REALS, "each has two bits of a code of 7 bytes");

/* Kinds of numbers in a sample, two bits: most are one of the first three. */
enum real_is { REAL_ZERO, REAL_NAN, REAL_AS_BEFORE, REAL_OTHER };
#define BITS_OF_NAN UINT32_C(0x7fc00000)

static uint32_t bits_of(const struct sample *s, unsigned i)
{
	uint32_t bits;

	memcpy(&bits, (const char *)s + reals[i], sizeof(bits));
	return bits;
}

static enum real_is what_is(uint32_t bits, uint32_t before)
{
	return bits == 0             ? REAL_ZERO
	       : bits == BITS_OF_NAN ? REAL_NAN
	       : bits == before      ? REAL_AS_BEFORE
				     : REAL_OTHER;
}

static void save_reals(struct state *s, const struct sample *x, const struct sample *before)
{
	unsigned char bytes[7 + 4 * REALS];
	uint64_t code = 0;
	size_t n = 7;

	for (unsigned i = 0; i < REALS; i++) {
		uint32_t bits = bits_of(x, i);
		enum real_is is = what_is(bits, bits_of(before, i));

		code |= (uint64_t)is << (2 * i);
		for (unsigned k = 0; is == REAL_OTHER && k < 4; k++)
			bytes[n++] = (unsigned char)(bits >> (8 * k));
	}
	for (unsigned k = 0; k < 7; k++)
		bytes[k] = (unsigned char)(code >> (8 * k));
	state_bytes(s, bytes, n);
}

static void load_reals(struct state *s, struct sample *x, const struct sample *before)
{
	unsigned char head[7], bytes[4];
	uint64_t code = 0;

	state_bytes(s, head, sizeof(head));
	for (unsigned k = 0; k < 7; k++)
		code |= (uint64_t)head[k] << (8 * k);
	for (unsigned i = 0; i < REALS; i++) {
		enum real_is is = (enum real_is)(code >> (2 * i) & 3U);
		uint32_t bits = is == REAL_NAN         ? BITS_OF_NAN
				: is == REAL_AS_BEFORE ? bits_of(before, i)
						       : 0;

		if (is == REAL_OTHER) {
			state_bytes(s, bytes, sizeof(bytes));
			bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
			       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
		}
		memcpy((char *)x + reals[i], &bits, sizeof(bits));
	}
}

static void state_sample(
	struct state *s, struct sample *x, const struct sample *before, int64_t now_us)
{
	int64_t age_us = now_us - x->at_us;
	uint32_t flags = x->held_prio | (uint32_t)x->holds_prio << 3 |
			 (uint32_t)x->held_bound << 6 | (uint32_t)x->holds_bound << 7 |
			 (uint32_t)x->up << 8;

	state_wall(s, &age_us);
	state_below(s, &flags, 1U << 9);
	state_u8(s, &x->flaps);
	if (!s->loading) {
		save_reals(s, x, before);
		return;
	}
	x->at_us = now_us - age_us;
	x->held_prio = flags & 7U;
	x->holds_prio = flags >> 3 & 7U;
	x->held_bound = flags >> 6 & 1U;
	x->holds_bound = flags >> 7 & 1U;
	x->up = flags >> 8 & 1U;
	load_reals(s, x, before);
}

/* ---- ports ---- */

static void state_peaks(struct state *s, struct peaks **peaks)
{
	bool there = *peaks != NULL;
	struct peaks *k;

	state_bool(s, &there);
	if (!there)
		return;
	if (s->loading && !*peaks)
		*peaks = mem_calloc(1, sizeof(**peaks));
	k = *peaks;
	for (unsigned i = 0; i < PEAK_KINDS; i++) {
		state_wall(s, &k->seen_us[i]);
		state_f32(s, &k->now[i]);
		state_u8(s, &k->falls[i]);
		for (unsigned prio = 0; prio < PRIORITIES; prio++)
			state_u64(s, &k->was[i][prio]);
	}
}

static void state_downs(struct state *s, struct downs *d)
{
	state_u32(s, &d->model_was);
	state_u64(s, &d->counter_was);
	state_u32(s, &d->model);
	state_u32(s, &d->counter);
	state_u32(s, &d->told);
	state_bool(s, &d->known);
}

static void state_loads_of(struct state *s, struct track *t)
{
	state_f64(s, &t->tx_sum);
	state_f64(s, &t->tx_s);
	state_f64(s, &t->rx_sum);
	state_f64(s, &t->rx_s);
	state_f64(s, &t->seen_s);
}

static void state_port(struct state *s, struct sample_windows *w, uint32_t port)
{
	static const struct sample none;
	struct track *t = &w->tracks.at[port];
	struct sample *ring = &w->rings.at[(size_t)port * WINDOW_SAMPLES];
	int64_t left_us = t->used ? w->until_us.at[port] - w->now_us : 0;

	state_small(s, &t->used, WINDOW_SAMPLES + 1);
	/* A port without a sample has no memory, see windows_note(). */
	if (!t->used)
		return;
	state_small(s, &t->next, WINDOW_SAMPLES);
	state_small(s, &w->last.at[port], WINDOW_SAMPLES);
	state_wall(s, &t->moved_us);
	state_wall(s, &left_us);
	if (s->loading)
		w->until_us.at[port] = w->now_us + left_us;
	state_downs(s, &t->downs);
	state_loads_of(s, t);
	for (unsigned i = 0; i < t->used; i++)
		state_sample(s, &ring[i], i ? &ring[i - 1] : &none, w->now_us);
	state_peaks(s, &w->peaks.at[port]);
	if (s->loading) {
		windows_follow(w, port);
		windows_mark(w, port);
	}
}

void windows_state_ports(struct state *s, struct sample_windows *w, uint32_t first, uint32_t n)
{
	for (size_t i = first; i < w->tracks.n && i < (size_t)first + n && !s->bad; i++)
		state_port(s, w, (uint32_t)i);
}

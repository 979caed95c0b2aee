/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine/engine.h"

/*
 * ---- the clock of a finding ---- It counts samples of the finding's device. A device that is
 * polled each 30 s has 6 quiet samples after 3 minutes; a silent one has none, so nothing closes
 * without data. While that device is silent and the other end of the link is heard, the other
 * end's samples count. Findings without a single device (rail, tier, job, rank) use the fabric's
 * ticks, see struct diag.
 */

static uint32_t device_of(const struct model *m, struct ref at)
{
	const struct device *d = ref_device(m, at);

	return d ? d->id : NO_DEVICE;
}

/* The device to count; *silent: no device with current data could show that it is over. */
static uint32_t clock_of(const struct diag *d, const struct model *m, const struct finding *f,
	int64_t now_us, bool *silent)
{
	uint32_t device = device_of(m, f->at), peer;

	*silent = false;
	/* That a device is blind must be judged without its samples. */
	if (device == NO_DEVICE || f->id == FIND_BLIND)
		return NO_DEVICE;
	if (engine_heard(d, m, device, now_us))
		return device;
	peer = device_of(m, f->peer);
	if (peer != NO_DEVICE && engine_heard(d, m, peer, now_us))
		return peer;
	*silent = true;
	return device;
}

/* Whether time has passed for the finding since it was last judged. */
static bool advance_clock(struct diag *d, const struct model *m, struct record *r, int64_t now_us)
{
	bool silent, moved;
	uint32_t device = clock_of(d, m, &r->f, now_us, &silent), sample;

	sample = device == NO_DEVICE ? d->ticks : window_device_samples(d->windows, device);
	/* The clock changed: its count does not measure the time since the last call. */
	moved = r->clock == device && sample != r->f.sample;
	r->clock = device;
	r->f.sample = sample;
	r->f.silent_us = silent && device < d->noted_us.n ? d->noted_us.at[device] : 0;
	return moved;
}

static unsigned count_bits(unsigned v)
{
	return (unsigned)__builtin_popcount(v);
}

/*
 * A finding of three samples also needs eight seconds from its onset: at one poll a second, three
 * samples may be a job's own checkpoint.
 */
#define THREE_LEAST_US (INT64_C(8) * 1000000)

/*
 * Trouble that comes and goes: few samples in a row show it, and never for long. It counts as one
 * case from the third time on. A burst that a healthy job makes every few minutes, such as a
 * checkpoint, does not recur within so few samples. Railtop's own values.
 */
#define RECURS_TIMES   3
#define RECURS_SAMPLES 5
/* After so many quiet samples its earlier times are forgotten. */
#define REMEMBERED 8

static bool recurs_often(const struct finding *f)
{
	if (finding_info[f->id].open == OPEN_ERROR)
		return count_bits(f->seen_bits & 0xFFFFU) >= RECURS_TIMES;
	/* A bit begins a time when the sample before it was without the finding. */
	return count_bits(f->seen_bits & ~(f->seen_bits << 1U)) >= RECURS_TIMES &&
	       count_bits(f->seen_bits) >= RECURS_SAMPLES;
}

/* Quiet samples between the first and the last time, as far as remembered. */
static unsigned longest_gap(uint32_t bits)
{
	unsigned longest = 0, gap = 0;

	for (bits >>= bits ? __builtin_ctz(bits) : 0; bits; bits >>= 1U) {
		gap = bits & 1U ? 0 : gap + 1;
		longest = gap > longest ? gap : longest;
	}
	return longest;
}

/* Trouble that recurs is over when it stays away for longer than it did before. */
static unsigned quiet_closes(const struct finding *f)
{
	unsigned most = recurs_often(f) ? longest_gap(f->seen_bits) + 2 : 0;

	return most < QUIET_CLOSES ? QUIET_CLOSES : most < REMEMBERED ? most : REMEMBERED;
}

static bool should_open(const struct finding *f, int64_t now_us)
{
	if (f->claimed && recurs_often(f))
		return true;
	if ((finding_info[f->id].open == OPEN_TWO || finding_info[f->id].open == OPEN_ERROR) &&
		!(f->recurs && f->claimed))
		return count_bits(f->seen_bits & 7U) >= 2;
	if (finding_info[f->id].open == OPEN_THREE)
		return count_bits(f->seen_bits & 15U) >= 3 &&
		       now_us - f->onset_us >= THREE_LEAST_US;
	return (f->seen_bits & 1U) != 0;
}

/* Takes over the claim's content; keeps the engine's fields of the finding. */
static void take_over(struct finding *f, struct finding *claim)
{
	struct finding old = *f;

	*f = *claim;
	memset(claim, 0, sizeof(*claim));
	f->open = old.open;
	f->seen_bits = old.seen_bits;
	f->quiet = old.quiet;
	f->sample = old.sample;
	f->first_seen_us = old.first_seen_us;
	f->last_seen_us = old.last_seen_us;
	f->acked_us = old.acked_us;
	f->ack_until_us = old.ack_until_us;
	memcpy(f->ack_note, old.ack_note, sizeof(f->ack_note));
	memcpy(f->ack_user, old.ack_user, sizeof(f->ack_user));
	if (old.onset_us && old.onset_us < f->onset_us)
		f->onset_us = old.onset_us;
	f->silent_us = old.silent_us;
	f->claimed = true;
	finding_free(&old);
}

static struct record *record_of(struct diag *d, const struct finding *claim)
{
	struct record *r;

	HASH_FIND(hh, d->known, &claim->key, sizeof(claim->key), r);
	if (r)
		return r;
	r = mem_calloc(1, sizeof(*r));
	r->f.key = claim->key;
	/* The current sample is its first one. */
	r->f.sample = UINT32_MAX;
	r->clock = UINT32_MAX - 1;
	HASH_ADD(hh, d->known, f.key, sizeof(r->f.key), r);
	return r;
}

static void remember_closed(struct diag *d, struct finding *f, int64_t now_us)
{
	size_t at = (size_t)(d->nclosed % CLOSED_RING);

	if (d->closed.n < CLOSED_RING) {
		(void)vec_add(&d->closed);
		vec_push(&d->closed_us, 0);
	} else {
		finding_free(&d->closed.at[at]);
	}
	d->closed.at[at] = *f;
	d->closed_us.at[at] = now_us;
	d->nclosed++;
	memset(f, 0, sizeof(*f));
}

/* Keeps the times at which it was seen, and nothing else. */
static void close_finding(struct diag *d, struct record *r, int64_t now_us)
{
	struct finding rest = {.key = r->f.key,
		.id = r->f.id,
		.at = r->f.at,
		.peer = r->f.peer,
		.seen_bits = r->f.seen_bits,
		.quiet = r->f.quiet,
		.sample = r->f.sample};

	r->f.open = false;
	remember_closed(d, &r->f, now_us);
	r->f = rest;
	d->generation++;
}

/* Judges one finding. False: it was removed from the known ones. */
static bool judge_record(struct diag *d, const struct model *m, struct record *r, int64_t now_us)
{
	struct finding *f = &r->f;
	bool moved = advance_clock(d, m, r, now_us);

	if (moved) {
		f->seen_bits <<= 1U;
		f->quiet = f->claimed ? 0 : (uint8_t)(f->quiet + (f->quiet < 255));
	}
	if (f->claimed) {
		f->seen_bits |= 1U;
		f->quiet = 0;
		/* A kept claim is as old as the sample that it is based on. */
		if (moved || !f->last_seen_us)
			f->last_seen_us = now_us;
	}
	if (!f->open && should_open(f, now_us)) {
		f->open = true;
		f->first_seen_us = now_us;
		r->told_severity = SEV_UNKNOWN;
		d->generation++;
	}
	/* What follows from it is still there: it is not over, and nothing takes its place. */
	if (f->open && f->quiet >= (r->needed ? REMEMBERED : quiet_closes(f)))
		close_finding(d, r, now_us);
	/* A closed one is remembered for a while, so that its return is seen. */
	return f->quiet < REMEMBERED;
}

void engine_settle(struct diag *d, const struct model *m, int64_t now_us)
{
	struct record *r, *next;

	HASH_ITER (hh, d->known, r, next)
		r->f.claimed = false;
	for (size_t i = 0; i < d->claims.n; i++) {
		r = record_of(d, &d->claims.at[i]->f);
		take_over(&r->f, &d->claims.at[i]->f);
		r->said_role = r->f.role;
		r->said_root = r->f.root;
	}
	HASH_ITER (hh, d->known, r, next) {
		if (judge_record(d, m, r, now_us))
			continue;
		HASH_DEL(d->known, r);
		finding_free(&r->f);
		free(r);
	}
}

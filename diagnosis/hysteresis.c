/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine.h"

/* ---- the clock of a finding: samples of the device that it is about ---- */

static uint32_t sample_of(const struct diag *d, const struct model *m, const struct finding *f)
{
	switch (f->at.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_COUNTER:
		return f->at.port < m->ports.n
			       ? window_device_samples(d->windows, m->ports.at[f->at.port]->device)
			       : d->runs;
	case REF_DEVICE:
	case REF_BGP:
		return window_device_samples(d->windows, f->at.device);
	default:
		return d->runs;
	}
}

static unsigned bits(unsigned v)
{
	return (unsigned)__builtin_popcount(v);
}

static bool opens(const struct finding *f)
{
	return finding_info[f->id].open == OPEN_TWO ? bits(f->seen_bits & 7U) >= 2
						    : (f->seen_bits & 1U) != 0;
}

/* What a claim says anew; what the engine knows of the finding stays. */
static void take_over(struct finding *f, struct finding *claim)
{
	struct finding old = *f;

	*f = *claim;
	memset(claim, 0, sizeof(*claim));
	f->root = f->root ? f->root : 0;
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
	/* More severe than when it was acknowledged: the operator did not agree to that. */
	if (f->severity > old.severity)
		f->acked_us = f->ack_until_us = 0;
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
	r->f.severity = claim->severity;
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

/* False: it is gone from what is known. */
static bool judge(struct diag *d, const struct model *m, struct finding *f, int64_t now_us)
{
	uint32_t sample = sample_of(d, m, f);

	if (sample != f->sample) {
		f->sample = sample;
		f->seen_bits = (uint8_t)(f->seen_bits << 1U);
		f->quiet = f->claimed ? 0 : (uint8_t)(f->quiet + (f->quiet < 255));
	}
	if (f->claimed) {
		f->seen_bits |= 1U;
		f->quiet = 0;
		f->last_seen_us = now_us;
	}
	if (!f->open && opens(f)) {
		f->open = true;
		f->first_seen_us = now_us;
		d->generation++;
	}
	return f->quiet < QUIET_CLOSES;
}

void engine_settle(struct diag *d, const struct model *m, int64_t now_us)
{
	struct record *r, *next;

	HASH_ITER (hh, d->known, r, next)
		r->f.claimed = false;
	for (size_t i = 0; i < d->claims.n; i++)
		take_over(&record_of(d, &d->claims.at[i]->f)->f, &d->claims.at[i]->f);
	HASH_ITER (hh, d->known, r, next) {
		if (judge(d, m, &r->f, now_us))
			continue;
		HASH_DEL(d->known, r);
		if (r->f.open) {
			remember_closed(d, &r->f, now_us);
			d->generation++;
		}
		finding_free(&r->f);
		free(r);
	}
}

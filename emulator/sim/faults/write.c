/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/faults/fault_effects.h"

/* Faults that decide over write requests. */

static void count_fault(struct fault *f, bool on)
{
	f->device->write_faults += on ? 1U : -1U;
	f->writes = 0;
}

void apply_write_cut(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	count_fault(f, on);
}

void apply_write_hang(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	count_fault(f, on);
}

void apply_write_noop(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	count_fault(f, on);
}

void apply_write_denied(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	count_fault(f, on);
}

void apply_session_expired(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	count_fault(f, on);
}

/* ---- a request ---- */

static const struct {
	void (*apply)(struct sim *s, struct fault *f, bool on);
	enum sim_fate fate;
	enum sim_write effect; /* before=yes: LOST in any case */
} effects[] = {
	{apply_write_cut, SIM_FATE_CUT, SIM_WRITE_TAKES},
	{apply_write_hang, SIM_FATE_HANG, SIM_WRITE_TAKES},
	{apply_write_noop, SIM_FATE_NONE, SIM_WRITE_PRETENDED},
	{apply_write_denied, SIM_FATE_DENIED, SIM_WRITE_LOST},
	{apply_session_expired, SIM_FATE_EXPIRED, SIM_WRITE_LOST},
};

/* True if this request is one of those that f is about. Call once per request: it counts them. */
static bool hits_request(struct fault *f)
{
	f->writes++;
	return f->writes >= f->k.n && (!f->k.count || f->writes < f->k.n + f->k.count);
}

static void draw_fate(struct sim *s, struct fault *f)
{
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		if (f->class->apply != effects[i].apply)
			continue;
		if (effects[i].fate == SIM_FATE_EXPIRED && !s->request.https)
			return;
		if (!hits_request(f) || s->request.is.fate || s->request.effect != SIM_WRITE_TAKES)
			return; /* the first fault that hits the request decides */
		s->request.is.fate = effects[i].fate;
		s->request.effect = f->k.before ? SIM_WRITE_LOST : effects[i].effect;
		return;
	}
}

void sim_request_begin(struct sim *s, struct sim_device *d, bool https)
{
	s->request.device = d;
	s->request.https = https;
	s->request.effect = SIM_WRITE_TAKES;
	s->request.is = (struct sim_request){0};
}

enum sim_write sim_write(struct sim *s, const struct sim_device *d)
{
	if (s->request.device != d)
		return SIM_WRITE_TAKES;
	if (!s->request.is.tried && d->write_faults)
		for (size_t i = 0; i < s->faults.n; i++)
			if (s->faults.at[i].on && s->faults.at[i].device == d)
				draw_fate(s, &s->faults.at[i]);
	s->request.is.tried = true;
	return s->request.effect;
}

bool sim_write_denied(const struct sim *s)
{
	return s->request.device && s->request.is.fate == SIM_FATE_DENIED;
}

bool sim_write_expired(const struct sim *s)
{
	return s->request.device && s->request.is.fate == SIM_FATE_EXPIRED;
}

struct sim_request sim_request_end(struct sim *s)
{
	s->request.device = NULL;
	return s->request.is;
}

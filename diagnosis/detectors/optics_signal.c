/* SPDX-License-Identifier: Apache-2.0 */
/* What modules say about their signal beyond light: the pair of both ends, diagnostics, flags. */
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/evidence/cells.h"
#include "diagnosis/evidence/optic_kind.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/*
 * KP4 corrects up to 2.4e-4 at the end of the link; a retimed module adds to it, so that operators
 * act a decade earlier. Below 1e-5 both sides of a PAM4 module are normal.
 */
#define BER_WARN 1e-5
#define BER_CRIT 1e-4
/* Effective SNR of PAM4 at which KP4 is near its end (railtop's own, from the same limit). */
#define ESNR_WARN_DB 17.0
#define ESNR_MIN_DB  5.0 /* below: no signal, or no measurement */
/* Flags: a change in five minutes, the interval of their reading. */
#define FLAGS_RATE (1.0 / 600)

static void judge_pair(struct diag_run *r, const struct port *p)
{
	const struct port *peer = port_peer(r->m, p, NULL);
	char mine[32], other[32];
	enum optic_kind a, b;
	struct finding *f;

	/* Each pair once. */
	if (!peer || peer->id < p->id || !p->more->media[0] || !peer->more->media[0])
		return;
	a = optic_kind_of(p->more->media, mine, sizeof(mine));
	b = optic_kind_of(peer->more->media, other, sizeof(other));
	if (a == OPTIC_UNKNOWN || b == OPTIC_UNKNOWN || a == b)
		return;
	f = diag_claim(r, FIND_OPTIC_MISMATCH, at_port(p->id));
	f->peer = at_port(peer->id);
	(void)finding_text(f, f->at, "module", p->more->media, "module");
	(void)finding_text(f, f->peer, "module", peer->more->media, "module");
	(void)finding_text(f, f->at, "kind", optic_kind_name(a), "module");
	(void)finding_text(f, f->peer, "kind", optic_kind_name(b), "module");
	finding_weigh(f, SIGNAL_FACT, 10);
	finding_title(f, "%s at one end, %s at the other", mine, other);
}

static void judge_signal(struct diag_run *r, const struct port *p)
{
	double media = cell_gauge(p, CELL_PRE_FEC_BER_MEDIA);
	double host = cell_gauge(p, CELL_PRE_FEC_BER_HOST);
	double esnr = cell_gauge(p, CELL_ESNR_MEDIA_DB);
	bool weak = esnr < ESNR_WARN_DB && esnr > ESNR_MIN_DB;
	bool at_host = host > BER_WARN && !(media > host);
	double worst = at_host ? host : media;
	const struct port *peer;
	struct finding *f;

	if (!(media > BER_WARN) && !(host > BER_WARN) && !weak)
		return;
	/* Coherent optics work with bit errors of a per cent. */
	if (strstr(p->more->media, "ZR"))
		return;
	f = diag_claim(r, FIND_OPTIC_SIGNAL, at_port(p->id));
	f->role = ROLE_RISK;
	peer = port_peer(r->m, p, NULL);
	if (peer)
		f->peer = at_port(peer->id);
	if (!isnan(media))
		(void)finding_number(f, f->at, "pre_fec_ber_media", media, "", "< 1e-5", "counter");
	if (!isnan(host))
		(void)finding_number(f, f->at, "pre_fec_ber_host", host, "", "< 1e-5", "counter");
	if (!isnan(esnr))
		(void)finding_number(f, f->at, "esnr_media_db", esnr, "dB", "> 17 dB", "counter");
	if (worst > BER_CRIT)
		f->severity = SEV_CRIT;
	finding_weigh(f, SIGNAL_FACT, f->severity == SEV_CRIT ? 10 : 3);
	if (at_host)
		finding_title(f, "module gets %.1e bit errors from its own device", host);
	else if (media > BER_WARN)
		finding_title(f, "module receives %.1e bit errors from the fibre", media);
	else
		finding_title(f, "module receives a weak signal: eSNR %.1f dB", esnr);
	(void)finding_text(f, f->at, "points to",
		at_host ? "the electrical side: seat of the module, board, or its setting"
			: "fibre, connector, or the laser of the link partner",
		"counter");
}

static void judge_flags(struct diag_run *r, const struct port *p)
{
	double rate = cell_rate(p, CELL_OPTIC_FLAG_CHANGES);
	struct finding *f;

	if (!(rate > FLAGS_RATE))
		return;
	f = diag_claim(r, FIND_OPTIC_FLAGS, at_port(p->id));
	f->role = ROLE_RISK;
	(void)finding_number(f, f->at, "optic_flag_changes", rate * 3600, "/h", "0", "counter");
	finding_weigh(f, SIGNAL_FACT, 3);
	finding_title(f, "flags of the module changed %.0f times an hour", rate * 3600);
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		if (!p->seen || p->merged)
			continue;
		judge_pair(r, p);
		if (p->oper == OPER_DOWN)
			continue;
		judge_signal(r, p);
		judge_flags(r, p);
	}
}

static void run_optics_signal(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_optics_signal = {"optics signal", run_optics_signal, NULL, NULL, NULL};

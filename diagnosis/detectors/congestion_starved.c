/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A full egress on which the lossless queue waits because others are sent: its scheduler puts them
 * first, or gives it a small weight. Congestion control slows the RDMA senders down, which are not
 * the cause.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "diagnosis/evidence/congestion.h"
#include "fabric/vocabulary/counters.h"

/*
 * Public designs give the RDMA queue half of the line or more (SONiC's example: weights 15 and 14;
 * NVIDIA's RoCE profile: 50 % each). A queue that waits with less than a third of a line of which
 * others have more than half has less than any of them. Railtop's own limits between these.
 */
#define OTHERS_LEAST  0.5
#define STARVED_BELOW 0.35

/* Share of the speed that a queue sends; NAN. */
static double queue_share(const struct port *p, unsigned queue)
{
	return port_rate(p, CTR_QUEUE_TX_BYTES, queue) * 8 / (p->speed_mbps * 1e6);
}

/* The words of one queue in "0:DWRR 20 3:STRICT" (ATTR_SCHEDULER); "": the device did not tell. */
static void setting_of(const struct port *p, unsigned queue, char *dst, size_t size)
{
	const char *at = p->more->scheduler;
	char key[4];

	dst[0] = '\0';
	(void)str_printf(key, sizeof(key), "%u:", queue);
	while (*at) {
		const char *end = at + 1;

		while (*end && !(*end == ' ' && end[1] >= '0' && end[1] <= '7' && end[2] == ':'))
			end++;
		if (str_starts(at, key))
			(void)str_copyn(
				dst, size, at + strlen(key), (size_t)(end - at) - strlen(key));
		at = *end ? end + 1 : end;
	}
}

static bool is_strict(const char *words)
{
	return strncasecmp(words, "STRICT", 6) == 0;
}

/*
 * The queue beside the lossless ones that sends most. Where these are not counted: the first that
 * goes strictly first. PRIORITIES: neither is known.
 */
static unsigned greediest(const struct diag_run *r, const struct port *p)
{
	uint8_t lossless = lossless_priorities(&r->m->lossless);
	unsigned most = PRIORITIES, strict = PRIORITIES;
	char words[40];

	for (unsigned q = 0; q < PRIORITIES; q++) {
		if (lossless >> q & 1)
			continue;
		setting_of(p, q, words, sizeof(words));
		if (strict == PRIORITIES && is_strict(words))
			strict = q;
		if (queue_share(p, q) > 0 &&
			(most == PRIORITIES || queue_share(p, q) > queue_share(p, most)))
			most = q;
	}
	return most < PRIORITIES ? most : strict;
}

/* What is not of the lossless queues, bits per second: by its queues, else the rest of the port. */
static double other_sent(const struct sample *s)
{
	return isnan(s->other_tx_bps) ? (double)s->tx_bps - (double)s->lossless_tx_bps
				      : (double)s->other_tx_bps;
}

bool congestion_is_starved(const struct diag_run *r, const struct hot *h)
{
	const struct port *p = r->m->ports.at[h->port];
	double speed = p->speed_mbps * 1e6;

	/* Without the counters of its queues nothing is said. */
	return model_dev_of(r->m, p)->tier != TIER_HOST && speed > 0 &&
	       other_sent(h->s) > OTHERS_LEAST * speed &&
	       (double)h->s->lossless_tx_bps < STARVED_BELOW * speed;
}

void congestion_claim_starved(struct diag_run *r, const struct hot *h)
{
	const struct port *p = r->m->ports.at[h->port];
	struct finding *f = diag_claim(r, FIND_STARVED, at_port(h->port));
	unsigned own = (unsigned)__builtin_ctz(lossless_priorities(&r->m->lossless));
	unsigned other = greediest(r, p);
	double speed = p->speed_mbps * 1e6;
	char mine[40], theirs[40] = "", text[120];

	congestion_describe(r, f, h);
	finding_number(f, f->at, "other traffic sent", other_sent(h->s) / speed * 100, "%", "< 50%",
		"counter");
	finding_number(f, f->at, "lossless traffic sent",
		(double)h->s->lossless_tx_bps / speed * 100, "%", "> 35%", "counter");
	finding_weigh(f, SIGNAL_QUEUE, 60);
	finding_title(f, "the RDMA queue waits while other traffic has %.0f%% of the egress",
		other_sent(h->s) / speed * 100);
	finding_refute(f, FIND_INCAST, f->at, "%.0f%% of what it sends is other traffic",
		other_sent(h->s) / (other_sent(h->s) + (double)h->s->lossless_tx_bps) * 100);
	setting_of(p, own, mine, sizeof(mine));
	if (other < PRIORITIES)
		setting_of(p, other, theirs, sizeof(theirs));
	if (!*mine && !*theirs) {
		finding_text(f, f->at, "its scheduler", "not reported", "setting");
		return;
	}
	(void)str_printf(text, sizeof(text), "queue %u %s, queue %u %s", own, *mine ? mine : "-",
		other < PRIORITIES ? other : 0, *theirs ? theirs : "-");
	finding_text(f, f->at, "its scheduler", text, "setting");
	if (is_strict(theirs) && !is_strict(mine))
		finding_weigh(f, SIGNAL_CONFIG, 50);
}

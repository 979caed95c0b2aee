/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot.h"
#include "archive/export/snapshot_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/metrics.h"

/* Lines of each part. With the headings they stay below SNAPSHOT_TEXT_LINES. */
enum { FINDING_LINES = 12, WORST_LINES = 12, DEVICE_LINES = 10, EVENT_LINES = 11 };

static void top_findings(const struct model *m, const struct diag *d, int64_t now_us, FILE *out)
{
	char verdict[VERDICT_SENTENCE];
	const struct finding *const *f;
	size_t n, shown = 0;

	if (!d)
		return;
	verdict_sentence(diag_verdict(d), m, now_us, verdict, sizeof(verdict));
	(void)fprintf(out, "verdict: %s\n", verdict);
	f = diag_findings(d, &n);
	(void)fprintf(out, "findings (%zu), most likely root first:\n", n);
	for (size_t i = 0; i < n && shown < FINDING_LINES; i++) {
		char where[160] = "", share[16];

		if (f[i]->root)
			continue;
		(void)ref_format(m, f[i]->at, where, sizeof(where));
		(void)fprintf(out, "%-8s %4s %-8s %-24s %s: %s\n",
			finding_severity_name(f[i]->severity),
			str_share((double)f[i]->confidence, "%", share, sizeof(share)),
			finding_role_name(f[i]->role), finding_info[f[i]->id].name, where,
			f[i]->title);
		shown++;
	}
	if (!n)
		(void)fprintf(out, "none\n");
	(void)fputc('\n', out);
}

struct ranked {
	const struct port *port;
	struct health health;
};

static int worse_first(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (health_worse(&a->health, &b->health))
		return -1;
	if (health_worse(&b->health, &a->health))
		return 1;
	return a->port->id < b->port->id ? -1 : 1;
}

static void write_header(const struct model *m, int64_t now_us, FILE *out)
{
	struct coverage v = model_coverage(m);
	struct census c = model_census(m);
	char when[32];

	(void)fprintf(out, "railtop snapshot of %s at %s\n",
		m->fabric[0] ? m->fabric : "the fabric", model_utc(m, now_us, when, sizeof(when)));
	(void)fprintf(out, "devices %u:", v.devices);
	for (int s = 0; s < DEV_STATE_COUNT; s++)
		(void)fprintf(out, " %s %u", dev_state_words((enum dev_state)s), v.by_state[s]);
	(void)fprintf(out,
		"\nexpected/seen: hosts %u/%u leaves %u/%u spines %u/%u superspines %u/%u "
		"links %u/%u; ports up %u of %u\n",
		c.expected[TIER_HOST], c.seen[TIER_HOST], c.expected[TIER_LEAF], c.seen[TIER_LEAF],
		c.expected[TIER_SPINE], c.seen[TIER_SPINE], c.expected[TIER_SUPERSPINE],
		c.seen[TIER_SUPERSPINE], c.links_expected, c.links_found, c.ports_up,
		c.ports_expected);
	snapshot_bgp_line(m, out);
	(void)fprintf(out, "\n");
}

static void paused_text(const struct paused p, char *dst, size_t size)
{
	if (isnan(p.percent))
		(void)str_copy(dst, size, "-");
	else
		(void)str_printf(dst, size, "%s%.1f%%", p.upper_bound ? "<=" : "", p.percent);
}

static void port_line(const struct model *m, const struct ranked *r, FILE *out)
{
	const struct port *p = r->port, *peer = port_peer(m, p, NULL);
	uint8_t lossless = lossless_priorities(&m->lossless);
	char where[2 * NAME_MAX_LEN], other[2 * NAME_MAX_LEN] = "-", rx[16], tx[16], prx[16],
						ptx[16];

	(void)str_printf(where, sizeof(where), "%s:%s", model_dev_of(m, p)->name, p->name);
	if (peer)
		(void)str_printf(
			other, sizeof(other), "%s:%s", model_dev_of(m, peer)->name, peer->name);
	str_si(port_bps(p, DIR_RX), rx, sizeof(rx));
	str_si(port_bps(p, DIR_TX), tx, sizeof(tx));
	paused_text(port_paused_max(p, lossless, DIR_RX), prx, sizeof(prx));
	paused_text(port_paused_max(p, lossless, DIR_TX), ptx, sizeof(ptx));
	(void)fprintf(out, "%-5s %-24s to %-24s %s; rx %sb/s tx %sb/s paused rx %s tx %s\n",
		severity_name(r->health.severity), where, other, r->health.why, rx, tx, prx, ptx);
}

static void worst_ports(const struct model *m, int64_t now_us, FILE *out)
{
	struct ranked *all = mem_calloc(m->ports.n, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < m->ports.n; i++) {
		struct health h;

		if (m->ports.at[i]->merged)
			continue;
		h = port_health(m, m->ports.at[i], now_us);
		if (h.severity == SEV_WARN || h.severity == SEV_CRIT)
			all[n++] = (struct ranked){m->ports.at[i], h};
	}
	if (n > 1)
		qsort(all, n, sizeof(*all), worse_first);
	(void)fprintf(out, "worst ports (%zu of %zu not ok):\n", n, m->ports.n);
	for (size_t i = 0; i < n && i < WORST_LINES; i++)
		port_line(m, &all[i], out);
	if (!n)
		(void)fprintf(out, "none\n");
	free(all);
}

static void dark_devices(const struct model *m, int64_t now_us, FILE *out)
{
	size_t shown = 0;

	(void)fprintf(out, "\n"
			   "devices without current data:\n");
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];
		char age[16];

		if (d->state == DEV_FRESH || d->state == DEV_LATE)
			continue;
		if (++shown > DEVICE_LINES)
			continue;
		str_age(d->last_ok_us ? now_us - d->last_ok_us : -1, age, sizeof(age));
		(void)fprintf(out, "%-12s %-16s last answer %s; %s%s%s\n",
			dev_state_words(d->state), d->name, age, d->err->text,
			d->err->cure[0] ? "; cure: " : "", d->err->cure);
	}
	if (shown > DEVICE_LINES)
		(void)fprintf(out, "... and %zu more\n", shown - DEVICE_LINES);
	if (!shown)
		(void)fprintf(out, "none\n");
}

static void last_events(const struct model *m, FILE *out)
{
	const struct event *e;

	(void)fprintf(out, "\nlast events:\n");
	for (size_t i = 0; i < EVENT_LINES && (e = model_event(m, i)); i++) {
		char when[32];

		(void)fprintf(out, "%s %-5s %-17s %s%s%s %s\n",
			model_utc(m, e->wall_us, when, sizeof(when)),
			severity_name(event_info[e->kind].severity), event_info[e->kind].name,
			e->device != EVENT_NO_ID ? m->devices.at[e->device]->name : "",
			e->port != EVENT_NO_ID ? ":" : "",
			e->port != EVENT_NO_ID ? m->ports.at[e->port]->name : "", e->text);
	}
	if (!model_event(m, 0))
		(void)fprintf(out, "none\n");
}

/* Ticket systems and mail mangle other characters, which texts of devices and people may
 * contain. */
static bool write_ascii(const char *page, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)page[i];

		/* One '?' per UTF-8 character: continuation bytes are left out. */
		if (c < 0x80 || c >= 0xc0)
			(void)fputc(c < 0x80 ? c : '?', out);
	}
	return fflush(out) == 0 && !ferror(out);
}

bool snapshot_text(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err)
{
	char *page = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&page, &n);
	bool ok = f != NULL;

	if (f) {
		write_header(m, now_us, f);
		top_findings(m, d, now_us, f);
		worst_ports(m, now_us, f);
		dark_devices(m, now_us, f);
		last_events(m, f);
		ok = fclose(f) == 0 && write_ascii(page, n, out);
	}
	free(page);
	return ok || err_system(err, ERR_IO, "snapshot", "cannot be written", errno);
}

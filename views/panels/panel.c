/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "fabric/model/nets.h"
#include "views/panels/finding_text.h"
#include "views/panels/gpu_panel.h"
#include "views/outlier.h"
#include "views/summary.h"
#include "views/wrap.h"

#define PANEL_WRAPS 2 /* further lines of a long line */

int panel_height(int h)
{
	return h >= 10 ? h - 4 : h;
}

/* Draws a line, and as much of what did not fit as `more` further lines hold. */
static int draw_line(struct region r, int y, const struct panel_line *l, int more)
{
	int x = l->head[0] ? draw_text(r, y, 0, l->role, l->head, -1) + 1 : 0, used = 1;
	const char *text = l->text;

	while (more > 0 && r.w - x > 20 && text_width(text) > r.w - x) {
		char part[sizeof(l->text)];
		size_t n = wrap_fit(text, r.w - x);

		(void)str_copyn(part, sizeof(part), text, n);
		(void)draw_text(r, y + used - 1, x, ROLE_NORMAL, part, -1);
		text += n;
		while (*text == ' ')
			text++;
		used++;
		more--;
	}
	(void)draw_text(r, y + used - 1, x, ROLE_NORMAL, text, -1);
	return used;
}

int panel_draw(struct region r, const struct panel_line *lines, size_t n)
{
	int y = 0;

	/* A long line continues where every other line has its own, and the table keeps its rows.
	 */
	for (size_t i = 0; i < n && y < r.h; i++) {
		int more = r.h - y - (int)(n - i);

		y += draw_line(r, y, &lines[i], more < PANEL_WRAPS ? more : PANEL_WRAPS);
	}
	return y;
}

void panel_say(struct panel_line *l, enum role role, const char *head, const char *fmt, ...)
{
	va_list ap;

	l->role = role;
	(void)str_copy(l->head, sizeof(l->head), head);
	va_start(ap, fmt);
	(void)vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
}

void panel_rail_line(const struct view_ctx *ctx, int rail, struct panel_line *out)
{
	struct summary s;
	double each = view_in_bytes(ctx) ? 8 : 1;
	const char *unit = view_in_bytes(ctx) ? "B/s" : "b/s";
	char rx[16], tx[16];

	summary_rail(ctx, rail, &s);
	panel_say(out, role_of_severity(s.health.severity), severity_word(s.health.severity),
		"rail %d  leaves %u/%u  ports %u/%u up  %u crit %u warn  rx %s%s tx %s%s", rail,
		s.devices_seen, s.devices, s.ports_up, s.ports_planned, s.by_severity[SEV_CRIT],
		s.by_severity[SEV_WARN], str_si(s.rx_bps / each, rx, sizeof(rx)), unit,
		str_si(s.tx_bps / each, tx, sizeof(tx)), unit);
}

const char *source_text(const struct view_ctx *ctx, const struct device *d, char *dst, size_t size)
{
	if (d->engine)
		(void)str_printf(
			dst, size, "from Prometheus, %s old", age_step(ctx->now_us, d->engine_us));
	else
		(void)str_printf(dst, size, "%s%s", age_step(ctx->now_us, d->last_ok_us),
			d->engine_us ? " direct" : "");
	return dst;
}

size_t not_asked_line(const struct device *d, struct panel_line *out)
{
	if (!d->not_asked[0])
		return 0;
	panel_say(out, ROLE_WARN, "not asked", "itself: %s", d->not_asked);
	return 1;
}

size_t poll_path_line(const struct view_ctx *ctx, const struct device *d, struct panel_line *out)
{
	struct poll_path w = device_poll_path(ctx->model, d);

	if (!*w.device)
		return 0;
	panel_say(out, w.kind == PATH_IN_BAND ? ROLE_WARN : ROLE_NORMAL, "polled", "%s by %s%s",
		w.kind == PATH_UNKNOWN ? "" : poll_path_name(w), w.device,
		w.kind == PATH_IN_BAND   ? ": what stops the traffic stops the poll"
		: w.kind == PATH_UNKNOWN ? ", of which the network is not known"
					 : "");
	return 1;
}

void panel_device_line(const struct view_ctx *ctx, const struct device *d, struct panel_line *out)
{
	struct summary s;
	char source[48], stand[STAND_TEXT];

	summary_device(ctx, d, &s);
	(void)device_stand(d, stand, sizeof(stand));
	panel_say(out, role_of_severity(s.health.severity), severity_word(s.health.severity),
		"%s  %s%s%s  %s %s  ports %u/%u up  %u crit %u warn  %s%s%s", d->name,
		model_tier_word(ctx->model, d->tier), stand[0] ? "  " : "", stand,
		dev_state_words(d->state), source_text(ctx, d, source, sizeof(source)), s.ports_up,
		s.ports_planned, s.by_severity[SEV_CRIT], s.by_severity[SEV_WARN], d->provider,
		d->provider[0] ? " " : "", d->model);
}

/* Fills at most max lines; returns their number. */
static size_t device_lines(
	const struct view_ctx *ctx, const struct device *d, struct panel_line *out, size_t max)
{
	size_t n = 0;

	if (n < max)
		panel_device_line(ctx, d, &out[n++]);
	if (n < max && d->err->code != ERR_NONE) {
		panel_say(&out[n], ROLE_ERROR, "error", "%s%s%s", d->err->text,
			d->err->cure[0] ? "; cure: " : "", d->err->cure);
		n++;
	}
	if (n < max)
		n += not_asked_line(d, &out[n]);
	return n;
}

int panel_device(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct panel_line lines[4];

	size_t n;

	if (!d)
		return 0;
	n = device_lines(ctx, d, lines, 3);
	n += finding_at_line(ctx, ref_of_device(d), &lines[n]);
	return panel_draw(r, lines, n);
}

int panel_host(const struct view_ctx *ctx, struct region r)
{
	const struct device *d = view_device_of(ctx, ctx->scope);
	struct panel_line lines[7];
	struct outlier odd;
	size_t n;

	if (!d)
		return 0;
	n = device_lines(ctx, d, lines, 3);
	n += finding_at_line(ctx, ref_of_device(d), &lines[n]);
	odd = summary_odd(ctx, d);
	if (odd.nic >= 0)
		panel_say(&lines[n++], ROLE_WARN, "outlier", "%s", odd.text);
	n += panel_gpus_line(d, &lines[n]);
	n += poll_path_line(ctx, d, &lines[n]);
	return panel_draw(r, lines, n);
}

void device_port_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (!d)
		return;
	vec_reserve(out, out->n + d->ports.n);
	for (size_t i = 0; i < d->ports.n; i++)
		vec_push(out, ref_of_port(ctx->model->ports.at[d->ports.at[i]]));
}

const char *device_ports_empty(const struct view_ctx *ctx)
{
	const struct device *d = view_device_of(ctx, ctx->scope);

	if (!d)
		return "no device is chosen: type its name in the palette";
	if (d->err->code != ERR_NONE)
		return d->err->text;
	return d->last_ok_us ? "the device reported no port" : "the device has not answered yet";
}

bool enter_port(const struct view_ctx *ctx, struct ref row, const char **view, struct ref *scope)
{
	const struct port *p = view_port_of(ctx, row);

	if (!p)
		return false;
	*view = "port";
	*scope = ref_of_port(p);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/gpu_panel.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/gpu_link.h"

/* What the GPUs of a host have in common. */
struct sum {
	unsigned n, gone, untold, unregistered;
	int least, most; /* active links; -1: unknown */
	float gbs;       /* NAN */
	uint64_t errors; /* UINT64_MAX: unknown */
	const char *kind, *state;
};

static void add_gpu(struct sum *s, const struct device *d, const struct gpu_link *g)
{
	uint64_t errors = gpu_errors_sum(g);

	s->gone += g->seen_us && g->seen_us != d->gpus_us;
	if (*g->state && (!s->state || !str_eq(g->state, "completed")))
		s->state = g->state;
	s->unregistered += *g->state && !str_eq(g->state, "completed");
	if (g->no_links)
		return;
	s->n++;
	if (str_eq(g->kind, "xgmi"))
		s->kind = "xGMI";
	if (g->active < 0) {
		s->untold++;
		return;
	}
	s->least = s->least < 0 || g->active < s->least ? g->active : s->least;
	s->most = g->most > s->most ? g->most : s->most;
	if (!(s->gbs <= g->gbs))
		s->gbs = g->gbs;
	if (errors != UINT64_MAX)
		s->errors = (s->errors == UINT64_MAX ? 0 : s->errors) + errors;
}

static void say_domain(const struct device *d, char *dst, size_t size)
{
	char fm[24], imex[24], ready[12], members[12];
	size_t at;

	dst[0] = '\0';
	if (gpu_word(d->gpu_domain, "fm", fm, sizeof(fm)) && !str_eq(fm, "missing"))
		(void)str_printf(dst, size, ", manager %s", fm);
	at = strlen(dst);
	if (!gpu_word(d->gpu_domain, "imex", imex, sizeof(imex)))
		return;
	if (gpu_word(d->gpu_domain, "members", members, sizeof(members)) &&
		gpu_word(d->gpu_domain, "ready", ready, sizeof(ready)))
		(void)str_printf(
			dst + at, size - at, ", IMEX %s: %s of %s ready", imex, ready, members);
	else
		(void)str_printf(dst + at, size - at, ", IMEX %s", imex);
}

static void say_links(const struct sum *s, char *dst, size_t size)
{
	if (s->least < 0)
		(void)str_copy(dst, size, "links unknown");
	else if (s->least < s->most)
		(void)str_printf(dst, size, "%d to %d links", s->least, s->most);
	else
		(void)str_printf(dst, size, "%d links each", s->least);
	if (s->untold && s->least >= 0)
		(void)str_printf(dst + strlen(dst), size - strlen(dst), ", %u unknown", s->untold);
	if (!isnan(s->gbs))
		(void)str_printf(
			dst + strlen(dst), size - strlen(dst), " at %.3g GB/s", (double)s->gbs);
}

size_t panel_gpus_line(const struct device *d, struct panel_line *out)
{
	struct sum s = {
		.least = -1, .most = -1, .gbs = NAN, .errors = UINT64_MAX, .kind = "NVLink"};
	char domain[96], links[96], errors[40] = "errors unknown", gone[32] = "";
	bool bad;

	for (unsigned i = 0; d->gpus && i < HOST_GPUS_MOST; i++)
		if (d->gpus[i].known)
			add_gpu(&s, d, &d->gpus[i]);
	if (!s.n)
		return 0;
	say_domain(d, domain, sizeof(domain));
	say_links(&s, links, sizeof(links));
	if (s.errors != UINT64_MAX)
		(void)str_printf(errors, sizeof(errors), "%s errors since the driver was loaded",
			STR_NUMBER((double)s.errors));
	if (s.gone)
		(void)str_printf(gone, sizeof(gone), ", %u gone", s.gone);
	bad = s.least < s.most || s.gone || s.unregistered;
	panel_say(out, bad ? ROLE_CRIT : ROLE_NORMAL, s.kind, "%u GPU%s%s, %s, %s%s%s%s", s.n,
		str_plural(s.n), gone, links, errors, s.state ? ", fabric " : "",
		s.state ? s.state : "", domain);
	return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_FINDING_TEXT_H
#define VIEWS_PANELS_FINDING_TEXT_H

#include "views/common.h"
#include "views/panels/panel.h"

/* The text of findings, evidence and verdicts; shared by the views of the diagnosis. */

/*
 * The finding of a ref of kind REF_FINDING: open (*closed_us 0) or closed lately (*closed_us is the
 * time). closed_us may be NULL. NULL: neither.
 */
const struct finding *finding_of(const struct view_ctx *ctx, struct ref r, int64_t *closed_us);
struct ref ref_of_finding(uint64_t key);
/* The finding at the end of the chain that explains f: f itself if it is a root. */
const struct finding *finding_root(const struct diag *d, const struct finding *f);

/* Dim when acknowledged or harmless, else the role of its severity. */
enum role role_of_finding(const struct view_ctx *ctx, const struct finding *f);
/* "leaf-r3-00:Ethernet12", "rank pretrain/19", "fabric": a place as text; "-" for none. */
char *place_text(const struct view_ctx *ctx, struct ref at, char *dst, size_t size);
/* "ack until 03:20 by noc: cable ordered"; "" when it is not acknowledged. */
char *ack_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size);
/* Ends of a finding: "a <-> b", or the one place. */
char *ends_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size);
/* The racks of both: "R12 U40 <-> R01 U3"; "": the inventory states none. */
char *stands_text(const struct model *m, const struct finding *f, char *dst, size_t size);

/*
 * "network 97 %: link.flapping leaf-r3-00:Ethernet12 <-> node007:mlx5_3", or the sentence of
 * verdict_sentence().
 */
void verdict_line(
	const struct view_ctx *ctx, const struct verdict_report *v, struct panel_line *out);
/*
 * The severity of the whole fabric: the worse of the ports' severity and the findings'. Without a
 * diagnosis the ports' severity alone.
 */
enum severity severity_with_verdict(const struct view_ctx *ctx, enum severity of_ports);
/*
 * Shorter, for the title: "2 culprits, network 97%", "cause not proven: 156 ports paused", "clean".
 * "" without a diagnosis, or when nothing was found but some checks could not be made.
 */
void verdict_badge(const struct view_ctx *ctx, char *dst, size_t size, bool is_short);
/* One row of evidence, of a refuted cause, and of the next step, as lines of a panel. */
void evidence_line(const struct view_ctx *ctx, const struct evidence *e, struct panel_line *out);
void refuted_line(const struct view_ctx *ctx, const struct refuted *r, struct panel_line *out);
void next_line(const struct finding *f, struct panel_line *out);
/* The most important finding about a place, in a line; false: there is none. */
bool finding_at_line(const struct view_ctx *ctx, struct ref at, struct panel_line *out);

/* The view that Enter opens for a place; false: no view shows it. */
bool enter_place(const struct view_ctx *ctx, struct ref at, const char **view, struct ref *scope);

/* Whether two findings are about the same link: a port is an end of both. */
bool findings_share_link(const struct model *m, const struct finding *a, const struct finding *b);
/*
 * Whether the i-th finding of diag_findings() counts as a cause of its own: a culprit that nobody
 * acknowledged, and the first one of its link. A link that flaps is down at times and loses
 * packets, and is one cause.
 */
bool finding_is_cause(const struct view_ctx *ctx, size_t i);

#endif

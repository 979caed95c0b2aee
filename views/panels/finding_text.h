/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_PANELS_FINDING_TEXT_H
#define VIEWS_PANELS_FINDING_TEXT_H

#include "views/common.h"
#include "views/panels/panel.h"

/* How findings, evidence and verdicts read; shared by the views of the diagnosis. */

/* The finding that a ref of kind REF_FINDING names: open, or of those closed lately (then
 * *closed_us is when, else 0; may be NULL). NULL: neither. */
const struct finding *finding_of(const struct view_ctx *ctx, struct ref r, int64_t *closed_us);
struct ref ref_of_finding(uint64_t key);
/* The finding at the top of what explains f: f itself when it is a root. */
const struct finding *finding_root(const struct diag *d, const struct finding *f);

/* Dim when acknowledged or harmless, else that of its severity. */
enum role role_of_finding(const struct view_ctx *ctx, const struct finding *f);
/* "leaf-r3-00:Ethernet12", "rank pretrain/19", "fabric": a place in words; "-" for none. */
char *place_text(const struct view_ctx *ctx, struct ref at, char *dst, size_t size);
/* A number as an operator writes it: "7", "34.2", "41.2G"; with its unit, or the text. */
char *evidence_value(const struct evidence *e, char *dst, size_t size);
/* "ack until 03:20 by noc: cable ordered"; "" when it is not acknowledged. */
char *ack_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size);
/* Ends of a finding: "a <-> b", or the one place. */
char *ends_text(const struct view_ctx *ctx, const struct finding *f, char *dst, size_t size);

/* "network 97 %: link.flapping leaf-r3-00:Ethernet12 <-> node007:mlx5_3", or what
 * verdict_sentence() says. */
void verdict_line(
	const struct view_ctx *ctx, const struct verdict_report *v, struct panel_line *out);
/*
 * What a word or colour for the whole fabric may say: the worse of what ports look like and of what
 * was found. Without a diagnosis it is what ports look like.
 */
enum severity severity_with_verdict(const struct view_ctx *ctx, enum severity of_ports);
/* Shorter, for the title: "2 culprits, network 97%", "cause not proven: 156 ports
 * paused", "clean"; "" when nothing is diagnosed, or nothing is seen and not all was checked. */
void verdict_badge(const struct view_ctx *ctx, char *dst, size_t size, bool is_short);
/* One row of evidence, of what was ruled out, and what to do next, as lines of a panel. */
void evidence_line(const struct view_ctx *ctx, const struct evidence *e, struct panel_line *out);
void refuted_line(const struct view_ctx *ctx, const struct refuted *r, struct panel_line *out);
void next_line(const struct finding *f, struct panel_line *out);
/* The finding that says most about a place, in a line; false: there is none. */
bool finding_at_line(const struct view_ctx *ctx, struct ref at, struct panel_line *out);

/* Where Enter on a place leads; false: no view shows it. */
bool enter_place(const struct view_ctx *ctx, struct ref at, const char **view, struct ref *scope);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_EXPORT_TOPOLOGY_H
#define ARCHIVE_EXPORT_TOPOLOGY_H

#include <stdio.h>

#include "base/err.h"
#include "fabric/placement/placement.h"

/*
 * The units of the backend as files of schedulers. A node is below one switch only in them, so the
 * switch of a node is its unit, not one of its rails' leaves. Hosts without a known leaf are left
 * out, and a comment names them.
 *
 * Formats: topology.conf(5) and topology.yaml(5) of Slurm 25.05; the YAML models of Topograph
 * (docs/modeling.md of its source, 2026).
 */
enum topology_form {
	TOPOLOGY_TREE,       /* topology.conf of topology/tree */
	TOPOLOGY_BLOCK,      /* topology.conf of topology/block */
	TOPOLOGY_TREE_YAML,  /* topology.yaml */
	TOPOLOGY_BLOCK_YAML, /* topology.yaml */
	TOPOLOGY_TOPOGRAPH,
	TOPOLOGY_FORMS
};
/* "tree", "block", "tree.yaml", "block.yaml": the words of --slurm. False: another word. */
bool topology_form_by_name(const char *name, enum topology_form *out);

/* ERR_IO: out cannot be written. ERR_UNSUPPORTED: no host has a known leaf. */
bool topology_write(const struct model *m, const struct units *u, enum topology_form form,
	int64_t now_us, FILE *out, struct err *err);
/* A page for people: the units, and what of them is proven. */
bool topology_text(
	const struct model *m, const struct units *u, int64_t now_us, FILE *out, struct err *err);
bool topology_json(
	const struct model *m, const struct units *u, int64_t now_us, FILE *out, struct err *err);
/* The hosts of a job as a host file, one a line, in an order that crosses least. */
bool topology_order(
	const struct model *m, const struct units *u, uint32_t job, FILE *out, struct err *err);

#endif

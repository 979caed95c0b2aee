/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_SNAPSHOT_FILE_BUNDLE_PRIVATE_H
#define ARCHIVE_SNAPSHOT_FILE_BUNDLE_PRIVATE_H

#include <sys/types.h>

#include "archive/snapshot_file/bundle.h"
#include "archive/redact/redact.h"
#include "archive/recording/copy.h"
#include "archive/export/ticket.h"

/* Private to archive/snapshot_file. */

/* ---- the temporary file that becomes the snapshot (file.c) ---- */

struct bundle_file {
	char dir[3900], temporary[4096], to[4096];
};
/*
 * Chooses a temporary name in the directory of to, which must not exist. Removes leftovers of dead
 * processes there. to NULL: uses the directory for temporary files.
 */
bool bundle_file_begin(struct bundle_file *f, const char *to, struct err *err);
/* Syncs the file and renames it; removes the temporary file in any case. */
bool bundle_file_publish(struct bundle_file *f, struct err *err);
void bundle_file_drop(struct bundle_file *f);

/* ---- the parts (parts.c) ---- */

struct bundle_part {
	char name[200], type[40], sha256[65];
	uint64_t size;
};
struct bundle {
	const struct bundle_opts *o;
	struct bundle_about about; /* as written, with names replaced if asked */
	char id[64];
	int64_t made_us;
	struct redact *redact;
	struct rts_copy *copy; /* NULL: no file wanted */
	VEC(struct bundle_part) parts;
	struct ticket ticket;
	runbook_log trail;   /* of the ticket */
	bool *involved;      /* by device id: a finding names it */
	VEC(uint32_t) order; /* these devices, in the order of findings */
	bool partial;        /* snapshot.json has only these devices, or the first of them */
	char data_sha256[65];
};
/* Writes the documents to the copy and to the caller's buffers. */
bool bundle_parts(struct bundle *b, struct err *err);
void bundle_sha256(const void *bytes, size_t n, char hex[65]);

#endif

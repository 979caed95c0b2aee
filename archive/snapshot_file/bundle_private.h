/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_SNAPSHOT_FILE_BUNDLE_PRIVATE_H
#define ARCHIVE_SNAPSHOT_FILE_BUNDLE_PRIVATE_H

#include <sys/types.h>

#include "archive/snapshot_file/bundle.h"
#include "archive/redact/redact.h"
#include "archive/recording/copy.h"
#include "archive/export/ticket.h"

/* Shared by archive/snapshot_file only. */

/* ---- the file that becomes the snapshot (file.c) ---- */

struct bundle_file {
	char dir[3900], temporary[4096], to[4096];
};
/*
 * A name of its own in the directory of to, which must not exist; what processes that are gone left
 * there is removed. to NULL: in the directory for temporary files.
 */
bool bundle_file_begin(struct bundle_file *f, const char *to, struct err *err);
/* On the disk under its name, or not at all: the temporary file is gone either way. */
bool bundle_file_publish(struct bundle_file *f, struct err *err);
void bundle_file_drop(struct bundle_file *f);

/* ---- what is in it (parts.c) ---- */

struct bundle_part {
	char name[200], type[40], sha256[65];
	uint64_t size;
};
struct bundle {
	const struct bundle_opts *o;
	struct bundle_about about; /* as it is written: names replaced where they are to be */
	char id[64];
	int64_t made_us;
	struct redact *redact;
	struct rts_copy *copy; /* NULL: no file is wanted */
	VEC(struct bundle_part) parts;
	struct ticket ticket;
	trail_vec trail;     /* of the ticket */
	bool *involved;      /* by device id: findings name it */
	VEC(uint32_t) order; /* these, the first finding's first */
	bool partial;        /* snapshot.json has these devices only, or the first of them */
	char data_sha256[65];
};
/* Documents of the ticket's model and diagnosis: into the copy, and to the caller. */
bool bundle_parts(struct bundle *b, struct err *err);
void bundle_sha256(const void *bytes, size_t n, char hex[65]);

#endif

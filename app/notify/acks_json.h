/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_ACKS_JSON_H
#define APP_NOTIFY_ACKS_JSON_H

#include "app/notify/acks.h"
#include "base/vec.h"

/* The files of app/notify/acks.h: UID.json of each account, a document with "schema". */
typedef VEC(struct ack) ack_vec;

/*
 * Adds the acknowledgements of all files of the folder that are about the fabric. A file that is
 * damaged, too large, of another schema, or owned by another account than its name says is left
 * out, with a line in the log. user is the owner's name in /etc/passwd; where it has none, its
 * number is beside the name in the file.
 */
void acks_read_folder(const char *folder, const char *fabric, ack_vec *out);
/* Changes with each file of the folder: names, sizes, times. 0: there is none. */
uint64_t acks_folder_stamp(const char *folder);
/*
 * Puts an acknowledgement into the file of this account, in place of an older one of that finding.
 * Those that are over for a day go. False with err.
 */
bool acks_put(const char *folder, const struct ack *k, struct err *err);

#endif

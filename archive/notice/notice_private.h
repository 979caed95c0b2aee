/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_NOTICE_NOTICE_PRIVATE_H
#define ARCHIVE_NOTICE_NOTICE_PRIVATE_H

#include "archive/notice/notice.h"

/* Private to archive/notice. */

/* The finding as JSON in one line. The caller frees it. */
char *notice_finding_json(const struct model *m, const struct finding *f);

#endif

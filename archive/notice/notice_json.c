/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/findings_private.h"
#include "archive/notice/notice_private.h"

char *notice_finding_json(const struct model *m, const struct finding *f)
{
	json_t *o = finding_json(m, f);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	json_decref(o);
	return text;
}

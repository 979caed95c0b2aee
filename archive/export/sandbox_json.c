/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/sandbox_json.h"

#include "base/json_out.h"
#include "base/sandbox/sandbox.h"

json_t *sandbox_json(void)
{
	char missing[SANDBOX_TEXT];
	bool lacks = sandbox_missing(missing, sizeof(missing));

	return json_pack("{s:b, s:o}", "complete", !lacks, "missing", json_text(missing));
}

void sandbox_json_put(json_t *root)
{
	char missing[SANDBOX_TEXT];

	if (sandbox_missing(missing, sizeof(missing)))
		json_put(root, "sandbox", sandbox_json());
}

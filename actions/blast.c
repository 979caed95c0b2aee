/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/blast.h"

#include <math.h>
#include <string.h>

void blast_of(const struct model *m, const struct port *p, int64_t now_us, struct blast *out)
{
	(void)m, (void)p, (void)now_us;
	memset(out, 0, sizeof(*out));
	out->jobs_unknown = true;
	out->load = NAN;
}

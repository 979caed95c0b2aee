/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/contract/target.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

bool target_from_plan(struct target *t, const struct plan *p, const struct plan_device *d,
	const struct backend_ops *ops, struct err *err)
{
	const char *origin = d->source[0] ? d->source : d->name;

	*t = (struct target){.device = d->name, .tier = d->tier};
	t->lossless = lossless_priorities(&p->lossless);
	if (d->by_engine && !d->transport) {
		err_set(err, ERR_CONFIG, origin, "device %s: only the metrics engine reports it",
			d->name);
		return err_cure(err, "add dialect: and transport: to ask the device itself");
	}
	if (!transport_by_name(d->transport ? d->transport : "", &t->transport)) {
		err_set(err, ERR_CONFIG, origin, "device %s: unknown transport \"%s\"", d->name,
			d->transport ? d->transport : "");
		return err_cure(err, "use ssh or https");
	}
	if (!(ops->transports & (1u << t->transport))) {
		err_set(err, ERR_CONFIG, origin, "device %s: dialect %s does not work over %s",
			d->name, ops->name, transport_name(t->transport));
		return err_cure(err, "set transport: %s",
			transport_name(
				t->transport == TRANSPORT_SSH ? TRANSPORT_HTTPS : TRANSPORT_SSH));
	}
	return true;
}

static char *home_directory(void)
{
	const char *home = getenv("HOME");
	struct passwd pw, *found = NULL;
	char space[4096];

	if (home && *home)
		return mem_strdup(home);
	if (getpwuid_r(getuid(), &pw, space, sizeof(space), &found) == 0 && found)
		return mem_strdup(found->pw_dir);
	return mem_strdup("/");
}

char *target_expand_home(const char *path)
{
	size_t size;
	char *home, *out;

	if (!str_starts(path, "~/"))
		return mem_strdup(path);
	home = home_directory();
	size = strlen(home) + strlen(path);
	out = mem_alloc(size);
	str_printf(out, size, "%s%s", home, path + 1);
	free(home);
	return out;
}

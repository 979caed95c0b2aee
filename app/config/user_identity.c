/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/user_identity.h"

#include <pwd.h>
#include <unistd.h>

#include "base/str.h"

static struct {
	bool known;
	char user[256];
} kept;

static void find_user(char *user, size_t size)
{
	char scratch[4096];
	struct passwd pw, *found = NULL;

	user[0] = '\0';
	if (getpwuid_r(getuid(), &pw, scratch, sizeof(scratch), &found) == 0 && found)
		(void)str_copy(user, size, found->pw_name);
}

void user_identity_keep(void)
{
	find_user(kept.user, sizeof(kept.user));
	kept.known = true;
}

void user_identity(char *user, size_t user_size, char *host, size_t host_size)
{
	if (user && kept.known)
		(void)str_copy(user, user_size, kept.user);
	else if (user)
		find_user(user, user_size);
	if (!host)
		return;
	if (gethostname(host, host_size) != 0)
		host[0] = '\0';
	host[host_size - 1] = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config/user_identity.h"

#include <pwd.h>
#include <unistd.h>

#include "base/str.h"

void user_identity(char *user, size_t user_size, char *host, size_t host_size)
{
	char scratch[4096];
	struct passwd pw, *found = NULL;

	if (user) {
		user[0] = '\0';
		if (getpwuid_r(getuid(), &pw, scratch, sizeof(scratch), &found) == 0 && found)
			(void)str_copy(user, user_size, found->pw_name);
	}
	if (!host)
		return;
	if (gethostname(host, host_size) != 0)
		host[0] = '\0';
	host[host_size - 1] = '\0';
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/built.h"

static bool complain(const char *what)
{
	perror(what);
	return false;
}

bool program_start(struct program *p, char *const *argv)
{
	char path[256];
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	FILE *said;
	bool ok;

	*p = (struct program){.pid = -1, .life = -1};
	(void)built_path(argv[0], path, sizeof(path));
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		return complain("pipe");
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	ok = posix_spawn(&p->pid, path, &actions, NULL, argv, environ) == 0 || complain(path);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(in[0]);
	(void)close(out[1]);
	p->life = in[1];
	said = fdopen(out[0], "r");
	ok = ok && said && fscanf(said, "ready %u", &p->port) == 1;
	if (said)
		(void)fclose(said);
	return ok;
}

void program_stop(struct program *p)
{
	if (p->life >= 0)
		(void)close(p->life);
	if (p->pid > 0)
		(void)waitpid(p->pid, NULL, 0);
	*p = (struct program){.pid = -1, .life = -1};
}

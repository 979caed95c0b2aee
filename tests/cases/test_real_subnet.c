/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real programs of an InfiniBand fabric: ibsim in place of the hardware, opensm, and smpquery
 * and sminfo of infiniband-diags, which the host's script calls. The fabric is an example of ibsim:
 * two switches, four hosts.
 */
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/cases/host_rig.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/cases.h"

#define FABRIC    "/usr/share/doc/ibsim-utils/net-examples/net.2sw2path4hca"
#define PRELOAD   "/usr/lib/*/umad2sim/libumad2sim.so"
#define WAIT_US   (20 * CLOCK_SEC)
#define DIAGS_DIR "/usr/sbin/"

static char preload[200];

/* NULL: all is there. */
static const char *missing(void)
{
	static const char *const files[] = {"/usr/bin/ibsim", "/usr/sbin/opensm",
		DIAGS_DIR "smpquery", DIAGS_DIR "sminfo", FABRIC};
	glob_t g = {0};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (access(files[i], R_OK) != 0)
			return files[i];
	if (glob(PRELOAD, 0, NULL, &g) != 0)
		return PRELOAD;
	(void)str_copy(preload, sizeof(preload), g.gl_pathv[0]);
	globfree(&g);
	return NULL;
}

/* ibsim reads commands from a terminal and ends with it. Waits for its prompt. */
static pid_t start_fabric(int *terminal)
{
	int64_t end = clock_mono(&clock_system) + WAIT_US;
	char text[8192];
	size_t n = 0;
	pid_t pid = forkpty(terminal, NULL, NULL, NULL);

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)execl("/usr/bin/ibsim", "ibsim", "-s", FABRIC, (char *)NULL);
		_exit(127);
	}
	while (clock_mono(&clock_system) < end && n + 1 < sizeof(text)) {
		struct pollfd p = {.fd = *terminal, .events = POLLIN};
		ssize_t got =
			poll(&p, 1, 1000) > 0 ? read(*terminal, text + n, sizeof(text) - 1 - n) : 0;

		if (got < 0)
			break;
		n += (size_t)got;
		text[n] = '\0';
		if (strstr(text, "sim>"))
			return pid;
	}
	fail_msg("ibsim does not begin: %.*s", (int)n, text);
	return -1;
}

static pid_t start_manager(const struct scratch *dir)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)setenv("LD_PRELOAD", preload, 1);
		(void)setenv("SIM_HOST", "Hca4", 1);
		(void)setenv("OSM_TMP_DIR", dir->dir, 1);
		(void)setenv("OSM_CACHE_DIR", dir->dir, 1);
		/* libumad2sim keeps its sysfs in the working directory; a killed one leaves it. */
		if (!freopen(scratch_path(dir, "opensm.out"), "w", stdout) || chdir(dir->dir) != 0)
			_exit(126);
		(void)execl("/usr/sbin/opensm", "opensm", "-f", scratch_path(dir, "opensm.log"),
			(char *)NULL);
		_exit(127);
	}
	return pid;
}

static void stop(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void has_tool(struct host_rig *r, const char *name)
{
	char script[400];

	assert_true(str_printf(script, sizeof(script),
		"export LD_PRELOAD=%s SIM_HOST=Hca1\nexec " DIAGS_DIR "%s \"$@\"\n", preload,
		name));
	host_rig_tool(r, name, script);
}

static const struct capability *manager_of(const struct host_rig *r)
{
	const struct device *d = model_device(host_rig_model(r), HOST_RIG_NAME);

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, "subnet manager"))
			return &d->caps.at[i];
	return NULL;
}

CASE(a_port_of_a_real_subnet)
{
	const char *lacks = missing();
	int64_t end = clock_mono(&clock_system) + WAIT_US;
	pid_t fabric, manager;
	struct scratch dir;
	struct host_rig *r;
	const struct port *p;
	int terminal = -1;

	if (lacks) {
		print_message("skipped: no %s: apt-get install ibsim-utils opensm "
			      "infiniband-diags\n",
			lacks);
		skip();
	}
	scratch_open(&dir);
	fabric = start_fabric(&terminal);
	r = host_rig_new("sys infiniband/ibsim0/ports/1/state 4: ACTIVE\n"
			 "sys infiniband/ibsim0/ports/1/phys_state 5: LinkUp\n"
			 "sys infiniband/ibsim0/ports/1/link_layer InfiniBand\n");
	has_tool(r, "smpquery");
	has_tool(r, "sminfo");
	host_rig_poll(r, 1);
	/* The link is there before anybody manages it. */
	p = host_rig_port(r, "ibsim0");
	assert_string_equal(p->lldp_device, "Switch1");
	assert_string_equal(p->lldp_port, "1");
	assert_non_null(manager_of(r));
	assert_int_equal(manager_of(r)->valid, VALID_DISABLED);
	assert_non_null(strstr(manager_of(r)->cure, "start opensm"));

	manager = start_manager(&dir);
	/* Each question takes as long as the subnet needs to answer or not to. */
	while (manager_of(r)->valid != VALID_OK && clock_mono(&clock_system) < end) {
		host_rig_take(r, "subnet");
		assert_int_equal(waitpid(manager, NULL, WNOHANG), 0);
	}
	assert_int_equal(manager_of(r)->valid, VALID_OK);
	assert_true(str_starts(p->more->description, "subnet manager master: lid "));
	stop(manager);
	stop(fabric);
	(void)close(terminal);
	host_rig_free(r);
	scratch_close(&dir);
}

CASES_MAIN(NULL, NULL)

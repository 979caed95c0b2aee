/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/inventory/inventory_default.h"
#include "app/inventory/inventory_yaml.h"
#include "app/headless/headless.h"
#include "app/notify/notify.h"
#include "app/sandbox/confine.h"
#include "app/sandbox/scratch_dir.h"
#include "app/sandbox/state_dir.h"
#include "backends/transport/credentials.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * `railtop doctor`: this machine, before any device is asked. Each line says what was looked at,
 * how it is, where, and the cure. `railtop check` is about the devices.
 */
enum doctor_state { STATE_OK, STATE_UNKNOWN, STATE_WARN, STATE_WRONG };

struct doctor {
	FILE *out;
	unsigned wrong, warned, unknown;
	struct plan plan;
	bool has_plan;
};

static void say(struct doctor *d, enum doctor_state s, const char *what, const char *cure,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void say(struct doctor *d, enum doctor_state s, const char *what, const char *cure,
	const char *fmt, ...)
{
	static const char *const words[] = {"ok", "unknown", "warning", "WRONG"};
	char text[700], clean[700];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)str_sanitise(clean, sizeof(clean), text, strlen(text));
	d->wrong += s == STATE_WRONG;
	d->warned += s == STATE_WARN;
	d->unknown += s == STATE_UNKNOWN;
	(void)fprintf(d->out, "%-8s %-14s %s\n", words[s], what, clean);
	if (cure && cure[0] && s != STATE_OK)
		(void)fprintf(d->out, "         cure: %s\n", cure);
}

/* ---- the inventory, and its secrets ---- */

static void say_problem(void *ctx, const struct err *problem)
{
	say(ctx, STATE_WRONG, "inventory", problem->cure, "%s: %s", problem->origin, problem->text);
}

static void look_at_inventory(struct doctor *d, const struct options *o)
{
	char found[1024];
	const char *path = o->inventory ? o->inventory : inventory_default(found, sizeof(found));

	if (!path) {
		say(d, STATE_WRONG, "inventory", inventory_default_cure(), "none is found");
		return;
	}
	d->has_plan = inventory_check(path, &d->plan, say_problem, d);
	if (!d->has_plan)
		return;
	confine_plan(&d->plan);
	say(d, d->plan.devices.n ? STATE_OK : STATE_WRONG, "inventory",
		"add switches: and hosts:", "%s: fabric %s, %zu devices", path, d->plan.fabric,
		d->plan.devices.n);
}

/* Commands are not run: they may ask a person, or cost. */
static void look_at_secret(struct doctor *d, struct credentials *c, const char *reference,
	const char *origin, bool token, bool *any)
{
	struct err err = {0};

	if (!reference || str_starts(reference, "command:"))
		return;
	*any = true;
	if (!(token ? (const void *)credentials_token(c, reference, origin, &err)
		    : (const void *)credentials_get(c, reference, origin, &err)))
		say(d, STATE_WRONG, "secret",
			err.cure[0] ? err.cure : "put it there, for its owner alone: chmod 600",
			"%s: %s", err.origin, err.text);
}

static void look_at_secrets(struct doctor *d)
{
	struct credentials *c = credentials_new();
	const char *last = NULL;
	unsigned before = d->wrong;
	bool any = false;

	for (size_t i = 0; d->has_plan && i < d->plan.devices.n; i++) {
		const struct plan_device *p = &d->plan.devices.at[i];

		/* Many devices have the same one. */
		if (!str_eq(p->credentials, last))
			look_at_secret(d, c, p->credentials, p->source, false, &any);
		last = p->credentials;
	}
	for (size_t i = 0; d->has_plan && i < d->plan.notify.to.n; i++) {
		const struct plan_receiver *r = &d->plan.notify.to.at[i];

		look_at_secret(d, c, r->secret, r->source, true, &any);
		look_at_secret(d, c, r->token, r->source, true, &any);
		look_at_secret(d, c, r->credentials, r->source, false, &any);
	}
	if (any && before == d->wrong)
		say(d, STATE_OK, "secrets", NULL, "each reference of the inventory can be read");
	credentials_free(c);
}

/* ---- SSH ---- */

static bool uses(const struct doctor *d, const char *transport)
{
	for (size_t i = 0; d->has_plan && i < d->plan.devices.n; i++)
		if (str_eq(d->plan.devices.at[i].transport, transport))
			return true;
	return !d->has_plan;
}

static const char *named_known_hosts(const struct doctor *d)
{
	for (size_t i = 0; d->has_plan && i < d->plan.devices.n; i++)
		if (d->plan.devices.at[i].known_hosts)
			return d->plan.devices.at[i].known_hosts;
	return NULL;
}

static void look_at_known_hosts(struct doctor *d)
{
	const char *home = getenv("HOME"), *named = named_known_hosts(d);
	char path[1024];
	struct stat st;

	if (named)
		(void)str_copy(path, sizeof(path), named);
	else
		(void)str_printf(path, sizeof(path), "%s/.ssh/known_hosts", home ? home : "");
	if (stat(path, &st) != 0)
		say(d, STATE_WRONG, "known_hosts",
			"ssh-keyscan -H DEVICE... >> FILE, and compare the keys with those of the "
			"devices",
			"%s: %s", path, strerror(errno));
	else if (access(path, R_OK) != 0)
		say(d, STATE_WRONG, "known_hosts", "chmod u+r FILE", "%s: cannot be read", path);
	else if (!st.st_size)
		say(d, STATE_WRONG, "known_hosts", "add the devices' host keys",
			"%s: is empty: every device is refused", path);
	else
		say(d, STATE_OK, "known_hosts", NULL, "%s", path);
}

static bool agent_answers(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = fd >= 0 && str_copy(to.sun_path, sizeof(to.sun_path), path) &&
		  connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

static bool has_key(const struct doctor *d)
{
	static const char *const names[] = {"id_ed25519", "id_ecdsa", "id_rsa"};
	const char *home = getenv("HOME");
	char path[1024];

	for (size_t i = 0; d->has_plan && i < d->plan.devices.n; i++)
		if (d->plan.devices.at[i].identity)
			return access(d->plan.devices.at[i].identity, R_OK) == 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (home && str_printf(path, sizeof(path), "%s/.ssh/%s", home, names[i]) &&
			access(path, R_OK) == 0)
			return true;
	return false;
}

static void look_at_keys(struct doctor *d)
{
	const char *agent = getenv("SSH_AUTH_SOCK");

	if (agent && *agent && agent_answers(agent))
		say(d, STATE_OK, "ssh agent", NULL, "%s answers", agent);
	else if (agent && *agent)
		say(d, has_key(d) ? STATE_WARN : STATE_WRONG, "ssh agent",
			"eval $(ssh-agent) && ssh-add, or unset SSH_AUTH_SOCK",
			"SSH_AUTH_SOCK is %s, and nothing answers there", agent);
	else if (has_key(d))
		say(d, STATE_OK, "ssh key", NULL, "a key without an agent");
	else
		say(d, STATE_WRONG, "ssh key",
			"identity: in the inventory, or ssh-add with an agent",
			"there is no agent, and no readable key");
}

/* ---- the terminal ---- */

static bool has_entry(const char *folder, size_t n, const char *term)
{
	char path[1024];

	return n && str_printf(path, sizeof(path), "%.*s/%c/%s", (int)n, folder, term[0], term) &&
	       access(path, R_OK) == 0;
}

/* The places of ncurses, see terminfo(5). */
static bool has_terminfo(const char *term)
{
	static const char *const dirs[] = {
		"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"};
	const char *home = getenv("HOME"), *named = getenv("TERMINFO");
	const char *more = getenv("TERMINFO_DIRS");
	char own[1024];

	if (strchr(term, '/') || !*term)
		return false;
	if (named && has_entry(named, strlen(named), term))
		return true;
	if (home && str_printf(own, sizeof(own), "%s/.terminfo", home) &&
		has_entry(own, strlen(own), term))
		return true;
	for (; more && *more; more += strcspn(more, ":"), more += *more == ':')
		if (has_entry(more, strcspn(more, ":"), term))
			return true;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (has_entry(dirs[i], strlen(dirs[i]), term))
			return true;
	return false;
}

static void look_at_terminal(struct doctor *d)
{
	const char *term = getenv("TERM"), *codeset = nl_langinfo(CODESET);

	if (!term || !*term)
		say(d, STATE_WARN, "TERM", "export TERM=xterm-256color", "is not set: no console");
	else if (!has_terminfo(term))
		say(d, STATE_WARN, "TERM",
			"apt-get install ncurses-term, or export TERM=xterm-256color",
			"%s: this machine has no description of it", term);
	else
		say(d, STATE_OK, "TERM", NULL, "%s", term);
	if (str_eq(codeset, "UTF-8"))
		say(d, STATE_OK, "locale", NULL, "UTF-8");
	else
		say(d, STATE_WARN, "locale", "export LANG=C.UTF-8",
			"%s: lines and charts are drawn in ASCII", codeset);
}

/* ---- limits and the clock ---- */

static void look_at_files(struct doctor *d)
{
	struct descriptors_for need = {.threads = 4};
	struct rlimit limit;
	size_t most;

	for (size_t i = 0; d->has_plan && i < d->plan.devices.n; i++) {
		bool https = str_eq(d->plan.devices.at[i].transport, "https");

		need.https += https;
		need.ssh += !https;
	}
	most = descriptors_needed(&need);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		say(d, STATE_UNKNOWN, "open files", NULL, "%s", strerror(errno));
	else
		say(d, limit.rlim_max < most ? STATE_WRONG : STATE_OK, "open files",
			"ulimit -Hn, /etc/security/limits.conf, or LimitNOFILE= of a service",
			"at most %llu, %zu are needed", (unsigned long long)limit.rlim_max, most);
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		say(d, limit.rlim_cur < 65536 ? STATE_WARN : STATE_OK, "locked memory",
			"ulimit -l 1024", "%llu kB for secrets%s",
			(unsigned long long)limit.rlim_cur / 1024,
			limit.rlim_cur < 65536 ? ": they may be swapped" : "");
}

/* One time service says when the clock is right; of the others only their process is seen. */
static void look_at_clock(struct doctor *d)
{
	static const char *const proof = "/run/systemd/timesync/synchronized";
	static const char *const services[] = {
		"/run/chrony/chronyd.pid", "/run/chrony.pid", "/run/ntpd.pid", "/run/ntp.pid"};
	char now[32];

	(void)clock_format_utc(clock_wall(&clock_system), now, sizeof(now));
	if (strcmp(now, "2024-01-01") < 0) {
		say(d, STATE_WRONG, "clock", "set it: timedatectl set-ntp true",
			"%s cannot be right: certificates and times of logs are wrong", now);
		return;
	}
	if (access(proof, F_OK) == 0) {
		say(d, STATE_OK, "clock", NULL, "%s (%s)", now, proof);
		return;
	}
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		if (access(services[i], F_OK) != 0)
			continue;
		say(d, STATE_UNKNOWN, "clock", "chronyc tracking, or ntpq -p",
			"%s; a time service was started (%s), which alone knows how right it is",
			now, services[i]);
		return;
	}
	say(d, STATE_UNKNOWN, "clock", "timedatectl, or chronyc tracking",
		"%s; nothing here says that it is kept right", now);
}

/* ---- directories and the sandbox ---- */

#define ROOM_LEAST (UINT64_C(1) << 30) /* what the last hour may take */

static void look_at_directory(
	struct doctor *d, const char *what, const char *path, const char *cure)
{
	struct statvfs fs;
	uint64_t room;
	char text[16];

	if (access(path, W_OK | X_OK) != 0) {
		say(d, STATE_WRONG, what, cure, "%s: %s", path, strerror(errno));
		return;
	}
	if (statvfs(path, &fs) != 0) {
		say(d, STATE_UNKNOWN, what, cure, "%s: %s", path, strerror(errno));
		return;
	}
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	say(d, room < ROOM_LEAST ? STATE_WARN : STATE_OK, what,
		"free some space, or --history with a smaller size", "%s: %sB free", path,
		str_si((double)room, text, sizeof(text)));
}

static void look_at_directories(struct doctor *d)
{
	char *state = state_dir_path("");

	if (!state)
		say(d, STATE_WRONG, "state", "set HOME, or XDG_STATE_HOME",
			"there is no home directory: snapshots and columns are not kept");
	else
		look_at_directory(d, "state", state, "mkdir -p DIR, and chown it to yourself");
	free(state);
	look_at_directory(d, "temporary", scratch_dir_base(), "TMPDIR names another directory");
}

static void look_at_sandbox(struct doctor *d)
{
	struct sandbox_status s = sandbox_status();
	char text[300];

	sandbox_status_text(text, sizeof(text));
	say(d, s.calls && s.places ? STATE_OK : STATE_WARN, "sandbox",
		s.calls ? "a kernel from 5.13 on with Landlock (lsm=landlock,...)"
			: "a kernel with seccomp; RAILTOP_SANDBOX must not be off",
		"%s", text);
}

static void look_at_receivers(struct doctor *d)
{
	if (!d->has_plan || !d->plan.notify.to.n)
		return;
	d->wrong += notify_report(&d->plan, d->out);
}

int sub_doctor(const struct options *o)
{
	struct doctor d = {.out = stdout};
	struct err err = {0};

	plan_init(&d.plan);
	look_at_inventory(&d, o);
	look_at_secrets(&d);
	if (uses(&d, "ssh")) {
		look_at_known_hosts(&d);
		look_at_keys(&d);
	}
	look_at_terminal(&d);
	look_at_files(&d);
	look_at_clock(&d);
	look_at_directories(&d);
	look_at_sandbox(&d);
	look_at_receivers(&d);
	(void)printf("\n%u wrong, %u warning%s, %u not known\n", d.wrong, d.warned,
		d.warned == 1 ? "" : "s", d.unknown);
	plan_free(&d.plan);
	if (!headless_close(stdout, "standard output", &err)) {
		err_print(&err);
		return EXIT_INTERNAL;
	}
	return d.wrong ? EXIT_FINDINGS : EXIT_FINE;
}

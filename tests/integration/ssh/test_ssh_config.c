/* SPDX-License-Identifier: Apache-2.0 */
/*
 * railtop's reading of ssh_config against `ssh -G`: a table of configurations, and as many made at
 * random. The user's directory and /etc/ssh are the scratch directory's in a mount namespace of
 * this program's own. If there is no such namespace, the cases with the usual files are left out.
 */
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/transport/proxy_jump.h"
#include "backends/ssh/config.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/support/scratch.h"
#include "tests/integration/ssh/ssh_cases.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"

static int setup(void **state);

#define OUTPUT_MOST ((size_t)1 << 20)

struct fixture {
	struct scratch scratch;
	char home[256];
	bool own_home; /* home and /etc/ssh are ours */
	struct ssh_files *files;
};

/* ---- one configuration ---- */

/* A copy in which <DIR> is the scratch directory. */
static char *filled(const struct fixture *f, const char *text)
{
	struct buf b;
	const char *at;

	buf_init(&b, OUTPUT_MOST);
	while ((at = strstr(text, "<DIR>"))) {
		assert_true(buf_add(&b, text, (size_t)(at - text)));
		assert_true(buf_adds(&b, f->scratch.dir));
		text = at + strlen("<DIR>");
	}
	assert_true(buf_adds(&b, text));
	return buf_take(&b, NULL);
}

static void write_file(const struct fixture *f, const char *name, const char *text)
{
	char *whole = filled(f, text);

	if (strchr(name, '/'))
		scratch_run(&f->scratch, "mkdir -p \"$(dirname '%s')\"", name);
	scratch_write(&f->scratch, name, whole);
	if (str_starts(name, "open"))
		scratch_run(&f->scratch, "chmod go+w open");
	free(whole);
}

static void write_case(const struct fixture *f, const struct ssh_case *c)
{
	scratch_run(&f->scratch, "find . -mindepth 1 ! -path ./home ! -path ./etc -delete");
	if (c->config)
		write_file(f, "config", c->config);
	for (unsigned i = 0; i < 8 && c->more[i]; i += 2)
		write_file(f, c->more[i], c->more[i + 1]);
}

static bool is_usual(const struct ssh_case *c)
{
	return !c->config || (c->more[0] && str_starts(c->more[0], "home/"));
}

/* ---- the two answers ---- */

static bool ask_ours(
	const struct fixture *f, const struct ssh_case *c, struct ssh_settings *s, struct err *err)
{
	struct ssh_world w;
	struct ssh_query q = {.name = c->name,
		.file = c->config ? scratch_path(&f->scratch, "config") : NULL,
		.host = c->host,
		.user = c->user,
		.port = c->port};

	ssh_files_world(f->files, &w);
	memset(err, 0, sizeof(*err));
	return ssh_config_resolve(&w, &q, c->name, s, err);
}

/* Its output, with a line end before the first line; NULL: refused. */
static char *ask_ssh(const struct fixture *f, const struct ssh_case *c, const char *options)
{
	char command[2048], user[64] = "", host[128] = "", port[32] = "", file[128] = "", *out;
	const char *argv[] = {"sh", "-c", command, NULL};
	size_t len;
	int status;

	if (c->user)
		(void)str_printf(user, sizeof(user), "-l '%s'", c->user);
	if (c->host)
		(void)str_printf(host, sizeof(host), "-o 'HostName=%s'", c->host);
	if (c->port)
		(void)str_printf(port, sizeof(port), "-p %u", c->port);
	if (c->config)
		(void)str_printf(file, sizeof(file), "-F '%s/config'", f->scratch.dir);
	(void)str_printf(command, sizeof(command), "echo; ssh %s %s %s %s %s '%s' true 2>&1",
		options, file, user, host, port, c->name);
	out = run_command(argv, NULL, "", &len, &status);
	assert_non_null(out);
	if (status == 0 || strstr(options, "-v"))
		return out;
	free(out);
	return NULL;
}

/* All values of a keyword, with "|" between them. */
static void theirs_of(const char *output, const char *keyword, char *dst, size_t size)
{
	char line[64];
	size_t n = 0;

	dst[0] = '\0';
	(void)str_printf(line, sizeof(line), "\n%s ", keyword);
	for (const char *at = output; (at = strstr(at, line));) {
		at += strlen(line);
		assert_true(str_printf(
			dst + n, size - n, "%s%.*s", n ? "|" : "", (int)strcspn(at, "\n"), at));
		n += strlen(dst + n);
	}
}

/* ---- the comparison ---- */

struct comparison {
	const struct fixture *f;
	const struct ssh_case *c;
	const char *theirs;
	unsigned differences;
};

static void tell(struct comparison *k, const char *keyword, const char *ours, const char *theirs)
{
	char *config = filled(k->f, k->c->config ? k->c->config : "(the usual files)\n");

	print_error("%s (%s):\n%s", k->c->title, k->c->name, config);
	for (unsigned i = 0; i < 8 && k->c->more[i]; i += 2)
		print_error("--- %s:\n%s", k->c->more[i], k->c->more[i + 1]);
	print_error("=== %s: railtop \"%s\", ssh \"%s\"\n", keyword, ours, theirs);
	free(config);
	k->differences++;
}

static const char *plain(const char *word)
{
	if (strcasecmp(word, "true") == 0)
		return "yes";
	if (strcasecmp(word, "false") == 0 || strcasecmp(word, "off") == 0)
		return "no";
	return word;
}

static void same(struct comparison *k, const char *keyword, const char *ours)
{
	char theirs[8192];

	theirs_of(k->theirs, keyword, theirs, sizeof(theirs));
	if (strcmp(plain(ours), plain(theirs)) != 0)
		tell(k, keyword, ours, theirs);
}

static void join(const struct ssh_words *w, const char *between, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < w->n; i++) {
		assert_true(str_printf(dst + n, size - n, "%s%s", n ? between : "", w->at[i]));
		n += strlen(dst + n);
	}
}

static void same_words(
	struct comparison *k, const char *keyword, const struct ssh_words *w, const char *between)
{
	char ours[8192];

	join(w, between, ours, sizeof(ours));
	same(k, keyword, w->n || *between == '|' ? ours : "none");
}

/* Settings that ssh prints as they are written, if they are there. */
static void same_if_said(
	struct comparison *k, const char *keyword, const struct ssh_settings *s, enum ssh_option o)
{
	const char *ours = ssh_setting(s, o);

	if (ours)
		same(k, keyword, ours);
}

static void same_keys(struct comparison *k, const struct ssh_settings *s)
{
	char theirs[8192];

	same_words(k, "certificatefile", &s->at[SAID_CERTIFICATE], "|");
	if (s->keys_stated) {
		same_words(k, "identityfile", &s->at[SAID_IDENTITY], "|");
		return;
	}
	theirs_of(k->theirs, "identityfile", theirs, sizeof(theirs));
	if (!str_starts(theirs, "~/.ssh/id_"))
		tell(k, "identityfile", "", theirs);
}

/* The same bastions, however they are written. */
static void same_jump(struct comparison *k, const struct ssh_settings *s)
{
	char theirs[JUMP_TEXT_MAX], ours[JUMP_TEXT_MAX], before[JUMP_TEXT_MAX];
	struct jump_hop a, b;
	struct err err;

	theirs_of(k->theirs, "proxyjump", theirs, sizeof(theirs));
	(void)str_copy(ours, sizeof(ours), s->jump ? s->jump : "");
	while (ours[0] && theirs[0]) {
		if (!jump_last(ours, &a, before, sizeof(before), "", &err))
			break;
		(void)str_copy(ours, sizeof(ours), before);
		if (!jump_last(theirs, &b, before, sizeof(before), "", &err))
			break;
		(void)str_copy(theirs, sizeof(theirs), before);
		if (strcmp(a.host, b.host) != 0 || strcmp(a.user, b.user) != 0 || a.port != b.port)
			tell(k, "proxyjump", a.host, b.host);
	}
	if (ours[0] || theirs[0])
		tell(k, "proxyjump", ours, theirs);
}

static void same_numbers(struct comparison *k, const struct ssh_settings *s)
{
	char port[16], time[32] = "none";
	const char *said = ssh_setting(s, SAID_CONNECT_TIMEOUT);

	(void)str_printf(port, sizeof(port), "%u", s->port);
	same(k, "port", port);
	if (s->connect_us)
		(void)str_printf(time, sizeof(time), "%lld", (long long)(s->connect_us / 1000000));
	if (!said || s->connect_us || strcmp(said, "none") == 0)
		same(k, "connecttimeout", time);
}

static void compare(struct comparison *k, const struct ssh_settings *s)
{
	const char *only = ssh_setting(s, SAID_IDENTITIES_ONLY);
	uint64_t bytes = 0, seconds = 0;
	char limit[64];

	same(k, "hostname", s->host);
	same(k, "user", s->user);
	same(k, "hostkeyalias", s->alias ? s->alias : "");
	same(k, "proxycommand", s->command ? s->command : "");
	same(k, "identitiesonly", only ? only : "no");
	same_numbers(k, s);
	same_keys(k, s);
	same_jump(k, s);
	same_words(k, "userknownhostsfile", &s->known, " ");
	same_words(k, "globalknownhostsfile", &s->known_globally, " ");
	same_if_said(k, "identityagent", s, SAID_IDENTITY_AGENT);
	same_if_said(k, "addressfamily", s, SAID_ADDRESS_FAMILY);
	same_if_said(k, "stricthostkeychecking", s, SAID_STRICT);
	same_if_said(k, "bindaddress", s, SAID_BIND_ADDRESS);
	same_if_said(k, "bindinterface", s, SAID_BIND_INTERFACE);
	same_if_said(k, "ciphers", s, SAID_CIPHERS);
	same_if_said(k, "macs", s, SAID_MACS);
	same_if_said(k, "kexalgorithms", s, SAID_KEX);
	same_if_said(k, "hostkeyalgorithms", s, SAID_HOST_KEY_ALGORITHMS);
	same_if_said(k, "pubkeyacceptedalgorithms", s, SAID_PUBKEY_ALGORITHMS);
	same_if_said(k, "compression", s, SAID_COMPRESSION);
	same_if_said(k, "requiredrsasize", s, SAID_RSA_SIZE);
	same_if_said(k, "pubkeyauthentication", s, SAID_PUBKEY);
	if (ssh_rekey_read(s, &bytes, &seconds) && s->at[SAID_REKEY_LIMIT].n) {
		(void)str_printf(limit, sizeof(limit), "%llu %llu", (unsigned long long)bytes,
			(unsigned long long)seconds);
		same(k, "rekeylimit", limit);
	}
}

/* The files ssh looks for: -G prints keys as they are written. */
static void compare_files(
	struct comparison *k, const char *words, const struct ssh_words *ours, const char *log)
{
	const char *at = log;
	char line[4200];

	for (size_t i = 0; i < ours->n; i++) {
		(void)str_printf(line, sizeof(line), "\ndebug1: %s %s type ", words, ours->at[i]);
		at = strstr(log, line);
		if (!at)
			tell(k, words, ours->at[i], log);
	}
}

static void expect_keys(struct comparison *k, const struct ssh_settings *s)
{
	char *log;

	if (!s->keys.n && !s->certificates.n)
		return;
	log = ask_ssh(k->f, k->c, "-v -o ProxyCommand=true -o BatchMode=yes");
	compare_files(k, "identity file", &s->keys, log);
	compare_files(k, "certificate file", &s->certificates, log);
	free(log);
}

static unsigned differences_of(struct fixture *f, const struct ssh_case *c)
{
	struct comparison k = {.f = f, .c = c};
	struct ssh_settings s;
	struct err err;
	char *theirs;
	bool ok;

	write_case(f, c);
	ok = ask_ours(f, c, &s, &err);
	theirs = ask_ssh(f, c, "-G");
	k.theirs = theirs;
	if (ok != (theirs != NULL))
		tell(&k, "refused", ok ? "no" : err.text, theirs ? "no" : "yes");
	else if (ok)
		compare(&k, &s);
	else if (!err.cure[0] || !strstr(err.text, f->scratch.dir))
		tell(&k, "which file, and its cure", err.text, err.cure);
	if (ok)
		expect_keys(&k, &s);
	if (ok)
		ssh_settings_free(&s);
	free(theirs);
	return k.differences;
}

CASE_WITH(reads_what_ssh_reads, setup, NULL)
{
	struct fixture *f = *state;
	unsigned differences = 0, left_out = 0;

	for (size_t i = 0; i < sizeof(ssh_cases) / sizeof(ssh_cases[0]); i++) {
		if (is_usual(&ssh_cases[i]) && !f->own_home)
			left_out++;
		else
			differences += differences_of(f, &ssh_cases[i]);
	}
	if (left_out)
		print_message("%u cases left out: no mount namespace\n", left_out);
	assert_int_equal(differences, 0);
}

/* ---- at random ---- */

static uint32_t dice(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}

static void random_block(uint32_t *seed, struct buf *b, bool includes)
{
	static const char *const heads[] = {"Host leaf1", "Host leaf*", "Host !leaf1 *", "Host *",
		"Host spine1 leaf?", "Host 198.18.*", "Host gate", "Match host leaf*",
		"Match host 198.18.*", "Match originalhost leaf1", "Match user noc",
		"Match !user noc host *", "Match all", "Match final", "Match final host leaf*",
		"Match !final all", "Match canonical", "Match exec \"test %p = 22\"",
		"Match host leaf*,!leaf1 exec true", "Match !host spine*"};
	static const char *const lines[] = {"HostName 198.18.0.%u", "HostName %%h.example",
		"Port 22%u", "User noc", "User ops%u", "IdentityFile ~/.ssh/k%u",
		"IdentityFile none", "ProxyJump gate%u", "ProxyJump none", "ProxyCommand nc %%h %u",
		"ProxyCommand none", "HostKeyAlias Alias%u", "UserKnownHostsFile /k/%%h%u /k/%%n",
		"IdentitiesOnly yes", "ConnectTimeout 1%u", "AddressFamily inet",
		"Include <DIR>/part", "ControlMaster auto", "CertificateFile /c/%%r%u",
		"BindAddress 127.0.0.%u", "Ciphers aes256-ctr"};
	unsigned n = 1 + dice(seed, 4);

	if (dice(seed, 8))
		assert_true(
			buf_addf(b, "%s\n", heads[dice(seed, sizeof(heads) / sizeof(heads[0]))]));
	while (n--) {
		const char *line = lines[dice(seed, sizeof(lines) / sizeof(lines[0]))];
		char text[128];

		if (str_starts(line, "Include") && !includes)
			continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(text, sizeof(text), line, dice(seed, 5));
#pragma GCC diagnostic pop
		assert_true(buf_addf(b, "  %s\n", text));
	}
}

static char *random_text(uint32_t *seed, bool includes)
{
	unsigned n = 1 + dice(seed, 6);
	struct buf b;

	buf_init(&b, OUTPUT_MOST);
	while (n--)
		random_block(seed, &b, includes);
	return buf_take(&b, NULL);
}

#define RANDOM_CASES 120

CASE_WITH(reads_anything_as_ssh, setup, NULL)
{
	static const char *const names[] = {"leaf1", "leaf2", "spine1", "198.18.0.1"};
	struct fixture *f = *state;
	unsigned differences = 0;
	char title[32];

	for (uint32_t i = 0; i < RANDOM_CASES; i++) {
		uint32_t seed = i * 7919 + 1;
		char *config = random_text(&seed, true), *part = random_text(&seed, false);
		struct ssh_case c = {.title = title,
			.name = names[dice(&seed, 4)],
			.config = config,
			.more = {"part", part}};

		(void)str_printf(title, sizeof(title), "random %u", i);
		differences += differences_of(f, &c);
		free(config);
		free(part);
	}
	assert_int_equal(differences, 0);
}

/* ---- unreadable files ---- */

static rlim_t set_descriptors(rlim_t n)
{
	struct rlimit limit;
	rlim_t had;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	had = limit.rlim_cur;
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return had;
}

static void expect_refused(struct fixture *f, const struct ssh_case *c, const char *words)
{
	struct ssh_settings s;
	struct err err;

	if (ask_ours(f, c, &s, &err)) {
		ssh_settings_free(&s);
		fail_msg("%s: not refused", c->title);
	}
	if (err.code != ERR_CONFIG || !strstr(err.text, words) || !err.cure[0])
		fail_msg("\"%s\" is not in: %s (%s)", words, err.text, err.cure);
}

/* A lack of descriptors is no lack of configuration, and is over when it is over. */
CASE_WITH(waits_for_descriptors, setup, NULL)
{
	static const struct ssh_case cases[] = {
		ASKED("the file of the inventory", "leaf1", "Port 2\n"),
		ASKED("the usual one", "leaf1", NULL,
			.more = {"home/.ssh/config", "Port 2\n", "etc/ssh_config", ""}),
		ASKED("an included one", "leaf1", "Include <DIR>/one\n",
			.more = {"one", "Port 2\n"}),
		ASKED("one of a directory", "leaf1", "Include <DIR>/inc.d/*\n",
			.more = {"inc.d/one", "Port 2\n"}),
	};
	struct fixture *f = *state;
	struct ssh_settings s;
	struct err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rlim_t had;

		if (!cases[i].config && !f->own_home)
			continue;
		write_case(f, &cases[i]);
		/* Old enough that the file counts as unchanged. */
		scratch_run(&f->scratch, "find . -type f -exec touch -d '1 hour ago' {} +");
		if (cases[i].config && cases[i].more[0]) { /* only the other file is new then */
			assert_true(ask_ours(f, &cases[i], &s, &err));
			ssh_settings_free(&s);
			scratch_run(&f->scratch, "touch -d '2 hours ago' %s", cases[i].more[0]);
		}
		had = set_descriptors(0);
		expect_refused(f, &cases[i], "Too many open files");
		(void)set_descriptors(had);
		assert_true(ask_ours(f, &cases[i], &s, &err));
		assert_int_equal(s.port, 2);
		ssh_settings_free(&s);
	}
}

/* As many files as a pass may have, or nearly: the next pass has them again. */
CASE_WITH(reads_many_files_in_each_pass, setup, NULL)
{
	struct fixture *f = *state;
	struct buf config, part;
	struct ssh_case c = {.title = "many files", .name = "leaf1"};

	buf_init(&config, OUTPUT_MOST);
	buf_init(&part, OUTPUT_MOST);
	for (unsigned i = 0; i < 50; i++)
		assert_true(buf_adds(&part, "Include <DIR>/two\n") &&
			    buf_adds(&config, "Include <DIR>/one\n"));
	assert_true(buf_adds(&config, "Match final\n Port 3\n"));
	c.config = buf_take(&config, NULL);
	c.more[0] = "one";
	c.more[1] = buf_take(&part, NULL);
	c.more[2] = "two";
	c.more[3] = "User noc\n";
	assert_int_equal(differences_of(f, &c), 0);
	free((char *)(uintptr_t)c.config);
	free((char *)(uintptr_t)c.more[1]);
}

/* A core file, say: refused for its length, and not read to its end. */
CASE_WITH(refuses_what_is_too_long, setup, NULL)
{
	static const struct ssh_case c = ASKED("too long", "leaf1", "");
	struct fixture *f = *state;

	write_case(f, &c);
	scratch_run(&f->scratch, "truncate -s 5M config");
	expect_refused(f, &c, "File too large");
}

/* A disk was full once: as long as a file may be, and nearly all of it NUL. */
CASE_WITH(reads_what_is_full_of_nothing, setup, NULL)
{
	static const struct ssh_case c = ASKED("NUL", "leaf1", "Port 7\n#");
	struct fixture *f = *state;
	struct ssh_settings s;
	struct err err;

	write_case(f, &c);
	scratch_run(&f->scratch, "truncate -s 4194303 config");
	if (!ask_ours(f, &c, &s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(s.port, 7);
	ssh_settings_free(&s);
}

/* ---- fixture ---- */

static bool map_to_self(void)
{
	char line[64];
	FILE *f;
	bool ok;

	(void)snprintf(line, sizeof(line), "%u %u 1\n", geteuid(), geteuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !(f = fopen("/proc/self/uid_map", "we")))
		return false;
	ok = fputs(line, f) >= 0;
	return fclose(f) == 0 && ok;
}

static bool bind_over(const struct fixture *f, const char *name, const char *at)
{
	return mount(scratch_path(&f->scratch, name), at, NULL, MS_BIND, NULL) == 0;
}

static bool take_home(const struct fixture *f)
{
	if (geteuid() == 0 ? unshare(CLONE_NEWNS) != 0 : !map_to_self())
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       bind_over(f, "etc", "/etc/ssh") && bind_over(f, "home", f->home);
}

static int setup_group(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));
	const struct passwd *pw = getpwuid(getuid());

	scratch_open(&f->scratch);
	scratch_run(&f->scratch, "mkdir home etc");
	assert_non_null(pw);
	(void)str_copy(f->home, sizeof(f->home), pw->pw_dir);
	f->own_home = take_home(f);
	(void)setenv("HOME", f->home, 1);
	(void)setenv("RAILTOP_TEST_DIR", f->scratch.dir, 1);
	(void)unsetenv("RAILTOP_TEST_NOT_SET");
	f->files = ssh_files_new();
	*state = f;
	return 0;
}

static int teardown_group(void **state)
{
	struct fixture *f = *state;

	ssh_files_free(f->files);
	if (f->own_home) {
		(void)umount2(f->home, MNT_DETACH);
		(void)umount2("/etc/ssh", MNT_DETACH);
	}
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	if (!has_program("ssh")) {
		print_message("no ssh client is installed\n");
		skip();
	}
	return 0;
}

CASES_MAIN(setup_group, teardown_group)

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/ledger/ledger.h"
#include "app/config/user_identity.h"
#include "app/sandbox/scratch_dir.h"
#include "app/sandbox/state_dir.h"
#include "backends/contract/target.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sandbox/outside.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

enum extra { KEEPS_STATE = 1, KEEPS_LEDGER = 2, SERVES = 4, BEGINS_LATE = 8 };

/* A subcommand without a line in profiles.def does not compile. */
enum {
#define PROFILE(id, profile, extra) ROW_##id,
#include "app/sandbox/profiles.def"
#undef PROFILE
};
static const struct row {
	enum sandbox_profile profile;
	unsigned extra;
} rows[] = {
#define PROFILE(id, profile, extra) [ROW_##id] = {profile, extra},
#include "app/sandbox/profiles.def"
#undef PROFILE
};
static const struct {
	const char *name;
	unsigned row;
} names[] = {
#define SUBCOMMAND(id, name, takes, help)        {name, ROW_##id},
#define SUBCOMMAND_HIDDEN(id, name, takes, help) {name, ROW_##id},
#include "app/options/subcommands.def"
#undef SUBCOMMAND
#undef SUBCOMMAND_HIDDEN
};

static struct {
	bool begun, holds, sealed; /* holds: the places */
	const struct options *options;
	enum sandbox_profile profile;
	VEC(struct sandbox_place) places; /* paths are its own */
	struct scratch_dir scratch;
} run = {.scratch = {.lock = -1}};

static struct row row_of(const struct subcommand *sub)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_eq(names[i].name, sub->name))
			return rows[names[i].row];
	return rows[ROW_rows]; /* each view is a subcommand */
}

enum sandbox_profile confine_profile(const struct options *o)
{
	struct row row = row_of(o->sub);
	bool of_lines = o->observations && (!o->inventory || !(row.extra & KEEPS_LEDGER) || o->noc);

	if (row.profile == SANDBOX_DEVICES && (!(row.extra & SERVES) || o->once) &&
		(o->from || of_lines))
		return SANDBOX_FILES;
	return row.profile;
}

bool confine_is_late(const struct options *o)
{
	return row_of(o->sub).extra & BEGINS_LATE;
}

/* ---- places ---- */

static void add_place(const char *path, unsigned may)
{
	struct sandbox_place *place = vec_add(&run.places);

	*place = (struct sandbox_place){mem_strdup(path), may};
}

/* The directory of a file. */
static void directory_of(const char *path, char *dst, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		(void)str_copy(dst, size, ".");
	else
		(void)str_copyn(dst, size, path, slash == path ? 1 : (size_t)(slash - path));
}

/*
 * A file is made under another name and renamed, and SQLite has more files beside it. So its
 * directory is the place: there is no smaller one for a file that does not exist yet.
 */
static void add_output(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;
	bool there;

	if (!path || str_eq(path, "-") || !*path)
		return;
	there = stat(path, &st) == 0;
	if (there)
		add_place(path, SANDBOX_WRITE);
	if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return;
	directory_of(path, dir, sizeof(dir));
	add_place(dir, SANDBOX_MAKE);
}

static void add_state(const char *name)
{
	char *path = state_dir_path(name);

	if (path && state_dir_make(path))
		add_place(path, SANDBOX_MAKE);
	free(path);
}

/*
 * A recording that was not closed has its end in FILE-wal, and SQLite needs FILE-shm to read that.
 * These two may be written, and nothing else beside the recording.
 */
static void add_recording(const char *text)
{
	char path[PATH_MAX], name[PATH_MAX + 8];
	struct stat st;
	int fd;

	if (!text || !str_copy(path, sizeof(path), text))
		return;
	if (access(path, F_OK) != 0 && strrchr(path, '@'))
		*strrchr(path, '@') = '\0';
	(void)str_printf(name, sizeof(name), "%s-wal", path);
	if (stat(name, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return;
	add_place(name, SANDBOX_WRITE);
	(void)str_printf(name, sizeof(name), "%s-shm", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, st.st_mode & 0666);
	if (fd >= 0)
		(void)close(fd);
	add_place(name, SANDBOX_WRITE);
}

/* A pipe that has a name is opened for both, see observation_reader.c. */
static void add_pipe(const char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		add_place(path, SANDBOX_WRITE);
}

static void add_named(const struct options *o)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const char *text = options_text(o, (enum option_id)i);

		switch (options_file(o->sub, (enum option_id)i)) {
		case FILE_WRITES:
			add_output(text);
			break;
		case FILE_MAKES_IN:
			if (text && state_dir_make(text))
				add_place(text, SANDBOX_MAKE);
			break;
		case FILE_READS_PIPE:
			add_pipe(text);
			break;
		case FILE_READS_RECORDING:
			add_recording(text);
			break;
		case FILE_NO_FILE:
		case FILE_READS:
		case FILE_KEEPS:
		case FILE_OPENED:
			break;
		}
	}
	for (size_t i = 0; i < o->words.n; i++)
		add_recording(o->words.at[i]);
}

static void add_ledger(const char *path)
{
	char dir[PATH_MAX];

	directory_of(path, dir, sizeof(dir));
	if (state_dir_make(dir))
		add_place(dir, SANDBOX_MAKE);
}

static void add_common(void)
{
	static const char *const devices[] = {"/dev/null", "/dev/tty", "/dev/pts"};
	struct err ignored = {0};

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		add_place(devices[i], SANDBOX_WRITE);
	/* Without one, the parts that need it say why. */
	if (!scratch_dir_make(&run.scratch, &ignored))
		return;
	add_place(scratch_dir_base(), SANDBOX_REMOVE_DIR);
	add_place(run.scratch.path, SANDBOX_MAKE);
	/* SQLite, and all that makes temporary files. */
	(void)setenv("TMPDIR", run.scratch.path, 1);
}

/* A directory above the user's own: then there is little that may not be written. */
static void report_wide(const char *path)
{
	const char *home = getenv("HOME");
	char *real = realpath(path, NULL);
	size_t n = real ? strlen(real) : 0;

	if (home && n && strncmp(home, real, n) == 0 && (home[n] == '/' || !home[n] || n == 1))
		log_line("sandbox",
			"%s is the directory of an output: all below it may be written; name one "
			"in a directory of its own",
			real);
	free(real);
}

static void hold_places(void)
{
	char text[256];

	if (run.holds)
		return;
	run.holds = true;
	for (size_t i = 0; i < run.places.n; i++)
		if (run.places.at[i].may & SANDBOX_MAKE)
			report_wide(run.places.at[i].path);
	(void)sandbox_limit_places(run.profile, run.places.at, run.places.n);
	sandbox_status_text(text, sizeof(text));
	log_line("sandbox", "%s", text);
}

/* ---- the beginning ---- */

static bool is_off(void)
{
	const char *value = getenv("RAILTOP_SANDBOX");

	return value && str_eq(value, "off");
}

static bool may_be_off(const struct options *o, struct err *err)
{
	if (!o->noc && !o->read_only && !o->execute) {
		(void)fprintf(stderr, "railtop: RAILTOP_SANDBOX=off: this run has no sandbox\n");
		log_line("sandbox", "switched off by RAILTOP_SANDBOX");
		sandbox_switched_off();
		return true;
	}
	err_set(err, ERR_USAGE, "RAILTOP_SANDBOX", "%s does not run without its sandbox",
		o->noc         ? "--noc"
		: o->read_only ? "--read-only"
			       : "--execute");
	return err_cure(err, "unset RAILTOP_SANDBOX");
}

/* The ledger's place if the command line names it, or no inventory can. */
static void add_known_ledger(const struct options *o)
{
	char *path = o->ledger ? mem_strdup(o->ledger) : ledger_default_path();

	add_ledger(path);
	free(path);
}

bool confine_begin(const struct options *o, const char *extra, struct err *err)
{
	struct row row = row_of(o->sub);
	bool waits = (row.extra & KEEPS_LEDGER) && !o->ledger &&
		     (o->inventory || (row.extra & BEGINS_LATE));

	if (is_off())
		return may_be_off(o, err);
	run.begun = true;
	run.options = o;
	run.profile = confine_profile(o);
	/* The lists of users may be behind a socket. */
	user_identity_keep();
	/* Without it such a command fails, and says so where it is needed. */
	if (run.profile == SANDBOX_DEVICES && !outside_start())
		log_line(
			"sandbox", "no process for commands of the inventory: %s", strerror(errno));
	add_common();
	add_named(o);
	if (extra) {
		char above[PATH_MAX];

		directory_of(extra, above, sizeof(above));
		add_place(extra, SANDBOX_MAKE);
		add_place(above, SANDBOX_REMOVE_DIR);
	}
	if (row.extra & KEEPS_STATE)
		add_state("");
	if ((row.extra & KEEPS_LEDGER) && !waits)
		add_known_ledger(o);
	(void)sandbox_filter_calls(run.profile);
	/* No inventory is read: no command is on the list. */
	if (!waits)
		hold_places();
	if (!o->inventory && !waits)
		outside_seal(run.places.at, run.places.n);
	return true;
}

/* "command:CMD": the command that credentials_get() will run. */
static void allow_reference(const char *reference)
{
	char *text;

	if (!reference || !str_starts(reference, "command:"))
		return;
	text = target_expand_home(reference + strlen("command:"));
	outside_allow(text);
	free(text);
}

/* The programs that are told, and those that print a secret. */
static void allow_receivers(const struct plan_notify *n)
{
	for (size_t i = 0; i < n->to.n; i++) {
		const struct plan_receiver *r = &n->to.at[i];
		char *words = outside_words((const char *const *)r->argv.at, r->argv.n);

		if (r->kind == RECEIVER_COMMAND)
			outside_allow(words);
		free(words);
		allow_reference(r->secret);
		allow_reference(r->token);
		allow_reference(r->credentials);
	}
}

void confine_plan(const struct plan *p)
{
	if (!run.begun || run.sealed)
		return;
	run.sealed = true;
	for (size_t i = 0; i < p->devices.n; i++)
		/* Many devices have the same one. */
		if (!i || !str_eq(p->devices.at[i].credentials, p->devices.at[i - 1].credentials))
			allow_reference(p->devices.at[i].credentials);
	for (size_t i = 0; i < p->jobs.n; i++)
		allow_reference(p->jobs.at[i].token);
	allow_reference(p->engine.credentials);
	allow_reference(p->engine.token);
	allow_reference(p->actions.credentials);
	allow_receivers(&p->notify);
	if (!run.holds && (row_of(run.options->sub).extra & KEEPS_STATE) &&
		p->notify.acknowledgements && state_dir_make(p->notify.acknowledgements))
		add_place(p->notify.acknowledgements, SANDBOX_MAKE);
	if (!run.holds && p->actions.ledger && p->actions.ledger[0]) {
		char *path = target_expand_home(p->actions.ledger);

		add_ledger(path);
		free(path);
	} else if (!run.holds) {
		add_known_ledger(run.options);
	}
	hold_places();
	outside_seal(run.places.at, run.places.n);
}

const char *confine_scratch(void)
{
	return run.scratch.path;
}

void confine_end(void)
{
	scratch_dir_remove(&run.scratch);
	outside_stop();
	for (size_t i = 0; i < run.places.n; i++)
		free((void *)(uintptr_t)run.places.at[i].path);
	vec_free(&run.places);
}

/* ---- files that are named later ---- */

static bool is_below(const char *path, const char *place)
{
	char *real = realpath(place, NULL);
	size_t n = real ? strlen(real) : 0;
	bool below = n && strncmp(path, real, n) == 0 && (path[n] == '/' || !path[n] || n == 1);

	free(real);
	return below;
}

static bool may_write(const char *name)
{
	char dir[PATH_MAX], *real;
	bool may = false;

	directory_of(name, dir, sizeof(dir));
	real = realpath(dir, NULL);
	for (size_t i = 0; real && i < run.places.n && !may; i++)
		may = (run.places.at[i].may & SANDBOX_MAKE) &&
		      is_below(real, run.places.at[i].path);
	/* One that does not exist has a message of its own. */
	may = may || !real;
	free(real);
	return may;
}

bool confine_output(const char *name, char *dst, size_t size, struct err *err)
{
	char *dir;
	bool fits;

	if (!str_copy(dst, size, name))
		return err_set(err, ERR_LIMIT, name, "the path is too long");
	if (!run.holds || !sandbox_status().places || may_write(name))
		return true;
	dir = state_dir_path("recordings");
	fits = dir && !strchr(name, '/') && state_dir_make(dir) &&
	       str_printf(dst, size, "%s/%s", dir, name);
	free(dir);
	if (fits)
		return true;
	err_set(err, ERR_REFUSED, name, "railtop has given up the right to write there");
	return err_cure(err,
		"a name without a directory goes to the state directory; --record FILE at the "
		"start names another place");
}

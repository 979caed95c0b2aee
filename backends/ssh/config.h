/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_CONFIG_H
#define BACKENDS_SSH_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/*
 * Resolves the ssh_config(5) options for one name, as `ssh -G NAME` prints them; the tests compare
 * both. libssh's own reader falls short: it forgets the original name after a HostName, takes one
 * key and one known_hosts file, and ignores unknown options.
 *
 * The functions are pure except for struct ssh_world, which supplies files, commands and the local
 * user.
 */

/* The options that railtop uses. */
enum ssh_option {
#define USED(id, keyword, kind, choices) SAID_##id,
#define ALSO(id, keyword)
#define PASSED(keyword)
#define BARRED(keyword, cure)
#include "backends/ssh/config_keywords.def"
#undef USED
#undef ALSO
#undef PASSED
#undef BARRED
	SAID_OPTIONS
};

/* ---- parsed files: config_text.c ---- */

/* A larger file is refused. */
#define SSH_CONFIG_BYTES ((size_t)4 << 20)

struct ssh_line {
	unsigned number; /* from 1 */
	uint16_t keyword;
	const char *name;  /* keyword as written */
	const char *rest;  /* rest of the line after it, as written */
	const char *flaw;  /* why the line is invalid; NULL: it is valid */
	uint32_t first, n; /* range in the file's words */
};

/* A parsed file. It is immutable; any number of resolutions may use it. */
struct ssh_text {
	char *path;
	uid_t owner;
	mode_t mode;
	char *bytes, *copy;
	VEC(struct ssh_line) lines;
	VEC(const char *) words;
};

/* Parses len bytes and takes ownership of bytes, which is allocated and has a NUL at len. */
struct ssh_text *ssh_text_new(const char *path, char *bytes, size_t len);
void ssh_text_free(struct ssh_text *t); /* NULL is allowed */

/* ---- patterns: config_match.c ---- */

/*
 * Matches s with one pattern of n bytes from ssh_config or known_hosts: '*' is any text, '?' any
 * character. Takes at most strlen(s) steps for each pattern character.
 */
bool ssh_pattern_fits(const char *pattern, size_t n, const char *s);
/* Comma-separated patterns, "!..." negates. lower: ignore case. */
enum ssh_fit { FIT_NONE, FIT_GOOD, FIT_DENIED /* a negated pattern matched */ };
enum ssh_fit ssh_patterns_judge(const char *patterns, const char *name, bool lower);
bool ssh_patterns_fit(const char *patterns, const char *name, bool lower);

/* ---- the result ---- */

struct ssh_words {
	VEC(char *);
};

struct ssh_settings {
	char *name;         /* the name that was resolved */
	char *host;         /* address to connect to: HostName, else the name; lower case */
	bool name_is_short; /* ssh would have canonicalised it (CanonicalizeHostname) */
	char *user;         /* never NULL */
	unsigned port;
	char *jump;       /* ProxyJump as written; NULL: none */
	char *command;    /* ProxyCommand; NULL: none */
	char *way_from;   /* "FILE:LINE" of jump or command; NULL: none */
	char *alias;      /* HostKeyAlias in lower case; NULL: none */
	char *agent;      /* IdentityAgent with tokens expanded; NULL: $SSH_AUTH_SOCK, "": none */
	bool keys_stated; /* there is an IdentityFile; keys omits "none" */
	struct ssh_words keys, certificates; /* expanded */
	struct ssh_words known, known_globally;
	int64_t connect_us; /* ConnectTimeout in microseconds, 0: not set */
	/* All other options as written; empty: not set. */
	struct ssh_words at[SAID_OPTIONS];
};

void ssh_settings_free(struct ssh_settings *s); /* frees the members, not s */
/* Returns the first word; NULL: not set. */
const char *ssh_setting(const struct ssh_settings *s, enum ssh_option option);
/* Value of a yes/no option; otherwise if it is not set. */
bool ssh_setting_is(const struct ssh_settings *s, enum ssh_option option, bool otherwise);

/* ---- lists of algorithms: algorithms.c ---- */

/*
 * Expands a list of Ciphers, MACs, KexAlgorithms, HostKeyAlgorithms or PubkeyAcceptedAlgorithms.
 * "+x", "-x" and "^x" modify the usual list; a list without them replaces it. Returns false if
 * nothing is left.
 */
bool ssh_algorithms(enum ssh_option option, const char *said, char *dst, size_t size);
const char *ssh_algorithms_usual(enum ssh_option option);

/* Reads RekeyLimit, 0: the default. Returns false if it is invalid. */
bool ssh_rekey_read(const struct ssh_settings *s, uint64_t *bytes, uint64_t *seconds);

/* ---- input ---- */

struct ssh_world {
	/* Returns the parsed file, which lives as long as ctx allows; NULL: *error is an errno. */
	const struct ssh_text *(*read)(void *ctx, const char *path, int *error);
	/*
	 * Adds the files that match a pattern of Include, in order. Returns an errno; 0 also if
	 * none matches.
	 */
	int (*find)(void *ctx, const char *pattern, struct ssh_words *out);
	/*
	 * Runs a command of Match exec. Returns its exit status (0: true); negative: it did not
	 * finish.
	 */
	int (*run)(void *ctx, const char *command);
	void *ctx;
	uid_t uid;
	const char *user, *home; /* local user and home directory, whatever $HOME says */
	const char *machine;     /* local host name, from gethostname() */
};

struct ssh_query {
	const char *name;
	const char *file; /* replaces the usual two files, as -F does; NULL: those */
	/* Values that override the files; NULL, 0: not set. known: UserKnownHostsFile. */
	const char *host, *user, *known;
	unsigned port;
	/*
	 * Second name, the inventory's address; NULL: none. Its blocks apply after those of the
	 * first name, except blocks that exclude the first name.
	 */
	const char *also;
};

/*
 * Resolves the query. Returns false with err (ERR_CONFIG, ERR_UNSUPPORTED; about origin), which
 * states the file, the line and the cure. It refuses all that ssh refuses, and each option that
 * railtop does not support but that would change the outcome.
 */
bool ssh_config_resolve(const struct ssh_world *w, const struct ssh_query *q, const char *origin,
	struct ssh_settings *out, struct err *err);

/* ---- the local system: config_files.c ---- */

/* Cache of parsed files for one thread; each file is read again when it has changed. */
struct ssh_files;
struct ssh_files *ssh_files_new(void);
void ssh_files_free(struct ssh_files *f);
/*
 * Fills w for one ssh_config_resolve(). Commands of Match exec block for 5 s at most; their results
 * are kept for a minute.
 */
void ssh_files_world(struct ssh_files *f, struct ssh_world *w);

/* ---- private to config*.c ---- */

enum ssh_kind {
	KIND_HOST,
	KIND_MATCH,
	KIND_INCLUDE,
	KIND_WORD,   /* one word; the first line wins */
	KIND_WORDS,  /* several words; the first line wins */
	KIND_LIST,   /* one word; all lines count */
	KIND_NUMBER, /* one number */
	KIND_PORT,   /* one port number or service name */
	KIND_TIME,   /* one time: 90, 1m30s, none */
	KIND_REST,   /* rest of the line as written */
	KIND_JUMP,   /* likewise, a path through bastions */
	KIND_PASSED,
	KIND_BARRED,
	KIND_UNKNOWN
};

struct ssh_keyword {
	const char *name;
	enum ssh_option option;
	enum ssh_kind kind;
	const char *choices, *cure;
};

#define SSH_JUMP_FLAW "not a path through bastions ([user@]host[:port],...)"

const struct ssh_keyword *ssh_keyword_at(uint16_t i);
/* Parses a time into seconds. Returns false if it is invalid. */
bool ssh_time_read(const char *s, int64_t *seconds);
/* Parses a port number or service name. Returns 0 if it is invalid. */
unsigned ssh_port_read(const char *s);

/* Values of the "%" tokens. */
struct ssh_tokens {
	const struct ssh_world *world;
	const char *name, *host, *user, *alias; /* alias: NULL: none */
	unsigned port;
};
/*
 * Expands tokens, and "${NAME}" with environment set. Returns false with the unknown token or
 * variable in wrong; wrong is "" if dst was too small.
 */
bool ssh_expand(const struct ssh_tokens *t, const char *from, const char *allowed, bool environment,
	char *dst, size_t size, char *wrong, size_t wrong_size);
#define SSH_TOKENS_ALL "CLdhiklnpru"
/* Expands "~/x" and "~NAME/x". Returns false if the user is unknown or dst is too small. */
bool ssh_expand_home(const struct ssh_world *w, const char *from, char *dst, size_t size);

#endif

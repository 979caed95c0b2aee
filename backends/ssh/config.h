/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_SSH_CONFIG_H
#define BACKENDS_SSH_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/*
 * What ssh_config(5) says about one name: what `ssh -G NAME` prints, which the tests compare it
 * with. libssh's own reader forgets the name that was asked for once it has met a HostName, takes
 * one key and one file of known hosts, and passes by what it does not know.
 *
 * Pure but for struct ssh_world: files, commands and the person come from there.
 */

/* The kept options. */
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

/* ---- a file: config_text.c ---- */

/* Beyond these a file is refused. */
#define SSH_CONFIG_BYTES ((size_t)4 << 20)

struct ssh_line {
	unsigned number; /* from 1 */
	uint16_t keyword;
	const char *name;  /* of the keyword, as it was written */
	const char *rest;  /* behind it, as it was written */
	const char *flaw;  /* why the line cannot be read; NULL: it can */
	uint32_t first, n; /* of the file's words */
};

/* A file as its lines. It never changes, whatever is resolved from it. */
struct ssh_text {
	char *path;
	uid_t owner;
	mode_t mode;
	char *bytes, *copy;
	VEC(struct ssh_line) lines;
	VEC(const char *) words;
};

/* Takes bytes, which were allocated and have a NUL at len. */
struct ssh_text *ssh_text_new(const char *path, char *bytes, size_t len);
void ssh_text_free(struct ssh_text *t); /* NULL is allowed */

/* ---- patterns: config_match.c ---- */

/*
 * One pattern of n bytes, of ssh_config or known_hosts: '*' is any text, '?' any character. At most
 * strlen(s) steps for each of them.
 */
bool ssh_pattern_fits(const char *pattern, size_t n, const char *s);
/* Patterns between commas, "!..." negates. lower: small and capital letters are the same. */
enum ssh_fit { FIT_NONE, FIT_GOOD, FIT_DENIED /* by a negated one */ };
enum ssh_fit ssh_patterns_judge(const char *patterns, const char *name, bool lower);
bool ssh_patterns_fit(const char *patterns, const char *name, bool lower);

/* ---- the answer ---- */

struct ssh_words {
	VEC(char *);
};

struct ssh_settings {
	char *name;         /* as it was asked for */
	char *host;         /* to connect to: HostName, else the name; small letters */
	bool name_is_short; /* ssh would have looked for its domain (CanonicalizeHostname) */
	char *user;         /* never NULL */
	unsigned port;
	char *jump;       /* ProxyJump as it is written; NULL: none */
	char *command;    /* ProxyCommand; NULL: none */
	char *way_from;   /* "FILE:LINE" of the two; NULL: none */
	char *alias;      /* HostKeyAlias in small letters; NULL: none */
	char *agent;      /* IdentityAgent with tokens expanded; NULL: $SSH_AUTH_SOCK, "": none */
	bool keys_stated; /* there is an IdentityFile; "none" is left out of keys */
	struct ssh_words keys, certificates; /* expanded */
	struct ssh_words known, known_globally;
	int64_t connect_us; /* ConnectTimeout, 0: not said */
	/* As they are written; none: not said. Of those that are not above. */
	struct ssh_words at[SAID_OPTIONS];
};

void ssh_settings_free(struct ssh_settings *s); /* what is in it */
/* The first word; NULL: not said. */
const char *ssh_setting(const struct ssh_settings *s, enum ssh_option option);
/* A yes-or-no option; otherwise where it is not said. */
bool ssh_setting_is(const struct ssh_settings *s, enum ssh_option option, bool otherwise);

/* ---- lists of algorithms: algorithms.c ---- */

/*
 * Ciphers, MACs, KexAlgorithms, HostKeyAlgorithms, PubkeyAcceptedAlgorithms: the whole list that
 * "+x", "-x" or "^x" makes of the usual one. Only a list without them replaces that. False: nothing
 * is left.
 */
bool ssh_algorithms(enum ssh_option option, const char *said, char *dst, size_t size);
const char *ssh_algorithms_usual(enum ssh_option option);

/* RekeyLimit, 0: the default. False: it cannot be read. */
bool ssh_rekey_read(const struct ssh_settings *s, uint64_t *bytes, uint64_t *seconds);

/* ---- the question ---- */

struct ssh_world {
	/* The text, which lives as long as ctx says; NULL: *error has an errno. */
	const struct ssh_text *(*read)(void *ctx, const char *path, int *error);
	/* Adds the files that a pattern of Include fits, in order; an errno, 0 also for none. */
	int (*find)(void *ctx, const char *pattern, struct ssh_words *out);
	/* Match exec: 0: true, more: false, less: it could not be run to its end. */
	int (*run)(void *ctx, const char *command);
	void *ctx;
	uid_t uid;
	const char *user, *home; /* of the person, whatever $HOME says */
	const char *machine;     /* gethostname() */
};

struct ssh_query {
	const char *name;
	const char *file; /* instead of the usual two, as -F; NULL: those */
	/* What wins over the files; NULL, 0: they decide. known: UserKnownHostsFile. */
	const char *host, *user, *known;
	unsigned port;
	/*
	 * Blocks for this name, too, after those for the first and without those that exclude the
	 * first: the inventory's address. NULL.
	 */
	const char *also;
};

/*
 * False with err (ERR_CONFIG, ERR_UNSUPPORTED; about origin): the file, its line and the cure. What
 * ssh refuses is refused, and what railtop does not do but would make a difference.
 */
bool ssh_config_resolve(const struct ssh_world *w, const struct ssh_query *q, const char *origin,
	struct ssh_settings *out, struct err *err);

/* ---- the world as it is: config_files.c ---- */

/* Files that were read, for one thread; each is read again when it has changed. */
struct ssh_files;
struct ssh_files *ssh_files_new(void);
void ssh_files_free(struct ssh_files *f);
/*
 * Fills w, which is good for one ssh_config_resolve(). Commands of Match exec block for 5 s at
 * most, and are not run again for a minute.
 */
void ssh_files_world(struct ssh_files *f, struct ssh_world *w);

/* ---- private to ssh_config*.c ---- */

enum ssh_kind {
	KIND_HOST,
	KIND_MATCH,
	KIND_INCLUDE,
	KIND_WORD,   /* one, the first counts */
	KIND_WORDS,  /* several, the first line counts */
	KIND_LIST,   /* one, all lines count */
	KIND_NUMBER, /* one */
	KIND_PORT,   /* one, or a name of a service */
	KIND_TIME,   /* one: 90, 1m30s, none */
	KIND_REST,   /* the line as it stands */
	KIND_JUMP,   /* likewise, a way through bastions */
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

#define SSH_JUMP_FLAW "not a way through bastions ([user@]host[:port],...)"

const struct ssh_keyword *ssh_keyword_at(uint16_t i);
/* Seconds; false: it is no time. */
bool ssh_time_read(const char *s, int64_t *seconds);
/* 0: it is none. */
unsigned ssh_port_read(const char *s);

/* Tokens, "~" and "${NAME}". */
struct ssh_tokens {
	const struct ssh_world *world;
	const char *name, *host, *user, *alias; /* alias: NULL: none */
	unsigned port;
};
/* False: *wrong is the token or variable that is none; dst was too small: "" */
bool ssh_expand(const struct ssh_tokens *t, const char *from, const char *allowed, bool environment,
	char *dst, size_t size, char *wrong, size_t wrong_size);
#define SSH_TOKENS_ALL "CLdhiklnpru"
/* "~/x" and "~NAME/x"; false: there is no such person, or too long. */
bool ssh_expand_home(const struct ssh_world *w, const char *from, char *dst, size_t size);

#endif

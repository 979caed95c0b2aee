/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/transport/proxy_jump.h"
#include "backends/ssh/config_run.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Resolves one query: reads the files, reads them again if they ask for it, and derives the result.
 */

#define SYSTEM_FILE "/etc/ssh/ssh_config"

const char *ssh_setting(const struct ssh_settings *s, enum ssh_option option)
{
	return s->at[option].n ? s->at[option].at[0] : NULL;
}

bool ssh_setting_is(const struct ssh_settings *s, enum ssh_option option, bool otherwise)
{
	const char *word = ssh_setting(s, option);

	if (!word)
		return otherwise;
	return strcasecmp(word, "no") != 0 && strcasecmp(word, "false") != 0;
}

static void words_free(struct ssh_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	vec_free(w);
}

void ssh_settings_free(struct ssh_settings *s)
{
	for (unsigned i = 0; i < SAID_OPTIONS; i++)
		words_free(&s->at[i]);
	words_free(&s->keys);
	words_free(&s->certificates);
	words_free(&s->known);
	words_free(&s->known_globally);
	free(s->name);
	free(s->host);
	free(s->user);
	free(s->jump);
	free(s->command);
	free(s->way_from);
	free(s->alias);
	free(s->agent);
	memset(s, 0, sizeof(*s));
}

/* ---- values known so far ---- */

const char *ssh_run_user(const struct ssh_run *r)
{
	const char *user = ssh_setting(r->out, SAID_USER);

	return user ? user : r->world->user;
}

unsigned ssh_run_port(const struct ssh_run *r)
{
	const char *port = ssh_setting(r->out, SAID_PORT);

	return port ? ssh_port_read(port) : 22;
}

bool ssh_run_host(struct ssh_run *r, char *dst, size_t size)
{
	const char *stated = ssh_setting(r->out, SAID_HOST_NAME);
	struct ssh_tokens tokens = {.world = r->world, .name = r->name, .host = r->name};
	char wrong[64] = "";

	if (!stated)
		return str_copy(dst, size, r->name) ||
		       err_set(r->err, ERR_CONFIG, r->origin, "a name that is too long");
	if (r->host_is_plain)
		return str_copy(dst, size, stated) ||
		       err_set(r->err, ERR_CONFIG, r->origin, "an address that is too long");
	return ssh_expand(&tokens, stated, "h", false, dst, size, wrong, sizeof(wrong)) ||
	       ssh_run_refuse(r, ERR_CONFIG, r->from[SAID_HOST_NAME], "%s %s", wrong,
		       *wrong ? "is not one of its tokens" : "too long");
}

/* ---- the files ---- */

/* As in ssh, a file that does not exist or cannot be read is ignored. */
static bool is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES;
}

static bool read_usual(struct ssh_run *r, const char *path, bool of_user)
{
	int error = 0;

	r->of_user = of_user;
	if (ssh_run_file(r, path, of_user, (struct ssh_block){.applies = true}, &error))
		return true;
	if (!error || is_absent(error))
		return !!error;
	/*
	 * The file may restrict which keys are trusted; without it the device might be an impostor.
	 */
	err_set(r->err, ERR_CONFIG, r->origin, "%s cannot be read: %s", path, strerror(error));
	return err_cure(r->err,
		"%s; or give railtop its own file with ssh_config: in the inventory",
		error == EMFILE || error == ENFILE ? "a higher ulimit -n"
		: error == EFBIG                   ? "make it shorter"
						   : "make it readable");
}

static bool read_files(struct ssh_run *r)
{
	const char *file = r->query->file;
	char own[4096];
	int error = 0;

	r->files = 0; /* each pass reads all files again */
	if (file) {
		r->of_user = true;
		if (ssh_run_file(r, file, false, (struct ssh_block){.applies = true}, &error))
			return true;
		if (!error)
			return false;
		err_set(r->err, ERR_CONFIG, r->origin, "ssh_config %s cannot be read: %s", file,
			strerror(error));
		return err_cure(r->err, "create it, or remove ssh_config from the inventory");
	}
	if (str_printf(own, sizeof(own), "%s/.ssh/config", r->world->home) &&
		!read_usual(r, own, true))
		return false;
	return read_usual(r, SYSTEM_FILE, false);
}

/* ---- canonicalisation ---- */

static bool is_address(const char *host)
{
	unsigned char space[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, space) == 1 || strchr(host, ':');
}

static bool is_none(const char *word)
{
	return !word || strcasecmp(word, "none") == 0;
}

static bool is_direct(const struct ssh_run *r)
{
	return is_none(ssh_setting(r->out, SAID_PROXY_JUMP)) &&
	       is_none(ssh_setting(r->out, SAID_PROXY_COMMAND));
}

static unsigned dots_in(const char *host)
{
	unsigned n = 0;

	for (; *host; host++)
		n += *host == '.';
	return n;
}

static bool needs_lookup(const struct ssh_run *r, const char *host)
{
	const char *always = ssh_setting(r->out, SAID_CANONICALIZE);
	const char *dots = ssh_setting(r->out, SAID_CANONICAL_DOTS);
	uint64_t most = 1;

	if (is_address(host) || (!is_direct(r) && strcasecmp(always, "always") != 0))
		return false;
	if (!is_none(ssh_setting(r->out, SAID_CANONICAL_CNAMES)))
		return true;
	if (dots)
		(void)str_to_u64(dots, &most);
	if (*host && host[strlen(host) - 1] == '.')
		return true;
	return dots_in(host) <= most && !is_none(ssh_setting(r->out, SAID_CANONICAL_DOMAINS));
}

/*
 * Names are used as written, as ssh does if no domain has them: the resolver has domains of its
 * own. Without CanonicalizeFallbackLocal ssh would not connect, and its canonical name is unknown
 * here.
 */
static bool check_canonical(struct ssh_run *r, const char *host)
{
	if (!ssh_setting_is(r->out, SAID_CANONICALIZE, false))
		return true;
	r->want_final = true;
	if (!needs_lookup(r, host))
		return true;
	if (ssh_setting_is(r->out, SAID_CANONICAL_LOCAL, true)) {
		r->out->name_is_short = true;
		return true;
	}
	(void)ssh_run_refuse(r, ERR_UNSUPPORTED, r->from[SAID_CANONICALIZE],
		"railtop does not ask a name server for the full name of %s", host);
	return err_cure(r->err,
		"HostName %%h.DOMAIN and CanonicalizeHostname no in a Host block for it, or "
		"CanonicalizeFallbackLocal yes");
}

/* ---- derived values ---- */

static struct ssh_tokens tokens_of(const struct ssh_run *r)
{
	const struct ssh_settings *s = r->out;

	return (struct ssh_tokens){.world = r->world,
		.name = r->name,
		.host = s->host,
		.user = s->user,
		.alias = s->alias,
		.port = s->port};
}

static bool expand_word(
	struct ssh_run *r, enum ssh_option option, const char *from, char *dst, size_t size)
{
	struct ssh_tokens tokens = tokens_of(r);
	char path[4096], wrong[128] = "~";

	if (ssh_expand_home(r->world, from, path, sizeof(path)) &&
		ssh_expand(&tokens, path, SSH_TOKENS_ALL, true, dst, size, wrong, sizeof(wrong)))
		return true;
	if (!r->from[option].line)
		return err_set(r->err, ERR_CONFIG, r->origin, "%s: %s is not known", from, wrong);
	return ssh_run_refuse(r, ERR_CONFIG, r->from[option], "%.80s: %s is not known here", from,
		*wrong ? wrong : "that much");
}

static bool expand_all(struct ssh_run *r, enum ssh_option option, struct ssh_words *out)
{
	const struct ssh_words *stated = &r->out->at[option];
	char path[4096];

	for (size_t i = 0; i < stated->n; i++) {
		if (is_none(stated->at[i]))
			continue;
		if (!expand_word(r, option, stated->at[i], path, sizeof(path)))
			return false;
		vec_push(out, mem_strdup(path));
	}
	return true;
}

static bool known_files(struct ssh_run *r)
{
	static const char *const own[] = {"/.ssh/known_hosts", "/.ssh/known_hosts2"};
	static const char *const global[] = {
		"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};
	struct ssh_settings *s = r->out;
	const struct ssh_words *stated = &s->at[SAID_GLOBAL_KNOWN_HOSTS];
	char path[4096];

	if (!expand_all(r, SAID_USER_KNOWN_HOSTS, &s->known))
		return false;
	for (unsigned i = 0; i < 2 && !s->at[SAID_USER_KNOWN_HOSTS].n; i++) {
		(void)str_printf(path, sizeof(path), "%s%s", r->world->home, own[i]);
		vec_push(&s->known, mem_strdup(path));
	}
	/* ssh expands nothing in these options. */
	for (size_t i = 0; i < stated->n; i++) {
		if (!is_none(stated->at[i]))
			vec_push(&s->known_globally, mem_strdup(stated->at[i]));
	}
	for (unsigned i = 0; i < 2 && !stated->n; i++)
		vec_push(&s->known_globally, mem_strdup(global[i]));
	return true;
}

/* "$NAME" is the value of a variable; SSH_AUTH_SOCK means the usual one. */
static bool find_agent(struct ssh_run *r)
{
	const char *stated = ssh_setting(r->out, SAID_IDENTITY_AGENT);
	const char *value;
	char path[4096] = "";

	if (!stated || str_eq(stated, "SSH_AUTH_SOCK"))
		return true;
	if (str_eq(stated, "none")) {
		r->out->agent = mem_strdup("");
		return true;
	}
	if (!expand_word(r, SAID_IDENTITY_AGENT, stated, path, sizeof(path)))
		return false;
	if (path[0] == '$' && path[1] != '{') {
		value = getenv(path + 1);
		r->out->agent = mem_strdup(value ? value : "");
	} else {
		r->out->agent = mem_strdup(path);
	}
	return true;
}

static char *copy_lower(const char *s)
{
	char *copy = mem_strdup(s);

	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

static void note_way(struct ssh_run *r, enum ssh_option option)
{
	struct ssh_place at = r->from[option];
	char where[4200];

	(void)str_printf(where, sizeof(where), "%s:%u", at.text->path, at.line->number);
	r->out->way_from = mem_strdup(where);
}

static bool find_way(struct ssh_run *r)
{
	struct ssh_settings *s = r->out;
	const char *jump = ssh_setting(s, SAID_PROXY_JUMP);
	const char *command = ssh_setting(s, SAID_PROXY_COMMAND);
	struct ssh_tokens tokens = tokens_of(r);
	char way[JUMP_TEXT_MAX], wrong[64];

	if (!is_none(jump)) {
		if (!ssh_expand(
			    &tokens, jump, "hnpr", false, way, sizeof(way), wrong, sizeof(wrong)))
			return ssh_run_refuse(r, ERR_CONFIG, r->from[SAID_PROXY_JUMP],
				"%s is not known here", *wrong ? wrong : "that much");
		s->jump = mem_strdup(way);
		note_way(r, SAID_PROXY_JUMP);
	} else if (!is_none(command)) {
		s->command = mem_strdup(command);
		note_way(r, SAID_PROXY_COMMAND);
	}
	return true;
}

static bool derive_settings(struct ssh_run *r)
{
	struct ssh_settings *s = r->out;
	const char *alias = ssh_setting(s, SAID_HOST_KEY_ALIAS),
		   *time = ssh_setting(s, SAID_CONNECT_TIMEOUT);
	int64_t seconds;

	s->user = mem_strdup(ssh_run_user(r));
	s->port = ssh_run_port(r);
	s->alias = alias ? copy_lower(alias) : NULL;
	s->keys_stated = s->at[SAID_IDENTITY].n > 0;
	if (time && ssh_time_read(time, &seconds))
		s->connect_us = seconds * 1000000;
	return find_way(r) && expand_all(r, SAID_IDENTITY, &s->keys) &&
	       expand_all(r, SAID_CERTIFICATE, &s->certificates) && known_files(r) && find_agent(r);
}

static void preset_values(struct ssh_run *r)
{
	const struct ssh_query *q = r->query;
	char port[16];

	if (q->host)
		(void)ssh_run_set(r, SAID_HOST_NAME, q->host);
	r->host_is_plain = q->host != NULL;
	if (q->user)
		(void)ssh_run_set(r, SAID_USER, q->user);
	if (q->known)
		(void)ssh_run_set(r, SAID_USER_KNOWN_HOSTS, q->known);
	if (q->port && str_printf(port, sizeof(port), "%u", q->port))
		(void)ssh_run_set(r, SAID_PORT, port);
}

/* Second pass with the values that Host and "Match final" now see. */
static bool read_finally(struct ssh_run *r)
{
	struct ssh_words *host = &r->out->at[SAID_HOST_NAME];

	if (!r->want_final)
		return true;
	words_free(host);
	(void)ssh_run_set(r, SAID_HOST_NAME, r->out->host);
	r->host_is_plain = r->final = true;
	r->matched = r->out->host;
	return read_files(r);
}

static bool read_also(struct ssh_run *r)
{
	const char *name = r->name;
	bool ok;

	if (!r->query->also || str_eq(r->query->also, name))
		return true;
	r->final = false;
	r->matched = r->name = r->query->also;
	r->barred = name;
	ok = read_files(r);
	r->name = name;
	return ok;
}

bool ssh_config_resolve(const struct ssh_world *w, const struct ssh_query *q, const char *origin,
	struct ssh_settings *out, struct err *err)
{
	struct ssh_run r = {.world = w,
		.query = q,
		.origin = origin,
		.out = out,
		.err = err,
		.matched = q->name,
		.name = q->name};
	char host[256];
	bool ok;

	memset(out, 0, sizeof(*out));
	preset_values(&r);
	ok = read_files(&r) && ssh_run_host(&r, host, sizeof(host));
	if (ok) {
		out->name = mem_strdup(q->name);
		out->host = copy_lower(host);
		ok = check_canonical(&r, out->host) && read_finally(&r) && read_also(&r) &&
		     derive_settings(&r);
	}
	if (!ok)
		ssh_settings_free(out);
	return ok;
}

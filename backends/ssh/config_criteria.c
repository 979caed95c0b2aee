/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "backends/ssh/config_run.h"
#include "base/str.h"

/*
 * Evaluates a Match line: all of its criteria must hold. All are evaluated, because each may be
 * invalid. A criterion that railtop cannot evaluate matters only if all others hold.
 */

struct criteria {
	struct ssh_run *run;
	struct ssh_place at;
	uint32_t next; /* next word of the line */
	bool never;    /* the block cannot apply: run no command */
	bool negated;  /* the current criterion has a "!" */
	bool holds;
	const char *unanswered; /* a criterion that cannot be evaluated; NULL: none */
};

static const char *take_word(struct criteria *c)
{
	if (c->next >= c->at.line->n)
		return NULL;
	return c->at.text->words.at[c->at.line->first + c->next++];
}

static bool is_word(const char *word, const char *name)
{
	return strcasecmp(word, name) == 0;
}

static bool run_command(struct criteria *c, const char *from, bool *fits)
{
	struct ssh_run *r = c->run;
	const char *alias = ssh_setting(r->out, SAID_HOST_KEY_ALIAS);
	char host[256], command[4096], wrong[64];
	struct ssh_tokens tokens = {.world = r->world,
		.name = r->name,
		.host = host,
		.user = ssh_run_user(r),
		.alias = alias,
		.port = ssh_run_port(r)};
	int code;

	if (!ssh_run_host(r, host, sizeof(host)))
		return false;
	if (!ssh_expand(&tokens, from, SSH_TOKENS_ALL, false, command, sizeof(command), wrong,
		    sizeof(wrong)))
		return ssh_run_refuse(r, ERR_CONFIG, c->at, "%s is not a token of exec", wrong);
	/* As in ssh: a command whose result cannot matter is not run. */
	if (!c->holds || c->never)
		return true;
	code = r->world->run(r->world->ctx, command);
	if (code < 0) {
		(void)ssh_run_refuse(
			r, ERR_CONFIG, c->at, "exec %.120s did not end in time", command);
		return err_cure(r->err,
			"make it faster, or exclude these hosts by a criterion before exec");
	}
	*fits = code == 0;
	return true;
}

/* railtop runs many commands in a session, so a pattern must match any command. */
static bool fits_all_commands(const char *patterns)
{
	bool fits = false;

	if (strchr(patterns, '!'))
		return false;
	while (*patterns) {
		size_t n = strcspn(patterns, ",");

		fits = fits || (n && strspn(patterns, "*") >= n);
		patterns += n + (patterns[n] == ',');
	}
	return fits;
}

/* Criteria of OpenSSH after 9.2. Returns false if the name is none of them. */
static bool judge_newer(struct criteria *c, const char *name, const char *value, bool *fits)
{
	if (is_word(name, "sessiontype"))
		*fits = ssh_patterns_fit(value, "exec", false);
	else if (is_word(name, "command"))
		*fits = fits_all_commands(value);
	else if (is_word(name, "localnetwork") || is_word(name, "version"))
		c->unanswered = name;
	else
		return false;
	return true;
}

static bool refuse_criterion(struct criteria *c, const char *name)
{
	(void)ssh_run_refuse(
		c->run, ERR_UNSUPPORTED, c->at, "the criterion %.40s is not supported", name);
	return err_cure(c->run->err, "use a Host or Match host line; or give railtop its own file "
				     "with ssh_config: in the inventory");
}

/* Neither "*,!leaf1" nor "!originalhost leaf1" holds for leaf1's address. */
static bool fits_original(const struct criteria *c, const char *value)
{
	const struct ssh_run *r = c->run;
	enum ssh_fit barred = r->barred ? ssh_patterns_judge(value, r->barred, true) : FIT_NONE;

	if (c->negated)
		return ssh_patterns_fit(value, r->name, true) || barred == FIT_GOOD;
	return ssh_patterns_fit(value, r->name, true) && barred != FIT_DENIED;
}

static bool judge_criterion(struct criteria *c, const char *name, const char *value, bool *fits)
{
	struct ssh_run *r = c->run;
	char host[256];

	if (is_word(name, "host")) {
		if (!ssh_run_host(r, host, sizeof(host)))
			return false;
		*fits = ssh_patterns_fit(value, host, true);
	} else if (is_word(name, "originalhost")) {
		*fits = fits_original(c, value);
	} else if (is_word(name, "user")) {
		*fits = ssh_patterns_fit(value, ssh_run_user(r), false);
	} else if (is_word(name, "localuser")) {
		*fits = ssh_patterns_fit(value, r->world->user, false);
	} else if (is_word(name, "tagged")) {
		const char *tag = ssh_setting(r->out, SAID_TAG);

		*fits = ssh_patterns_fit(value, tag ? tag : "", false);
	} else if (is_word(name, "exec")) {
		return run_command(c, value, fits);
	} else if (!judge_newer(c, name, value, fits)) {
		return refuse_criterion(c, name);
	}
	return true;
}

/* "canonical" and "final" take no value. */
static bool is_pass(struct criteria *c, const char *name)
{
	if (is_word(name, "final"))
		c->run->want_final = true;
	else if (!is_word(name, "canonical"))
		return false;
	return true;
}

static bool take_criterion(struct criteria *c, const char *name)
{
	bool negated = *name == '!', fits = false;
	const char *value, *before = c->unanswered;

	name += negated;
	c->negated = negated;
	if (is_pass(c, name)) {
		c->holds = c->holds && c->run->final != negated;
		return true;
	}
	value = take_word(c);
	if (!value)
		return ssh_run_refuse(
			c->run, ERR_CONFIG, c->at, "the criterion %.40s has no value", name);
	if (!judge_criterion(c, name, value, &fits))
		return false;
	if (c->unanswered == before)
		c->holds = c->holds && fits != negated;
	return true;
}

static bool take_all(struct criteria *c, const char *name)
{
	if (c->next < c->at.line->n)
		return ssh_run_refuse(c->run, ERR_CONFIG, c->at, "\"all\" has a value");
	c->holds = c->holds && *name != '!';
	return true;
}

bool ssh_run_match(struct ssh_run *r, struct ssh_place at, struct ssh_block *block)
{
	struct criteria c = {.run = r, .at = at, .never = block->never, .holds = true};
	const char *name;

	while ((name = take_word(&c))) {
		bool all = is_word(name + (*name == '!'), "all");

		if (!(all ? take_all(&c, name) : take_criterion(&c, name)))
			return false;
	}
	if (c.unanswered && c.holds && !block->never)
		return refuse_criterion(&c, c.unanswered);
	block->applies = c.holds && !block->never;
	return true;
}

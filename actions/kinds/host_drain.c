/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "actions/kinds/common.h"
#include "base/str.h"

/*
 * Takes a host out of the scheduler's service, in words: who may do that is the scheduler's affair.
 * Sources: scontrol(1) of Slurm 20.11 to 25.05, kubectl-cordon(1), `ray drain-node --help` of 2.10
 * and later. None of the commands ends a job that runs.
 */

#define CAUSE_MOST 160

/* What each scheduler is told; host and reason are words of a shell already. */
struct scheduler {
	const char *source; /* of jobs: */
	const char *look, *run, *undo;
};

/* The host stands for {host}, the reason for {reason}. */
static const struct scheduler schedulers[] = {
	{"slurm", "scontrol show node {host}",
		"scontrol update nodename={host} state=drain reason={reason}",
		"scontrol update nodename={host} state=resume"},
	{"kubernetes", "kubectl get node {host}",
		"kubectl cordon {host} && kubectl annotate --overwrite node {host} "
		"railtop-drain={reason}",
		"kubectl uncordon {host} && kubectl annotate node {host} railtop-drain-"},
	/* A node is known by its id alone, and a drained one does not come back. */
	{"ray", "ray list nodes --filter node_name={host}",
		"ray drain-node --node-id \"$(ray list nodes --filter node_name={host} --filter "
		"state=ALIVE --format json | sed -n 's/.*\"node_id\": "
		"\"\\([0-9a-f]*\\)\".*/\\1/p')\" "
		"--reason DRAIN_NODE_REASON_PREEMPTION --reason-message {reason} "
		"--deadline-remaining-seconds 86400",
		""},
};

/*
 * A name that is one node for a scheduler and one word for a shell: scontrol takes "n[1-9]", "a,b"
 * and "ALL" for several nodes, kubectl "-l" for an option.
 */
static bool name_ok(const char *name, struct err *err)
{
	static const char chars[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (name[0] && name[0] != '-' && name[strspn(name, chars)] == '\0' &&
		strcasecmp(name, "all") != 0)
		return true;
	(void)err_set(err, ERR_REFUSED, name, "the name is not one node for a scheduler");
	return err_cure(err, "name the host in fabric.yaml as the scheduler does");
}

/* "railtop: link.flapping leaf-r3-00:Ethernet12, INC-4711", as one word of a shell. */
static bool reason_of(const char *cause, char *dst, size_t size)
{
	char clean[CAUSE_MOST], text[CAUSE_MOST + 40];

	(void)str_sanitise(clean, sizeof(clean), cause ? cause : "", cause ? strlen(cause) : 0);
	/* The incident's own place must be the only one. */
	for (char *at = clean; (at = strpbrk(at, "{}")); at++)
		*at = '?';
	return str_printf(text, sizeof(text), "railtop: %s%s" WORDS_INCIDENT, clean,
		       clean[0] ? ", " : "") &&
	       str_quote_shell(dst, size, text);
}

static bool fill(char *dst, size_t size, const char *form, const char *host, const char *reason)
{
	size_t n = 0;

	dst[0] = '\0';
	while (*form) {
		const char *put = str_starts(form, "{host}")     ? host
				  : str_starts(form, "{reason}") ? reason
								 : NULL;
		size_t plain = put ? 0 : 1 + strcspn(form + 1, "{");

		if (!str_printf(dst + n, size - n, "%.*s%s", (int)plain, form, put ? put : ""))
			return false;
		n += strlen(dst + n);
		form += put ? strcspn(form, "}") + 1 : plain;
	}
	return true;
}

static bool is_source(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->jobs.n; i++)
		if (str_eq(p->jobs.at[i].source, name))
			return true;
	return false;
}

static bool host_drain_words(const struct place_of_action *at, words_vec *out, struct err *err)
{
	const char *name = at->device->name;
	char reason[4 * CAUSE_MOST + 80];

	if (at->device->tier != TIER_HOST) {
		(void)err_set(err, ERR_REFUSED, name, "a scheduler drains hosts");
		return err_cure(err, "name a host, a NIC of it, or the leaf's port to it");
	}
	if (!name_ok(name, err))
		return false;
	if (!reason_of(at->cause, reason, sizeof(reason)))
		return err_set(err, ERR_LIMIT, name, "the reason is too long");
	for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++) {
		const struct scheduler *s = &schedulers[i];
		struct words *w;

		if (!is_source(at->plan, s->source))
			continue;
		w = vec_add(out);
		memset(w, 0, sizeof(*w));
		w->system = s->source;
		if (!fill(w->look, sizeof(w->look), s->look, name, reason) ||
			!fill(w->run, sizeof(w->run), s->run, name, reason) ||
			!fill(w->undo, sizeof(w->undo), s->undo, name, reason))
			return err_set(err, ERR_LIMIT, name, "the command is too long");
	}
	if (out->n)
		return true;
	(void)err_set(err, ERR_REFUSED, name, "no scheduler is known: its commands are not");
	return err_cure(err, "state jobs: with source slurm, kubernetes or ray in fabric.yaml");
}

static void host_drain_expect(
	const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{
	(void)now;
	(void)str_printf(dst, size,
		"no new job begins on %s; what runs there goes on until it ends", at->device->name);
}

const struct action_ops action_host_drain = {
	.name = "host-drain",
	.title = "take one host out of the scheduler's service, in words",
	.help = "Writes the command that takes a host out of service at Slurm, Kubernetes or Ray, "
		"with the finding, its place and the incident as reason. You run it yourself: "
		"railtop never does, and does not see whether you did. Jobs that run there go on. "
		"It is refused if too few other hosts would be left. At a port of a leaf it means "
		"the host at the other end.",
	.kinds = 1u << REF_DEVICE | 1u << REF_PORT,
	.needs = NEED_HOSTS,
	.words = host_drain_words,
	.expect = host_drain_expect,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/plan/plan_notify.h"

#include <string.h>

#include "base/str.h"

static const char *const kind_names[RECEIVER_COUNT] = {
	"alertmanager", "pagerduty", "slack", "webhook", "syslog", "command"};

const char *receiver_kind_name(enum receiver_kind k)
{
	return (unsigned)k < RECEIVER_COUNT ? kind_names[k] : "";
}

bool receiver_kind_by_name(const char *name, enum receiver_kind *k)
{
	for (unsigned i = 0; i < RECEIVER_COUNT; i++) {
		if (!str_eq(kind_names[i], name))
			continue;
		*k = (enum receiver_kind)i;
		return true;
	}
	return false;
}

void plan_notify_init(struct plan_notify *n)
{
	*n = (struct plan_notify){.wait_us = NOTIFY_WAIT_US,
		.hold_us = NOTIFY_HOLD_US,
		.resend_us = NOTIFY_RESEND_US,
		.per_hour = NOTIFY_PER_HOUR};
}

void plan_notify_free(struct plan_notify *n)
{
	for (size_t i = 0; i < n->to.n; i++) {
		struct plan_receiver *r = &n->to.at[i];

		free(r->url);
		free(r->secret);
		free(r->token);
		free(r->credentials);
		free(r->tls_ca);
		free(r->proxy);
		free(r->address);
		for (size_t k = 0; k < r->argv.n; k++)
			free(r->argv.at[k]);
		vec_free(&r->argv);
		vec_free(&r->labels);
	}
	vec_free(&n->to);
	free(n->link);
	free(n->runbook_url);
	free(n->acknowledgements);
	plan_notify_init(n);
}

static char *copy_text(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static void copy_receiver(struct plan_receiver *to, const struct plan_receiver *from)
{
	*to = *from;
	to->url = copy_text(from->url);
	to->secret = copy_text(from->secret);
	to->token = copy_text(from->token);
	to->credentials = copy_text(from->credentials);
	to->tls_ca = copy_text(from->tls_ca);
	to->proxy = copy_text(from->proxy);
	to->address = copy_text(from->address);
	memset(&to->argv, 0, sizeof(to->argv));
	memset(&to->labels, 0, sizeof(to->labels));
	for (size_t i = 0; i < from->argv.n; i++)
		vec_push(&to->argv, mem_strdup(from->argv.at[i]));
	for (size_t i = 0; i < from->labels.n; i++)
		vec_push(&to->labels, from->labels.at[i]);
}

void plan_notify_copy(struct plan_notify *to, const struct plan_notify *from)
{
	*to = *from;
	to->link = copy_text(from->link);
	to->runbook_url = copy_text(from->runbook_url);
	to->acknowledgements = copy_text(from->acknowledgements);
	memset(&to->to, 0, sizeof(to->to));
	for (size_t i = 0; i < from->to.n; i++)
		copy_receiver(vec_add(&to->to), &from->to.at[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/place_check.h"

#include <string.h>
#include <strings.h>

#include "app/headless/jobs_heard.h"
#include "app/options/options.h"
#include "base/str.h"
#include "diagnosis/engine/finding.h"
#include "fabric/query/name_suggestions.h"
#include "fabric/ref.h"

#define PLACE_LEN 512

bool place_join(
	const char *const *words, size_t n, size_t first, char *dst, size_t size, struct err *err)
{
	size_t len = 0;

	dst[0] = '\0';
	for (size_t i = first; i < n; i++) {
		if (!str_printf(dst + len, size - len, "%s%s", len ? " " : "", words[i]))
			return err_set(
				err, ERR_USAGE, "", "the place is longer than any known name");
		len = strlen(dst);
	}
	return true;
}

bool jobs_possible(const struct plan *plan, const char *subject, struct err *err)
{
	if (plan->jobs.n)
		return true;
	err_set(err, ERR_USAGE, subject,
		"this inventory has no source of jobs: no job or rank can be known");
	return err_cure(err, "jobs: [{source: nccl-ras}] in the inventory, see railtop-fabric(5)");
}

static bool is_job_word(const char *text)
{
	return strncasecmp(text, "job ", 4) == 0 || strncasecmp(text, "rank ", 5) == 0 ||
	       strncasecmp(text, "comm ", 5) == 0;
}

/* "rail 9", "9": the inventory alone knows its rails. */
static bool is_rail_word(const char *text)
{
	uint64_t number;

	if (strncasecmp(text, "rail", 4) == 0)
		text += 4 + strspn(text + 4, " ");
	return str_to_u64(text, &number);
}

/* "pfc.storm leaf-r3-00:Ethernet12". Ids of findings have a dot, and no colon before it. */
static bool looks_like_finding(const char *text)
{
	size_t n = strcspn(text, " ");
	const char *dot = memchr(text, '.', n);

	return dot && !memchr(text, ':', n) && strspn(text, "0123456789.") < n;
}

static bool finding_possible(const char *text, struct err *err)
{
	char id[PLACE_LEN], names[256];
	struct name_suggestions near;

	if (!str_copyn(id, sizeof(id), text, strcspn(text, " ")))
		return true;
	if (finding_by_name(id) != FIND_COUNT)
		return true;
	name_suggestions_init(&near, id);
	for (size_t i = 0; i < FIND_COUNT; i++)
		name_suggestions_offer(&near, finding_info[i].name);
	if (!name_suggestions_format(&near, names, sizeof(names)))
		return true;
	err_set(err, ERR_USAGE, "", "there is no finding \"%s\"", id);
	return err_cure(err, "did you mean %s?", names);
}

/* The device before the colon. NULL: the inventory has none of that name. */
static const struct device *named_device(const struct model *m, const char *text)
{
	char device[PLACE_LEN];
	struct ref r;

	if (!str_copyn(device, sizeof(device), text, strcspn(text, ":")) ||
		!ref_parse(m, device, &r, NULL) || r.kind != REF_DEVICE)
		return NULL;
	return ref_device(m, r);
}

/* Whether the device has listed all of its ports. Where an answer does not say that it lists all, a
 * large device has done so after an interval, as it may answer in pieces. A host's first whole
 * answer has all of its NICs. */
static bool has_listed_ports(const struct model *m, const struct device *d)
{
	if (d->state != DEV_FRESH || !d->ports.n)
		return false;
	if (d->tier == TIER_HOST && d->counters_us && !d->engine && d->err->code == ERR_NONE)
		return true;
	for (size_t i = 0; i < d->ports.n; i++)
		if (m->ports.at[d->ports.at[i]]->more->listed == PORT_LISTED)
			return true;
	return d->counters_us && d->counters_us - d->heard_us >= d->interval_us;
}

/* Adds to the cure who was asked for the name. */
static void add_asked(struct err *err, const char *who)
{
	char cure[sizeof(err->cure)];

	(void)str_copy(cure, sizeof(cure), err->cure);
	(void)err_cure(err, "%s%s%s", cure,
		!*cure                          ? ""
		: cure[strlen(cure) - 1] == '?' ? " "
						: "; ",
		who);
}

/* Whether an answer may still bring the port that is named behind the device. Else err says that
 * the device has answered. */
static bool may_bring_port(const struct model *m, const char *text, struct err *err)
{
	const struct device *d = named_device(m, text);
	char who[PLACE_LEN];

	if (!d || !strchr(text, ':'))
		return d != NULL;
	if (!has_listed_ports(m, d))
		return true;
	(void)str_printf(who, sizeof(who), "%s has answered, with %zu port%s", d->name, d->ports.n,
		str_plural(d->ports.n));
	add_asked(err, who);
	return false;
}

/* The same for a job or a rank, which the sources of jobs bring. */
static bool may_bring_job(const struct plan *plan, const struct model *m, struct err *err)
{
	char asked[PLACE_LEN / 2], who[PLACE_LEN];

	if (!jobs_heard(plan, m, asked, sizeof(asked)))
		return true;
	(void)str_printf(who, sizeof(who), "asked: %s", asked);
	add_asked(err, who);
	return false;
}

bool device_possible(
	const struct plan *plan, const struct model *m, const char *text, struct err *err)
{
	struct ref r;

	(void)plan;
	if (!ref_parse(m, text, &r, err))
		return may_bring_port(m, text, err);
	if (r.kind == REF_DEVICE || ref_port(m, r))
		return true;
	err_set(err, ERR_USAGE, m->fabric, "%s is not a host", text);
	return err_cure(err, "give the name of a host, or --at for any other place");
}

/* "rank" without a number, "leaf-r3-00:Ethernet12 extra": no answer can bring a name like that. */
static bool is_no_name(const char *text, struct err *err)
{
	static const char *const words[] = {"rail", "job", "rank", "comm"};
	const char *colon = strchr(text, ':');

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0) {
			err_set(err, ERR_USAGE, "", "%s: its name is missing", text);
			(void)err_cure(err, "%s",
				"rail 3, job pretrain, rank 19: see PLACES in railtop(1)");
			return true;
		}
	if (!colon || !strchr(colon, ' ') || looks_like_finding(text) || is_job_word(text))
		return false;
	err_set(err, ERR_USAGE, "", "\"%s\" is not one place", text);
	(void)err_cure(err, "a port is one word, leaf-r3-00:Ethernet12; see PLACES in railtop(1)");
	return true;
}

/* Whether the text is almost the name of a device, and so no job's. */
static bool is_near_device(const struct model *m, const char *text)
{
	struct name_suggestions near;

	name_suggestions_init(&near, text);
	for (size_t i = 0; i < m->devices.n; i++)
		name_suggestions_offer(&near, m->devices.at[i]->name);
	return near.n > 0;
}

bool place_possible(
	const struct plan *plan, const struct model *m, const char *text, struct err *err)
{
	const char *dash = strstr(text, " - ");
	char end[PLACE_LEN];
	struct err mine = {0};
	struct ref r;

	if (dash && strchr(text, ':') && str_copyn(end, sizeof(end), text, (size_t)(dash - text)))
		return place_possible(plan, m, end, err) && place_possible(plan, m, dash + 3, err);
	if (is_no_name(text, err))
		return false;
	if (is_job_word(text))
		return jobs_possible(plan, text, err) &&
		       (ref_parse(m, text, &r, err) || may_bring_job(plan, m, err));
	if (ref_parse(m, text, &r, &mine) || may_bring_port(m, text, &mine))
		return true;
	if (looks_like_finding(text) && !finding_possible(text, &mine)) {
		*err = mine;
		return false;
	}
	/*
	 * Without a word before it the text may be the name of a job. A text that is near to the
	 * name of a device, or has a port, is a wrong device.
	 */
	if (looks_like_finding(text) ||
		(plan->jobs.n && !strchr(text, ':') && !is_rail_word(text) &&
			!is_near_device(m, text) && may_bring_job(plan, m, &mine)))
		return true;
	*err = mine;
	return false;
}

int place_missing(const struct plan *plan, const struct model *m, const char *text, struct err *err)
{
	const struct device *d = named_device(m, text);
	struct err ignored;
	struct ref r;

	if (ref_parse(m, text, &r, NULL) || looks_like_finding(text) ||
		!place_possible(plan, m, text, &ignored))
		return EXIT_USAGE;
	if (d)
		err_set(err, ERR_UNREACHABLE, d->name,
			"it has not listed its ports: whether %s is one is not known", text);
	else
		err_set(err, ERR_UNREACHABLE, m->fabric,
			"whether there is \"%s\" is not known: not each source of jobs has "
			"answered",
			text);
	return EXIT_UNREACHED;
}

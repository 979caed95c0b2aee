/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "archive/export/ticket_private.h"
#include "base/json_out.h"
#include "base/str.h"

/*
 * Bodies of the requests that open a ticket. What only the site knows is left to it: the project
 * and the type of a Jira issue, the caller and the group of a ServiceNow incident.
 */
#define PAGE_MOST     ((size_t)256 << 10)
#define SUMMARY_MOST  255 /* characters that Jira allows */
#define SHORT_MOST    160 /* those of ServiceNow's short_description */
#define LINE_OF_TITLE 400

static char *page_of(const struct ticket *t, struct err *err)
{
	struct buf page;

	buf_init(&page, PAGE_MOST);
	if (ticket_text(t, &page, err))
		return buf_take(&page, NULL);
	buf_free(&page);
	return NULL;
}

static const struct finding *first_root(const struct ticket *t)
{
	const struct finding *f = NULL;

	return ticket_roots(t, &f, 1) ? f : NULL;
}

/* "pod1: leaf-r3-00:Ethernet12: link flapping ...", or the verdict where nothing is open. */
static void title_of(const struct ticket *t, char *dst, size_t size)
{
	const struct finding *f = first_root(t);
	char place[TICKET_PLACE], verdict[VERDICT_SENTENCE], line[LINE_OF_TITLE];

	ticket_verdict(t, verdict, sizeof(verdict));
	if (f)
		(void)str_printf(line, sizeof(line), "%s: %s: %s", t->m->fabric,
			ticket_place(t->m, f->at, place), f->title);
	else
		(void)str_printf(line, sizeof(line), "%s: %s", t->m->fabric, verdict);
	(void)str_sanitise(dst, size, line, strlen(line));
}

/* What is not known is not urgent by itself, and never trivial. */
static enum severity severity_of(const struct ticket *t)
{
	const struct finding *f = first_root(t);

	return f ? f->severity : SEV_UNKNOWN;
}

static json_t *labels_of(const struct ticket *t)
{
	const struct finding *f = first_root(t);
	json_t *list = json_pack("[s]", "railtop");

	/* A label of Jira has no blanks. */
	if (f)
		json_append(list, json_text(finding_info[f->id].name));
	if (t->about->incident && t->about->incident[0] && !strchr(t->about->incident, ' '))
		json_append(list, json_text(t->about->incident));
	return list;
}

/* The page in a block that keeps its columns. A text of a device cannot end the block. */
static json_t *noformat(const char *page)
{
	size_t size = strlen(page) + 64;
	char *text = mem_alloc(size), *end;
	json_t *value;

	(void)str_printf(text, size, "{noformat}\n%s", page);
	for (char *at = text + strlen("{noformat}"); (at = strstr(at, "{noformat}"));)
		*at = '(';
	end = text + strlen(text);
	(void)str_copy(end, size - (size_t)(end - text), "{noformat}\n");
	value = json_text(text);
	free(text);
	return value;
}

bool ticket_jira(const struct ticket *t, struct buf *out, struct err *err)
{
	static const char *const priorities[SEV_COUNT] = {"Medium", "Low", "Medium", "Highest"};
	char title[SUMMARY_MOST + 1], *page = page_of(t, err);
	json_t *fields = json_object();

	if (!page) {
		json_decref(fields);
		return false;
	}
	title_of(t, title, sizeof(title));
	json_put(fields, "summary", json_text(title));
	json_put(fields, "description", noformat(page));
	json_put(fields, "labels", labels_of(t));
	json_put(fields, "priority", json_pack("{s:s}", "name", priorities[severity_of(t)]));
	free(page);
	return json_into(json_pack("{s:o}", "fields", fields), "jira", out, err);
}

bool ticket_servicenow(const struct ticket *t, struct buf *out, struct err *err)
{
	/* 1 high, 2 medium, 3 low: the choices of an incident. */
	static const char *const degrees[SEV_COUNT] = {"2", "3", "2", "1"};
	const struct finding *f = first_root(t);
	const struct device *d = f ? ref_device(t->m, f->at) : NULL;
	char title[SHORT_MOST + 1], locator[256] = "", *page = page_of(t, err);
	json_t *o = json_object();

	if (!page) {
		json_decref(o);
		return false;
	}
	title_of(t, title, sizeof(title));
	if (f)
		finding_locator(t->m, f, locator, sizeof(locator));
	json_put(o, "short_description", json_text(title));
	json_put(o, "description", json_text(page));
	json_put(o, "category", json_string("network"));
	json_put(o, "urgency", json_string(degrees[severity_of(t)]));
	json_put(o, "impact", json_string(degrees[severity_of(t)]));
	json_put(o, "cmdb_ci", d ? json_text(d->name) : json_null());
	/* The same finding has the same one: a rule of the site may join its incidents. */
	json_put(o, "correlation_id", json_text_or_null(locator));
	json_put(o, "correlation_display", json_string("railtop"));
	json_put(o, "work_notes", json_text_or_null(t->about->reason));
	free(page);
	return json_into(o, "servicenow", out, err);
}

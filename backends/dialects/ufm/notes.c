/* SPDX-License-Identifier: Apache-2.0 */
/* What UFM says of ports and systems: alarms, unhealthy ports, congestion. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/ufm/ufm.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static enum severity severity_of(const char *word)
{
	static const struct {
		const char *word;
		enum severity is;
	} words[] = {{"Critical", SEV_CRIT}, {"Fatal", SEV_CRIT}, {"Major", SEV_CRIT},
		{"Error", SEV_CRIT}, {"Minor", SEV_WARN}, {"Warning", SEV_WARN}, {"Info", SEV_OK}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(words[i].word, word) == 0)
			return words[i].is;
	return SEV_UNKNOWN;
}

/* Worse first; of a kind, those that came first. */
static bool is_worse(const struct manager_note *a, const struct manager_note *b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return a->percent > b->percent; /* false for NAN */
}

static void keep_note(struct ufm_reading *r, const struct manager_note *n)
{
	unsigned have = r->notes < NOTES_MOST ? r->notes : NOTES_MOST, at = have;

	r->notes++;
	while (at && is_worse(n, &r->kept[at - 1]))
		at--;
	if (at == NOTES_MOST)
		return;
	if (have == NOTES_MOST)
		have--;
	memmove(&r->kept[at + 1], &r->kept[at], (have - at) * sizeof(r->kept[0]));
	r->kept[at] = *n;
}

void ufm_emit_notes(const struct ufm_reading *r)
{
	unsigned have = r->notes < NOTES_MOST ? r->notes : NOTES_MOST;
	char text[NOTE_SIZE];

	obs_number(r->o, OBS_NO_PORT, ATTR_NOTE_COUNT, r->kind, r->notes);
	for (unsigned i = 0; i < have; i++) {
		note_write(&r->kept[i], text, sizeof(text));
		obs_word(r->o, OBS_NO_PORT, ATTR_NOTE, note_sub(r->kind, i), text);
	}
}

/* Whether a note is of this device; of the UFM itself all are. */
static bool is_ours(const struct ufm_reading *r, const char *system, const char *guid)
{
	const char *own = ufm_guid(r->t->facts);

	if (!*own)
		return true;
	return strcasecmp(system, r->t->device) == 0 || (*guid && str_starts(guid, own));
}

void ufm_take_alarm(struct ufm_reading *r, const struct json_value *v)
{
	/* "default / Switch: r-ufm-sw63", "Computer: r-ufm77 / mlx5_0", "Site: default". */
	const char *path = ufm_either(v, "object_path", "related_object_path");
	const char *guid = ufm_either(v, "object_name", "related_object_name");
	const char *what = ufm_word(v, "name"), *colon = strstr(path, ": "), *slash;
	/* From 6.17 the name is that of the group, the description that of the event. */
	const char *event = ufm_either(v, "description", "summary"), *why = ufm_word(v, "reason");
	struct manager_note n = {.percent = NAN, .severity = severity_of(ufm_word(v, "severity"))};

	if (colon) {
		slash = strstr(colon, " / ");
		(void)str_copyn(n.device, sizeof(n.device), colon + 2,
			slash ? (size_t)(slash - colon - 2) : strlen(colon + 2));
		if (slash)
			(void)str_copy(n.port, sizeof(n.port), slash + 3);
	}
	if (!*n.device)
		(void)str_copy(n.device, sizeof(n.device), guid);
	if (str_eq(ufm_word(v, "type"), "IBPort") && *ufm_number_in(guid) && !*n.port)
		(void)str_copy(n.port, sizeof(n.port), ufm_number_in(guid));
	if (!is_ours(r, n.device, guid))
		return;
	(void)str_printf(n.text, sizeof(n.text), "%s%s%s%s%s", what,
		*event && !str_eq(event, what) ? ": " : "",
		*event && !str_eq(event, what) ? event : "", *why ? ": " : "", why);
	keep_note(r, &n);
}

static void add_words(char *dst, size_t size, const struct json_value *v)
{
	const char *s = json_value_text_or(v, "");
	size_t at = strlen(dst);

	if (*s)
		(void)str_printf(dst + at, size - at, "%s%s", at ? ", " : "", s);
	for (json_value_items(e, v))
		add_words(dst, size, e);
}

void ufm_take_unhealthy(struct ufm_reading *r, const struct json_value *v)
{
	const char *node = ufm_word(v, "UnhealthyNode"), *peer = ufm_word(v, "PeerNode");
	const char *peer_port = ufm_word(v, "PeerPort"), *blank = strrchr(node, ' ');
	struct manager_note n = {.percent = NAN, .severity = severity_of(ufm_word(v, "State"))};
	char number[16] = "", condition[48] = "";
	uint64_t i;

	if (json_value_u64(json_value_get(v, "UnhealthyPortNumber"), &i))
		(void)str_printf(number, sizeof(number), "%llu", (unsigned long long)i);
	ufm_name_port(node, number, n.port, sizeof(n.port));
	/* "r-ufm59 mlx5_0" is an adapter of r-ufm59. */
	(void)str_copyn(n.device, sizeof(n.device), node,
		blank && str_eq(n.port, blank + 1) ? (size_t)(blank - node) : strlen(node));
	if (!is_ours(r, n.device, ufm_word(v, "UnhealthyGUID")))
		return;
	add_words(condition, sizeof(condition), json_value_get(v, "Condition"));
	(void)str_printf(n.text, sizeof(n.text), "%s since %s%s%s%s%s", condition,
		ufm_word(v, "StatusTime"), *peer ? ", peer " : "", *peer ? peer : "",
		*peer_port && !strstr(peer_port, peer) ? " " : "",
		*peer_port && !strstr(peer_port, peer) ? peer_port : "");
	keep_note(r, &n);
}

bool ufm_lost_share(const struct json_value *v, double *percent)
{
	for (json_value_members(m, v))
		if (strcasestr(json_value_name(m), "normalized_cbw"))
			return json_value_real(m, percent) == NUMBER_OK;
	return false;
}

void ufm_note_lost(struct ufm_reading *r, const char *name, const char *guid, double percent)
{
	struct manager_note n = {.percent = percent, .severity = SEV_UNKNOWN};
	/* In whole numbers: the sign before a fraction is another one in other locales. */
	long tenths = percent > 0 && percent < 1e6 ? lround(percent * 10) : 0;
	const char *blank = strrchr(name, ' '), *colon = strrchr(name, ':');

	/* "r-dmz-ufm131 mlx5_0", "sw-ufm-qm01:35" */
	if (!blank && colon) {
		(void)str_copyn(n.device, sizeof(n.device), name, (size_t)(colon - name));
		(void)str_copy(n.port, sizeof(n.port), colon + 1);
	} else {
		ufm_name_port(name, ufm_number_in(guid), n.port, sizeof(n.port));
		(void)str_copyn(n.device, sizeof(n.device), name,
			blank ? (size_t)(blank - name) : strlen(name));
	}
	(void)str_printf(n.text, sizeof(n.text), "%ld.%ld%% of its rate lost to congestion",
		tenths / 10, tenths % 10);
	if (percent > 0)
		keep_note(r, &n);
}

void ufm_take_congested(struct ufm_reading *r, const struct json_value *v)
{
	double percent;

	if (!ufm_lost_share(v, &percent))
		return;
	r->told = true;
	ufm_note_lost(r, ufm_word(v, "name"), ufm_word(v, "guid"), percent);
}

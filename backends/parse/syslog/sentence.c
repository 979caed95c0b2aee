/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/syslog/sentence.h"

#include <ctype.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS_MOST   64
/* "to" and its state, "changed" and its "to": so many words may stand between them. */
#define TO_STATE 3
#define TO_VERB  8

/* The words of a sentence. */
struct words {
	const char *at[WORDS_MOST];
	size_t len[WORDS_MOST];
	unsigned n;
};

struct list {
	const char *const *word;
	size_t n;
};

#define LIST(name, ...)                                                                            \
	static const char *const name##_words[] = {__VA_ARGS__};                                   \
	static const struct list name = {name##_words, ARRAY_LEN(name##_words)}

/* States and verbs of trouble. */
LIST(bad, "down", "failed", "failure", "failures", "fail", "fails", "failing", "fault", "faults",
	"faulty", "error", "errors", "err", "lost", "loses", "losing", "loss", "dead", "died",
	"crashed", "crash", "crashing", "terminated", "aborted", "killed", "timeout", "timeouts",
	"timedout", "expired", "expires", "expiry", "unreachable", "unresponsive", "mismatch",
	"mismatched", "mismatches", "inconsistent", "inconsistency", "incompatible",
	"incompatibility", "conflict", "conflicts", "conflicting", "suspended", "suspending",
	"suspend", "disabled", "disabling", "errdisabled", "errdisable", "err-disabled",
	"err-disable", "error-disabled", "blocked", "blocking", "discarding", "denied", "rejected",
	"refused", "invalid", "corrupt", "corrupted", "corruption", "exceeded", "exceeds",
	"exceeding", "exhausted", "exhaustion", "overflow", "overflowed", "overheat", "overheated",
	"overheating", "overtemp", "overtemperature", "over-temperature", "alarm", "alarms",
	"degraded", "degrade", "stuck", "hung", "stopped", "stops", "unsupported", "missing",
	"absent", "unavailable", "duplicate", "flapping", "flapped", "flap", "flaps", "storm",
	"deadlock", "dropped", "dropping", "insufficient", "isolated", "inactive", "powered-down",
	"shutdown", "panic", "unable", "cannot", "couldn't", "can't", "unexpected", "unexpectedly",
	"unrecoverable", "uncorrectable", "unhealthy", "violated", "violation", "bad", "broken",
	"disconnected", "offline", "unplugged", "uninitialized", "parity", "abnormal", "abnormally",
	"exception", "unidirectional", "oversubscribed", "overrun", "underrun", "hang", "stall",
	"stalled", "unknown-state", "not-ok", "vanished", "detached", "deselected", "partial",
	"failover", "critical", "collision", "churn", "looped", "unstable", "incorrect", "wrong",
	"illegal", "improper", "misconfigured", "mis-config", "forced", "unauthorized",
	"unsuccessful", "unsuccessfully", "closed", "overlap", "overlaps", "overlapping");
/* States that only one who is not calm tells: counted for warnings and worse. */
LIST(high, "high", "low", "above", "below", "crossed", "full", "over", "under", "unknown",
	"restarting", "restarted", "reset", "resetting", "drop", "drops", "skipped", "ignored",
	"retry", "retrying", "exited", "warning", "limit", "limits", "threshold");
/* Trouble, if it is a part that was taken out; of a member or a route it is a change. */
LIST(taken, "removed", "removal", "withdrawn", "pulled");
LIST(units, "fan", "fans", "fantray", "tray", "psu", "supply", "module", "card", "linecard",
	"transceiver", "sfp", "sff", "qsfp", "xcvr", "optic", "cable", "supervisor", "fex",
	"cartridge");
/* A part is there. */
LIST(arrives, "detected", "inserted", "installed", "seated", "discovered", "plugged");
/* Something was tried and not done. */
LIST(failures, "failed", "failure", "fail", "fails", "failing", "timeout", "timedout", "refused",
	"rejected", "unable", "cannot", "couldn't", "can't", "denied", "exhausted", "aborted",
	"crashed", "killed", "unreachable", "expired", "exceeded");
/* A trouble is over. */
LIST(over, "cleared", "clear", "clears", "restored", "recovered", "resumed", "resolved",
	"reenabled", "re-enabled", "unsuspended", "unstuck", "rejoined", "reestablished",
	"re-established", "recovery", "recovering");
/* States of what works. */
LIST(good, "up", "established", "online", "active", "operational", "reachable", "consistent",
	"enabled", "alive", "normal", "ok", "healthy", "stable", "forwarding", "selected",
	"inserted", "present", "formed", "synchronized", "in-sync", "synced", "connected",
	"running", "ready", "bidirectional", "good", "full-adjacency", "success", "succeeded",
	"successful", "successfully");
/* Of them, those that a sentence without a mnemonic has to say of its subject. */
LIST(works, "up", "established", "online", "operational", "reachable", "consistent", "normal",
	"forwarding", "healthy", "ok", "inserted", "present");
/* The last word of a mnemonic that tells of an end that is well. */
LIST(ends_well, "success", "succeeded", "active", "found", "reenable", "resume", "recover");
LIST(changes, "changed", "change", "changes", "changing", "configured", "added", "created",
	"deleted", "updated", "moved", "moving", "role", "elected", "transition", "transitioned",
	"rebooting", "reboot", "reload", "reloading", "negotiated", "set", "switched", "joined",
	"left", "installed", "discovered", "learned", "new", "started", "starting", "initialized",
	"detected", "registered", "speed", "autoneg", "enabled");
LIST(copulas, "is", "are", "was", "now", "became", "becomes", "went", "goes", "came", "comes",
	"gone", "back", "state", "status", "turned", "carrier", "currently", "link", "being");
LIST(nothing_of, "carrier", "response", "reply", "answer", "light", "signal", "power", "link",
	"keepalive", "keep-alive", "heartbeat", "route", "path", "memory", "space", "resource",
	"resources", "buffer", "buffers", "sync", "member", "members", "operational", "active",
	"longer", "room", "entries", "neighbor", "attached", "matching", "valid", "such");
LIST(negations, "not", "never", "isn't", "wasn't", "hasn't", "doesn't", "didn't", "without");
LIST(admin, "administratively", "admin-down", "admin_down", "admindown", "administrative",
	"adminstatus", "graceful", "gracefully", "manual", "manually");
LIST(done_by_hand, "down", "shutdown", "disabled", "suspended", "inactive", "disconnected",
	"stopped");

/* Things that carry traffic. */
LIST(forwarding, "port", "ports", "interface", "interfaces", "intf", "link", "links", "lane",
	"lanes", "serdes", "carrier", "port-channel", "portchannel", "bundle", "lag", "bond",
	"member", "members", "session", "neighbor", "neighbour", "peer", "adjacency", "bfd", "bgp",
	"peer-link", "peerlink", "mlag", "vpc", "keepalive", "keep-alive", "route", "routes",
	"nexthop", "next", "hop", "ecmp", "hash", "queue", "queues", "pfc", "watchdog", "pool",
	"buffer", "buffers", "headroom", "priority-group", "pg", "wred", "ecn", "scheduler", "qos",
	"vlan", "fdb", "tunnel", "vtep", "fec", "transceiver", "optic", "optics", "sfp", "qsfp",
	"cable", "mtu", "speed", "fabric");
/* Parts that a switch needs, and programs on it. */
LIST(parts, "module", "fan", "fans", "fantray", "psu", "psus", "power", "supply", "temperature",
	"thermal", "sensor", "sensors", "voltage", "linecard", "card", "supervisor", "sup", "chip",
	"asic", "chassis", "memory", "parity", "ecc", "process", "service", "agent", "daemon",
	"container", "application", "app", "tcam", "table", "resource", "resources", "capacity",
	"utilization", "sdk", "sai", "pcie", "disk", "filesystem", "system", "core", "kernel",
	"switch", "slot", "bus", "i2c", "firmware");

static bool is_inner(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-'/.", c));
}

/* Splits at what is neither a letter nor stands within a word; "->" is a word. */
static void split(const char *s, struct words *out)
{
	out->n = 0;
	while (*s && out->n < WORDS_MOST) {
		size_t n = 0;

		if ((s[0] == '-' || s[0] == '=') && s[1] == '>') {
			n = 2;
		} else if (isalnum((unsigned char)*s)) {
			while (is_inner(s[n]) && !(s[n] == '-' && s[n + 1] == '>'))
				n++;
		} else {
			s++;
			continue;
		}
		out->at[out->n] = s;
		out->len[out->n] = n;
		s += n;
		while (out->len[out->n] > 1 &&
			strchr("_-'/.", out->at[out->n][out->len[out->n] - 1]))
			out->len[out->n]--;
		out->n++;
	}
}

static bool is_in(const char *word, size_t len, const struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (strlen(list->word[i]) == len && !memcmp(list->word[i], word, len))
			return true;
	return false;
}

static bool word_in(const struct words *w, unsigned i, const struct list *list)
{
	return i < w->n && is_in(w->at[i], w->len[i], list);
}

static bool word_is(const struct words *w, unsigned i, const char *word)
{
	return i < w->n && w->len[i] == strlen(word) && !memcmp(w->at[i], word, w->len[i]);
}

/* A noun, also with its number: "psu2", "vlan40". */
static bool noun_in(const struct words *w, unsigned i, const struct list *list)
{
	size_t n = w->len[i];

	while (n && isdigit((unsigned char)w->at[i][n - 1]))
		n--;
	return word_in(w, i, list) || (n && is_in(w->at[i], n, list));
}

/* "sai_status_failure", "rx-timeout": one of the parts of a word. */
static bool part_in(const char *word, size_t len, const struct list *list)
{
	for (size_t from = 0; from < len;) {
		size_t n = 0;

		while (from + n < len && !strchr("_-/.", word[from + n]))
			n++;
		if (n < len && n && is_in(word + from, n, list))
			return true;
		from += n + 1;
	}
	return false;
}

/* A count of nothing: "0 errors", "errors: 0", "no errors". */
static bool is_of_none(const struct words *w, unsigned i)
{
	return (i && (word_is(w, i - 1, "0") || word_is(w, i - 1, "no") ||
			     word_is(w, i - 1, "zero") || word_is(w, i - 1, "without"))) ||
	       word_is(w, i + 1, "0") || word_is(w, i + 1, "none");
}

static bool is_negated(const struct words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i; back++)
		if (word_in(w, i - back, &negations))
			return true;
	return i >= 2 && word_is(w, i - 1, "longer") && word_is(w, i - 2, "no");
}

/* "catch up", "up to 3", "back up the file": no state. */
static bool is_other_up(const struct words *w, unsigned i)
{
	return word_is(w, i, "up") &&
	       ((word_is(w, i + 1, "to") && i + 2 < w->n &&
			isdigit((unsigned char)*w->at[i + 2])) ||
		       (i && (word_is(w, i - 1, "bring") || word_is(w, i - 1, "set") ||
				     word_is(w, i - 1, "catch") || word_is(w, i - 1, "clean") ||
				     word_is(w, i - 1, "start") || word_is(w, i - 1, "look"))));
}

/* Where a name ends, as "errors.c" or "/error/": a path is no state. */
static bool is_name(const struct words *w, unsigned i)
{
	return memchr(w->at[i], '/', w->len[i]) || memchr(w->at[i], '.', w->len[i]) ||
	       (w->at[i][w->len[i]] == '(' && w->at[i][w->len[i] + 1] == ')');
}

/* A part of the switch stands just before this word: "Fan tray 5 has been removed". */
static bool has_unit_before(const struct words *w, unsigned i)
{
	for (unsigned back = 1; back <= 4 && back <= i; back++)
		if (noun_in(w, i - back, &units))
			return true;
	return false;
}

static bool begins_with(const struct words *w, unsigned i, const char *begin)
{
	return w->len[i] > strlen(begin) && !memcmp(w->at[i], begin, strlen(begin));
}

/* What the chip answers where it does not do what it was asked; "not-handled". */
static bool is_refusal(const struct words *w, unsigned i)
{
	return (begins_with(w, i, "sai_status_") && !word_is(w, i, "sai_status_success")) ||
	       begins_with(w, i, "not-");
}

static enum syslog_said word_says(const struct words *w, unsigned i)
{
	bool is_bad = word_in(w, i, &bad) || is_refusal(w, i) ||
		      (!is_name(w, i) && part_in(w->at[i], w->len[i], &bad));

	if (word_in(w, i, &over) || (word_in(w, i, &good) && !is_other_up(w, i)))
		return SAID_GOOD;
	if (word_in(w, i, &taken) && has_unit_before(w, i))
		return SAID_BAD;
	return is_bad ? SAID_BAD : SAID_NOTHING;
}

/* ---- "changed state from init to up" ---- */

/* The state that a word leads to: "to (the) (state) up"; SAID_CHANGE: none that is known. */
static enum syslog_said target_of(const struct words *w, unsigned to)
{
	for (unsigned i = to + 1; i <= to + TO_STATE && i < w->n; i++) {
		if (word_in(w, i, &admin) || word_is(w, i, "admin"))
			return SAID_CHANGE;
		if (word_in(w, i, &negations) || word_is(w, i, "none") || word_is(w, i, "idle"))
			return SAID_BAD;
		if (word_is(w, i, "full") || word_is(w, i, "ok"))
			return SAID_GOOD;
		if (word_is(w, i, "from") || word_is(w, i, "due"))
			break;
		if (word_says(w, i) != SAID_NOTHING)
			return word_says(w, i);
	}
	return SAID_CHANGE;
}

/* The state before "to": "from up (state) to", "up -> down"; SAID_NOTHING: unknown. */
static enum syslog_said source_of(const struct words *w, unsigned to)
{
	for (unsigned back = 1; back <= TO_STATE && back <= to; back++) {
		if (word_is(w, to - back, "full"))
			return SAID_GOOD;
		if (word_says(w, to - back) != SAID_NOTHING)
			return word_says(w, to - back);
		if (word_is(w, to - back, "from"))
			break;
	}
	return SAID_NOTHING;
}

static bool is_change_verb(const struct words *w, unsigned i)
{
	static const char *const verbs_words[] = {"from", "changed", "change", "changes", "moved",
		"moving", "move", "transition", "transitioned", "transitioning", "state", "status",
		"set", "went", "gone", "switched", "returned", "back"};
	static const struct list verbs = {verbs_words, ARRAY_LEN(verbs_words)};

	return word_in(w, i, &verbs);
}

/* Whether this word leads from one state to another. */
static bool leads(const struct words *w, unsigned i)
{
	if (word_is(w, i, "->") || word_is(w, i, "=>"))
		return true;
	if (!word_is(w, i, "to"))
		return false;
	for (unsigned back = 1; back <= TO_VERB && back <= i; back++)
		if (is_change_verb(w, i - back))
			return true;
	return i && word_says(w, i - 1) != SAID_NOTHING && target_of(w, i) != SAID_CHANGE &&
	       word_says(w, i + 1) != SAID_NOTHING;
}

/* SAID_NOTHING: the sentence has no such change, or says that it was not made. */
static enum syslog_said by_transition(const struct words *w)
{
	enum syslog_said said = SAID_NOTHING;
	unsigned last = 0;

	for (unsigned i = 0; i < w->n; i++) {
		if (!leads(w, i))
			continue;
		said = target_of(w, i);
		last = i;
		/* From a state that works to one that nobody knows. */
		if (said == SAID_CHANGE && source_of(w, i) == SAID_GOOD &&
			!word_is(w, i + 1, "admin") && !word_in(w, i + 1, &admin) && i + 1 < w->n &&
			!isdigit((unsigned char)*w->at[i + 1]))
			said = SAID_BAD;
	}
	for (unsigned i = last; said == SAID_GOOD && i < w->n; i++)
		if (is_refusal(w, i))
			return SAID_NOTHING;
	return said;
}

/* ---- one state ---- */

static bool is_predicate(const struct words *w, unsigned i)
{
	return i && word_in(w, i - 1, &copulas);
}

/* "failed to recover", "unable to resume" */
static bool is_attempted(const struct words *w, unsigned i)
{
	for (unsigned back = 1; back <= 3 && back <= i; back++)
		if (word_is(w, i - back, "failed") || word_is(w, i - back, "unable") ||
			word_is(w, i - back, "cannot") || word_is(w, i - back, "failure"))
			return true;
	return false;
}

static bool is_by_hand(const struct words *w)
{
	bool by_hand = false;

	for (unsigned i = 0; i < w->n; i++) {
		by_hand |= word_in(w, i, &admin);
		by_hand |= word_is(w, i, "admin") &&
			   (word_is(w, i + 1, "down") || word_is(w, i + 1, "shut") ||
				   word_is(w, i + 1, "shutdown") || word_is(w, i + 1, "disabled"));
		by_hand |= word_is(w, i, "no") && word_is(w, i + 1, "shutdown");
	}
	for (unsigned i = 0; by_hand && i < w->n; i++)
		if (word_says(w, i) == SAID_BAD && !word_in(w, i, &done_by_hand) &&
			!word_in(w, i, &admin))
			return false;
	return by_hand;
}

/* What is missing: "no carrier", "not responding", "no longer dual connected". */
static bool says_lack(const struct words *w, unsigned i)
{
	if (word_is(w, i, "no"))
		return word_in(w, i + 1, &nothing_of) &&
		       !(word_is(w, i + 1, "longer") && word_says(w, i + 2) == SAID_BAD);
	/* "out of range"; not "3 out of 4" */
	if (word_is(w, i, "out") && word_is(w, i + 1, "of"))
		return !i || !isdigit((unsigned char)*w->at[i - 1]);
	if (!word_in(w, i, &negations) || i + 1 >= w->n)
		return false;
	for (unsigned k = i + 1; k <= i + 2 && k < w->n; k++)
		if (word_says(w, k) == SAID_BAD)
			return false;
	return !word_is(w, i, "without");
}

/* Something that is there already was to be made once more. */
static bool is_made_twice(const char *text)
{
	return strstr(text, "already exist") || strstr(text, "already_exist") ||
	       strstr(text, "entry exists");
}

enum syslog_said syslog_sentence(const char *text, bool is_warning)
{
	struct words w;
	bool is_bad = false, is_over = false, is_good = false, is_down = false, is_change = false;
	enum syslog_said said;

	split(text, &w);
	if (is_made_twice(text))
		return SAID_WORKS;
	if (is_by_hand(&w))
		return SAID_BY_HAND;
	said = by_transition(&w);
	if (said == SAID_BAD || said == SAID_GOOD)
		return said;
	for (unsigned i = 0; i < w.n; i++) {
		enum syslog_said one = word_says(&w, i);

		is_change |= word_in(&w, i, &changes) || word_in(&w, i, &taken);
		is_good |= word_in(&w, i, &arrives) && has_unit_before(&w, i);
		is_bad |= says_lack(&w, i) || (is_warning && word_in(&w, i, &high));
		if (one == SAID_BAD && !is_of_none(&w, i)) {
			if (is_negated(&w, i)) {
				is_over |= word_is(&w, i - 1, "longer");
				continue;
			}
			is_bad = true;
			is_down |= is_predicate(&w, i);
		}
		if (one != SAID_GOOD || is_negated(&w, i))
			continue;
		if (word_in(&w, i, &over))
			is_over |= !is_attempted(&w, i);
		else
			is_good |= is_predicate(&w, i) || (word_in(&w, i, &works) && i + 1 == w.n);
	}
	if (is_over)
		return SAID_GOOD;
	if (is_bad && (!is_good || is_down))
		return SAID_BAD;
	if (is_good || strstr(text, " is now "))
		return SAID_WORKS;
	return is_change || said == SAID_CHANGE ? SAID_CHANGE : SAID_NOTHING;
}

enum syslog_said syslog_mnemonic(const char *name, size_t len)
{
	enum syslog_said said = SAID_NOTHING;
	bool is_unit = false;

	for (size_t from = 0; from < len;) {
		const char *part = name + from;
		size_t n = 0;

		while (from + n < len && part[n] != '_' && part[n] != '-')
			n++;
		if (is_in(part, n, &over) || is_in(part, n, &works) || is_in(part, n, &ends_well))
			said = SAID_GOOD;
		else if (is_in(part, n, &bad) || is_in(part, n, &high) ||
			 (is_unit && is_in(part, n, &taken)))
			said = SAID_BAD;
		else if (said == SAID_NOTHING && is_in(part, n, &changes))
			said = SAID_CHANGE;
		is_unit |= is_in(part, n, &units);
		from += n + 1;
	}
	return said;
}

static bool names_any(const char *text, const struct list *list, bool in_parts)
{
	struct words w;

	split(text, &w);
	for (unsigned i = 0; i < w.n; i++)
		if (noun_in(&w, i, list) || (in_parts && part_in(w.at[i], w.len[i], list)))
			return true;
	return false;
}

bool syslog_tells_failure(const char *text)
{
	return names_any(text, &failures, true);
}

static bool names_port(const char *text)
{
	static const char *const ports[] = {"ethernet", "swp", "portchannel", "port-channel"};

	for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
		const char *at = strstr(text, ports[i]);

		if (at && isdigit((unsigned char)at[strlen(ports[i])]))
			return true;
	}
	return false;
}

bool syslog_names_subject(const char *text, bool in_parts)
{
	return names_port(text) || names_any(text, &forwarding, in_parts) ||
	       names_any(text, &parts, in_parts) || names_any(text, &units, in_parts);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/syslog/syslog_vocabulary.h"

#include <ctype.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define LIST(name, ...)                                                                            \
	static const char *const name##_words[] = {__VA_ARGS__};                                   \
	const struct syslog_list syslog_##name = {name##_words, ARRAY_LEN(name##_words)}

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
	"unsuccessful", "unsuccessfully", "closed", "overlap", "overlaps", "overlapping",
	"off-line", "lowerlayerdown", "notpresent", "non-qualified", "dual-active", "dual-primary",
	"split-brain", "dispute", "singly", "leak", "leaking", "malfunction", "malfunctions",
	"depleted", "martian", "unqualified", "blacklisted", "fatal", "critically");
/* States that only one who is not calm tells: counted for warnings and worse. */
LIST(high, "high", "low", "above", "below", "crossed", "full", "over", "under", "unknown",
	"restarting", "restarted", "reset", "resetting", "drop", "drops", "skipped", "ignored",
	"retry", "retrying", "exited", "warning", "limit", "limits", "threshold", "alert", "severe",
	"risk");
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
/*
 * Of the words of trouble, those by which a program says that something could not be done, which
 * it often tries again.
 */
LIST(attempts, "failed", "failure", "failures", "fail", "fails", "failing", "unable", "cannot",
	"couldn't", "can't", "invalid", "missing", "unsupported", "unavailable", "incorrect",
	"wrong", "unexpected", "duplicate", "error", "errors", "err", "absent", "rejected",
	"refused", "denied", "exception", "mismatch", "illegal", "improper", "bad", "closed",
	"conflict", "martian");
/* What only waits until it has expired. */
LIST(waits, "restore", "delay", "wait", "startup", "bringup", "warm-restart", "warm_restart",
	"eoiu", "suppress", "damping", "holdoff", "hold-off", "debounce");
/* How a thing ends that was to end. */
LIST(in_order, "normally", "gracefully", "cleanly");
/* A limit that is met. */
LIST(limits, "maximum", "max", "limit", "threshold", "capacity");
LIST(reaches, "reached", "reaches", "hit", "hits");
/* States that a thing in service has: "not responding" is no wait for a thing to come. */
LIST(in_service, "responding", "responds", "alive", "reachable", "up", "working", "running",
	"operational", "connected", "synchronized", "forwarding", "established", "healthy",
	"restored", "online", "active", "longer");
/* More of it than there should be. */
LIST(excess, "fast", "hot", "high", "low", "many");
/* Of these, little is better than much. */
LIST(burdens, "queue", "length", "usage", "utilization", "buffer", "temperature", "memory", "cpu",
	"load", "errors", "error", "drops", "ber", "occupancy");
/* A trouble is over. */
LIST(over, "cleared", "clear", "clears", "restored", "recovered", "resumed", "resolved",
	"reenabled", "re-enabled", "unsuspended", "unstuck", "rejoined", "reestablished",
	"re-established", "recovery", "recovering", "unblock", "unblocking", "unblocked",
	"unblocks", "re-enabling", "reenabling", "reenables", "re-enables");
/* States of what works. */
LIST(good, "up", "established", "online", "active", "operational", "reachable", "consistent",
	"enabled", "alive", "normal", "ok", "healthy", "stable", "forwarding", "selected",
	"inserted", "present", "formed", "synchronized", "in-sync", "synced", "connected",
	"running", "ready", "bidirectional", "good", "full-adjacency", "success", "succeeded",
	"successful", "successfully", "on-line");
/* What was tried was done. */
LIST(done, "success", "succeeded", "successful", "successfully", "passed");
/* Of them, those that a sentence without a mnemonic has to say of its subject. */
LIST(works, "up", "established", "online", "operational", "reachable", "consistent", "normal",
	"forwarding", "healthy", "ok", "inserted", "present", "on-line");
/* The last word of a mnemonic that tells of an end that is well. */
LIST(ends_well, "success", "succeeded", "active", "found", "reenable", "resume", "recover");
LIST(changes, "changed", "change", "changes", "changing", "configured", "added", "created",
	"deleted", "updated", "moved", "moving", "role", "elected", "transition", "transitioned",
	"rebooting", "reboot", "reload", "reloading", "negotiated", "set", "switched", "joined",
	"left", "installed", "discovered", "learned", "new", "started", "starting", "initialized",
	"detected", "registered", "speed", "autoneg", "enabled");
LIST(copulas, "is", "are", "was", "now", "became", "becomes", "went", "goes", "came", "comes",
	"gone", "back", "state", "status", "turned", "carrier", "currently", "link", "being",
	"powered", "entering", "entered", "enters");
LIST(nothing_of, "carrier", "response", "reply", "answer", "light", "signal", "power", "link",
	"keepalive", "keep-alive", "heartbeat", "route", "path", "memory", "space", "resource",
	"resources", "buffer", "buffers", "sync", "member", "members", "operational", "active",
	"partner", "longer", "room", "entries", "neighbor", "attached", "matching", "valid",
	"such");
LIST(negations, "not", "never", "isn't", "wasn't", "hasn't", "doesn't", "didn't", "without");
LIST(admin, "administratively", "admin-down", "admin_down", "admindown", "administrative",
	"adminstatus", "graceful", "gracefully", "manual", "manually");
LIST(done_by_hand, "down", "shutdown", "disabled", "suspended", "inactive", "disconnected",
	"stopped");

/* Things that carry traffic. */
LIST(forwarding, "port", "ports", "interface", "interfaces", "intf", "link", "links", "lane",
	"lanes", "serdes", "carrier", "port-channel", "portchannel", "bundle", "lag", "bond",
	"member", "members", "session", "neighbor", "neighbour", "peer", "adjacency", "bfd", "bgp",
	"peer-link", "peerlink", "mlag", "mclag", "clag", "iccp", "vpc", "keepalive", "keep-alive",
	"route", "routes", "nexthop", "next", "hop", "ecmp", "hash", "queue", "queues", "pfc",
	"watchdog", "pool", "buffer", "buffers", "headroom", "priority-group", "pg", "wred", "ecn",
	"scheduler", "qos", "vlan", "fdb", "tunnel", "vtep", "fec", "transceiver", "optic",
	"optics", "sfp", "qsfp", "cable", "mtu", "speed", "fabric", "next-hop", "nexthops",
	"next-hops", "vxlan", "vnet", "acl", "mac", "neigh", "voq", "pgs", "frame", "frames");
/* Parts that a switch needs, and programs on it. */
LIST(parts, "module", "fan", "fans", "fantray", "psu", "psus", "power", "supply", "temperature",
	"thermal", "sensor", "sensors", "voltage", "linecard", "card", "supervisor", "sup", "chip",
	"asic", "chassis", "memory", "parity", "ecc", "process", "service", "agent", "daemon",
	"container", "application", "app", "tcam", "table", "resource", "resources", "capacity",
	"utilization", "sdk", "sai", "pcie", "disk", "filesystem", "system", "core", "kernel",
	"switch", "cpu", "slot", "bus", "i2c", "firmware", "leak", "leakage", "pdb");

static bool is_inner(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-'/.", c));
}

/* Splits at what is neither a letter nor stands within a word; "->" is a word. */
/* A mark and then a blank: what stands behind it is said for itself. */
static bool ends_clause(const char *mark)
{
	return strchr(".,;:!", *mark) && (mark[1] == ' ' || !mark[1]);
}

void syslog_split(const char *s, struct syslog_words *out)
{
	bool is_marked = false;

	out->n = 0;
	while (*s && out->n < SYSLOG_WORDS_MOST) {
		size_t n = 0;

		if ((s[0] == '-' || s[0] == '=') && s[1] == '>') {
			n = 2;
		} else if (isalnum((unsigned char)*s)) {
			while (is_inner(s[n]) && !(s[n] == '-' && s[n + 1] == '>'))
				n++;
		} else {
			is_marked |= ends_clause(s);
			s++;
			continue;
		}
		out->at[out->n] = s;
		out->len[out->n] = n;
		out->begins[out->n] = is_marked;
		s += n;
		is_marked = ends_clause(s - 1);
		while (out->len[out->n] > 1 &&
			strchr("_-'/.", out->at[out->n][out->len[out->n] - 1]))
			out->len[out->n]--;
		out->n++;
	}
}

bool syslog_is_in(const char *word, size_t len, const struct syslog_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (strlen(list->word[i]) == len && !memcmp(list->word[i], word, len))
			return true;
	return false;
}

bool syslog_word_in(const struct syslog_words *w, unsigned i, const struct syslog_list *list)
{
	return i < w->n && syslog_is_in(w->at[i], w->len[i], list);
}

bool syslog_word_is(const struct syslog_words *w, unsigned i, const char *word)
{
	return i < w->n && w->len[i] == strlen(word) && !memcmp(w->at[i], word, w->len[i]);
}

/* A noun, also with its number: "psu2", "vlan40". */
bool syslog_noun_in(const struct syslog_words *w, unsigned i, const struct syslog_list *list)
{
	size_t n = w->len[i];

	while (n && isdigit((unsigned char)w->at[i][n - 1]))
		n--;
	return syslog_word_in(w, i, list) || (n && syslog_is_in(w->at[i], n, list));
}

/* "sai_status_failure", "rx-timeout": one of the parts of a word. */
bool syslog_part_in(const char *word, size_t len, const struct syslog_list *list)
{
	for (size_t from = 0; from < len;) {
		size_t n = 0;

		while (from + n < len && !strchr("_-/.", word[from + n]))
			n++;
		if (n < len && n && syslog_is_in(word + from, n, list))
			return true;
		from += n + 1;
	}
	return false;
}

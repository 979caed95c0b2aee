/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/syslog/syslog_words.h"

#include <string.h>

#include "backends/syslog/syslog_head.h"
#include "backends/syslog/syslog_sentence.h"
#include "base/str.h"
#include "fabric/vocabulary/nic_driver.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* RFC 5424 */
#define SEVERITY_ERROR   3
#define SEVERITY_WARNING 4
#define SEVERITY_NOTICE  5
#define SEVERITY_INFO    6

/*
 * All words of a row must be in the line; the first matching row decides. So narrower rows stand
 * above wider ones, and recoveries above the failures that they quote.
 */
static const struct syslog_row logins[] = {
	/* Logins concern no link. */
	{{"authpriv"}, SYSLOG_CHANGE},
	{{"sshd", "authentication fail"}, SYSLOG_CHANGE},
	{{"pam", "authentication fail"}, SYSLOG_CHANGE},

	/* Commands logged by sudo. Other quoted commands, including ours, are irrelevant. */
	{{"command=", "/config "}, SYSLOG_CHANGE},
	{{"command=", "/pfcwd "}, SYSLOG_CHANGE},
	{{"command=", "/counterpoll "}, SYSLOG_CHANGE},
	{{"command=", "/nv "}, SYSLOG_CHANGE},
	{{"command=", "user="}, SYSLOG_SKIP},
	{{"(command continued)"}, SYSLOG_SKIP},
};

static const struct syslog_row patterns[] = {
	/* The tree is computed anew: each change of a port says so, and what is wrong itself. */
	{{"%spantree-6-stable_change"}, SYSLOG_SKIP},
	/* The chip numbers its ports in a way of its own; the daemon above it names them. */
	{{"_brcm_sai_link_event_cb:"}, SYSLOG_SKIP},
	/* The driver of the chip of Mellanox. */
	{{"sxd_kernel: [error]"}, SYSLOG_ALARM},
	{{"sx_core", "[error]"}, SYSLOG_ALARM},
	/* Duplicate: setHostIntfsOperStatus logs the same for the same port right after it. */
	{{"oper state set from"}, SYSLOG_SKIP},
	{{"%acllog"}, SYSLOG_SKIP},
	{{"config_session", "abort"}, SYSLOG_SKIP},

	/* The end of an alarm has the words and the severity of its begin. */
	{{"alarm", "cleared"}, SYSLOG_CHANGE},
	{{"warning", "cleared"}, SYSLOG_CHANGE},
	{{"removed from suspended"}, SYSLOG_CHANGE},

	/* PFC and its watchdog */
	{{"frame(s) on lossy queue"}, SYSLOG_ALARM},
	{{"frame(s) on lossless queue"}, SYSLOG_ALARM},
	{{"failed to", "pfc watchdog"}, SYSLOG_ALARM},
	{{"no lossless tc found"}, SYSLOG_CHANGE},
	{{"err swss", "pfc"}, SYSLOG_ALARM},
	/* The watchdog does not see its counters: it cannot find a storm. */
	{{"could not ret", "pfc frame count"}, SYSLOG_ALARM},
	{{"pfc", "restored"}, SYSLOG_CHANGE},
	{{"pfc", "recover"}, SYSLOG_CHANGE},
	{{"pfc", "unstuck"}, SYSLOG_CHANGE},
	{{"detected pfc storm"}, SYSLOG_ALARM},
	{{"pfc", "storm"}, SYSLOG_ALARM},
	{{"pfc", "deadlock"}, SYSLOG_ALARM},
	{{"pfc", "stuck"}, SYSLOG_ALARM},
	{{"pfcwd", "shut"}, SYSLOG_ALARM},
	{{"%pfc"}, SYSLOG_ALARM},
	{{"big_red_switch", "enabled"}, SYSLOG_ALARM},
	{{"pfc watchdog", "shut"}, SYSLOG_ALARM},
	{{"pfc watchdog"}, SYSLOG_CHANGE},
	{{"no-drop", "shut"}, SYSLOG_ALARM},
	{{"no-drop", "restor"}, SYSLOG_CHANGE},
	{{"pause storm"}, SYSLOG_ALARM},

	/* buffers */
	{{"buffer", "threshold", "exceed"}, SYSLOG_ALARM},

	/* BGP and BFD */
	{{"old state established"}, SYSLOG_ALARM},
	{{"new state established"}, SYSLOG_CHANGE},
	{{"bgp", "established to"}, SYSLOG_ALARM},
	{{"bgp", "to established"}, SYSLOG_CHANGE},
	{{"adjchange", " down"}, SYSLOG_ALARM},
	{{"adjchange", " up"}, SYSLOG_CHANGE},
	{{"adjchange"}, SYSLOG_CHANGE},
	{{"bgp", "maximum", "prefix"}, SYSLOG_ALARM},
	{{"bgp", "maxpfx"}, SYSLOG_ALARM},
	{{"bgp", "notification"}, SYSLOG_ALARM},
	{{"bgp", "hold timer expired"}, SYSLOG_ALARM},
	{{"bfd", "down"}, SYSLOG_ALARM},
	{{"bfd", " up"}, SYSLOG_CHANGE},

	/* optics; above the links, because they name the cause of a link failure */
	{{"port module event", "error"}, SYSLOG_ALARM},
	{{"port module event", "unplugged"}, SYSLOG_ALARM},
	{{"port module event"}, SYSLOG_CHANGE},
	{{"cable error"}, SYSLOG_ALARM},
	{{"high temperature"}, SYSLOG_ALARM},
	{{"temp_warn"}, SYSLOG_ALARM},
	{{"over temperature"}, SYSLOG_ALARM},
	{{"over-temperature"}, SYSLOG_ALARM},
	{{"xcvr_alarm"}, SYSLOG_ALARM},
	{{"xcvr_warning"}, SYSLOG_ALARM},
	{{"transceiver", "alarm", "clear"}, SYSLOG_CHANGE},
	{{"transceiver", "alarm"}, SYSLOG_ALARM},
	{{"transceiver", "warning", "clear"}, SYSLOG_CHANGE},
	{{"transceiver", "threshold"}, SYSLOG_ALARM},
	{{"transceiver", "fault"}, SYSLOG_ALARM},
	{{"transceiver", "error"}, SYSLOG_ALARM},
	{{"transceiver", "unsupported"}, SYSLOG_ALARM},
	{{"transceiver", "insert"}, SYSLOG_CHANGE},
	{{"transceiver", "remov"}, SYSLOG_ALARM},
	{{"xcvr", "insert"}, SYSLOG_CHANGE},
	{{"xcvr", "remov"}, SYSLOG_ALARM},
	{{"err pmon#xcvrd"}, SYSLOG_ALARM},
	{{"notice pmon#xcvrd", ": failed to"}, SYSLOG_ALARM},
	{{"xcvrd", "alarm"}, SYSLOG_ALARM},
	{{"xcvrd", " err"}, SYSLOG_ALARM},
	{{"xcvrd", " error"}, SYSLOG_ALARM},
	{{"sfp", "plugged in"}, SYSLOG_CHANGE},
	{{"sfp", "plugged out"}, SYSLOG_ALARM},
	{{"sfp", "plug out"}, SYSLOG_ALARM},
	{{"rx power", "low"}, SYSLOG_ALARM},
	{{"rx power", "alarm"}, SYSLOG_ALARM},
	{{"loss of signal"}, SYSLOG_ALARM},
	{{"rx los"}, SYSLOG_ALARM},

	/* FEC */
	{{"fec", "uncorrect"}, SYSLOG_ALARM},
	{{"fec", "degrade"}, SYSLOG_ALARM},
	{{"fec", "exceed"}, SYSLOG_ALARM},
	{{"signal degrade"}, SYSLOG_ALARM},
	{{"ber", "threshold", "exceed"}, SYSLOG_ALARM},

	/* links */
	{{"removelagmember"}, SYSLOG_CHANGE},
	{{"addlagmember"}, SYSLOG_CHANGE},
	/* Duplicate: the same is said of its other direction. */
	{{"setcollectiononlagmember"}, SYSLOG_SKIP},
	{{"setdistributiononlagmember"}, SYSLOG_CHANGE},
	{{"set operation status down"}, SYSLOG_ALARM},
	{{"set operation status up"}, SYSLOG_CHANGE},
	{{"if_down_admin_down"}, SYSLOG_CHANGE},
	{{"if_admin_up"}, SYSLOG_CHANGE},
	{{"if_down_cfg_change"}, SYSLOG_CHANGE},
	{{"if_down_channel_membership"}, SYSLOG_CHANGE},
	{{"if_down_interface_removed"}, SYSLOG_CHANGE},
	{{"administratively down"}, SYSLOG_CHANGE},
	{{"%ethport", "if_up"}, SYSLOG_CHANGE},
	{{"%ethport", "if_down"}, SYSLOG_ALARM},
	{{"%ethport", "errdisable"}, SYSLOG_ALARM},
	{{"%ethport", "-speed:"}, SYSLOG_CHANGE},
	/* The first operational port of a bundle: none is left. */
	{{"fop_changed", "to none"}, SYSLOG_ALARM},
	{{"fop_changed"}, SYSLOG_CHANGE},
	{{"vpc_role_change"}, SYSLOG_CHANGE},
	{{"%eth_port_channel", "port_down"}, SYSLOG_ALARM},
	{{"%eth_port_channel", "port_up"}, SYSLOG_CHANGE},
	{{"changed state to down"}, SYSLOG_ALARM},
	{{"changed state to admin"}, SYSLOG_CHANGE},
	{{"changed state to up"}, SYSLOG_CHANGE},
	{{"errdisable"}, SYSLOG_ALARM},
	{{"err-disable"}, SYSLOG_ALARM},
	{{"lost carrier"}, SYSLOG_ALARM},
	{{"gained carrier"}, SYSLOG_CHANGE},
	{{"carrier lost"}, SYSLOG_ALARM},
	{{"carrier acquired"}, SYSLOG_CHANGE},
	{{"link down"}, SYSLOG_ALARM},
	{{"link up"}, SYSLOG_CHANGE},
	{{"link is down"}, SYSLOG_ALARM},
	{{"link is up"}, SYSLOG_CHANGE},
	{{"link is not ready"}, SYSLOG_ALARM},
	{{"link becomes ready"}, SYSLOG_CHANGE},
	{{"link flap"}, SYSLOG_ALARM},
	{{"oper error event"}, SYSLOG_ALARM},

	/* neighbours */
	{{"lldp", "server", "removed"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "delete"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "remove"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "lost"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "expired"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "aged"}, SYSLOG_ALARM},
	{{"lldp", "neighbor", "add"}, SYSLOG_CHANGE},
	{{"lldp", "neighbor", "new"}, SYSLOG_CHANGE},
	{{"lldp", "neighbor", "chang"}, SYSLOG_CHANGE},

	/* hardware */
	{{"parity error"}, SYSLOG_ALARM},
	{{"ecc error"}, SYSLOG_ALARM},
	{{"machine check"}, SYSLOG_ALARM},
	{{"hardware error"}, SYSLOG_ALARM},
	{{"blocked for more than", "seconds"}, SYSLOG_ALARM},
	{{"self-detected stall"}, SYSLOG_ALARM},
	{{"pciehp", "link down"}, SYSLOG_ALARM},
	{{"pciehp", "not present"}, SYSLOG_ALARM},
	{{"edac", " ue "}, SYSLOG_ALARM},
	{{"temperature above threshold"}, SYSLOG_ALARM},
	{{"hard lockup"}, SYSLOG_ALARM},
	{{"sai", "switch shutdown"}, SYSLOG_ALARM},
	{{"asic/sdk health event"}, SYSLOG_ALARM},
	{{"i/o error"}, SYSLOG_ALARM},
	{{"out of memory"}, SYSLOG_ALARM},
	{{"soft lockup"}, SYSLOG_ALARM},
	{{"kernel panic"}, SYSLOG_ALARM},
	{{"segfault"}, SYSLOG_ALARM},

	/* restarts */
	{{"terminate called"}, SYSLOG_ALARM},
	{{"core dumped"}, SYSLOG_ALARM},
	{{"core file"}, SYSLOG_ALARM},
	{{"service_crashed"}, SYSLOG_ALARM},
	{{"crashed"}, SYSLOG_ALARM},
	{{"main process exited", "status=0"}, SYSLOG_CHANGE},
	{{"main process exited"}, SYSLOG_ALARM},
	{{"supervisor", "exited", "not expected"}, SYSLOG_ALARM},
	{{"expected containers not running"}, SYSLOG_ALARM},
	{{"is not running in namespace"}, SYSLOG_ALARM},
	{{"is stuck in namespace"}, SYSLOG_ALARM},
	{{"syncd stopped"}, SYSLOG_ALARM},
	{{"process", "terminated"}, SYSLOG_ALARM},
	{{"process", "restarted"}, SYSLOG_ALARM},
	{{"linux version"}, SYSLOG_CHANGE},
	{{"system_initialized"}, SYSLOG_CHANGE},
	{{"rebooting with"}, SYSLOG_CHANGE},
	{{"system is rebooting"}, SYSLOG_CHANGE},
	{{"issued", "reboot"}, SYSLOG_CHANGE},
	{{"reload requested"}, SYSLOG_CHANGE},

	/* configuration changes by users */
	{{"%sys-", "-config"}, SYSLOG_CHANGE},
	{{"config_i:"}, SYSLOG_CHANGE},
	{{"configured from"}, SYSLOG_CHANGE},
	{{"config-hostcfgd"}, SYSLOG_CHANGE},
};

/* Finds a word or words that no letter continues on either side. */
static const char *find_words(const char *line, const char *words)
{
	size_t n = strlen(words);

	for (const char *at = strstr(line, words); at; at = strstr(at + 1, words))
		if ((at == line || !syslog_in_word(at[-1])) && !syslog_in_word(at[n]))
			return at;
	return NULL;
}

/* Whether a daemon of links, pairs, routes or the chip says it. */
static bool network_daemon(const char *line)
{
	static const char *const names[] = {"switchd", "clagd", "mstpd", "ptmd", "watchfrr", "bgpd",
		"bfdd", "ospfd", "isisd", "zebra", "teamd", "mclagdctl", "iccpd", "sx_sdk",
		"portwd", "smond", "lldpd", "neighmgrd", "linkstate", "lacpd", "hw-management.sh",
		"nvued", "asic-monitor", "watchquagga"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *at = find_words(line, names[i]);

		if (at && (at == line || at[-1] == ' ' || at[-1] == '#')) {
			at += strlen(names[i]);
			if (*at == '[' || *at == ':')
				return true;
		}
	}
	return false;
}

/* A mnemonic tells of an end better than its sentence, which often quotes the begin. */
static enum syslog_said said_by(const struct syslog_head *h)
{
	enum syslog_said name = syslog_mnemonic(h->mnemonic, h->mnemonic_len);
	enum syslog_said said =
		syslog_sentence(h->sentence, h->severity >= 0 && h->severity <= SEVERITY_WARNING);

	if (name == SAID_GOOD || (name == SAID_BAD && said <= SAID_WORKS))
		return name;
	return said != SAID_NOTHING ? said : name;
}

/* A program of links, routes or hardware says it: no port or part has to be named as well. */
static bool is_of_ours(const struct syslog_head *h)
{
	return h->field == FIELD_FABRIC || h->field == FIELD_SYSTEM;
}

/* An error or worse: what nobody understands is not dropped. */
static enum syslog_class error_line(const struct syslog_head *h, enum syslog_said said)
{
	/* SONiC's daemons print errors of all kinds, many of them harmless. */
	bool is_of_any_kind = !h->mnemonic_len && h->severity == SEVERITY_ERROR;
	bool is_placed = syslog_names_subject(h->sentence, true) ||
			 (h->field != FIELD_UNKNOWN && syslog_tells_failure(h->sentence)) ||
			 (is_of_ours(h) && !syslog_is_attempt(h->sentence));

	if (said == SAID_BAD && h->field == FIELD_OTHER)
		return SYSLOG_CHANGE;
	if (said == SAID_BAD)
		return is_of_any_kind && !is_placed ? SYSLOG_UNREAD : SYSLOG_ALARM;
	return said >= SAID_WORKS ? SYSLOG_CHANGE : SYSLOG_UNREAD;
}

/* What a platform cannot do is told at each start; what was set and does not work is news. */
static enum syslog_class unsupported(const struct syslog_head *h)
{
	return strstr(h->sentence, "configur") ? SYSLOG_CHANGE : SYSLOG_SKIP;
}

static enum syslog_class warning_line(const struct syslog_head *h, enum syslog_said said)
{
	bool is_ours = h->field != FIELD_OTHER &&
		       (h->mnemonic_len || syslog_names_subject(h->sentence, false));

	if (!h->mnemonic_len && syslog_is_unsupported(h->sentence))
		return unsupported(h);
	if (said == SAID_BAD && is_ours)
		return SYSLOG_ALARM;
	if (said == SAID_BAD && is_of_ours(h) && !syslog_is_attempt(h->sentence))
		return SYSLOG_ALARM;
	/* EOS and NX-OS warn of little: words that nobody foresaw are not dropped either. */
	return h->mnemonic_len || (is_ours && said >= SAID_WORKS) ||
			       (is_of_ours(h) && said == SAID_GOOD)
		       ? SYSLOG_CHANGE
		       : SYSLOG_SKIP;
}

/* Most notices are of no interest, but some systems tell failures there. */
static enum syslog_class notice_line(const struct syslog_head *h, enum syslog_said said)
{
	bool is_ours = h->field != FIELD_OTHER && (h->mnemonic_len || h->field != FIELD_UNKNOWN) &&
		       (h->field == FIELD_FABRIC || syslog_names_subject(h->sentence, false));

	if (!is_ours)
		return SYSLOG_SKIP;
	if (!h->mnemonic_len && syslog_is_unsupported(h->sentence))
		return SYSLOG_SKIP;
	/* A daemon that calls it a notice tries again, or goes on without it. */
	if (said == SAID_BAD && !h->mnemonic_len && syslog_is_attempt(h->sentence))
		return syslog_tells_failure(h->sentence) ? SYSLOG_CHANGE : SYSLOG_SKIP;
	if (said == SAID_BAD)
		return SYSLOG_ALARM;
	if (said == SAID_CHANGE || said == SAID_BY_HAND)
		return h->mnemonic_len && h->severity == SEVERITY_NOTICE ? SYSLOG_CHANGE
									 : SYSLOG_SKIP;
	return said == SAID_NOTHING ? SYSLOG_SKIP : SYSLOG_CHANGE;
}

static enum syslog_class by_severity(const struct syslog_head *h, enum syslog_said said)
{
	if (h->severity <= SEVERITY_ERROR)
		return error_line(h, said);
	if (h->severity == SEVERITY_WARNING)
		return warning_line(h, said);
	return h->severity <= SEVERITY_INFO ? notice_line(h, said) : SYSLOG_SKIP;
}

/*
 * FRR prints no severity in a log of Cumulus. An identity comes first, "[vykyc-709dp]", and a
 * number behind it if it is an error or a warning: "[ec 33554452]".
 */
static bool is_frr_detail(const char *sentence)
{
	bool is_frr, is_warning = strstr(sentence, "[ec ") != NULL;

	sentence += strspn(sentence, " ");
	is_frr = *sentence == '[' && strcspn(sentence, "]") == 12;
	if (!(is_frr || is_warning) || !syslog_is_attempt(sentence))
		return false;
	/* "cannot find if vxlan7": it looked something up. */
	if (is_warning)
		return strstr(sentence, " find ") || strstr(sentence, " found");
	return !syslog_names_subject(sentence, false) || !syslog_tells_failure(sentence);
}

/*
 * What FRR numbers is an error or a warning, in whatever words: not what it looked up or left out,
 * and not a setting that was refused.
 */
static bool frr_warns(const char *sentence)
{
	static const char *const calm[] = {" find ", " found", "ignor", "configuration"};

	if (!strstr(sentence, "[ec "))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(calm); i++)
		if (strstr(sentence, calm[i]))
			return false;
	return true;
}

/* A program that nobody listed: only what it says of a part, and that this is not well. */
static enum syslog_class unlisted(struct syslog_head *h)
{
	enum syslog_said said;

	if (!h->has_program || h->field == FIELD_OTHER)
		return SYSLOG_SKIP;
	syslog_head_inner(h);
	said = said_by(h);
	if (h->severity >= 0)
		return by_severity(h, said);
	if ((said == SAID_BAD || said == SAID_NOTHING) && frr_warns(h->sentence))
		return SYSLOG_ALARM;
	if (said != SAID_BAD || !syslog_names_subject(h->sentence, true))
		return SYSLOG_SKIP;
	if (is_frr_detail(h->sentence))
		return SYSLOG_CHANGE;
	return !syslog_is_attempt(h->sentence) || syslog_tells_failure(h->sentence) ? SYSLOG_ALARM
										    : SYSLOG_SKIP;
}

static enum syslog_class by_parts(const char *line, bool is_switch)
{
	struct syslog_head h;
	enum syslog_said said;

	syslog_head_read(line, &h);
	if (h.severity >= 0)
		return by_severity(&h, said_by(&h));
	if (!network_daemon(line))
		return is_switch && !str_starts(line, "kernel:") ? unlisted(&h) : SYSLOG_SKIP;
	syslog_head_inner(&h);
	said = said_by(&h);
	if (h.severity >= 0)
		return by_severity(&h, said);
	if (said == SAID_NOTHING && frr_warns(h.sentence))
		return SYSLOG_ALARM;
	if (said == SAID_NOTHING || said == SAID_CHANGE || said == SAID_BY_HAND)
		return SYSLOG_SKIP;
	if (said == SAID_BAD && is_frr_detail(h.sentence))
		return SYSLOG_CHANGE;
	return said == SAID_BAD ? SYSLOG_ALARM : SYSLOG_CHANGE;
}

/* A word with a blank before it is a whole word: " up" is not in " updateport". */
static bool has_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
		if (*word != ' ' || word[n - 1] == ' ' || !syslog_in_word(at[n]))
			return true;
	return false;
}

static bool has_all(const char *line, const char *const *word)
{
	for (unsigned i = 0; i < SYSLOG_WORDS && word[i]; i++)
		if (!has_word(line, word[i]))
			return false;
	return true;
}

/*
 * What words of a whole line cannot tell: the function that failed has the name of what it does,
 * and the end of a trouble the name of its begin.
 */
static enum syslog_class weigh(const char *line, bool is_switch, enum syslog_class is)
{
	struct syslog_head h;

	syslog_head_read(line, &h);
	if (is == SYSLOG_ALARM && !h.mnemonic_len && h.severity >= SEVERITY_NOTICE &&
		syslog_is_unsupported(h.sentence))
		return SYSLOG_SKIP;
	if (is == SYSLOG_ALARM)
		return syslog_mnemonic_ends(h.mnemonic, h.mnemonic_len) ? SYSLOG_CHANGE : is;
	if (!h.mnemonic_len && h.severity >= 0 && h.severity <= SEVERITY_ERROR &&
		syslog_tells_failure(h.sentence))
		return by_parts(line, is_switch);
	return is;
}

const struct syslog_row *syslog_find_row(const struct syslog_row *rows, size_t n, const char *line)
{
	for (size_t i = 0; i < n; i++)
		if (has_all(line, rows[i].word))
			return &rows[i];
	return NULL;
}

enum syslog_class syslog_classify(const char *line, bool is_switch)
{
	const struct syslog_row *row = syslog_host_row(line);

	if (row)
		return row->is;
	row = syslog_find_row(logins, ARRAY_LEN(logins), line);
	if (!row)
		row = syslog_find_row(patterns, ARRAY_LEN(patterns), line);
	if (row)
		return weigh(line, is_switch, row->is);
	if (nic_driver_error(line) || gpu_driver_error(line) || pci_driver_error(line))
		return SYSLOG_ALARM;
	return by_parts(line, is_switch);
}

size_t syslog_public_len(const char *line)
{
	static const char *const secrets[] = {"passw", "passkey", "passphrase", "secret",
		"community", "token", " key", "-key", "_key", "psk", "_cak"};
	size_t least = strlen(line);

	if (!strstr(line, "command="))
		return least;
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
		const char *at = strstr(line, secrets[i]);
		size_t n;

		if (!at)
			continue;
		n = (size_t)(at - line) + 1;
		n += strcspn(line + n, " =");
		if (line[n] && n + 1 < least)
			least = n + 1;
	}
	return least;
}

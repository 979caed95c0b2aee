/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/lag.h"
#include "backends/syslog/syslog.h"
#include "base/mem.h"
#include "base/str.h"

/* Decodes text output of NX-OS: hash settings, the watchdog's multipliers, the log. */

/* ---- show port-channel load-balance, show ip load-sharing ---- */

struct hash {
	char lag[128], ecmp[128], algorithm[128];
};

static void add_word(char *dst, size_t size, const char *what)
{
	size_t n = strlen(dst);

	if (!strstr(dst, what))
		str_printf(dst + n, size - n, "%s%s", n ? " " : "", what);
}

static void add_ends(char *dst, size_t size, bool src, bool to, const char *from, const char *into)
{
	if (src || !to)
		add_word(dst, size, from);
	if (to || !src)
		add_word(dst, size, into);
}

/* Reads "src-dst ip-l4port rotate 0" or "source-dest-ip-port". */
static void lag_fields(const char *text, char *dst, size_t size)
{
	bool src = strstr(text, "src") || strstr(text, "source");
	bool to = strstr(text, "dst") || strstr(text, "dest");

	dst[0] = '\0';
	if (strstr(text, "ip"))
		add_ends(dst, size, src, to, "src-ip", "dst-ip");
	if (strstr(text, "port"))
		add_ends(dst, size, src, to, "l4-src", "l4-dst");
	if (strstr(text, "mac"))
		add_ends(dst, size, src, to, "src-mac", "dst-mac");
	if (strstr(text, "vlan"))
		add_word(dst, size, "vlan");
}

/* Reads "address source-destination port source-destination" or "address destination". */
static void ecmp_fields(const char *text, char *dst, size_t size)
{
	const char *port = strstr(text, "port");
	size_t n = port ? (size_t)(port - text) : strlen(text);
	char address[96];

	dst[0] = '\0';
	if (!str_copyn(address, sizeof(address), text, n))
		return;
	if (strstr(address, "address"))
		add_ends(dst, size, strstr(address, "source"), strstr(address, "dest"), "src-ip",
			"dst-ip");
	if (port)
		add_ends(dst, size, strstr(port, "source"), strstr(port, "dest"), "l4-src",
			"l4-dst");
}

/* Returns the text after "head", a colon and blanks; NULL: another line. */
static const char *value_of(const char *line, const char *head)
{
	const char *at = line + strlen(head);

	if (!str_starts(line, head))
		return NULL;
	at += strspn(at, " ");
	if (*at != ':')
		return NULL;
	return at + 1 + strspn(at + 1, " ");
}

static void hash_line(void *ctx, const char *line)
{
	struct hash *h = ctx;
	const char *v;
	char word[64];

	if ((v = value_of(line, "IP")) || (v = value_of(line, "System"))) {
		/* The first line is the system's; those of the modules follow. */
		if (!*h->lag)
			lag_fields(v, h->lag, sizeof(h->lag));
	} else if ((v = value_of(line, "Load-share mode"))) {
		ecmp_fields(v, h->ecmp, sizeof(h->ecmp));
	} else if ((v = value_of(line, "Universal-id (Random Seed)"))) {
		str_printf(word, sizeof(word), "seed %.24s", v);
		add_word(h->algorithm, sizeof(h->algorithm), word);
	} else if ((v = value_of(line, "Rotate"))) {
		str_printf(word, sizeof(word), "rotate %.24s", v);
		add_word(h->algorithm, sizeof(h->algorithm), word);
	}
}

void nxos_hash_text(struct nxos_job *j, const char *text, size_t len)
{
	struct hash h = {0};

	nxos_lines(text, len, hash_line, &h);
	if (*h.lag)
		obs_word(j->o, OBS_NO_PORT, ATTR_LAG_HASH, 0, h.lag);
	if (*h.ecmp)
		obs_word(j->o, OBS_NO_PORT, ATTR_ECMP_HASH, 0, h.ecmp);
	if (*h.algorithm)
		obs_word(j->o, OBS_NO_PORT, ATTR_HASH_ALGORITHM, 0, h.algorithm);
	if (*h.lag || *h.ecmp)
		need_say(j->o, NEED_HASH, VALID_OK, "");
}

/* ---- show running-config | section dlb ---- */

/* Dynamic load balancing: by flowlets unless it says "per-packet". No line: nothing is known. */
static void balancing_line(void *ctx, const char *line)
{
	const char **mode = ctx;

	if (strstr(line, "per-packet"))
		*mode = "dlb spray";
	else if (!*mode && strstr(line, "dlb") && !str_starts(line, "no ") && line[0] != '!')
		*mode = "dlb flowlet";
}

void nxos_balancing_text(struct nxos_job *j, const char *text, size_t len)
{
	const char *mode = NULL;

	nxos_lines(text, len, balancing_line, &mode);
	if (mode)
		obs_word(j->o, OBS_NO_PORT, ATTR_BALANCING, 0, mode);
}

/* ---- show running-config | section port-channel ---- */

struct least {
	struct nxos_job *j;
	char bundle[NAME_MAX_LEN]; /* of the section; "" none */
};

/*
 * "lacp min-links 3" of "interface port-channel7": no other command has the number. Where it is
 * not set it is 1, which the configuration does not show. Source: NX-OS Interfaces guide.
 */
static void least_line(void *ctx, const char *line)
{
	static const char section[] = "interface ", key[] = "lacp min-links ";
	const char *at = line + strspn(line, " ");
	struct least *l = ctx;
	uint64_t n;

	if (str_starts(at, section)) {
		const char *name = at + strlen(section);
		size_t len = strcspn(name, " .");

		/* A subinterface ("port-channel7.20") has no members. */
		str_copyn(l->bundle, sizeof(l->bundle), name, name[len] == '.' ? 0 : len);
		if (!str_starts(l->bundle, "port-channel"))
			l->bundle[0] = '\0';
	} else if (*l->bundle && str_starts(at, key)) {
		char number[24];

		str_copyn(number, sizeof(number), at + strlen(key),
			strspn(at + strlen(key), "0123456789"));
		if (str_to_u64(number, &n))
			(void)lag_bundle(l->j->o, l->bundle, "", "", (double)n);
	}
}

void nxos_least_text(struct nxos_job *j, const char *text, size_t len)
{
	struct least l = {.j = j};

	nxos_lines(text, len, least_line, &l);
}

/* ---- show running-config | include multiplier ---- */

static void multiplier_line(void *ctx, const char *line)
{
	static const struct {
		const char *head, *fact;
	} words[] = {
		{"priority-flow-control watch-dog shutdown-multiplier ", NXOS_FACT_WD_STOP},
		{"priority-flow-control auto-restore multiplier ", NXOS_FACT_WD_BACK},
		{"priority-flow-control fixed-restore multiplier ", NXOS_FACT_WD_BACK},
	};
	struct nxos_job *j = ctx;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *v = line + strlen(words[i].head);
		uint64_t n;

		/* Converted to a number and back, so that a fact holds nothing else. */
		if (str_starts(line, words[i].head) && str_to_u64(v, &n) && n > 0 && n < 1000000)
			obs_fact(j->o, words[i].fact, v);
	}
}

void nxos_multipliers_text(struct nxos_job *j, const char *text, size_t len)
{
	nxos_lines(text, len, multiplier_line, j);
}

/* ---- show logging last N ---- */

/*
 * Each NX-API request is logged like a configuration ("... Configured from vty by USER on
 * ADDRESS@nginx.1234"); railtop's own polls would fill the page.
 */
static bool is_own(const char *line, size_t n)
{
	return memmem(line, n, "VSHD_SYSLOG_CONFIG_I", 20) && memmem(line, n, "@nginx", 6);
}

/* The log has short names as well: those are made long. */
static bool is_full_name(const char *name)
{
	char full[NAME_MAX_LEN];

	return nxos_port_name(name, full) && str_eq(name, full);
}

void nxos_log_text(struct nxos_job *j, const char *text, size_t len)
{
	const struct syslog_opts opts = {
		.is_port = is_full_name, .bundle = "port-channel", .brief = "Eth"};
	char *kept = mem_alloc(len + 1);
	size_t n = 0, stamps;
	bool blank = true;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) + 1 : len;

		for (size_t i = 0; i < line && blank; i++)
			blank = isspace((unsigned char)text[i]);
		if (!is_own(text, line)) {
			memcpy(kept + n, text, line);
			n += line;
		}
		text += line;
		len -= line;
	}
	kept[n] = '\0';
	stamps = syslog_parse(&opts, kept, n, j->o);
	free(kept);
	if (stamps || blank || !n)
		need_say(j->o, NEED_LOG, VALID_OK, "");
}

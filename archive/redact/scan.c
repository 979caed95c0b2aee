/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and replaces names within texts, in one pass. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "archive/redact/redact_private.h"
#include "base/mem.h"

#define CUT_LEN 4 /* a cut text's last letters are treated as a name from this length */

static bool is_alnum(char c)
{
	return isalnum((unsigned char)c) != 0 || (unsigned char)c >= 0x80;
}

static bool is_alpha(char c)
{
	return isalpha((unsigned char)c) != 0;
}

/* True at a word boundary: between a letter or digit and another character. */
static bool is_edge(const char *text, size_t at, size_t n)
{
	return at == 0 || at >= n || !is_alnum(text[at - 1]) || !is_alnum(text[at]);
}

/* Finds the longest learnt word at this place. *cut: the text ends within a word. */
static uint32_t longest_word(
	const struct redact *r, const char *text, size_t at, size_t n, size_t *len, bool *cut)
{
	uint32_t node = 0, found = 0;
	bool begins = is_edge(text, at, n);
	size_t i;

	*cut = false;
	for (i = at; i < n; i++) {
		uint32_t word;

		node = trie_step(&r->words, node, (unsigned char)text[i]);
		if (!node)
			return found;
		word = r->words.nodes.at[node].word;
		if (!word ||
			(!r->list.at[word - 1].anywhere && (!begins || !is_edge(text, i + 1, n))))
			continue;
		found = word;
		*len = i + 1 - at;
	}
	*cut = r->cut && begins && i - at >= CUT_LEN && found == 0;
	return found;
}

static bool is_domain_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Length of a domain such as ".dc1.example.com" after a name; 0: no domain. */
static size_t domain_behind(const char *text, size_t at, size_t n)
{
	size_t end = at;

	while (end + 1 < n && text[end] == '.' && is_alpha(text[end + 1])) {
		size_t i = end + 1;

		while (i < n && is_domain_char(text[i]))
			i++;
		end = i;
	}
	return end - at;
}

static const char *const tops[] = {"com", "net", "org", "io", "edu", "gov", "mil", "int", "local",
	"lan", "internal", "intranet", "corp", "cloud", "ai", "dev", "example", "test", "home",
	"arpa", "info", "site", "private"};

static bool is_top(const char *s, size_t n, unsigned labels)
{
	if (n == 2 && labels >= 3 && is_alpha(s[0]) && is_alpha(s[1]))
		return true;
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		if (strlen(tops[i]) == n && strncasecmp(tops[i], s, n) == 0)
			return true;
	return false;
}

/* Length of a host name with a domain that was not learnt. *label: length of its first part. */
static size_t unlearnt_host(const char *text, size_t at, size_t n, size_t *label)
{
	size_t i = at, last = at;
	unsigned labels = 0;

	if (!is_edge(text, at, n) || !is_alnum(text[at]))
		return 0;
	for (;;) {
		size_t from = i;

		while (i < n && is_domain_char(text[i]))
			i++;
		if (i == from)
			break;
		if (!labels++)
			*label = i - at;
		last = from;
		if (i + 1 >= n || text[i] != '.' || !is_domain_char(text[i + 1]))
			break;
		i++;
	}
	return labels >= 2 && is_top(text + last, i - last, labels) ? i - at : 0;
}

/* Length of the account before an '@': "ann@leaf-r3-00", "ann.b@example.com". */
static size_t account_length(const char *text, size_t at, size_t n)
{
	size_t i = at;

	if (!is_edge(text, at, n) || !is_alnum(text[at]))
		return 0;
	while (i < n && (is_domain_char(text[i]) || strchr(".%+", text[i])))
		i++;
	return i + 1 < n && i > at && text[i] == '@' && is_alnum(text[i + 1]) ? i - at : 0;
}

static void put_word(struct redact *r, uint32_t word, struct buf *out)
{
	r->list.at[word].times++;
	(void)buf_adds(out, r->list.at[word].to);
}

static size_t put_known(struct redact *r, uint32_t word, const char *text, size_t at, size_t n,
	size_t len, struct buf *out)
{
	uint8_t kind = r->list.at[word].kind;
	size_t end = at + len, domain;

	/* A longer word that begins with a learnt one, such as an unknown switch, is a name as
	 * well. */
	if (kind != NAMED_KEEP && !is_edge(text, end, n) && is_edge(text, at, n)) {
		while (end < n && is_alnum(text[end]))
			end++;
		word = redact_word(r, kind <= NAMED_NAME ? NAMED_NAME : (enum redact_kind)kind,
			text + at, end - at);
	}
	put_word(r, word, out);
	domain = kind <= NAMED_NAME ? domain_behind(text, end, n) : 0;
	if (domain) {
		uint32_t site = redact_word(r, NAMED_DOMAIN, text + end + 1, domain - 1);

		(void)buf_adds(out, ".");
		put_word(r, site, out);
	}
	return end + domain - at;
}

size_t redact_take_name(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t len = 0, label = 0, host;
	bool cut;
	uint32_t word = longest_word(r, text, at, n, &len, &cut);

	if (cut) {
		(void)buf_adds(out, "name");
		return n - at;
	}
	if (word)
		return put_known(r, word - 1, text, at, n, len, out);
	len = account_length(text, at, n);
	if (len) {
		put_word(r, redact_word(r, NAMED_USER, text + at, len), out);
		return len;
	}
	host = unlearnt_host(text, at, n, &label);
	if (!host)
		return 0;
	put_word(r, redact_word(r, NAMED_NAME, text + at, label), out);
	(void)buf_adds(out, ".");
	put_word(r, redact_word(r, NAMED_DOMAIN, text + at + label + 1, host - label - 1), out);
	return host;
}

/* The host of a URL. A name that was not learnt may have no domain. */
static size_t take_authority(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at + 3, from, taken;

	if (at + 4 >= n || strncmp(text + at, "://", 3) != 0 || at == 0 || !is_alpha(text[at - 1]))
		return 0;
	(void)buf_adds(out, "://");
	while (end < n && !strchr("/?#\"' <>\t\r\n", text[end]))
		end++;
	from = at + 3;
	for (size_t i = from; i < end; i++)
		if (text[i] == '@') { /* an account, perhaps with its password */
			r->secrets++;
			from = i + 1;
		}
	if (from >= end)
		return from - at;
	taken = redact_take_address(r, text, from, end, out);
	if (!taken && text[from] == '[')
		return from - at;
	if (!taken)
		taken = redact_take_name(r, text, from, end, out);
	if (!taken) {
		size_t i = from;

		while (i < end && is_domain_char(text[i]))
			i++;
		if (i > from)
			put_word(r, redact_word(r, NAMED_NAME, text + from, i - from), out);
		taken = i - from;
	}
	return from + taken - at;
}

/* A secret may stand a first time before the words that tell of it. */
static void learn_secrets(struct redact *r, const char *text, size_t n, struct buf *piece)
{
	uint64_t secrets = r->secrets;

	r->command = NULL;
	for (size_t at = 0; at < n;) {
		size_t taken = redact_take_secret(r, text, at, n, piece);

		at += taken ? taken : 1;
		buf_reset(piece);
	}
	r->secrets = secrets;
}

/* The account of a URL where it has a password: "https://ann:x@host". */
static size_t take_url_password(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at + 3, colon = 0;

	if (at + 4 >= n || strncmp(text + at, "://", 3) != 0)
		return 0;
	for (; end < n && !strchr("/?#\"' <>\t\r\n@", text[end]); end++)
		if (text[end] == ':' && !colon)
			colon = end;
	if (end >= n || text[end] != '@' || !colon)
		return 0;
	(void)buf_adds(out, "://");
	redact_drop(r, text + colon + 1, end - colon - 1, out);
	(void)buf_adds(out, "@");
	return end + 1 - at;
}

/* A secret that was told before, or a name that stays. */
static size_t take_learnt(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t len = 0;
	bool cut;
	uint32_t word = longest_word(r, text, at, n, &len, &cut);

	if (!word)
		return 0;
	put_word(r, word - 1, out);
	return len;
}

/* Tries all of them at one place, names and addresses only where these do not stay. */
static size_t take_any(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t taken = redact_take_secret(r, text, at, n, out);

	if (r->names_stay) {
		if (!taken)
			taken = take_url_password(r, text, at, n, out);
		if (!taken)
			taken = take_learnt(r, text, at, n, out);
	} else {
		if (!taken)
			taken = take_authority(r, text, at, n, out);
		if (!taken)
			taken = redact_take_address(r, text, at, n, out);
		if (!taken)
			taken = redact_take_name(r, text, at, n, out);
		if (!taken)
			taken = redact_take_account(r, text, at, n, out);
	}
	return taken ? taken : redact_take_form(r, text, at, n, out);
}

void redact_scan(struct redact *r, const char *text, size_t n, struct buf *out)
{
	size_t at = 0, plain = 0;
	struct buf piece;

	buf_init(&piece, n + 4096);
	learn_secrets(r, text, n, &piece);
	r->command = NULL;
	while (at < n) {
		size_t taken = take_any(r, text, at, n, &piece);

		if (!taken) {
			at++;
			continue;
		}
		(void)buf_add(out, text + plain, at - plain);
		(void)buf_add(out, piece.data ? piece.data : "", piece.len);
		buf_reset(&piece);
		at += taken;
		plain = at;
	}
	(void)buf_add(out, text + plain, n - plain);
	buf_free(&piece);
}

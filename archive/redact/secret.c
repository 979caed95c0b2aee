/* SPDX-License-Identifier: Apache-2.0 */
/* Removes likely secrets with everything that may belong to them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "archive/redact/redact_private.h"
#include "base/mem.h"

/* A dropped secret of such a length is dropped wherever it stands, but not more of them than this.
 */
#define LEARN_LEN     6
#define LEARN_LONGEST 128
#define LEARN_MOST    4096

/* How sure a word is that a secret follows. */
enum teller_kind {
	TELLS_NEXT, /* also the next word, but for the words of sentences */
	TELLS_SIGN, /* only after ':' or '=', or as an option of a command */
	TELLS_FORM, /* the same, and the next word where it has the form of a secret */
};

static const struct teller {
	const char *word;
	enum teller_kind kind;
} tellers[] = {
	{"password", TELLS_NEXT},
	{"passwd", TELLS_NEXT},
	{"passphrase", TELLS_NEXT},
	{"passcode", TELLS_NEXT},
	{"secret", TELLS_NEXT},
	{"community", TELLS_NEXT},
	{"bearer", TELLS_NEXT},
	{"key-string", TELLS_NEXT},
	{"passkey", TELLS_NEXT},
	{"version 2c", TELLS_NEXT}, /* of SNMP: a community follows */
	{"pre-shared-key", TELLS_NEXT},
	{"authorization", TELLS_SIGN},
	{"credential", TELLS_SIGN},
	{"credentials", TELLS_SIGN},
	{"apikey", TELLS_SIGN},
	{"psk", TELLS_FORM},
	{"cookie", TELLS_SIGN},
	{"cookies", TELLS_SIGN},
	{"sessionid", TELLS_SIGN},
	{"auth", TELLS_SIGN},
	{"passwort", TELLS_NEXT},
	{"pass", TELLS_FORM},
	{"pwd", TELLS_FORM},
	{"pw", TELLS_FORM},
	{"pin", TELLS_SIGN},
	{"otp", TELLS_SIGN},
	{"token", TELLS_FORM},
	{"key", TELLS_FORM},
};

/* Words that follow "password" in ordinary sentences. */
static bool is_plain_word(const char *s, size_t n)
{
	static const char *const plain[] = {"or", "and", "not", "is", "was", "are", "refused",
		"for", "of", "the", "accepted", "required", "authentication", "expired", "prompt",
		"in", "file", "by", "has", "to", "a", "an", "no", "none", "but", "from", "with",
		"wrong", "string", "list", "required", "incorrect", "invalid", "missing", "empty",
		"too", "set", "unknown", "that", "this", "change", "changed", "auth", "entry",
		"store", "prompted", "given", "on", "at", "will", "must", "may", "can", "only",
		"down", "up", "needed", "used", "removed", "stored", "been", "login", "logins",
		"checks"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strlen(plain[i]) == n && strncasecmp(plain[i], s, n) == 0)
			return true;
	return false;
}

static const struct teller *match_teller(const char *text, size_t at, size_t n)
{
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		size_t len;

		if (((tellers[i].word[0] ^ text[at]) & ~0x20) != 0)
			continue;
		len = strlen(tellers[i].word);
		if (at + len < n && strncasecmp(text + at, tellers[i].word, len) == 0 &&
			!isalnum((unsigned char)text[at + len]))
			return &tellers[i];
	}
	return NULL;
}

static size_t count_spaces(const char *text, size_t at, size_t n)
{
	size_t from = at;

	while (at < n && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at - from;
}

/* The end of the value: its closing quote, or the next separator; within JSON also the text's end.
 */
static size_t value_end(const char *text, size_t at, size_t n, char quote)
{
	while (at < n && text[at] != '\n' && text[at] != '\r') {
		if (quote && text[at] == '\\' && at + 1 < n)
			at++;
		else if (quote ? text[at] == quote : strchr(" \t,;}])\"", text[at]) != NULL)
			break;
		else if (!quote && at + 1 < n &&
			 ((text[at] == '<' && text[at + 1] == '/') ||
				 (text[at] == '\\' && strchr("\"nrt", text[at + 1]))))
			break;
		at++;
	}
	return at < n ? at : n;
}

/* The same where the opening quote at from may be one of a text within JSON: \". *begin: the value.
 */
static size_t quoted_end(const char *text, size_t from, size_t n, size_t *begin)
{
	const char *end;

	*begin = from;
	if (from < n && (text[from] == '"' || text[from] == '\'')) {
		*begin = from + 1;
		return value_end(text, from + 1, n, text[from]);
	}
	if (from + 2 >= n || text[from] != '\\' || text[from + 1] != '"')
		return value_end(text, from, n, '\0');
	*begin = from + 2;
	end = memmem(text + *begin, n - *begin, "\\\"", 2);
	return end ? (size_t)(end - text) : value_end(text, *begin, n, '\0');
}

/* The encoding before a secret: "7 0822455D0A16", "sha512 $6$...", "Basic bm9j...". */
static bool is_form(const char *s, size_t n)
{
	static const char *const names[] = {"sha512", "sha256", "md5", "basic", "bearer", "digest",
		"encrypted", "hash", "cleartext", "plain"};

	if (n <= 2 && isdigit((unsigned char)s[0]))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && strncasecmp(names[i], s, n) == 0)
			return true;
	return false;
}

/* "Ethernet12" and the like have letters and digits as well. */
static bool is_port(const char *s, size_t n)
{
	static const char *const names[] = {"ethernet", "eth", "swp", "enp", "ens", "eno", "mlx5_",
		"bond", "port-channel", "etp", "rail", "lane", "queue", "gpu", "node", "leaf"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (n > len && strncasecmp(s, names[i], len) == 0 && isdigit((unsigned char)s[len]))
			return true;
	}
	return false;
}

/* A word that people choose or programs make as a secret, and not one of a sentence. */
static bool has_secret_form(const char *s, size_t n)
{
	bool letter = false, digit = false, sign = false;

	for (size_t i = 0; i < n; i++) {
		letter |= isalpha((unsigned char)s[i]) != 0;
		digit |= isdigit((unsigned char)s[i]) != 0;
		sign |= strchr("!@#$%^&*?+~", s[i]) != NULL;
	}
	return n >= 5 && letter && (digit || sign) && !is_port(s, n);
}

void redact_drop(struct redact *r, const char *secret, size_t n, struct buf *out)
{
	uint32_t *slot;

	(void)buf_adds(out, REDACT_GONE);
	r->secrets++;
	if (n < LEARN_LEN || n > LEARN_LONGEST || r->learnt >= LEARN_MOST ||
		!has_secret_form(secret, n))
		return;
	slot = trie_put(&r->words, secret, n);
	if (*slot)
		return;
	*slot = (uint32_t)r->list.n + 1;
	vec_push(&r->list,
		(struct redact_word){
			.to = mem_strdup(REDACT_GONE), .kind = NAMED_SECRET, .anywhere = true});
	r->learnt++;
}

static bool is_word_of(const char *s, size_t n, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == n && strncasecmp(words[i], s, n) == 0)
			return true;
	return false;
}

/* Length of " is ", " for ann was set to " and the like, which lead to the secret; 0: none. */
static size_t lead_length(const char *text, size_t at, size_t n)
{
	static const char *const leads[] = {"is", "was", "to", "now"};
	static const char *const between[] = {"set", "reset", "changed", "rotated"};
	size_t i = at, last = 0;

	for (unsigned words = 0; words < 7; words++) {
		size_t from, len;

		i += count_spaces(text, i, n);
		from = i;
		while (i < n && !strchr(" \t\r\n,;.:=", text[i]))
			i++;
		len = i - from;
		if (!len || i >= n || (text[i] != ' ' && text[i] != ':'))
			break;
		if (is_word_of(text + from, len, leads, 4) || text[i] == ':')
			last = i + 1 - at;
		else if (last && !is_word_of(text + from, len, between, 4))
			break;
		if (text[i] == ':')
			break;
	}
	return last;
}

/* "Password is hunter2", "the key was changed to ab12cd". */
static size_t take_told_value(struct redact *r, const struct teller *t, const char *text, size_t at,
	size_t from, size_t n, struct buf *out)
{
	size_t lead = t->kind == TELLS_SIGN ? 0 : lead_length(text, from, n), i, end;

	if (!lead)
		return 0;
	end = quoted_end(text, from + lead + count_spaces(text, from + lead, n), n, &i);
	if (end <= i || is_plain_word(text + i, end - i) ||
		(t->kind == TELLS_FORM && !has_secret_form(text + i, end - i)))
		return 0;
	(void)buf_add(out, text + at, i - at);
	redact_drop(r, text + i, end - i, out);
	return end - at;
}

/* Where the value begins after the keyword at from. *told: a sign stands between. */
static size_t value_begin(const char *text, size_t at, size_t from, size_t n, bool *told)
{
	size_t i = from;

	if (i < n && (text[i] == '"' || text[i] == '\''))
		i++;
	else if (i + 1 < n && text[i] == '\\' && text[i + 1] == '"')
		i += 2;
	i += count_spaces(text, i, n);
	*told = i < n &&
		(text[i] == ':' || text[i] == '=' || (text[i] == '>' && at && text[at - 1] == '<'));
	if (*told && i + 1 < n && text[i] == '=' && text[i + 1] == '>')
		i++;
	return *told ? i + 1 + count_spaces(text, i + 1, n) : i;
}

/* The end of "7 0822455D0A16", "1 md5 7 0822455D0A16": a form, perhaps several, and the secret. */
static size_t formed_end(const char *text, size_t i, size_t end, size_t n)
{
	size_t word = i, next, begin;

	while (is_form(text + word, end - word) && end + 1 < n && text[end] == ' ') {
		next = quoted_end(text, end + 1, n, &begin);
		if (next <= begin || is_plain_word(text + end + 1, next - end - 1))
			break;
		word = end + 1;
		end = next;
	}
	return end;
}

/* Whether the value belongs to the keyword, which has no sign after it. */
static bool follows_keyword(
	const struct teller *t, const char *text, size_t at, size_t i, size_t end, size_t n)
{
	if (is_plain_word(text + i, end - i))
		return false;
	/* "key 7 0822...", "--token abc" */
	return t->kind == TELLS_NEXT || formed_end(text, i, end, n) > end ||
	       (at && text[at - 1] == '-') ||
	       (t->kind == TELLS_FORM && has_secret_form(text + i, end - i));
}

static size_t take_keyword_value(
	struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	const struct teller *t = match_teller(text, at, n);
	size_t from, begin, i, end, taken;
	bool told = false, within = at && isalnum((unsigned char)text[at - 1]);

	if (!t || (within && t->kind != TELLS_NEXT))
		return 0;
	from = at + strlen(t->word);
	begin = value_begin(text, at, from, n, &told);
	/* "PGPASSWORD=", "clientSecret:" */
	if (begin >= n || (within && !told))
		return 0;
	if (!told) {
		taken = take_told_value(r, t, text, at, from, n, out);
		if (taken)
			return taken;
	}
	end = quoted_end(text, begin, n, &i);
	if (end <= i || (!told && (!strchr(" \t", text[begin - 1]) ||
					  !follows_keyword(t, text, at, i, end, n))))
		return 0;
	(void)buf_add(out, text + at, i - at);
	if (i == begin)
		end = formed_end(text, i, end, n);
	redact_drop(r, text + i, end - i, out);
	return end - at;
}

/* "-----BEGIN OPENSSH PRIVATE KEY-----" to its end, or the rest of the text. */
static size_t take_pem(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	static const char begin[] = "-----BEGIN ", stop[] = "-----END ";
	const char *end;

	if (n - at < sizeof(begin) || memcmp(text + at, begin, sizeof(begin) - 1) != 0)
		return 0;
	end = memmem(text + at, n - at, stop, sizeof(stop) - 1);
	redact_drop(r, "", 0, out);
	if (!end)
		return n - at;
	end += sizeof(stop) - 1;
	while (end < text + n && *end != '\n' && *end != '"')
		end++;
	return (size_t)(end - (text + at));
}

/* "$6$salt$hash", "ssh-rsa AAAA..." */
static size_t take_hash(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t end = at;

	if (n - at > 8 && text[at] == '$' && isalnum((unsigned char)text[at + 1]) &&
		(text[at + 2] == '$' || text[at + 3] == '$')) {
		while (end < n && !strchr(" \t\r\n\"',;:", text[end]))
			end++;
	} else if (n - at > 16 && memcmp(text + at, "AAAA", 4) == 0 &&
		   (!at || !isalnum((unsigned char)text[at - 1]))) {
		while (end < n && (isalnum((unsigned char)text[end]) || strchr("+/=", text[end])))
			end++;
		if (end - at < 40)
			return 0;
	}
	if (end == at)
		return 0;
	redact_drop(r, "", 0, out);
	return end - at;
}

size_t redact_take_secret(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	size_t taken = redact_take_option(r, text, at, n, out);

	if (taken)
		return taken;
	switch (text[at]) {
	case '-':
		return take_pem(r, text, at, n, out);
	case '$':
	case 'A':
		taken = take_hash(r, text, at, n, out);
		break;
	default:
		break;
	}
	return taken || !isalpha((unsigned char)text[at]) ? taken
							  : take_keyword_value(r, text, at, n, out);
}

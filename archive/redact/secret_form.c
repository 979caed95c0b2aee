/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that nothing announces, by their form: tokens of known makers, keys, fingerprints, noise.
 */
#include <ctype.h>
#include <string.h>

#include "archive/redact/redact_private.h"

/* What makers put before their tokens; at least more characters follow. */
static const struct {
	const char *begin;
	size_t more;
} makers[] = {
	{"ghp_", 16},
	{"gho_", 16},
	{"ghu_", 16},
	{"ghs_", 16},
	{"ghr_", 16},
	{"github_pat_", 16},
	{"glpat-", 12},
	{"gldt-", 12},
	{"xoxb-", 10},
	{"xoxp-", 10},
	{"xoxa-", 10},
	{"xoxs-", 10},
	{"AKIA", 12},
	{"ASIA", 12},
	{"AIza", 20},
	{"ya29.", 16},
	{"sk-", 20},
	{"sk_live_", 10},
	{"sk_test_", 10},
	{"rk_live_", 10},
	{"hf_", 16},
	{"npm_", 16},
	{"pypi-", 16},
	{"dop_v1_", 16},
	{"SG.", 20},
	{"hvs.", 12},
	{"nvapi-", 16},
	{"eyJ", 16},
	{"shpat_", 16},
	{"dckr_pat_", 12},
	{"lin_api_", 12},
	{"tfp_", 16},
	{"PMAK-", 16},
	{"glsa_", 16},
	{"ATATT", 16},
	{"xapp-", 10},
	{"age-secret-key-", 16},
	{"tskey-", 12},
	{"whsec_", 12},
};

static bool is_token_char(char c)
{
	return isalnum((unsigned char)c) || strchr("_-+/=~.", c) != NULL;
}

static size_t token_length(const char *text, size_t n)
{
	size_t len = 0;

	while (len < n && text[len] && is_token_char(text[len]))
		len++;
	while (len && strchr(".=-", text[len - 1]) && len > 1 && text[len - 1] != '=')
		len--;
	return len;
}

static bool is_of_a_maker(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		size_t begin = strlen(makers[i].begin);

		if (len >= begin + makers[i].more && memcmp(text, makers[i].begin, begin) == 0)
			return true;
	}
	return false;
}

enum letter_class { UPPER, LOWER, DIGIT, CLASSES };

static enum letter_class class_of(char c)
{
	return isdigit((unsigned char)c) ? DIGIT : isupper((unsigned char)c) ? UPPER : LOWER;
}

/*
 * Whether letters and digits follow each other as in random text. In random text of three classes
 * 62 % of neighbours differ in class, of two classes 40 to 50 %; in names a few do, at the borders
 * of their parts.
 */
static bool is_noise(const char *s, size_t n)
{
	size_t of[CLASSES] = {0}, changes = 0, hex = 0;
	int classes;

	for (size_t i = 0; i < n; i++) {
		of[class_of(s[i])]++;
		hex += isxdigit((unsigned char)s[i]) != 0;
		changes += i && class_of(s[i]) != class_of(s[i - 1]);
	}
	classes = (of[UPPER] > 0) + (of[LOWER] > 0) + (of[DIGIT] > 0);
	if (hex == n)
		return n >= 32 && classes >= 2;
	/* What is so long and has no separator is no name: a certificate is not all random. */
	if (n >= 40 && classes >= 2 && changes * 100 >= (n - 1) * 30)
		return true;
	if (classes == (int)CLASSES)
		return n >= 16 && of[DIGIT] >= 2 && changes * 100 >= (n - 1) * 42;
	return classes == 2 && of[DIGIT] >= 3 && of[DIGIT] < n - 3 && n >= 20 &&
	       changes * 100 >= (n - 1) * 30;
}

/* Noise between separators, "+", "/", "=" and "_" of base64 left out of account. */
static size_t noise_length(const char *text, size_t n)
{
	char plain[512];
	size_t len = 0, letters = 0;

	while (len < n && letters < sizeof(plain) &&
		(isalnum((unsigned char)text[len]) || strchr("+=_", text[len]))) {
		if (isalnum((unsigned char)text[len]))
			plain[letters++] = text[len];
		len++;
	}
	return is_noise(plain, letters) ? token_length(text, n) : 0;
}

/* "SHA256:mVs...", and hex octets with colons, sixteen or more: fingerprints of keys. */
static size_t fingerprint_length(const char *text, size_t n)
{
	size_t at = 0, octets = 0;

	if (n > 39 && memcmp(text, "SHA256:", 7) == 0) {
		for (at = 7;
			at < n && (isalnum((unsigned char)text[at]) || strchr("+/=", text[at]));)
			at++;
		return at >= 39 ? at : 0;
	}
	while (at + 2 <= n && isxdigit((unsigned char)text[at]) &&
		isxdigit((unsigned char)text[at + 1])) {
		octets++;
		at += 2;
		if (at + 2 >= n || text[at] != ':' || !isxdigit((unsigned char)text[at + 1]))
			break;
		at++;
	}
	return octets >= 16 ? at : 0;
}

size_t redact_take_form(struct redact *r, const char *text, size_t at, size_t n, struct buf *out)
{
	bool begins = at == 0 || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
	size_t len, taken = 0;

	if (!begins || !isalnum((unsigned char)text[at]))
		return 0;
	taken = fingerprint_length(text + at, n - at);
	if (!taken) {
		len = token_length(text + at, n - at);
		if (len >= 16)
			taken = is_of_a_maker(text + at, len) ? len
							      : noise_length(text + at, n - at);
	}
	if (!taken)
		return 0;
	redact_drop(r, "", 0, out);
	return taken;
}

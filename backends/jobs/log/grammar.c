/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "backends/jobs/log/log.h"

/*
 * Sentences that no table has, by the parts of speech in them: something that runs and its end, or
 * a start that failed, an attempt to connect and its failure, waiting for others in vain, a
 * connection that another one closed. Words of every launcher and framework differ, but these parts
 * do not. The names of exceptions and of status codes are read as sentences, too:
 * "RendezvousClosedError", "NIXL_ERR_REMOTE_DISCONNECT".
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
/* A verb belongs to a noun that stands so few words before it. */
#define WORDS_BETWEEN 6
#define WORDS_MOST    48

/* What runs: each also in the plural. */
static const char *const runners[] = {"worker", "process", "proc", "daemon", "task", "actor",
	"node", "agent", "pod", "container", "rank", "engine", "executor", "raylet", "trainer",
	"subprocess", "child", "replica", "scheduler", "launcher", "peer", "job"};
/* Verbs of an end that nobody wanted; a blank stands for the words between two of them. */
static const char *const ends[] = {
	"died", "dead", "killed", "crashed", "disappeared", "aborted", "segfaulted", "oomkilled"};
/* Verbs of an end that tell so only with one of the words after them or before them. */
static const char *const exits[] = {"exited", "exits", "terminated", "failed", "ended", "stopped",
	"quit", "signaled", "signalled"};
static const char *const sudden[] = {"unexpectedly", "prematurely", "abnormally", "non-zero",
	"nonzero", "signal", "sigkill", "sigsegv", "sigabrt", "sigbus"};

static const char *const tries[] = {"connect", "connecting", "connection", "connections",
	"reconnect", "handshake", "rendezvous"};
static const char *const fails[] = {"failed", "fail", "fails", "failure", "unable", "cannot",
	"couldn't", "could", "can't", "refused", "unreachable", "timeout", "timed", "error"};
static const char *const waits[] = {"waiting", "wait", "waited", "join", "joined", "arrive",
	"arrived", "barrier", "rendezvous", "respond", "responded"};

/* "failed to start" */
static const char *const starts[] = {"start", "started", "starting", "startup", "launch",
	"launched", "initialize", "initialise", "init", "initialization", "boot", "spawn"};
static const char *const starts_not[] = {
	"failed", "fail", "fails", "failure", "unable", "cannot", "couldn't", "can't"};
/* "Unable to create QP": what an RDMA program makes before it sends anything. */
static const char *const makes[] = {
	"create", "creating", "open", "opening", "allocate", "alloc", "modify", "register", "reg"};
static const char *const posts[] = {"post", "posting", "poll", "polling"};
static const char *const posted[] = {"send", "recv", "receive", "cq", "srq", "wr"};
static const char *const of_verbs[] = {
	"qp", "qps", "cq", "cqs", "pd", "mr", "mrs", "ah", "av", "srq", "ib", "ibv"};
/* What connects two, and that it is no more. */
static const char *const links[] = {"connection", "connections", "rendezvous", "remote", "peer",
	"socket", "channel", "endpoint", "store", "transport", "session", "stream"};
static const char *const closes[] = {"closed", "disconnect", "disconnected", "disconnects", "reset",
	"broken", "vanished", "gone"};

/* What carries data between two, while it runs: "NIXL transfer failure". */
static const char *const transfers[] = {"transfer", "transfers", "xfer"};
static const char *const failed[] = {"failed", "fail", "fails", "failure"};

/* The words of a sentence, without what stands around them. */
struct sentence {
	const char *at[WORDS_MOST];
	size_t len[WORDS_MOST];
	unsigned n;
};

/* The end of the word at s: at what is no letter, and within a name at "_" or before a capital. */
static size_t word_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (s[n] && strchr("-'", s[n]))) {
		n++;
		if (islower((unsigned char)s[n - 1]) && isupper((unsigned char)s[n]))
			break;
		/* The last capital of several begins a word: "HTTPServer". */
		if (n > 1 && isupper((unsigned char)s[n - 1]) && isupper((unsigned char)s[n]) &&
			islower((unsigned char)s[n + 1]))
			break;
	}
	return n;
}

static void split(const char *s, struct sentence *out)
{
	out->n = 0;
	while (*s && out->n < WORDS_MOST) {
		size_t n;

		while (*s && !isalnum((unsigned char)*s))
			s++;
		n = word_len(s);
		if (!n)
			continue;
		out->at[out->n] = s;
		out->len[out->n++] = n;
		s += n;
	}
}

static bool is_word(const struct sentence *s, unsigned i, const char *word)
{
	size_t n = strlen(word);

	return s->len[i] == n && strncasecmp(s->at[i], word, n) == 0;
}

static bool is_any(const struct sentence *s, unsigned i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (is_word(s, i, words[k]))
			return true;
	return false;
}

/* "worker", "workers", "processes", "WorkerProc", "VllmWorker-1" */
static bool is_runner(const struct sentence *s, unsigned i)
{
	for (size_t k = 0; k < ARRAY_LEN(runners); k++) {
		size_t n = strlen(runners[k]);

		if (s->len[i] >= n && s->len[i] <= n + 2 &&
			strncasecmp(s->at[i], runners[k], n) == 0)
			return true;
	}
	return false;
}

static bool has_runner_before(const struct sentence *s, unsigned end)
{
	unsigned from = end > WORDS_BETWEEN ? end - WORDS_BETWEEN : 0;

	for (unsigned i = from; i < end; i++)
		if (is_runner(s, i))
			return true;
	return false;
}

static bool is_sudden(const struct sentence *s, unsigned verb)
{
	unsigned from = verb ? verb - 1 : 0, to = verb + 5 < s->n ? verb + 5 : s->n;

	for (unsigned i = from; i < to; i++)
		if (i != verb && is_any(s, i, sudden, ARRAY_LEN(sudden)))
			return true;
	return false;
}

/* "Worker proc 1 died unexpectedly", "An ORTE daemon has unexpectedly failed". */
static bool tells_end(const struct sentence *s)
{
	for (unsigned i = 1; i < s->n; i++) {
		if (!has_runner_before(s, i))
			continue;
		if (is_any(s, i, ends, ARRAY_LEN(ends)) ||
			(is_any(s, i, exits, ARRAY_LEN(exits)) && is_sudden(s, i)))
			return true;
	}
	return false;
}

static bool has_any(const struct sentence *s, const char *const *words, size_t n)
{
	for (unsigned i = 0; i < s->n; i++)
		if (is_any(s, i, words, n))
			return true;
	return false;
}

/* Whether a word of one list stands within so many words of one of the other. */
static bool are_near(const struct sentence *s, const char *const *a, size_t na,
	const char *const *b, size_t nb, unsigned within)
{
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = i > within ? i - within : 0;
			is_any(s, i, a, na) && k < s->n && k <= i + within; k++)
			if (k != i && is_any(s, k, b, nb))
				return true;
	return false;
}

/* "EngineCore failed to start", "Failed to initialize worker". */
static bool tells_no_start(const struct sentence *s)
{
	if (!are_near(s, starts_not, ARRAY_LEN(starts_not), starts, ARRAY_LEN(starts), 3))
		return false;
	for (unsigned i = 0; i < s->n; i++)
		if (is_runner(s, i))
			return true;
	return false;
}

static bool tells_not_made(const struct sentence *s)
{
	return (are_near(s, starts_not, ARRAY_LEN(starts_not), makes, ARRAY_LEN(makes), 3) &&
		       are_near(s, makes, ARRAY_LEN(makes), of_verbs, ARRAY_LEN(of_verbs), 2)) ||
	       (are_near(s, starts_not, ARRAY_LEN(starts_not), posts, ARRAY_LEN(posts), 4) &&
		       are_near(s, posts, ARRAY_LEN(posts), posted, ARRAY_LEN(posted), 2));
}

bool nccl_log_tells_no_start(const char *message)
{
	struct sentence s;

	split(message, &s);
	return tells_no_start(&s);
}

bool nccl_log_tells_closed(const char *message)
{
	struct sentence s;

	split(message, &s);
	return are_near(&s, links, ARRAY_LEN(links), closes, ARRAY_LEN(closes), 1);
}

enum nccl_trouble nccl_log_grammar(const char *message, enum log_level level, bool names_part)
{
	struct sentence s;
	bool bad = level >= LEVEL_ERROR;

	split(message, &s);
	if (level >= LEVEL_PLAIN && (tells_end(&s) || tells_not_made(&s)))
		return TROUBLE_ERROR;
	if (level >= LEVEL_FATAL || (bad && tells_no_start(&s)))
		return TROUBLE_ERROR;
	if (!bad || !names_part || !has_any(&s, fails, ARRAY_LEN(fails)))
		return TROUBLE_COUNT;
	if (are_near(&s, transfers, ARRAY_LEN(transfers), failed, ARRAY_LEN(failed), 3))
		return TROUBLE_ERROR;
	if (has_any(&s, tries, ARRAY_LEN(tries)) || has_any(&s, waits, ARRAY_LEN(waits)))
		return TROUBLE_CONNECT;
	return TROUBLE_COUNT;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCHIVE_NOTICE_BOOK_H
#define ARCHIVE_NOTICE_BOOK_H

#include "archive/notice/notice.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * The book of a receiver: what it was told. It decides the next message from the newest set of
 * notices. There is no queue: a receiver that was dead gets the present state when it is back, and
 * not the messages that it missed. No I/O and no clock; one thread.
 *
 *   book_next() gives the next message. The caller saves the book before it sends: an entry whose
 *   message is under way says so (sending). Then book_sent() or book_failed(), and it saves again.
 *   So after a kill nothing is told twice, but for a message that was under way at that time.
 */
#define BOOK_MOST 768 /* entries */

enum message_kind {
	MESSAGE_NONE,
	MESSAGE_TRIGGER,     /* new */
	MESSAGE_UPDATE,      /* more severe, or its page became one of many */
	MESSAGE_ACKNOWLEDGE, /* an operator acknowledged it */
	MESSAGE_RESOLVE,     /* it is over, or part of another one */
	MESSAGE_RESEND,      /* the same again, for a receiver that forgets */
	MESSAGE_TEST,
	MESSAGE_KINDS
};
const char *message_kind_name(enum message_kind k); /* "trigger", ... (contract) */

enum book_state {
	BOOK_WAITING,  /* seen, and not told yet */
	BOOK_FIRING,   /* told */
	BOOK_RESOLVED, /* its end was told */
};

struct book_entry {
	struct notice n; /* as it was seen last, without its JSON */
	enum book_state state;
	enum message_kind sending;   /* under way: nobody knows whether it arrived */
	enum severity told_severity; /* of the last trigger or update */
	bool told_ack;
	int64_t seen_us, gone_us;     /* wall: first seen, not seen any more since; 0 */
	int64_t told_us, resolved_us; /* wall: of the last message, and of the resolve; 0 */
	unsigned refusals;            /* the receiver refused this message so often */
	char why[120];                /* of a resolve, or why its state is not known; "" */
	bool unseen;                  /* its devices are silent: it is still told as firing */
};

struct book_policy {
	enum severity severity;   /* least */
	int64_t wait_us, hold_us; /* see struct plan_notify */
	int64_t resend_us;        /* 0: this receiver forgets nothing */
	unsigned per_hour;
	bool acknowledges; /* it has a word for that */
};

struct book {
	VEC(struct book_entry) at;
	VEC(int64_t) triggers;   /* wall times of the triggers of the last hour */
	unsigned held_back;      /* notices above per_hour, now */
	uint64_t missed;         /* came and went while the receiver was dead, or within wait_us */
	struct notice_set *last; /* the newest set; the book has a reference */
};

void book_free(struct book *b);
/* Takes the newest set into account. */
void book_take(struct book *b, const struct book_policy *p, struct notice_set *set, int64_t now_us);

struct message {
	enum message_kind kind;
	size_t entry;              /* index in the book */
	enum severity told_before; /* of an update: the severity that the receiver knows */
	char why[120];             /* of a resolve; "" */
};
/*
 * The next message: the most severe trigger first, then ends, acknowledgements and repetitions.
 * False: none now; *due_us is the wall time of the next look, INT64_MAX: with the next set.
 */
bool book_next(struct book *b, const struct book_policy *p, int64_t now_us, struct message *out,
	int64_t *due_us);
/* Marks it as under way: to be saved before it is sent. */
void book_sending(struct book *b, const struct message *m);
void book_sent(
	struct book *b, const struct book_policy *p, const struct message *m, int64_t now_us);
/* refused: the receiver does not want this message; after three times it is left out. */
void book_failed(struct book *b, const struct message *m, bool refused);
/* The keys that are told as firing, for notice_set_make(). */
void book_told(const struct book *b, notice_told_vec *out);

/* The book as JSON, for its file. */
bool book_save(const struct book *b, struct buf *out, struct err *err);
/* False with err: the text is no book. b is empty then. */
bool book_load(struct book *b, const char *text, size_t len, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_NOC_NOC_PRIVATE_H
#define VIEWS_NOC_NOC_PRIVATE_H

#include "tui/draw.h"
#include "views/noc/noc.h"
#include "views/view.h"

/* Shared by the files of the wall; private to views/noc. */

#define NOC_TOP  16   /* findings that the wall may show */
#define NOC_SEEN 1024 /* limit of remembered critical findings */

/* The content of the wall, computed once a frame. */
struct noc_facts {
	enum noc_word word;
	char why[120]; /* the reason for BLIND, "" */
	/* Only planned devices, if there is a plan. */
	unsigned devices, current, dark, pending;
	struct coverage coverage;
	int64_t age_us; /* of the newest answer; -1: it does not age, or there was none */
	bool loud;      /* old enough to show the age in seconds */
	bool silent;    /* so old that the state is unknown */
	bool blocked_known;
	unsigned blocked;
	unsigned crit, warn; /* findings that no other finding explains */
	enum severity worst; /* of all findings that are not acknowledged and have victims */
	bool storm;
	char storm_text[200];
	bool bgp_known;
	unsigned bgp_ok, bgp_all;
	const struct finding *top[NOC_TOP];
	size_t ntop, more;
};

struct noc {
	struct noc_opts opts;
	const struct model *model;
	const struct diag *diag;
	struct view_cache *cache;
	int64_t data_us, wall_us, mono_us; /* as of the last call that set them */
	int64_t wall_at_us;                /* mono time of wall_us */
	/* The age of the data, by the monotonic clock. */
	uint64_t answers;                /* of all devices so far */
	int64_t answered_us;             /* mono time of the last one */
	int64_t loud_after, blind_after; /* us */
	bool answered;
	/* Pages. */
	unsigned page;
	bool held;
	int64_t turn_us; /* mono time of the next page */
	int64_t pin_us;  /* mono time until which a new finding keeps the page; 0: none does */
	uint64_t pin_key;
	int64_t pinned_at_us; /* wall time */
	uint64_t generation;  /* of the diagnosis, at the last look at its findings */
	VEC(uint64_t) seen;   /* open critical findings */
	bool started;         /* the first look at findings was made */
	int64_t quit_us;      /* mono time until which a second q leaves; 0: none was typed */
	bool quitting, dirty;
};

/* facts.c */
void noc_facts(const struct noc *n, struct noc_facts *f);
int64_t noc_age(const struct noc *n);
struct view_ctx noc_ctx(const struct noc *n);
/* A place without the name of a job. Returns dst. */
char *noc_place(const struct model *m, struct ref at, char *dst, size_t size);
char *noc_ends(const struct model *m, const struct finding *f, char *dst, size_t size);
/* One sentence that names the responsible side: network, hosts or job. */
enum role noc_verdict(const struct noc *n, const struct noc_facts *f, char *dst, size_t size);
/*
 * Writes an age without seconds, which would cost a frame each: "<1m", then minutes, hours, days.
 */
char *noc_since(const struct noc *n, int64_t since_us, char *dst, size_t size);
/* GPUs that are blocked according to NCCL's findings about the job. */
unsigned noc_job_blocked(const struct noc *n, uint32_t job);
/* "02:10", "" for 0. */
char *noc_hhmm(const struct noc *n, int64_t us, char *dst, size_t size);

/* The context for drawing a page. */
struct wall {
	const struct noc *n;
	const struct noc_facts *f;
	struct view_ctx ctx;
};

/* draw.c: all return the lines used. */
int noc_draw_word(const struct wall *w, struct region r); /* in large letters where they fit */
int noc_draw_wrapped(struct region r, int y, enum role role, const char *text, int most);
/* The map of leaves by rail, as large as r allows. */
#define NOC_MAP_LABEL 6
int noc_map_width(const struct wall *w, int most, int cell); /* with cells of that width */
int noc_draw_map(const struct wall *w, struct region r);
/* The worst findings, two lines each where there is room. */
int noc_draw_findings(const struct wall *w, struct region r, size_t most);
/* Lines for urgent news: a storm, a new finding. */
int noc_draw_banners(const struct wall *w, struct region r);

/* day.c: the last 24 hours; ports: with the names of the worst ports of each kind. */
int noc_draw_day(const struct wall *w, struct region r, bool ports);

/* pages.c */
struct noc_page {
	const char *name;
	void (*draw)(const struct wall *w, struct region r);
};
extern const struct noc_page noc_page_table[];
extern const unsigned noc_page_count;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Links between GPUs, their registration and their domain; the reports are in tests/cases/site.md.
 */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/gpu_link.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define H100 "kind=nvlink name=NVIDIA-H100-80GB-HBM3 links=18 "

static void tell(struct stand *s, const char *host, unsigned gpu, const char *links)
{
	struct obs *o = stand_batch(s, host);

	obs_word(o, OBS_NO_PORT, ATTR_GPU_LINKS, gpu, links);
	obs_number(o, OBS_NO_PORT, ATTR_GPU_COUNT, 0, 8);
}

/* All of a host but one, which has not told anything yet. */
static void tell_others(struct stand *s, const char *host, unsigned but, const char *links)
{
	for (unsigned i = 0; i < 8; i++)
		if (i != but)
			tell(s, host, i, links);
}

static void tell_all(struct stand *s, const char *host, const char *links)
{
	for (unsigned i = 0; i < 8; i++)
		tell(s, host, i, links);
}

static void tell_fabric(struct stand *s, const char *host, unsigned gpu, const char *text)
{
	obs_word(stand_batch(s, host), OBS_NO_PORT, ATTR_GPU_FABRIC, gpu, text);
}

static void tell_domain(struct stand *s, const char *host, const char *text)
{
	obs_word(stand_batch(s, host), OBS_NO_PORT, ATTR_GPU_DOMAIN, 0, text);
}

/* No finding of GPUs at all. */
static void expect_none(const struct stand *s)
{
	assert_int_equal(stand_count(s, "nvlink.down") + stand_count(s, "nvlink.errors") +
				 stand_count(s, "nvlink.fabric") + stand_count(s, "nvlink.imex"),
		0);
}

/* ---- links ---- */

/* Azure's report of a node: all links of one GPU of eight are inactive, from the first look on. */
CASE_WITH(one_gpu_of_eight_without_its_links, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	tell_others(s, "node000", 6, "kind=nvlink name=NVIDIA-A100 links=12 active=12 gbs=25");
	tell(s, "node000", 6, "kind=nvlink name=NVIDIA-A100 links=0 active=0");
	stand_poll(s, 2);
	f = stand_found(s, "nvlink.down", "node000");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_string_equal(f->title, "GPU 6 has 0 of 12 NVLink links");
	assert_string_equal(f->evidence.at[0].threshold, "12: 7 of 8 of its kind");
	assert_int_equal(stand_count(s, "nvlink.down"), 1);
}

/* Two links of one card of a DGX, which has six. */
CASE_WITH(inactive_links_are_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	tell_others(s, "node000", 3, "kind=nvlink name=V100 links=6 active=6 gbs=25.781");
	tell(s, "node000", 3, "kind=nvlink name=V100 links=6 active=4 gbs=25.781 down=3,5");
	stand_poll(s, 2);
	assert_string_equal(stand_found(s, "nvlink.down", "node000")->title,
		"GPU 3 has 4 of 6 NVLink links, without 3,5");
}

/* A GPU that loses its links takes one from each of its peers; the one that lost most is named. */
CASE_WITH(of_many_the_one_that_lost_most_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	tell_all(s, "node000", "kind=nvlink name=GH200 links=18 active=18");
	stand_poll(s, 2);
	expect_none(s);
	tell_all(s, "node000", "kind=nvlink name=GH200 links=12 active=12");
	tell(s, "node000", 2, "kind=nvlink name=GH200 links=0 active=0");
	stand_poll(s, 2);
	assert_string_equal(stand_found(s, "nvlink.down", "node000")->title,
		"GPU 2 has 0 of 18 NVLink links; 7 other GPUs lack links");
	/* They are there again. */
	tell_all(s, "node000", "kind=nvlink name=GH200 links=18 active=18");
	stand_poll(s, 6);
	expect_none(s);
}

/* Cards with a bridge beside one without it, cards without links, a host of half a board. */
CASE_WITH(what_is_by_design_is_no_finding, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	tell(s, "node000", 0, "kind=nvlink name=RTX-A6000 links=4 active=4 gbs=14.062");
	tell(s, "node000", 1, "kind=nvlink name=RTX-A6000 links=4 active=4 gbs=14.062");
	tell(s, "node000", 2, "kind=nvlink name=RTX-A6000 links=0 active=0");
	tell_all(s, "node001", "kind=none name=L40S");
	tell_all(s, "node002", "kind=nvlink name=A100-PCIE links=0 active=0");
	tell_all(s, "node003", "kind=nvlink name=V100 links=6 active=4 down=2,5");
	tell_all(s, "node004", "kind=xgmi");
	stand_poll(s, 4);
	expect_none(s);
}

/* Silence is not health: the state that was seen last stays. */
CASE_WITH(a_host_that_falls_silent_keeps_its_finding, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	tell_all(s, "node000", H100 "active=18");
	tell(s, "node000", 1, H100 "active=17 down=4");
	stand_poll(s, 2);
	assert_non_null(stand_found(s, "nvlink.down", "node000"));
	stand_silent(s, "node000", true);
	stand_poll(s, 8);
	assert_non_null(stand_found(s, "nvlink.down", "node000"));
}

/* ---- errors ---- */

/* 505 recoveries of five days are history; one more is news. */
CASE_WITH(errors_count_when_they_grow, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	tell_others(s, "node000", 0, H100 "active=18 recovery=0 crc=0 replay=0");
	tell(s, "node000", 0, H100 "active=18 worst=14 recovery=505 crc=0 replay=0");
	stand_poll(s, 3);
	expect_none(s);
	tell(s, "node000", 0, H100 "active=18 worst=14 recovery=508 crc=0 replay=0");
	stand_poll(s, 2);
	f = stand_found(s, "nvlink.errors", "node000");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_string_equal(
		f->title, "errors of NVLink grow at GPU 0: recovery +3, most at link 14");
	/* A driver that was loaded again counts from zero: nothing grew. */
	tell(s, "node000", 0, H100 "active=18 recovery=0 crc=0 replay=0");
	stand_poll(s, 1);
	assert_string_equal(stand_found(s, "nvlink.errors", "node000")->title,
		"errors of NVLink grow at GPU 0: recovery +3");
}

/* A few packets sent again are a sign, and nobody waits for them. */
CASE_WITH(corrected_errors_are_a_risk, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	tell(s, "node000", 0, H100 "active=18 crc=0 replay=0");
	stand_poll(s, 2);
	tell(s, "node000", 0, H100 "active=18 crc=2 replay=2");
	stand_poll(s, 2);
	f = stand_found(s, "nvlink.errors", "node000");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	/* Unknown is not zero: no growth from an answer without counts. */
	tell(s, "node001", 0, H100 "active=18");
	stand_poll(s, 2);
	tell(s, "node001", 0, H100 "active=18 crc=900");
	stand_poll(s, 2);
	assert_null(stand_found(s, "nvlink.errors", "node001"));
}

/* The peers report what the far end sees: the one with errors of its own is named. */
CASE_WITH(the_culprit_among_echoes_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	tell_all(s, "node000", H100 "active=18 recovery=0 failed=0 local=0 remote=0");
	stand_poll(s, 2);
	tell_all(s, "node000", H100 "active=18 recovery=0 failed=0 local=0 remote=90");
	tell(s, "node000", 5, H100 "active=18 worst=3 recovery=2 failed=1 local=4 remote=0");
	stand_poll(s, 2);
	assert_non_null(strstr(stand_found(s, "nvlink.errors", "node000")->title,
		"at GPU 5: recovery +2, failed +1, local +4, most at link 3"));
	assert_int_equal(stand_found(s, "nvlink.errors", "node000")->severity, SEV_CRIT);
}

/* ---- registration ---- */

#define CLUSTER "cluster=dc6e40c4-d722-4357-9ba6-5291dd461278"

CASE_WITH(registration_that_failed_or_does_not_end, stand_setup, stand_teardown)
{
	static const struct {
		const char *text, *title;
		enum severity severity;
	} rows[] = {
		{"state=completed status=insufficient-resources clique=0",
			"GPU 3: registration failed", SEV_CRIT},
		{"state=in-progress", "GPU 3: registration does not end", SEV_CRIT},
		{"state=not-started", "GPU 3: registration has not begun", SEV_CRIT},
		{"state=completed status=success clique=2 " CLUSTER
		 " health=unhealthy why=route-unhealthy",
			"GPU 3: the fabric is unhealthy", SEV_CRIT},
		{"state=completed status=success clique=2 " CLUSTER
		 " health=limited-capacity why=bandwidth-degraded",
			"GPU 3: the fabric is degraded", SEV_WARN},
		{"state=completed status=success clique=7 " CLUSTER " health=healthy",
			"GPU 3: its clique is not that of the host", SEV_WARN},
		/* Not told, by drivers and cards that have no switch. */
		{"bus=0000:1b:00.0", NULL, SEV_OK},
		{"state=completed status=nv_warn_nothing_to_do", NULL, SEV_OK},
	};
	struct stand *s = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct finding *f;

		for (unsigned g = 0; g < 3; g++)
			tell_fabric(s, "node000", g,
				"state=completed status=success clique=2 " CLUSTER
				" health=healthy");
		tell_fabric(s, "node000", 3, rows[i].text);
		stand_poll(s, 5);
		f = stand_found(s, "nvlink.fabric", "node000");
		if (!rows[i].title) {
			assert_null(f);
			continue;
		}
		assert_non_null(f);
		if (!str_eq(f->title, rows[i].title))
			fail_msg("%s: %s", rows[i].text, f->title);
		assert_int_equal(f->severity, rows[i].severity);
	}
}

/* H100 of one host are in no cluster, and all is well; one of many in none is not. */
CASE_WITH(a_gpu_outside_its_domain, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (unsigned g = 0; g < 8; g++) {
		tell(s, "node000", g, H100 "active=18");
		tell_fabric(s, "node000", g,
			"state=completed status=success clique=0 "
			"cluster=00000000-0000-0000-0000-000000000000");
	}
	stand_poll(s, 3);
	expect_none(s);
	for (unsigned g = 0; g < 8; g++) {
		tell(s, "node001", g, "kind=nvlink name=GB200 links=18 active=18");
		tell_fabric(s, "node001", g,
			g == 5 ? "state=completed status=success clique=4026"
			       : "state=completed status=success clique=4026 " CLUSTER);
	}
	stand_poll(s, 3);
	assert_string_equal(
		stand_found(s, "nvlink.fabric", "node001")->title, "GPU 5: it is in no cluster");
	assert_null(stand_found(s, "nvlink.fabric", "node000"));
}

/* A manager in a container is not the host's service: only one that failed, or was running. */
CASE_WITH(the_manager_that_failed, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (unsigned i = 0; i < 6; i++) {
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03u", i);
		tell_all(s, host, H100 "active=18");
		tell_domain(s, host, i == 5 ? "fm=missing" : "fm=active");
	}
	stand_poll(s, 3);
	expect_none(s);
	tell_domain(s, "node002", "fm=inactive");
	stand_poll(s, 3);
	f = stand_found(s, "nvlink.fabric", "node002");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_non_null(strstr(f->title, "the fabric manager is inactive"));
	assert_int_equal(stand_count(s, "nvlink.fabric"), 1);
}

/* Every member tells of the same domain: one finding, at the one that is not ready. */
CASE_WITH(an_imex_domain_that_is_degraded, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	for (unsigned i = 0; i < 3; i++) {
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03u", i);
		tell(s, host, 0, "kind=nvlink name=GB200 links=18 active=18");
		tell_domain(s, host, "imex=up members=4 ready=4");
	}
	stand_poll(s, 3);
	expect_none(s);
	for (unsigned i = 0; i < 3; i++) {
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03u", i);
		tell_domain(s, host, "imex=degraded members=4 ready=3 bad=node003:unavailable");
	}
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "nvlink.imex"), 1);
	f = stand_found(s, "nvlink.imex", "node003");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_WARN);
	assert_string_equal(f->title,
		"IMEX domain is degraded: 3 of 4 members are ready, not node003 unavailable");
	/* A daemon that does not answer here tells nothing: it may run in a pod. */
	for (unsigned i = 0; i < 3; i++) {
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03u", i);
		tell_domain(s, host, "imex=silent");
	}
	stand_poll(s, 5);
	expect_none(s);
}

/* A rack: 63 GPUs log 145, and the one with the link that went down logs 149. */
CASE_WITH(of_the_hosts_of_a_domain_one_is_the_origin, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *origin, *echo;

	for (unsigned i = 0; i < 4; i++) {
		char host[16];

		(void)str_printf(host, sizeof(host), "node%03u", i);
		tell(s, host, 0, "kind=nvlink name=GB200 links=18 active=18");
		if (i < 3)
			tell_fabric(s, host, 0, "state=completed status=success clique=9 " CLUSTER);
		obs_log(stand_batch(s, host), OBS_NO_PORT, 3, true, 0,
			i == 1 ? "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 "
				 "Link 14"
			       : "NVRM: Xid (PCI:0009:01:00): 145, RLW_REMAP Fatal XC0 i0 Link 03");
	}
	stand_poll(s, 3);
	origin = stand_found(s, "host.gpu_error", "node001");
	assert_non_null(origin);
	assert_int_equal(origin->role, ROLE_CULPRIT);
	assert_int_equal(origin->root, 0);
	for (unsigned i = 0; i < 3; i += 2) {
		echo = stand_found(s, "host.gpu_error", i ? "node002" : "node000");
		assert_non_null(echo);
		assert_true(echo->root == origin->key);
		assert_int_equal(echo->role, ROLE_SYMPTOM);
	}
	/* A host of another domain, or of none that is known, stands for itself. */
	echo = stand_found(s, "host.gpu_error", "node003");
	assert_non_null(echo);
	assert_int_equal(echo->root, 0);
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
/* The pair of modules of a link, the module's own diagnostics, and part numbers that fail. */
#include <string.h>

#include "base/str.h"
#include "diagnosis/evidence/optic_kind.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define LEAF  "leaf-r0-00:Ethernet16"
#define SPINE "spine-000:Ethernet1/1"

CASE(words_of_devices_have_a_kind)
{
	static const struct {
		const char *media, *use;
		enum optic_kind kind;
	} rows[] = {
		{"QSFP-DD 400GBASE-DR4 X1", "DR4", OPTIC_PARALLEL},
		{"OSFP 2x400G-FR4 T-OL8", "FR4", OPTIC_WDM},
		{"QSFP-DD-400G-DR4", "DR4", OPTIC_PARALLEL},
		{"QSFP-40G-SR-BD", "SR", OPTIC_MULTIMODE},
		{"10GBASE-SR", "SR", OPTIC_MULTIMODE},
		{"10Gbase-LR", "LR", OPTIC_PARALLEL},
		{"100GBASE-LR4", "LR4", OPTIC_WDM},
		{"100G-CWDM4", "CWDM4", OPTIC_WDM},
		{"100GBASE-PSM4", "PSM4", OPTIC_PARALLEL},
		{"100G-FR", "FR", OPTIC_PARALLEL},
		{"100GBASE-FR1", "FR1", OPTIC_PARALLEL},
		{"800G-2XDR4", "XDR4", OPTIC_PARALLEL},
		{"800G-2FR4", "FR4", OPTIC_WDM},
		{"800GBASE-DR8-2", "DR8", OPTIC_PARALLEL},
		{"400GBASE-VR4", "VR4", OPTIC_MULTIMODE},
		{"100GBASE-CR4", "CR4", OPTIC_COPPER},
		{"400GBASE-AOC", "", OPTIC_UNKNOWN},
		{"QSFP28 Active Optical 100GBASE-SR4", "", OPTIC_UNKNOWN},
		{"1000base-T", "", OPTIC_UNKNOWN},
		{"100GBASE-SRBD", "", OPTIC_UNKNOWN},
		{"FTLX1474D3BCL-C2", "", OPTIC_UNKNOWN},
		{"", "", OPTIC_UNKNOWN},
	};
	char use[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum optic_kind k = optic_kind_of(rows[i].media, use, sizeof(use));

		if (k != rows[i].kind || !str_eq(use, rows[i].use))
			fail_msg("%s: %s, %s", rows[i].media, optic_kind_name(k), use);
	}
}

CASE_WITH(a_pair_that_does_not_fit_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_word(s, LEAF, ATTR_MEDIA, 0, "QSFP-DD 400GBASE-DR4 X1");
	stand_word(s, SPINE, ATTR_MEDIA, 0, "400GBASE-FR4");
	stand_poll(s, 2);
	f = stand_found(s, "optic.mismatch", LEAF);
	if (!f)
		f = stand_found(s, "optic.mismatch", SPINE);
	assert_non_null(f);
	assert_int_equal(stand_count(s, "optic.mismatch"), 1);
	assert_non_null(strstr(f->title, "DR4"));
	assert_non_null(strstr(f->title, "FR4"));
}

/* A breakout of DR4 to FR1, the same optics, and a module that is not known. */
CASE_WITH(pairs_that_fit_are_nothing, stand_setup, stand_teardown)
{
	static const char *const pairs[][2] = {{"400GBASE-DR4", "100GBASE-FR1"},
		{"400GBASE-FR4", "2x400G-FR4"}, {"400GBASE-SR8", "400GBASE-SR4"},
		{"400GBASE-DR4", "QSFP-DD Double Density 8X Pluggable Transceiver"},
		{"400GBASE-AOC", "400GBASE-DR4"}};
	struct stand *s = *state;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		stand_word(s, LEAF, ATTR_MEDIA, 0, pairs[i][0]);
		stand_word(s, SPINE, ATTR_MEDIA, 0, pairs[i][1]);
		stand_poll(s, 2);
		assert_int_equal(stand_count(s, "optic.mismatch"), 0);
	}
}

CASE_WITH(the_side_with_errors_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_gauge(s, LEAF, CTR_PRE_FEC_BER_MEDIA, 0, 3e-5);
	stand_gauge(s, LEAF, CTR_PRE_FEC_BER_HOST, 0, 1e-9);
	stand_gauge(s, LEAF, CTR_ESNR_MEDIA_DB, 0, 19);
	stand_poll(s, 4);
	f = stand_found(s, "optic.signal", LEAF);
	assert_non_null(f);
	assert_non_null(strstr(f->title, "from the fibre"));
	stand_gauge(s, LEAF, CTR_PRE_FEC_BER_HOST, 0, 2e-4);
	stand_poll(s, 4);
	f = stand_found(s, "optic.signal", LEAF);
	assert_non_null(f);
	assert_non_null(strstr(f->title, "from its own device"));
	assert_int_equal(f->severity, SEV_CRIT);
}

CASE_WITH(a_good_signal_is_nothing, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_gauge(s, LEAF, CTR_PRE_FEC_BER_MEDIA, 0, 1e-8);
	stand_gauge(s, LEAF, CTR_ESNR_MEDIA_DB, 0, 21);
	/* No signal, or no measurement. */
	stand_gauge(s, SPINE, CTR_ESNR_MEDIA_DB, 0, 0.1);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "optic.signal"), 0);
	assert_int_equal(stand_count(s, "optic.flags"), 0);
}

/* A coherent module corrects a per cent of errors. */
CASE_WITH(coherent_optics_have_other_limits, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_word(s, LEAF, ATTR_MEDIA, 0, "QSFP-DD ZR X");
	stand_gauge(s, LEAF, CTR_PRE_FEC_BER_MEDIA, 0, 5.5e-4);
	stand_gauge(s, LEAF, CTR_ESNR_MEDIA_DB, 0, 16);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "optic.signal"), 0);
}

/* The nth module of the part number: every second port of the stand has one. */
static const char *of_part(const struct stand *s, unsigned n, char *dst, size_t size)
{
	const struct port *p;

	assert_true(2 * n < s->m->ports.n);
	p = s->m->ports.at[2 * n];
	str_printf(dst, size, "%s:%s", model_dev_of(s->m, p)->name, p->name);
	return dst;
}

static void hear(struct stand *s, unsigned from, unsigned to, double dbm)
{
	char port[80];

	for (unsigned n = from; n < to; n++)
		for (unsigned lane = 0; lane < 4; lane++)
			stand_gauge(
				s, of_part(s, n, port, sizeof(port)), CTR_RX_POWER_DBM, lane, dbm);
}

/* Modules of one part number lose light, and others do not: a batch, named by its worst. */
CASE_WITH(a_part_number_that_loses_light_is_a_batch, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	unsigned all = (unsigned)s->m->ports.n / 2;
	const struct finding *f;
	char port[80];

	assert_true(all >= 10);
	for (unsigned n = 0; n < all; n++)
		stand_word(
			s, of_part(s, n, port, sizeof(port)), ATTR_MEDIA, 0, "400GBASE-DR4 LOT-7");
	stand_poll(s, 10);
	assert_int_equal(stand_count(s, "optic.batch"), 0);
	/* One may be chance. */
	hear(s, 0, 1, -3.0);
	stand_poll(s, 10);
	assert_int_equal(stand_count(s, "optic.batch"), 0);
	hear(s, 1, all / 2, -2.6);
	stand_poll(s, 10);
	assert_int_equal(stand_count(s, "optic.batch"), 1);
	f = stand_found(s, "optic.batch", of_part(s, 0, port, sizeof(port)));
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_true(stand_has_evidence(f, "modules of this part"));
	/* All lose it: no part number is to blame. */
	for (size_t i = 0; i < s->m->ports.n; i++) {
		const struct port *p = s->m->ports.at[i];

		str_printf(port, sizeof(port), "%s:%s", model_dev_of(s->m, p)->name, p->name);
		for (unsigned lane = 0; lane < 4; lane++)
			stand_gauge(s, port, CTR_RX_POWER_DBM, lane, -3.0);
	}
	stand_poll(s, 20);
	assert_int_equal(stand_count(s, "optic.batch"), 0);
}

CASES_MAIN(NULL, NULL)

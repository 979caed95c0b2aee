/* SPDX-License-Identifier: Apache-2.0 */
/* Words of UFM become findings; bodies as in test_ufm.c. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/manager_note.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

static void tell(struct stand *s, const char *device, enum manager_note_kind kind, unsigned total,
	const struct manager_note *notes, unsigned n)
{
	struct obs *o = stand_batch(s, device);
	char text[NOTE_SIZE];

	obs_number(o, OBS_NO_PORT, ATTR_NOTE_COUNT, kind, total);
	for (unsigned i = 0; i < n; i++) {
		note_write(&notes[i], text, sizeof(text));
		obs_word(o, OBS_NO_PORT, ATTR_NOTE, note_sub(kind, i), text);
	}
}

/* Rows of UFM's own; others are of the engine. */
static unsigned told(const struct finding *f)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->evidence.n; i++)
		n += str_eq(f->evidence.at[i].source, "ufm");
	return n;
}

#define LEAF "leaf-r0-00"
#define FATAL                                                                                      \
	"System Module Error: Module status FAULT: Module PS 1 on sw-ufm-qm01(10.209.224.32) "     \
	"status is fatal"

CASE_WITH(alarms_are_named_in_ufms_words, stand_setup, stand_teardown)
{
	static const struct manager_note notes[] = {{SEV_CRIT, NAN, "sw-ufm-qm01", "", FATAL},
		{SEV_WARN, NAN, "r-ufm77", "mlx5_0", "Link HW Error: Link Downed"},
		{SEV_OK, NAN, "r-ufm78", "mlx5_0", "Node Rebooted"}};
	struct stand *s = *state;
	const struct finding *f;

	tell(s, LEAF, MANAGER_ALARM, 3, notes, 3);
	stand_poll(s, 2);
	f = stand_found(s, "ufm.alarm", LEAF);
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_non_null(
		strstr(f->title, "UFM alarm, and 1 more: sw-ufm-qm01: System Module Error"));
	/* Its Info is no evidence. */
	assert_int_equal(told(f), 2);
	assert_string_equal(f->evidence.at[1].what, "r-ufm77 port mlx5_0");
	assert_string_equal(f->evidence.at[1].text, "Link HW Error: Link Downed");
	assert_string_equal(f->evidence.at[1].source, "ufm");
	/* It ends with UFM's list. */
	tell(s, LEAF, MANAGER_ALARM, 0, NULL, 0);
	stand_poll(s, 8);
	assert_null(stand_found(s, "ufm.alarm", LEAF));
}

CASE_WITH(info_alone_is_no_finding, stand_setup, stand_teardown)
{
	static const struct manager_note note = {SEV_OK, NAN, "n1", "mlx5_0", "Node Rebooted"};
	struct stand *s = *state;

	tell(s, LEAF, MANAGER_ALARM, 1, &note, 1);
	stand_poll(s, 2);
	assert_null(stand_found(s, "ufm.alarm", LEAF));
}

CASE_WITH(an_alarm_without_a_known_severity_counts, stand_setup, stand_teardown)
{
	static const struct manager_note note = {SEV_UNKNOWN, NAN, "n1", "", "New Alarm"};
	struct stand *s = *state;

	tell(s, LEAF, MANAGER_ALARM, 1, &note, 1);
	stand_poll(s, 2);
	assert_non_null(stand_found(s, "ufm.alarm", LEAF));
}

/* At the port where it is one of the device; else at the device, for all of them. */
CASE_WITH(unhealthy_ports, stand_setup, stand_teardown)
{
	static const struct manager_note own = {
		SEV_WARN, NAN, LEAF, "Ethernet0", "MANUAL since Sun Apr 21 12:22:13 2024"};
	static const struct manager_note others[] = {
		{SEV_WARN, NAN, "r-ufm59", "mlx5_0", "FLAPPING since Sun Apr 21 12:22:13 2024"},
		{SEV_OK, NAN, "r-dmz-ufm135", "1", "MANUAL since Wed Apr 29 00:05:32 2020"}};
	struct stand *s = *state;
	const struct finding *f;

	tell(s, LEAF, MANAGER_UNHEALTHY, 1, &own, 1);
	tell(s, "spine-000", MANAGER_UNHEALTHY, 40, others, 2);
	stand_poll(s, 2);
	f = stand_found(s, "ufm.unhealthy_port", LEAF ":Ethernet0");
	assert_non_null(f);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_non_null(strstr(f->title, "UFM marks it unhealthy: MANUAL since Sun Apr 21"));
	f = stand_found(s, "ufm.unhealthy_port", "spine-000");
	assert_non_null(f);
	assert_non_null(strstr(f->title, "r-ufm59 port mlx5_0"));
	assert_int_equal(told(f), 3);
	assert_true(f->evidence.at[2].value == 40);
}

/* Of a device that is asked for its own, the manager's copy is not told twice. */
CASE_WITH(told_once_where_the_device_tells_itself, stand_setup, stand_teardown)
{
	static const struct manager_note notes[] = {{SEV_CRIT, NAN, LEAF, "", FATAL},
		{SEV_WARN, NAN, "r-ufm77", "mlx5_0", "Link Downed"}};
	struct stand *s = *state;

	tell(s, LEAF, MANAGER_ALARM, 1, notes, 1);
	tell(s, "spine-000", MANAGER_ALARM, 2, notes, 2);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "ufm.alarm", LEAF));
	assert_int_equal(told(stand_found(s, "ufm.alarm", "spine-000")), 1);
	assert_int_equal(stand_found(s, "ufm.alarm", "spine-000")->severity, SEV_WARN);
}

CASE_WITH(bandwidth_lost_to_congestion, stand_setup, stand_teardown)
{
	static const struct manager_note notes[] = {
		{SEV_UNKNOWN, 31.5, "sw-ufm-qm01", "35", "31.5 % of its rate lost to congestion"},
		{SEV_UNKNOWN, 7, "r-ufm131", "mlx5_0", "7 % of its rate lost to congestion"}};
	struct stand *s = *state;
	const struct finding *f;

	tell(s, LEAF, MANAGER_CONGESTION, 2, notes, 2);
	stand_poll(s, 3);
	f = stand_found(s, "ufm.congestion", LEAF);
	assert_non_null(f);
	assert_string_equal(
		f->title, "31.5 % of the rate lost to congestion at sw-ufm-qm01 port 35");
	assert_int_equal(told(f), 1);
}

CASES_MAIN(NULL, NULL)

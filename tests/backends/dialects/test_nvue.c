/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/cumulus/nvue.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/* A dialect of four views: the part of nvue.c that is common to all. */

static need_set decode_system(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v);

static need_set decode_mtu(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t;
	return json_value_number(o, port, ATTR_MTU, 0, json_value_get(v, "mtu"))
		       ? NEED_BIT(PORT_STATE)
		       : 0;
}

static need_set decode_pfc(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t;
	(void)json_value_count(o, port, CTR_PFC_RX_FRAMES, 3, json_value_get(v, "frames"));
	return 0;
}

static bool is_port(const char *name)
{
	return str_starts(name, "swp") && !strchr(name, '.');
}

static const struct nvue_view views[] = {
	{"system", POLL_SLOW, POLL_SLOW, "system", decode_system, NEED_BIT(IDENTITY),
		.detect = true, .vital = true},
	{"link", POLL_FAST, POLL_FAST, "interface/%/link", decode_mtu, NEED_BIT(PORT_STATE),
		.command = "nv show interface -o json", .vital = true},
	{"box", NVUE_NEVER, POLL_FAST, "interface/all-pfc", decode_pfc, NEED_BIT(PFC), .since = 513,
		.rows = true, .spare = true},
	{"pfc", POLL_FAST, POLL_MEDIUM, "interface/%/counters/pfc", decode_pfc, NEED_BIT(PFC),
		.since = 505, .older = "interface/%/pfc/counters", .renamed = 510, .unless = "box"},
};
static const struct nvue nvue = {views, 4, is_port};

static need_set decode_system(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t, (void)port;
	return nvue_learn_release(&nvue, o, json_value_text_or(json_value_get(v, "build"), ""))
		       ? NEED_BIT(IDENTITY)
		       : 0;
}

struct box {
	struct target t;
	struct facts facts;
};

static struct box *box(enum transport_kind transport, const char *release)
{
	static struct box b;

	facts_free(&b.facts);
	b.t = (struct target){.device = "leaf1", .transport = transport, .facts = &b.facts};
	if (*release)
		facts_set(&b.facts, "release", release);
	return &b;
}

/* "link: nv show ...\n" of a tier; the caller frees it. */
static char *planned(const struct box *b, enum poll_tier tier)
{
	struct request_list list = {0};
	char *text = calloc(1, 4096);

	assert_non_null(text);
	nvue_plan(&nvue, &b->t, tier, &list);
	for (size_t i = 0; i < list.at.n; i++) {
		const struct request *r = &list.at.at[i];
		size_t n = strlen(text);

		assert_true(r->timeout_us > 0 && r->cap > 0);
		str_printf(
			text + n, 4096 - n, "%s: %s\n", r->name, r->command ? r->command : r->path);
	}
	requests_free(&list);
	return text;
}

static void expect(const struct box *b, enum poll_tier tier, const char *want)
{
	char *text = planned(b, tier);

	if (!str_eq(text, want))
		fail_msg("planned:\n%swanted:\n%s", text, want);
	free(text);
}

static struct obs *answer(
	const struct box *b, const char *request, const char *text, bool ok, struct err *err)
{
	struct obs *o = obs_new(b->t.device, request);

	*err = (struct err){0};
	if (nvue_parse(&nvue, &b->t, request, text, strlen(text), o, err) != ok)
		fail_msg("%s: %s: %s", request, text, err->text);
	assert_true(ok || *err->text);
	return o;
}

CASE(https_selects_a_branch_of_all_ports)
{
	expect(box(TRANSPORT_HTTPS, ""), POLL_FAST,
		"link: /nvue_v1/interface?include=/*/link\n"
		"pfc: /nvue_v1/interface?include=/*/counters/pfc\n");
	expect(box(TRANSPORT_HTTPS, "509"), POLL_FAST,
		"link: /nvue_v1/interface?include=/*/link\n"
		"pfc: /nvue_v1/interface?include=/*/pfc/counters\n");
	/* Before it had the view at all. */
	expect(box(TRANSPORT_HTTPS, "504"), POLL_FAST,
		"link: /nvue_v1/interface?include=/*/link\n");
	expect(box(TRANSPORT_HTTPS, "513"), POLL_SLOW, "system: /nvue_v1/system\n");
	expect(box(TRANSPORT_HTTPS, "513"), POLL_DETECT, "system: /nvue_v1/system\n");
}

CASE(a_shell_asks_port_by_port)
{
	char *text = planned(box(TRANSPORT_SSH, "511"), POLL_MEDIUM);

	assert_non_null(strstr(text, "nv show interface $p counters pfc -o json"));
	assert_non_null(strstr(text, "/proc/net/dev"));
	free(text);
	expect(box(TRANSPORT_SSH, "511"), POLL_FAST, "link: { nv show interface -o json; } 2>&1\n");
	expect(box(TRANSPORT_SSH, "511"), POLL_DETECT,
		"system: nv show system -o json 2>&1\ncommands: nv list-commands\n");
	/* The whole box at once where that is there, and then not port by port as well. */
	expect(box(TRANSPORT_SSH, "513"), POLL_FAST,
		"link: { nv show interface -o json; } 2>&1\n"
		"box: nv show interface all-pfc -o json 2>&1\n");
	expect(box(TRANSPORT_SSH, "513"), POLL_MEDIUM, "");
}

CASE(rows_are_ports_with_the_branch)
{
	static const char rows[] =
		"{\"eth0\":{\"counters\":{\"pfc\":{\"frames\":1}}},"
		"\"swp1\":{\"counters\":{\"pfc\":{\"frames\":7}}},"
		"\"swp2\":{\"pfc\":{\"counters\":{\"frames\":8}}},\"swp3.1\":{},\"swp4\":[]}";
	struct err err;
	struct obs *o = answer(box(TRANSPORT_HTTPS, "511"), "pfc", rows, true, &err);

	assert_false(has_port(o, "eth0"));
	assert_false(has_port(o, "swp3.1"));
	assert_int_equal(cell_count(at_port(o, "swp1"), "pfc_rx_frames", 3), 7);
	assert_int_equal(cell_count(at_port(o, "swp2"), "pfc_rx_frames", 3), 8);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_OK);
	obs_free(o);
	o = answer(box(TRANSPORT_SSH, "513"), "box", "{\"swp1\":{\"frames\":9}}", true, &err);
	assert_int_equal(cell_count(at_port(o, "swp1"), "pfc_rx_frames", 3), 9);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_OK);
	obs_free(o);
}

CASE(blocks_are_ports)
{
	struct err err;
	struct obs *o = answer(box(TRANSPORT_SSH, "511"), "pfc",
		"@swp1\n{\"frames\":7}\n@swp2\nError: busy\n@eth0\n{\"frames\":1}\n@\n", true,
		&err);

	assert_int_equal(cell_count(at_port(o, "swp1"), "pfc_rx_frames", 3), 7);
	assert_int_equal(cell_validity(at_port(o, "swp2"), "pfc_rx_frames", 3), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_OK);
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	/* Cut off within a port's answer, and between two. */
	o = answer(box(TRANSPORT_SSH, "511"), "pfc", "@swp1\n{\"frames\":7}\n@swp2\n{\"fra", true,
		&err);
	assert_int_equal(cell_count(at_port(o, "swp1"), "pfc_rx_frames", 3), 7);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
	o = answer(box(TRANSPORT_SSH, "511"), "pfc", "@swp1\n{\"frames\":7}\n", true, &err);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
}

CASE(refusals_cost_the_need)
{
	static const char problem[] = "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"The "
				      "requested item does not exist.\"}";
	struct err err;
	struct obs *o = answer(box(TRANSPORT_HTTPS, "511"), "pfc", problem, true, &err);

	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	o = answer(box(TRANSPORT_SSH, "511"), "pfc",
		"@swp1\nError: The requested item does not exist.\n@swp2\nError: The requested "
		"item "
		"does not exist.\n@\n",
		true, &err);
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_UNSUPPORTED);
	assert_int_equal(o->err.code, ERR_NONE);
	obs_free(o);
	/* Without it there is nothing to watch. */
	obs_free(answer(box(TRANSPORT_HTTPS, "511"), "link", problem, false, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	obs_free(answer(box(TRANSPORT_HTTPS, "511"), "link", "{\"lo\":{}}", false, &err));
}

CASE(a_spare_view_is_asked_once)
{
	struct box *b = box(TRANSPORT_SSH, "513");
	struct err err;
	struct obs *o = answer(b, "box", "Error: The requested item does not exist.\n", true, &err);
	char *text;

	/* Whether it is lost, the other view tells. */
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_UNKNOWN);
	facts_learn(&b->facts, o);
	assert_false(nvue_has(&nvue, &b->t, "box"));
	expect(b, POLL_FAST, "link: { nv show interface -o json; } 2>&1\n");
	text = planned(b, POLL_MEDIUM);
	assert_non_null(strstr(text, "pfc: "));
	free(text);
	obs_free(o);
}

CASE(who_may_not_is_told_what_to_do)
{
	static const char *const denials[] = {
		"{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"The default password must be "
		"changed first.\"}",
		"Error: User noc does not have permission to run this command\n"};
	struct err err;

	for (int i = 0; i < 2; i++) {
		obs_free(answer(box(i ? TRANSPORT_SSH : TRANSPORT_HTTPS, "511"), "link", denials[i],
			false, &err));
		assert_int_equal(err.code, ERR_UNAUTHORISED);
		assert_non_null(strstr(err.cure, "nvshow"));
		assert_non_null(strstr(err.cure, "factory password"));
	}
	obs_free(answer(box(TRANSPORT_HTTPS, "511"), "pfc",
		"{\"title\":\"Internal Server Error\",\"status\":500}", false, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_non_null(strstr(err.cure, "nvued"));
	obs_free(answer(box(TRANSPORT_HTTPS, "511"), "pfc", "", false, &err));
	obs_free(answer(box(TRANSPORT_HTTPS, "511"), "nothing", "{}", false, &err));
	assert_int_equal(err.code, ERR_INTERNAL);
}

CASE(an_api_that_does_not_select)
{
	struct box *b = box(TRANSPORT_HTTPS, "511");
	struct err err;
	const char *cure;
	struct obs *o = answer(b, "pfc",
		"{\"swp1\":{\"type\":\"swp\",\"link\":{}},\"swp2\":{\"type\":\"swp\"}}", true,
		&err);

	assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "transport: ssh"));
	facts_learn(&b->facts, o);
	obs_free(o);
	expect(b, POLL_FAST, "link: /nvue_v1/interface?include=/*/link\n");
	/* From 5.13 the view of the whole box stands in. */
	facts_set(&b->facts, "release", "513");
	expect(b, POLL_FAST,
		"link: /nvue_v1/interface?include=/*/link\nbox: /nvue_v1/interface/all-pfc\n");
}

CASE(the_list_of_commands)
{
	struct box *b = box(TRANSPORT_SSH, "513");
	struct err err;
	struct obs *o = answer(b, "commands",
		"nv show\nnv show system\nnv show interface <interface-id> counters pfc\n"
		"nv show interface <interface-id> counters pfc more\n",
		true, &err);

	facts_learn(&b->facts, o);
	assert_false(nvue_has(&nvue, &b->t, "box"));
	assert_true(nvue_has(&nvue, &b->t, "pfc"));
	assert_true(nvue_has(&nvue, &b->t, "link")); /* it has a command of its own */
	obs_free(o);
	b = box(TRANSPORT_SSH, "513");
	o = answer(b, "commands", "nv show\nnv show interface <interface-id> pfc counters", true,
		&err);
	facts_learn(&b->facts, o);
	assert_true(nvue_has(&nvue, &b->t, "pfc"));
	obs_free(o);
	/* A complaint is no list. */
	o = answer(b, "commands", "bash: nv: command not found\n", true, &err);
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

/* A slow view leaves its tier until it is answered in time; vital views stay. */
CASE(what_is_late_waits_in_a_slower_tier)
{
	struct box *b = box(TRANSPORT_HTTPS, "513");
	struct err err;
	struct obs *o;

	facts_set(&b->facts, "unanswered.pfc", "1");
	facts_set(&b->facts, "unanswered.link", "1");
	expect(b, POLL_FAST, "link: /nvue_v1/interface?include=/*/link\n");
	expect(b, POLL_MEDIUM, "pfc: /nvue_v1/interface?include=/*/counters/pfc\n");
	o = answer(b, "pfc", "{\"swp1\":{\"counters\":{\"pfc\":{\"frames\":5}}}}", true, &err);
	facts_learn(&b->facts, o);
	obs_free(o);
	expect(b, POLL_MEDIUM, "");
	expect(b, POLL_FAST,
		"link: /nvue_v1/interface?include=/*/link\n"
		"pfc: /nvue_v1/interface?include=/*/counters/pfc\n");
	facts_free(&b->facts);
}

CASE(releases)
{
	struct box *b = box(TRANSPORT_HTTPS, "");
	struct err err;
	const char *cure;
	struct obs *o = answer(b, "system", "{\"build\":\"Cumulus Linux 5.4.0\"}", true, &err);

	facts_learn(&b->facts, o);
	assert_int_equal(nvue_release(&b->t), 504);
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_UNSUPPORTED);
	assert_string_equal(cure, "needs release 5.5");
	obs_free(o);
	o = answer(b, "system", "{\"build\":\"no number\"}", true, &err);
	assert_int_equal(capability_of(o, "identity", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	facts_free(&b->facts);
	assert_int_equal(nvue_release(&b->t), 0);
}

CASES_MAIN(NULL, NULL)

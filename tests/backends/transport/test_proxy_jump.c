/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/transport/proxy_jump.h"
#include "tests/support/cases.h"

static void hop_is(
	const char *spec, const char *user, const char *host, unsigned port, const char *before)
{
	char rest[JUMP_TEXT_MAX];
	struct jump_hop hop;
	struct err err;

	if (!jump_last(spec, &hop, rest, sizeof(rest), "leaf", &err))
		fail_msg("%s: %s", spec, err.text);
	assert_string_equal(hop.user, user);
	assert_string_equal(hop.host, host);
	assert_int_equal(hop.port, port);
	assert_string_equal(rest, before);
	assert_true(jump_check(spec, "leaf", &err));
}

CASE(reads_the_last_hop)
{
	hop_is("bastion", "", "bastion", 0, "");
	hop_is("ops@bastion.example:2222", "ops", "bastion.example", 2222, "");
	hop_is("ssh://ops@bastion:22", "ops", "bastion", 22, "");
	hop_is("[2001:db8::1]:22", "", "2001:db8::1", 22, "");
	hop_is("ops@2001:db8::1", "ops", "2001:db8::1", 0, "");
	hop_is("ann@corp.example@gate", "ann@corp.example", "gate", 0, "");
	hop_is("a@first:1,b@second,third:65535", "", "third", 65535, "a@first:1,b@second");
}

CASE(refuses_what_is_no_way)
{
	static const char *const bad[] = {"", ",", "a,", ",a", "a,,b", "-oProxyCommand=x", "a b",
		"u@-x", "@a", "a:0", "a:65536", "a:22x", "a:", "[::1", "[::1]22", "$(id)", "a;b",
		"a\nb", "`x`"};
	char rest[JUMP_TEXT_MAX], many[64] = "a";
	struct jump_hop hop;
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&err, 0, sizeof(err));
		if (jump_check(bad[i], "leaf", &err))
			fail_msg("taken: %s", bad[i]);
		assert_int_equal(err.code, ERR_CONFIG);
		assert_string_equal(err.origin, "leaf");
		assert_true(err.cure[0]);
	}
	assert_true(jump_check("none", "leaf", &err));
	assert_false(jump_last("none", &hop, rest, sizeof(rest), "leaf", &err));
	for (unsigned i = 1; i < JUMP_HOPS_MOST; i++)
		(void)strcat(many, ",a");
	assert_true(jump_check(many, "leaf", &err));
	(void)strcat(many, ",a");
	assert_false(jump_check(many, "leaf", &err));
}

CASE(refuses_what_is_too_long)
{
	char spec[JUMP_TEXT_MAX + 400], rest[JUMP_TEXT_MAX];
	struct jump_hop hop;
	struct err err;

	memset(spec, 'a', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	assert_false(jump_check(spec, "leaf", &err));
	assert_false(jump_last(spec, &hop, rest, sizeof(rest), "leaf", &err));
	spec[255] = '\0';
	assert_true(jump_check(spec, "leaf", &err));
	spec[255] = 'a';
	spec[256] = '\0';
	assert_false(jump_check(spec, "leaf", &err));
}

static void command_is(const char *command, const char *want)
{
	char way[JUMP_TEXT_MAX] = "";

	if (jump_of_command(command, way, sizeof(way)) != (want != NULL))
		fail_msg("%s: %s", command, want ? "not understood" : way);
	if (want)
		assert_string_equal(way, want);
}

CASE(knows_a_jump_as_a_command)
{
	/* libssh's form of ProxyJump. */
	command_is("ssh -W '[%h]:%p' bastion", "bastion");
	command_is(
		"ssh -l ops -p 2222 -J a@b:1,c -W '[%h]:%p' bastion", "a@b:1,c,ops@bastion:2222");
	command_is("ssh -p 22 -W '[%h]:%p' 2001:db8::1", "[2001:db8::1]:22");
	/* Forms that people write. */
	command_is("exec /usr/bin/ssh -q ops@bastion -W %h:%p", "ops@bastion");
	command_is("ssh -W \"%h:%p\"  bastion ", "bastion");
}

CASE(knows_another_command)
{
	command_is("", NULL);
	command_is("ssh", NULL);
	command_is("ssh bastion", NULL);
	command_is("ssh bastion nc %h %p", NULL);
	command_is("ssh -W %h:%p bastion nc", NULL);
	command_is("ssh -W %h:22 bastion", NULL);
	command_is("ssh -W other:22 bastion", NULL);
	command_is("ssh -F /etc/other -W %h:%p bastion", NULL);
	command_is("ssh -i key -W %h:%p bastion", NULL);
	command_is("nc -X connect -x proxy:3128 %h %p", NULL);
	command_is("ssh -W %h:%p $(cat bastion)", NULL);
	command_is("ssh -W %h:%p 'bastion", NULL);
	command_is("ssh -W %h:%p bastion | tee log", NULL);
	command_is("ssh -l", NULL);
	command_is("myssh -W %h:%p bastion", NULL);
}

CASES_MAIN(NULL, NULL)

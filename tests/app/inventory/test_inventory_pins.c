/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "base/buf.h"
#include "base/str.h"
#include "fabric/history/history.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* pins: of an inventory. */

#define HEAD "fabric: t\nhosts: [{names: a}]\n"

CASE(one_or_several)
{
	struct plan p;

	inventory_expect(HEAD "pins: a:mlx5_0\n", "", &p);
	assert_int_equal(p.pins.n, 1);
	plan_free(&p);
	inventory_expect(HEAD "pins: [\"a:mlx5_0\", \"a:Ethernet1/2:3\"]\n", "", &p);
	assert_int_equal(p.pins.n, 2);
	assert_string_equal(p.pins.at[1].device, "a");
	assert_string_equal(p.pins.at[1].port, "Ethernet1/2:3");
	plan_free(&p);
}

CASE(what_is_no_port_is_refused)
{
	struct plan p;

	inventory_expect(HEAD "pins: [a]\n",
		"f.yaml:3: pins[0]: \"a\" is not a port (allowed: DEVICE:PORT, as in "
		"leaf-r3-00:Ethernet12)\n",
		&p);
	plan_free(&p);
	inventory_expect(HEAD "pins:\n  - a:x\n  - b:x\n",
		"f.yaml:5: pins: there is no device b (name devices of hosts: or switches:)\n", &p);
	plan_free(&p);
}

CASE(they_are_bounded)
{
	struct plan p;
	struct buf b;
	char *text;

	buf_init(&b, 1 << 20);
	assert_true(buf_adds(&b, HEAD "pins:\n"));
	for (unsigned i = 0; i < HISTORY_PINS; i++)
		assert_true(buf_addf(&b, "  - a:x%u\n", i));
	text = buf_take(&b, NULL);
	inventory_expect(text, "", &p);
	assert_int_equal(p.pins.n, HISTORY_PINS);
	plan_free(&p);
	buf_init(&b, 1 << 20);
	assert_true(buf_addf(&b, "%s  - a:y\n", text));
	free(text);
	text = buf_take(&b, NULL);
	inventory_expect(text, "f.yaml:260: pins[256]: more than 256 ports cannot be pinned\n", &p);
	plan_free(&p);
	free(text);
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/emulator/support/nxos_bed.h"
#include "tests/support/cases.h"

CASE(a_cookie_lives_ten_minutes)
{
	struct rig *r = nxos_rig(state);
	struct sim_device *d = rig_device(r, LEAF);
	char token[64], fresh[64];
	json_t *o;

	json_decref(nxos_rest(r, "POST", "/api/aaaLogin.json", "",
		"{\"aaaUser\":{\"attributes\":{\"name\":\"noc\",\"pwd\":\"wrong\"}}}", NULL, 401));
	json_decref(nxos_rest(r, "POST", "/api/aaaLogin.json", "", "{\"aaaUser\":1}", NULL, 400));
	o = nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", NULL, 403);
	assert_string_equal(text_at(o, "imdata>0>error>attributes>code"), "403");
	json_decref(o);
	nxos_login(r, token);
	o = nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", token, 200);
	assert_string_equal(text_at(o, "imdata>0>topSystem>attributes>name"), LEAF);
	json_decref(o);
	token[5] ^= 1;
	json_decref(nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", token, 403));
	token[5] ^= 1;
	/* The device's clock runs on: first to just before the end, then past it. */
	d->clock_skew_us = 599 * CLOCK_SEC;
	o = nxos_rest(r, "GET", "/api/aaaRefresh.json", "", "", token, 200);
	(void)snprintf(
		fresh, sizeof(fresh), "%s", text_at(o, "imdata>0>aaaLogin>attributes>token"));
	json_decref(o);
	d->clock_skew_us = 601 * CLOCK_SEC;
	o = nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", token, 403);
	assert_non_null(strstr(text_at(o, "imdata>0>error>attributes>text"), "timeout"));
	json_decref(o);
	json_decref(nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", fresh, 200));
	/* A boot forgets all logins. */
	d->boot_id[0] ^= 1;
	json_decref(nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", fresh, 403));
	d->boot_id[0] ^= 1;
	d->clock_skew_us = 0;
	json_decref(nxos_rest(r, "POST", "/api/aaaLogout.json", "", "{}", fresh, 200));
}

static json_t *object_of(json_t *o, const char *class, const char *dn)
{
	size_t i;
	json_t *row;

	json_array_foreach(json_object_get(o, "imdata"), i, row)
	{
		json_t *a = json_object_get(json_object_get(row, class), "attributes");

		if (a && !strcmp(text_at(a, "dn"), dn))
			return a;
	}
	fail_msg("no %s", dn);
	return NULL;
}

CASE(objects_are_found_by_class)
{
	struct rig *r = nxos_rig(state);
	struct sim_port *p = nxos_port(r);
	unsigned nports = rig_device(r, LEAF)->nports;
	char token[64];
	json_t *o, *a;

	nxos_login(r, token);
	o = nxos_rest(r, "GET", "/api/node/class/l1PhysIf.json", "", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), nports);
	a = object_of(o, "l1PhysIf", "sys/intf/phys-[eth1/5]");
	assert_string_equal(text_at(a, "id"), "eth1/5");
	assert_string_equal(text_at(a, "adminSt"), "up");
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/class/rmonIfHCIn.json", "", "", token, 200);
	a = object_of(o, "rmonIfHCIn", "sys/intf/phys-[eth1/5]/dbgIfHCIn");
	assert_int_equal(digits_at(a, "octets"), p->rx_bytes);
	assert_int_equal(digits_at(a, "ucastPkts"), p->rx_packets);
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/node/class/ethpmPhysIf.json", "", "", token, 200);
	a = object_of(o, "ethpmPhysIf", "sys/intf/phys-[eth1/5]/phys");
	assert_string_equal(text_at(a, "operSt"), "up");
	assert_string_equal(text_at(a, "operSpeed"), "400G");
	json_decref(o);
	p->q[3].ecn_marked = 99;
	o = nxos_rest(r, "GET", "/api/node/class/ipqosQueuingStats.json", "", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), nports * 8);
	a = object_of(o, "ipqosQueuingStats",
		"sys/ipqos/queuing/policy/out/intf-[eth1/5]/pmap-[default-8q-out-policy]/"
		"queuing-stats/cmap-[c-out-8q-q3]");
	assert_int_equal(digits_at(a, "randEcnMarkedPackets"), 99);
	assert_int_equal(digits_at(a, "txBytes"), p->q[3].tx_bytes);
	json_decref(o);
	p->q[3].ecn_marked = 0;
	json_decref(nxos_rest(r, "GET", "/api/node/class/noSuchClass.json", "", "", token, 400));
	json_decref(nxos_rest(r, "GET", "/api/nothing", "", "", token, 400));
}

CASE(objects_are_found_by_name)
{
	struct rig *r = nxos_rig(state);
	char token[64];
	json_t *o;

	nxos_login(r, token);
	o = nxos_rest(r, "GET", "/api/node/mo/sys/intf/phys-[eth1/5].json", "", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), 1);
	assert_string_equal(text_at(o, "imdata>0>l1PhysIf>attributes>id"), "eth1/5");
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/mo/sys/intf.json", "query-target=children", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), rig_device(r, LEAF)->nports);
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/node/mo/sys/intf/phys-[eth1/5].json",
		"query-target=subtree&target-subtree-class=rmonIfHCIn,rmonIfHCOut", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), 2);
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/node/mo/sys/intf/phys-[eth1/99].json", "", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), 0);
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/mo/sys/intf/phys-[eth1/5].json",
		"rsp-subtree=full&rsp-subtree-class=ethpmPhysIf,rmonIfHCOut", "", token, 200);
	assert_int_equal(digits_at(o, "totalCount"), 1);
	assert_int_equal(json_array_size(rig_at(o, "imdata>0>l1PhysIf>children")), 2);
	assert_int_equal(digits_at(o, "imdata>0>l1PhysIf>children>1>rmonIfHCOut>attributes>octets"),
		nxos_port(r)->tx_bytes);
	json_decref(o);
	o = nxos_rest(r, "GET", "/api/mo/sys/lldp.json", "rsp-subtree=full", "", token, 200);
	assert_string_equal(text_at(o, "imdata>0>lldpEntity>children>0>lldpInst>children>4>lldpIf>"
				       "children>0>lldpAdjEp>attributes>sysName"),
		sim_device_of(r->sim, nxos_port(r)->peer)->name);
	json_decref(o);
	/* "eth1/5" is no child of "eth1". */
	o = nxos_rest(r, "GET", "/api/node/mo/sys/intf/phys-[eth1.json", "query-target=subtree", "",
		token, 200);
	assert_int_equal(digits_at(o, "totalCount"), 0);
	json_decref(o);
}

CASES_MAIN(nxos_bed_open, nxos_bed_close)

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "fabric/model/nets.h"
#include "tests/cases/host_rig.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/*
 * All ports of a host, not only those with RDMA, and its management controller; and by which of
 * them the poll comes in. Sources: site.md.
 */

#define NIC                                                                                        \
	"sys infiniband/mlx5_0/ports/1/state 4: ACTIVE\n"                                          \
	"sys infiniband/mlx5_0/ports/1/phys_state 5: LinkUp\n"                                     \
	"sys infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0 ib0\n"                                    \
	"net ib0 oper=up speed=400000 carrier=1\n"                                                 \
	"-S ib0 rx_bytes_phy 1000~50\n"

static struct host_rig *rig;

static int start(void **state)
{
	(void)state;
	rig = host_rig_new(NIC);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	host_rig_free(rig);
	return 0;
}

static const struct port *port_of(const char *name)
{
	const struct model *m = host_rig_model(rig);

	return model_port(m, model_device(m, HOST_RIG_NAME), name);
}

static void set(const char *const *lines)
{
	for (; *lines; lines++)
		host_rig_set(rig, *lines);
}

/* A DGX: two onboard ports of an X550, one of them without a cable; a NIC of USB to the BMC. */
CASE_WITH(onboard_ports_are_ports_of_the_host, start, stop)
{
	static const char *const lines[] = {"net eno1 oper=up speed=10000 carrier=2",
		"sys net/eno1/device/class 0x020000", "sys net/eno1/flags 0x1003",
		"sys net/eno1/address 3c:ec:ef:00:00:01", "net eno2 oper=down speed=-1 carrier=0",
		"sys net/eno2/device/class 0x020000", "sys net/eno2/flags 0x1002",
		"net enx0a6b oper=up speed=425 carrier=2",
		"sys net/enx0a6b/device/bInterfaceClass 02", "net docker0 oper=up carrier=1",
		"lldp eno1 front-leaf-1 Ethernet7", NULL};
	const struct port *p;

	set(lines);
	host_rig_poll(rig, 3);
	p = host_rig_port(rig, "eno1");
	assert_non_null(p);
	assert_int_equal(p->oper, OPER_UP);
	assert_int_equal(p->speed_mbps, 10000);
	assert_string_equal(p->more->mac, "3c:ec:ef:00:00:01");
	assert_string_equal(p->lldp_device, "front-leaf-1");
	assert_int_equal(host_rig_port(rig, "eno2")->oper, OPER_DOWN);
	assert_null(port_of("enx0a6b"));
	assert_null(port_of("docker0"));
	/* No rail, no network, no cable by plan: what is down there is nobody's trouble. */
	assert_int_equal(host_rig_culprits(rig), 0);
	/* All of them for the NIC: its counters, FEC, link and pauses. */
	assert_int_equal(host_rig_calls(rig), 4);
}

/* Virtual functions and their representors are the NIC's own; 1024 of them are no ports. */
CASE_WITH(functions_of_a_nic_are_no_ports, start, stop)
{
	static const char *const lines[] = {"net ens1v0 oper=up speed=100000 carrier=1",
		"sys net/ens1v0/device/class 0x020000",
		"sys net/ens1v0/device/physfn/vendor 0x8086", "net rep0 oper=up carrier=1",
		"sys net/rep0/device/class 0x020000", "sys net/rep0/phys_port_name pf0vf0",
		"net rep1 oper=up carrier=1", "sys net/rep1/device/class 0x020000",
		"sys net/rep1/phys_port_name c1pf0sf88", "net mlx oper=up carrier=1",
		"sys net/mlx/device/class 0x020000",
		"sys net/mlx/device/infiniband/mlx5_7/node_type 1", NULL};

	set(lines);
	host_rig_poll(rig, 1);
	assert_null(port_of("ens1v0"));
	assert_null(port_of("rep0"));
	assert_null(port_of("rep1"));
	assert_null(port_of("mlx"));
}

/* A guest's NIC has no class of PCI: virtio (Oracle, GCP) and Hyper-V (Azure). */
CASE_WITH(ports_of_guests, start, stop)
{
	static const char *const lines[] = {"net ens3 oper=up speed=-1 carrier=1",
		"sys net/ens3/device/features 1010001", "net eth0 oper=up speed=50000 carrier=1",
		"sys net/eth0/device/class_id {f8615163-df3e-46c5-913f-f2d2f965ed0e}", NULL};

	set(lines);
	host_rig_poll(rig, 1);
	assert_int_equal(host_rig_port(rig, "ens3")->oper, OPER_UP);
	assert_int_equal(host_rig_port(rig, "eth0")->speed_mbps, 50000);
}

/* ---- the management controller ---- */

/* `ipmitool lan print` as root; a line each. */
static void has_bmc(const char *const *lan, const char *firmware)
{
	char script[2048] = "cat <<'E'\n", item[120];

	host_rig_set(rig, "sys ipmi/ipmi0/dev 236:0");
	host_rig_set(rig, "sys ipmi/ipmi0/device/bmc/ipmi_version 2.0");
	if (firmware) {
		(void)str_printf(item, sizeof(item),
			"sys ipmi/ipmi0/device/bmc/firmware_revision %s", firmware);
		host_rig_set(rig, item);
	}
	for (; *lan; lan++) {
		strcat(script, *lan);
		strcat(script, "\n");
	}
	strcat(script, "E\n");
	host_rig_tool(rig, "ipmitool", script);
	host_rig_tool(rig, "id", "echo 0\n");
}

static const char *const ilo[] = {"Set in Progress         : Set Complete",
	"Auth Type Support       : ", "Auth Type Enable        : Callback : ",
	"                        : User     : ", "IP Address Source       : Static Address",
	"IP Address              : 10.10.10.110", "Subnet Mask             : 255.255.255.0",
	"MAC Address             : 14:02:ec:62:32:3d",
	"SNMP Community String   :", "Default Gateway IP      : 10.10.10.20",
	"802.1q VLAN ID          : Disabled", NULL};

CASE_WITH(a_bmc_is_a_port_of_the_out_of_band_network, start, stop)
{
	const struct port *p;

	has_bmc(ilo, "2.72");
	host_rig_poll(rig, 2);
	p = host_rig_port(rig, "bmc");
	assert_non_null(p);
	assert_string_equal(p->more->mac, "14:02:ec:62:32:3d");
	assert_string_equal(p->more->description, "BMC firmware 2.72, address 10.10.10.110");
	assert_int_equal(port_net(host_rig_model(rig), p), NET_OOB);
	/* It does not tell its link, and nobody else has. */
	assert_int_equal(p->oper, OPER_UNKNOWN);
	assert_int_equal(port_oper_seen(host_rig_model(rig), p), OPER_UNKNOWN);
	assert_int_equal(host_rig_findings(rig), 0);
}

static const char *cure_of_bmc(void)
{
	const struct device *d = model_device(host_rig_model(rig), HOST_RIG_NAME);

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, "BMC port"))
			return d->caps.at[i].cure;
	return NULL;
}

/* The community of an AMI board is a secret; a VLAN, and no lease yet. */
CASE_WITH(secrets_of_the_bmc_stay_on_the_host, start, stop)
{
	static const char *const ami[] = {"IP Address Source       : DHCP Address",
		"IP Address              : 0.0.0.0", "MAC Address             : 5c:54:6d:0b:54:6b",
		"SNMP Community String   : TrapAdmin12#$", "802.1q VLAN ID          : 207", NULL};
	const char *answer;
	struct obs *o;
	size_t n;

	has_bmc(ami, "12.61");
	host_rig_poll(rig, 1);
	assert_string_equal(host_rig_port(rig, "bmc")->more->description,
		"BMC firmware 12.61, no address, VLAN 207");
	assert_string_equal(cure_of_bmc(), "");
	answer = host_rig_answer(rig, "bmc", &n);
	assert_null(memmem(answer, n, "TrapAdmin", 9));
	o = host_rig_ask(rig, "bmc");
	obs_free(o);
}

/* Its own sensor is the kernel: a BMC that hangs leaves the file unreadable. */
CASE_WITH(a_bmc_that_does_not_answer_is_said, start, stop)
{
	static const char *const nothing[] = {NULL};
	const struct port *p;

	has_bmc(nothing, NULL);
	host_rig_poll(rig, 1);
	p = host_rig_port(rig, "bmc");
	assert_non_null(p);
	assert_string_equal(p->more->description, "BMC does not answer the host");
	assert_non_null(strstr(cure_of_bmc(), "ipmitool mc info"));
}

CASE_WITH(a_host_without_ipmi_has_no_bmc, start, stop)
{
	host_rig_poll(rig, 1);
	assert_null(port_of("bmc"));
	assert_null(cure_of_bmc());
}

CASE_WITH(a_user_without_the_right_reads_the_cure, start, stop)
{
	has_bmc(ilo, "2.72");
	host_rig_tool(rig, "id", "echo 1000\n");
	host_rig_poll(rig, 1);
	assert_string_equal(host_rig_port(rig, "bmc")->more->description, "BMC firmware 2.72");
	assert_non_null(strstr(cure_of_bmc(), "NOPASSWD: /usr/bin/ipmitool lan print"));
}

/* ---- the path of the poll ---- */

static const struct device *polled(const char *ip)
{
	host_rig_tool(rig, "ip", ip);
	host_rig_login(rig, "SSH_CONNECTION=10.0.0.9 50022 10.0.0.5 22");
	host_rig_poll(rig, 1);
	return model_device(host_rig_model(rig), HOST_RIG_NAME);
}

#define SHOWS(text)                                                                                \
	"[ \"$*\" = '-o addr show to 10.0.0.5' ] || { echo '[]'; exit; }\necho '" text "'\n"

CASE_WITH(a_poll_over_the_rdma_nic_is_in_band, start, stop)
{
	const struct device *d =
		polled(SHOWS("4: ib0    inet 10.0.0.5/24 brd 10.0.0.255 scope global ib0\\       "
			     "valid_lft forever preferred_lft forever"));
	struct poll_path w = device_poll_path(host_rig_model(rig), d);

	assert_string_equal(w.device, "ib0");
	assert_int_equal(w.kind, PATH_IN_BAND);
}

/* A VLAN of a bond of two ports: the first of them carries it. */
CASE_WITH(a_vlan_of_a_bond_is_followed_to_its_port, start, stop)
{
	const struct device *d;
	struct poll_path w;

	host_rig_set(rig, "sys net/bond0.70/lower_bond0/x 1");
	host_rig_set(rig, "sys net/bond0/lower_ens1f0/x 1");
	d = polled(
		SHOWS("9: bond0.70    inet 10.0.0.5/26 scope global noprefixroute bond0.70\\  "));
	w = device_poll_path(host_rig_model(rig), d);
	assert_string_equal(w.device, "ens1f0");
	/* No port of the model, and no list of networks has it. */
	assert_int_equal(w.kind, PATH_UNKNOWN);
}

/* An address that the host does not have (a translation), and a tunnel's end. */
CASE_WITH(an_address_of_nobody_tells_no_path, start, stop)
{
	const struct device *d = polled("echo '[]'; [ \"$1\" = -o ] && exit 1\n");

	(void)d;
	d = polled(SHOWS("1: lo    inet 10.0.0.5/32 scope host lo\\       valid_lft forever"));
	assert_string_equal(device_poll_path(host_rig_model(rig), d).device, "");
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other programs, written small after public ones: tests/cases/imports.md names those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/discover/update.h"
#include "app/import/import.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

static void begin(struct import *im, const char *kind, const char *text)
{
	struct err err = {0};

	import_init(im);
	if (!import_text(im, importer_by_name(kind), "site.file", text, strlen(text), &err))
		fail_msg("%s: %s", err.origin, err.text);
}

static void end(struct import *im, const char *kind, const char *dialect)
{
	import_finish(im, importer_by_name(kind), dialect);
	discovery_sort(&im->d);
}

/* The inventory or the table that would be written. */
static char *written(const struct import *im, bool table)
{
	struct discover_opts opts = {.author = "a test", .fabric = "f"};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(table ? discovery_write_wiring(&im->d, f)
			  : discovery_write(&im->d, &opts, "f.csv", f));
	assert_int_equal(fclose(f), 0);
	return text;
}

static void expect_in(const struct import *im, bool table, const char *part)
{
	char *text = written(im, table);

	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
	free(text);
}

static void expect_not_in(const struct import *im, bool table, const char *part)
{
	char *text = written(im, table);

	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
	free(text);
}

static void expect_note(const struct import *im, const char *why, size_t n)
{
	for (size_t i = 0; i < im->notes.n; i++) {
		if (!strstr(im->notes.at[i].why, why))
			continue;
		assert_int_equal(im->notes.at[i].n, n);
		return;
	}
	if (n)
		fail_msg("no note about %s", why);
}

/* ---- NetBox and Nautobot ---- */

#define NB_DEVICE(id, name, role, platform, ip, rack)                                              \
	"{\"id\":" #id ",\"display\":\"" name "\",\"name\":\"" name                                \
	"\",\"device_type\":{\"id\":1,\"manufacturer\":{\"name\":\"Maker\"},\"model\":\"M\"},"     \
	"\"role\":{\"id\":2,\"name\":\"R\",\"slug\":\"" role "\"},\"platform\":" platform          \
	",\"status\":{\"value\":\"active\",\"label\":\"Active\"},\"rack\":{\"id\":4,\"name\":"     \
	"\"" rack "\"},\"position\":14.0,\"primary_ip4\":{\"id\":9,\"address\":\"" ip "/24\"}}"
#define NB_END(id, device, name)                                                                   \
	"{\"object_type\":\"dcim.interface\",\"object_id\":" #id ",\"object\":{\"id\":" #id        \
	",\"device\":{\"id\":1,\"name\":\"" device "\"},\"name\":\"" name                          \
	"\",\"cable\":7,\"_occupied\":true}}"

static const char nb_devices[] =
	"{\"count\":4,\"next\":null,\"previous\":null,\"results\":[" NB_DEVICE(1, "gpu-leaf-1",
		"leaf-switch", "{\"slug\":\"sonic\"}", "10.9.0.1", "R1") "," NB_DEVICE(2,
		"gpu-leaf-2", "leaf-switch", "{\"slug\":\"sonic\"}", "10.9.0.2",
		"R2") "," NB_DEVICE(3, "h1", "gpu-server", "null", "10.9.1.1",
		"R1") "," NB_DEVICE(4, "pp-1", "patch-panel", "null", "10.9.2.1", "R1") "]}";
static const char nb_cables[] =
	"{\"count\":3,\"next\":null,\"results\":["
	"{\"id\":7,\"type\":\"mmf-om4\",\"a_terminations\":[" NB_END(
		11, "gpu-leaf-1", "Ethernet0") "],\"b_terminations\":[" NB_END(31, "h1",
		"mlx5_0") "],"
			  "\"status\":{\"value\":\"connected\",\"label\":\"Connected\"}},"
			  "{\"id\":8,\"a_terminations\":[" NB_END(12, "gpu-leaf-2",
				  "Ethernet0") "],"
					       "\"b_terminations\":[" NB_END(32, "h1",
						       "mlx5_1") "],\"status\":{\"value\":"
								 "\"planned\"}},"
								 "{\"id\":9,\"a_terminations\":[{"
								 "\"object_type\":\"dcim."
								 "poweroutlet\",\"object_id\":5}],"
								 "\"b_terminations\":[{\"object_"
								 "type\":\"dcim.powerport\","
								 "\"object_id\":6}]}]}";

CASE(netbox_devices_and_cables)
{
	struct import im;
	struct err err = {0};

	begin(&im, "netbox", nb_cables);
	assert_true(import_text(
		&im, importer_by_name("netbox"), "d.json", nb_devices, strlen(nb_devices), &err));
	end(&im, "netbox", NULL);
	expect_in(&im, false,
		"names: \"gpu-leaf-1\", address: \"10.9.0.1\", dialect: sonic, transport: ssh, "
		"tier: leaf, rail: 0}");
	expect_in(&im, false, "racks:\n  - {rack: 'R1', devices: 'gpu-leaf-1', unit: '14'}\n");
	expect_in(&im, false,
		"- {names: \"h1\", address: \"10.9.1.1\", dialect: linux, transport: ssh, "
		"rails: \"mlx5_0\"}");
	expect_not_in(&im, false, "pp-1");
	expect_in(&im, true, "gpu-leaf-1,Ethernet0,h1,mlx5_0\n");
	expect_not_in(&im, true, "mlx5_1");
	expect_note(&im, "planned or out of use", 1);
	expect_note(&im, "no network interface", 1);
	import_free(&im);
}

/* Nautobot has UUIDs, one end a side, and with depth=0 no names: other files have them. */
CASE(nautobot_ends_are_looked_up)
{
	static const char cables[] =
		"{\"count\":1,\"results\":[{\"id\":\"c-1\",\"object_type\":\"dcim.cable\","
		"\"termination_a_type\":\"dcim.interface\",\"termination_a_id\":\"i-1\","
		"\"termination_a\":{\"id\":\"i-1\",\"object_type\":\"dcim.interface\"},"
		"\"termination_b_type\":\"dcim.interface\",\"termination_b_id\":\"i-2\","
		"\"status\":{\"name\":\"Connected\"}}]}";
	static const char interfaces[] =
		"[{\"id\":\"i-1\",\"name\":\"Ethernet1/1\",\"device\":{\"id\":\"d-1\"}},\n"
		"{\"id\":\"i-2\",\"name\":\"Ethernet1/2\",\"device\":{\"id\":\"d-2\"}}]";
	static const char devices[] =
		"{\"results\":[{\"id\":\"d-1\",\"name\":\"leaf1\",\"device_type\":{\"id\":\"t\"},"
		"\"role\":{\"name\":\"leaf\"},\"status\":{\"name\":\"Active\"},"
		"\"platform\":{\"name\":\"Arista EOS\"}},\n"
		"{\"id\":\"d-2\",\"name\":\"spine1\",\"device_type\":{\"id\":\"t\"},"
		"\"role\":{\"name\":\"spine\"},\"platform\":{\"name\":\"Cisco NX-OS\"}}]}";
	struct import im;
	struct err err = {0};

	begin(&im, "netbox", cables);
	end(&im, "netbox", NULL);
	expect_note(&im, "ids only", 1);
	import_free(&im);
	begin(&im, "netbox", cables);
	assert_true(import_text(
		&im, importer_by_name("netbox"), "i", interfaces, strlen(interfaces), &err));
	assert_true(
		import_text(&im, importer_by_name("netbox"), "d", devices, strlen(devices), &err));
	end(&im, "netbox", NULL);
	expect_in(&im, true, "leaf1,Ethernet1/1,spine1,Ethernet1/2\n");
	expect_in(&im, false, "dialect: nxos, transport: ssh, tier: spine");
	import_free(&im);
}

/* An interface knows what is behind the panels, and its speed. */
CASE(netbox_interfaces_lead_through_panels)
{
	static const char text[] =
		"{\"results\":[{\"id\":5,\"device\":{\"id\":1,\"name\":\"leaf1\"},\"name\":"
		"\"swp1\","
		"\"type\":{\"value\":\"400gbase-x-qsfpdd\"},\"speed\":null,\"mgmt_only\":false,"
		"\"cable\":{\"id\":3},\"link_peers\":[{\"name\":\"F1\",\"device\":{\"name\":"
		"\"panel\"}}],"
		"\"connected_endpoints\":[{\"id\":6,\"device\":{\"id\":2,\"name\":\"node1\"},"
		"\"name\":\"eth4\"}],\"connected_endpoints_reachable\":true},"
		"{\"id\":8,\"device\":{\"id\":1,\"name\":\"leaf1\"},\"name\":\"eth0\","
		"\"mgmt_only\":true,\"connected_endpoints\":[]}]}";
	struct import im;

	begin(&im, "netbox", text);
	end(&im, "netbox", "cumulus");
	expect_in(&im, true, "leaf1,swp1,node1,eth4,400G\n");
	expect_not_in(&im, false, "panel");
	expect_note(&im, "management only", 1);
	import_free(&im);
}

/* ---- PTM and Air ---- */

CASE(ptm_graphs)
{
	static const char text[] =
		"// built by hand\n/* two\nlines */\ngraph \"vx\" {\n"
		" graph [label=\"x\" rankdir=LR];\n node [shape=record];\n"
		" \"leaf01\" [function=\"leaf\" os=\"cumulus-vx\" memory=\"768\" "
		"config=\"./helper.sh\"]\n"
		" \"spine01\" [function=spine, os=\"cumulus-vx-5.9\"];\n"
		" \"server01\" [function=\"host\" os=\"generic/ubuntu2204\"]\n"
		" subgraph cluster_1 { \"exit01\" [function=\"exit\" os=\"cumulus-vx\"] }\n"
		" \"leaf01\":\"swp51\" -- \"spine01\":\"swp1\"\n"
		" \"exit01\":swp51 -> \"spine01\":swp30 [speed=\"100000\"];\n"
		" \"server01\":\"eth1\" -- \"leaf01\":\"swp1\" [left_mac=\"00:03:00:11:11:01\"]\n"
		" \"leaf01\":\"eth0\" -- \"oob-mgmt-switch\":\"swp2\"\n"
		" leaf01:swp9 -- leaf01:swp10\n"
		"}\n";
	struct import im;

	begin(&im, "ptm", text);
	end(&im, "ptm", NULL);
	expect_in(&im, true, "leaf01,swp51,spine01,swp1\n");
	expect_in(&im, true, "exit01,swp51,spine01,swp30,100G\n");
	expect_in(&im, true, "server01,eth1,leaf01,swp1\n");
	expect_not_in(&im, true, "oob");
	expect_in(&im, false, "- {names: \"server01\", dialect: linux");
	expect_in(&im, false,
		"- {names: \"spine01\", dialect: cumulus, transport: ssh, tier: spine}");
	expect_note(&im, "from a device to itself", 1);
	import_free(&im);
}

CASE(air_json)
{
	static const char text[] =
		"{\"format\":\"JSON\",\"title\":\"t\",\"content\":{\"nodes\":{\"leaf01\":{\"os\":"
		"\"cumulus-vx-5.9.2\",\"cpu\":2},\"node01\":{\"os\":\"generic/ubuntu2204\"}},"
		"\"links\":[[{\"interface\":\"swp1\",\"node\":\"leaf01\"},{\"interface\":\"eth1\","
		"\"node\":\"node01\"}],[{\"interface\":\"eth0\",\"node\":\"node01\"},\"exit\"]]}}";
	struct import im;

	begin(&im, "ptm", text);
	end(&im, "ptm", NULL);
	expect_in(&im, true, "leaf01,swp1,node01,eth1\n");
	expect_note(&im, "leave the topology", 1);
	import_free(&im);
}

/* ---- containerlab ---- */

CASE(containerlab_topologies)
{
	static const char text[] =
		"name: lab\nprefix: \"\"\ntopology:\n  kinds:\n    linux:\n      image: alpine\n"
		"  defaults:\n    kind: linux\n  nodes:\n    leaf1: {kind: arista_ceos, group: "
		"leaf}\n"
		"    leaf2:\n      kind: sonic-vs\n      mgmt-ipv4: 172.20.20.9\n"
		"    frr1: {image: \"frrouting/frr:v9\", group: spine}\n    h1:\n"
		"    fw1: {kind: fortinet_fortigate}\n    r1: {kind: nokia_srlinux}\n"
		"    br-a: {kind: bridge}\n"
		"  links:\n    - endpoints: [\"leaf1:eth1\", \"frr1: eth1\"]\n"
		"    - type: veth\n      endpoints:\n        - node: leaf2\n          interface: "
		"eth1\n"
		"        - {node: frr1, interface: eth2}\n"
		"    - endpoints: [\"h1:eth1\",\"leaf1:eth2\"]\n"
		"    - endpoints: [\"h1:eth2\",\"host:veth0\"]\n"
		"    - endpoints: [\"r1:e1-1\",\"leaf1:eth9\"]\n";
	struct import im;

	begin(&im, "containerlab", text);
	end(&im, "containerlab", NULL);
	expect_in(&im, false, "- {names: \"leaf1\", dialect: eos, transport: ssh, tier: leaf}");
	expect_in(&im, false, "\"leaf2\", address: \"172.20.20.9\", dialect: sonic");
	expect_in(&im, false, "\"frr1\", dialect: linux, transport: ssh, tier: spine");
	expect_in(&im, false, "#   fw1 (host): its system is fortinet_fortigate");
	expect_in(&im, false, "its system is nokia_srlinux, which railtop does not read");
	expect_in(&im, true, "leaf1,eth1,frr1,eth1\n");
	expect_in(&im, true, "leaf2,eth1,frr1,eth2\n");
	expect_not_in(&im, true, "e1-1");
	expect_note(&im, "leave the lab", 1);
	import_free(&im);
}

/* ---- Ansible ---- */

static void check_ansible(const char *text)
{
	struct import im;

	begin(&im, "ansible", text);
	end(&im, "ansible", NULL);
	expect_in(&im, false,
		"- {names: \"sw[1-2]\", address: \"10.0.0.1,sw2\", dialect: eos, transport: ssh, "
		"tier: leaf}");
	expect_in(&im, false, "\"core1\", dialect: nxos, transport: ssh, tier: spine");
	expect_in(&im, false, "- {names: \"n[01-03]\", dialect: linux, transport: ssh}");
	expect_not_in(&im, false, "localhost");
	import_free(&im);
}

CASE(ansible_in_three_forms)
{
	check_ansible(
		"; the fabric\nlocalhost ansible_connection=local\n[leafs]\n"
		"sw1:22 ansible_host=10.0.0.1 ansible_user='a b'\nsw2 ansible_host=\"{{ x }}\"\n"
		"[leafs:vars]\nansible_network_os = arista.eos.eos  # a comment\n"
		"[spines]\ncore1 ansible_network_os=cisco.nxos.nxos\n"
		"[fabric:children]\nleafs\nspines\n[fabric:vars]\nansible_network_os=sonic\n"
		"[gpu_nodes]\nn[01:03]\n");
	check_ansible(
		"---\nall:\n  vars: {ansible_network_os: sonic, other: !vault x}\n"
		"  hosts:\n    localhost:\n  children:\n    fabric:\n      children:\n"
		"        leafs:\n          vars: {ansible_network_os: arista.eos.eos}\n"
		"          hosts:\n            sw1: {ansible_host: 10.0.0.1}\n            sw2:\n"
		"        spines:\n          hosts:\n            core1:\n"
		"              ansible_network_os: cisco.nxos.nxos\n"
		"    gpu_nodes:\n      vars: {ansible_network_os: ubuntu}\n"
		"      hosts:\n        n[01:03]:\n");
	check_ansible(
		"{\"_meta\":{\"hostvars\":{\"sw1\":{\"ansible_host\":\"10.0.0.1\","
		"\"ansible_network_os\":\"arista.eos.eos\"},\"sw2\":{\"ansible_network_os\":"
		"\"eos\"},\"core1\":{\"ansible_network_os\":\"nxos\",\"port\":22}}},"
		"\"all\":{\"children\":[\"ungrouped\",\"fabric\",\"gpu_nodes\"]},"
		"\"fabric\":{\"children\":[\"leafs\",\"spines\",\"fabric\"]},"
		"\"leafs\":{\"hosts\":[\"sw1\",\"sw2\"]},"
		"\"spines\":{\"hosts\":[\"core1\"]},\"ungrouped\":{\"hosts\":[\"localhost\"]},"
		"\"gpu_nodes\":{\"hosts\":[\"n01\",\"n02\",\"n03\"]}}");
}

/* Ansible refuses a loop; reading one ends as well. */
CASE(groups_in_a_loop)
{
	struct import im;

	begin(&im, "ansible",
		"{\"a\":{\"hosts\":[\"x1\"],\"children\":[\"b\",\"b\",\"a\"]},"
		"\"b\":{\"children\":[\"a\",\"a\"]}}");
	end(&im, "ansible", NULL);
	expect_in(&im, false, "names: \"x1\"");
	import_free(&im);
}

/* ---- Slurm ---- */

CASE(slurm_nodes)
{
	static const char conf[] =
		"ClusterName=c\nNodeName=DEFAULT Sockets=2 State=UNKNOWN\n"
		"nodename=gpu[001-003] NodeAddr=10.1.0.[1-3] \\\n  Gres=gpu:h100:8 RealMemory=1 # "
		"x\n"
		"NodeName=login1 CPUs=4\n#NodeName=old[1-9]\nInclude more.conf\n"
		"PartitionName=p Nodes=gpu[001-003]\nSwitchName=leaf1 Nodes=gpu[001-003]\n";
	static const char shown[] =
		"NodeName=gpu001 Arch=x86_64 CoresPerSocket=48 \n   CPUAlloc=0 CPUTot=192\n"
		"   Gres=gpu:h100:8(S:0-1)\n   NodeAddr=10.1.0.1 NodeHostName=gpu001 "
		"Version=23.11\n\n"
		"NodeName=gpu002 Arch=x86_64\n   Gres=gpu:h100:8\n   NodeAddr=gpu002 "
		"State=IDLE\n\n";
	static const char json[] = "{\"meta\":{},\"nodes\":[{\"name\":\"gpu001\",\"address\":\"10."
				   "1.0.1\",\"hostname\":"
				   "\"gpu001\",\"gres\":\"gpu:8\"},{\"name\":\"cpu1\",\"address\":"
				   "\"cpu1\",\"gres\":\"\"}]}";
	struct import im;

	begin(&im, "slurm", conf);
	end(&im, "slurm", NULL);
	expect_in(&im, false,
		"- {names: \"gpu[001-003]\", address: \"10.1.0.[1-3]\", dialect: linux, transport: "
		"ssh}");
	expect_not_in(&im, false, "login1");
	expect_note(&im, "without GPUs", 1);
	expect_note(&im, "topology.conf", 1);
	expect_note(&im, "Include", 1);
	import_free(&im);
	begin(&im, "slurm", shown);
	end(&im, "slurm", NULL);
	expect_in(&im, false, "names: \"gpu[001-002]\", address: \"10.1.0.1,gpu002\"");
	import_free(&im);
	begin(&im, "slurm", json);
	end(&im, "slurm", NULL);
	expect_in(&im, false, "names: \"gpu001\", address: \"10.1.0.1\"");
	expect_note(&im, "without GPUs", 1);
	import_free(&im);
}

/* ---- NCCL ---- */

CASE(nccl_topologies)
{
	static const char text[] =
		"<!-- <net name=\"not\"/> -->\n<system version=\"1\">\n"
		"  <cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\">\n"
		"    <pci busid=\"0000:0f:00.0\" class=\"0x030200\"><gpu dev=\"0\" "
		"sm=\"90\"/></pci>\n"
		"    <nic>\n      <net name=\"mlx5_10\" dev=\"1\" speed=\"400000\" port=\"1\"\n"
		"        guid=\"0x1\" gdr=\"1\"/>\n      <net name='mlx5_2' dev=\"0\" "
		"speed=\"400000\"/>\n"
		"      <net name=\"mlx5_2\" port=\"2\"/>\n    </nic>\n  </cpu>\n</system>\n";
	struct import im;
	struct err err = {0};

	import_init(&im);
	im.hosts = "node[1-2]";
	assert_true(import_text(&im, importer_by_name("nccl"), "x.xml", text, strlen(text), &err));
	end(&im, "nccl", NULL);
	expect_in(&im, false,
		"- {names: \"node[1-2]\", dialect: linux, transport: ssh, rails: "
		"\"mlx5_2,mlx5_10\"}");
	import_free(&im);
	import_init(&im);
	assert_true(import_text(
		&im, importer_by_name("nccl"), "/tmp/a.b/gpu7.xml", text, strlen(text), &err));
	end(&im, "nccl", NULL);
	expect_in(&im, false, "\"gpu7\"");
	import_free(&im);
}

/* ---- CSV ---- */

CASE(csv_tables)
{
	static const char own[] =
		"device,port,device,port,speed\n# rack 1\nleaf1,Ethernet0,n1,mlx5_0,"
		"400G\n\nleaf1,Ethernet8,n2,mlx5_0\n";
	static const char netbox[] = "\xef\xbb\xbfside_a_device,side_a_type,side_a_name,side_b_"
				     "device,side_b_type,side_b_name\r\n"
				     "leaf1,dcim.interface,Ethernet0,n1,dcim.interface,eth2\r\n"
				     "pdu1,dcim.poweroutlet,O1,n1,dcim.powerport,P1\r\n";
	static const char sheet[] =
		"Rack;Source Device;Source Port;Destination Device;Destination Port;Link Speed\n"
		"R1;\"leaf1\";swp1;\"n1\";\"eth\"\"5\";200G\nR1;leaf1;swp2;n1;eth6;\n";
	static const char devices[] = "Hostname\tRole\tManagement IP\tPlatform\tRack\n"
				      "leaf1\tleaf\t10.0.0.1\tCumulus Linux\tR1\n"
				      "n1\tGPU server\t10.0.1.1\t\tR2\n";
	struct import im;

	begin(&im, "csv", own);
	end(&im, "csv", "sonic");
	expect_in(&im, true, "leaf1,Ethernet0,n1,mlx5_0,400G\n");
	expect_in(&im, false,
		"- {names: \"leaf1\", dialect: sonic, transport: ssh, tier: leaf, rail: 0}");
	import_free(&im);
	begin(&im, "csv", netbox);
	end(&im, "csv", "sonic");
	expect_in(&im, true, "speed\nleaf1,Ethernet0,n1,eth2\n");
	expect_note(&im, "no network interface", 1);
	import_free(&im);
	begin(&im, "csv", sheet);
	end(&im, "csv", "sonic");
	expect_in(&im, true, "speed\nleaf1,swp2,n1,eth6\n");
	expect_note(&im, "no port can have", 1);
	import_free(&im);
	begin(&im, "csv", devices);
	end(&im, "csv", NULL);
	expect_in(&im, false, "  - {names: \"leaf1\", address: \"10.0.0.1\", dialect: cumulus");
	expect_in(&im, false, "racks:\n  - {rack: 'R1', devices: 'leaf1'}\n");
	expect_in(&im, false, "names: \"n1\", address: \"10.0.1.1\", dialect: linux");
	import_free(&im);
}

CASE(a_unit_that_is_no_unit_is_not_cut_to_another)
{
	static const char text[] = "name,role,address,platform,rack,unit\n"
				   "leaf1,leaf,10.0.0.1,cumulus,R1,999999999999\n"
				   "leaf2,leaf,10.0.0.2,cumulus,R1,41\n";
	struct import im;

	begin(&im, "csv", text);
	end(&im, "csv", NULL);
	expect_in(&im, false, "{rack: 'R1', devices: 'leaf1'}\n");
	expect_in(&im, false, "{rack: 'R1', devices: 'leaf2', unit: '41'}\n");
	import_free(&im);
}

/* ---- what is refused ---- */

static void expect_error(const char *kind, const char *text, const char *origin, const char *part)
{
	struct import im;
	struct err err = {0};

	import_init(&im);
	if (import_text(&im, importer_by_name(kind), "x", text, strlen(text), &err))
		fail_msg("%s takes %s", kind, text);
	assert_string_equal(err.origin, origin);
	if (!strstr(err.text, part))
		fail_msg("%s: %s", kind, err.text);
	import_finish(&im, importer_by_name(kind), NULL);
	import_free(&im);
}

CASE(errors_have_their_line)
{
	expect_error("ptm", "graph x {\n \"a\":\"b\" -- \"c", "x:2", "a quote does not end");
	expect_error("ptm", "graph x {\n\n a:b -- \n}", "x:4", "a node is missing");
	expect_error("ptm", "graph x {\n a:b -- c:d [x=y\n", "x:3", "'[' does not end");
	expect_error("ptm", "hello", "x:1", "it is not a graph");
	expect_error("ptm", "graph x {\n a ! b }", "x:2", "'!' has no meaning");
	expect_error("csv", "a,b\nc,d\n", "x:1", "neither cables nor devices");
	expect_error(
		"csv", "device,port,device,port\n\na,b,\"c,d\n", "x:3", "a quote does not end");
	expect_error("ansible", "[a:hosts]\n", "x:1", "no section of an inventory");
	expect_error("ansible", "# hosts\n10.0.0.1 leaf1 leaf1.example\n", "x:2",
		"word 2 is no KEY=VALUE");
	expect_error("nccl", "<system><net name=\"eth0\"/></system>", "x", "of an RDMA device");
	expect_error("ansible", "[a\n", "x:1", "does not end with ]");
	expect_error("ansible", "interfaces:\n  - x\n", "x", "it names no host");
	expect_error("slurm", "NodeName=n[1-\n", "x:1", "NodeName");
	expect_error("slurm", "ClusterName=x\n", "x", "it names no node");
	expect_error("nccl", "<system>\n<net", "x:2", "a tag does not end");
	expect_error("nccl", "<html></html>", "x", "no <system>");
	expect_error(
		"netbox", "{\"results\":[{\"id\":1}]}", "x", "no cables, devices or interfaces");
	expect_error("containerlab", "topology:\n  nodes:\n   - [\n", "x:4", "not YAML");
	expect_error("containerlab", "a: b\n", "x", "it has no topology");
	for (size_t i = 0; i < importer_count; i++)
		expect_error(importer_table[i]->name, "", "x", "is empty");
}

/* Names that would be options, paths, places of the filter language or escapes. */
CASE(names_are_checked)
{
	struct import im;

	begin(&im, "csv",
		"a_device,a_port,b_device,b_port\n-oProxyCommand=x,p,leaf1,swp1\n"
		"../x,p,leaf1,swp2\nleaf1,a#b,n1,eth1\nleaf1,\"a,b\",n1,eth1\n"
		"leaf1,\x1b[2J,n1,eth1\nleaf1,swp3,n1,eth1\n");
	end(&im, "csv", "sonic");
	expect_in(&im, true, "speed\nleaf1,swp3,n1,eth1\n");
	expect_note(&im, "no device can have", 2);
	expect_note(&im, "no port can have", 3);
	for (size_t i = 0; i < im.notes.n; i++)
		assert_null(strchr(im.notes.at[i].example, '\x1b'));
	import_free(&im);
}

/* Each is cut at every byte: under the sanitizers any slip ends the test. */
CASE(files_may_end_anywhere)
{
	static const struct {
		const char *kind, *text;
	} files[] = {{"netbox", nb_cables},
		{"ptm", "graph x { \"a\" [os=\"b\"]; subgraph y { \"a\":\"b\" -- \"c\":\"d\" [e=f] "
			"} /* */ }"},
		{"containerlab",
			"name: x\ntopology: {nodes: {a: {kind: ceos}}, links: [{endpoints: "
			"[\"a:b\", \"a:c\"]}]}\n"},
		{"ansible", "[a]\nb[1:2] c='d e'\n[a:vars]\nx = y\n[f:children]\na\n"},
		{"slurm", "NodeName=a[1-2] NodeAddr=b[1-2] \\\n Gres=\"gpu:1\"\nSwitchName=x\n"},
		{"nccl", "<system><!-- x --><net name=\"a\" speed='1'/></system>"},
		{"csv", "device,port,device,port\n\"a\"\"b\",c,d,e\r\n"}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len = strlen(files[i].text);

		for (size_t n = 1; n < len; n++) {
			char *cut = malloc(n + 1);
			struct import im;
			struct err err = {0};

			assert_non_null(cut);
			memcpy(cut, files[i].text, n);
			cut[n] = '\0';
			import_init(&im);
			if (!import_text(&im, importer_by_name(files[i].kind), "x", cut, n, &err))
				assert_true(err.text[0] && err.code);
			import_finish(&im, importer_by_name(files[i].kind), "sonic");
			free(written(&im, false));
			free(written(&im, true));
			import_free(&im);
			free(cut);
		}
	}
}

/* Each of these would end the value for YAML. */
CASE(a_rack_ends_no_value)
{
	static const char *const racks[] = {"R1\\nnotify: x", "R1\\rnotify: x",
		"R1\xe2\x80\xa8notify: x", "R1\xe2\x80\xa9notify: x", "R1\xc2\x85notify: x"};

	for (size_t i = 0; i < sizeof(racks) / sizeof(racks[0]); i++) {
		struct import im;
		char text[700], *got;

		(void)str_printf(text, sizeof(text),
			"{\"results\":[" NB_DEVICE(1, "gpu-leaf-1", "leaf-switch",
				"{\"slug\":\"sonic\"}", "10.9.0.1", "%s") "]}",
			racks[i]);
		begin(&im, "netbox", text);
		end(&im, "netbox", NULL);
		got = written(&im, false);
		assert_non_null(strstr(got, "rack: 'R1"));
		for (const char *at = got; (at = strstr(at, "notify")); at++)
			assert_true(at[-1] == ' ' || at[-1] == '?');
		free(got);
		import_free(&im);
	}
}

static void expect_no_secret(const struct import *im, const char *kind, const struct err *err)
{
	char *texts[] = {written(im, false), written(im, true)};

	if (strstr(err->text, "Planted") || strstr(err->cure, "Planted"))
		fail_msg("%s: %s", kind, err->text);
	for (size_t i = 0; i < 2; i++) {
		if (strstr(texts[i], "Planted"))
			fail_msg("%s: %s", kind, texts[i]);
		free(texts[i]);
	}
	for (size_t i = 0; i < im->notes.n; i++)
		assert_null(strstr(im->notes.at[i].example, "Planted"));
}

/* Such files hold passwords too: they reach neither the inventory nor a message. */
CASE(secrets_of_other_files_stay_there)
{
	static const struct {
		const char *kind, *text;
	} files[] = {
		{"ansible", "[leafs]\nleaf1 ansible_user=noc ansible_password=Planted-1 "
			    "ansible_become_pass='Planted 2'\n[leafs:vars]\n"
			    "ansible_ssh_pass=Planted-3\nsnmp_community = Planted-4\n"},
		{"ansible", "[leafs]\nleaf1 ansible_password= Planted-1\n"},
		{"ansible", "[leafs]\nleaf1 ansible_host=10.0.0.1 Planted-1\n"},
		{"ansible", "leafs:\n  vars: {ansible_password: Planted-1}\n  hosts:\n    leaf1:\n"
			    "      enable_secret: Planted-2\n"},
		{"ansible", "{\"leafs\":{\"hosts\":[\"leaf1\"],\"vars\":{\"ansible_password\":"
			    "\"Planted-1\"}},\"_meta\":{\"hostvars\":{\"leaf1\":{\"token\":"
			    "\"Planted-2\"}}}}"},
		{"netbox", "{\"results\":[{\"id\":1,\"name\":\"leaf1\",\"role\":{\"slug\":"
			   "\"leaf\"},\"device_type\":{\"model\":\"M\"},\"comments\":"
			   "\"enable password Planted-1\",\"local_context_data\":{\"snmp\":"
			   "\"Planted-2\"},\"custom_fields\":{\"token\":\"Planted-3\"}}]}"},
		{"containerlab", "name: x\ntopology: {nodes: {leaf1: {kind: ceos, env: {PASSWORD: "
				 "Planted-1}, exec: [\"echo Planted-2\"]}}, links: []}\n"},
		{"slurm", "NodeName=a1 Comment=\"Planted-1\"\nStoragePass=Planted-2\n"
			  "SwitchName=s1 Nodes=a1\n"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct import im;
		struct err err = {0};
		const struct importer *kind = importer_by_name(files[i].kind);

		import_init(&im);
		(void)import_text(&im, kind, "x", files[i].text, strlen(files[i].text), &err);
		import_finish(&im, kind, "sonic");
		expect_no_secret(&im, files[i].kind, &err);
		import_free(&im);
	}
}

CASE(switches_of_an_unknown_system_are_named)
{
	struct import im;
	char list[64];

	begin(&im, "csv",
		"a_device,a_port,b_device,b_port\nleaf1,swp1,leaf2,swp1\nleaf1,swp2,n1,eth1\n");
	end(&im, "csv", NULL);
	assert_int_equal(import_unnamed(&im, NULL, list, sizeof(list)), 2);
	assert_string_equal(list, "leaf[1-2]");
	import_free(&im);
}

/* ---- an inventory that exists ---- */

static void keep_message(void *ctx, const char *message)
{
	char *all = ctx;

	(void)str_printf(all + strlen(all), 2048 - strlen(all), "%s\n", message);
}

CASE(hand_edits_stay_and_differences_are_told)
{
	static const char before[] =
		"fabric: mine # by hand\nswitches:\n"
		"  - {names: leaf1, dialect: eos, tier: spine, address: 10.0.0.9}\n";
	static const char table[] = "device,port,device,port\nleaf1,swp1,n9,eth1\n";
	static const char cables[] =
		"device,port,device,port\nleaf1,swp1,n1,eth1\nleaf1,swp2,n1,eth2\n";
	struct import im;
	struct update done = {0};
	struct err err = {0};
	char told[2048] = "", *out = NULL;
	size_t size = 0;
	FILE *f;

	begin(&im, "csv", "name,role,ip,os\nleaf1,leaf,10.0.0.1,sonic\nn1,server,,\n");
	assert_true(import_text(&im, importer_by_name("csv"), "y", cables, strlen(cables), &err));
	end(&im, "csv", NULL);
	im.d.source = "csv says";
	f = open_memstream(&out, &size);
	assert_non_null(f);
	assert_true(update_inventory(
		"f.yaml", before, strlen(before), &im.d, f, &done, keep_message, told, &err));
	assert_int_equal(fclose(f), 0);
	assert_true(str_starts(out, before));
	assert_non_null(strstr(out, "names: \"n1\""));
	assert_int_equal(done.devices, 1);
	assert_non_null(strstr(told, "leaf1: the file says spine, csv says leaf"));
	assert_non_null(
		strstr(told, "leaf1: the file has the address 10.0.0.9, csv says 10.0.0.1"));
	free(out);
	told[0] = '\0';
	f = open_memstream(&out, &size);
	assert_non_null(f);
	assert_true(update_wiring(table, strlen(table), &im.d, f, &done, keep_message, told));
	assert_int_equal(fclose(f), 0);
	assert_true(str_starts(out, table));
	assert_non_null(strstr(out, "leaf1,swp2,n1,eth2\n"));
	assert_null(strstr(out, "leaf1,swp1,n1"));
	assert_string_equal(
		told, "leaf1:swp1: the table has n9:eth1, csv says n1:eth1; the table stays\n");
	free(out);
	import_free(&im);
}

/* ---- LLDP ---- */

static void hear(struct model *m, const char *device, const char *port, const char *peer,
	const char *peer_port)
{
	struct obs *o = obs_new(device, "lldp");

	obs_lldp(o, obs_port(o, port), peer, peer_port);
	model_apply(m, o, 1000000);
	obs_free(o);
}

CASE(cables_are_compared_with_lldp)
{
	struct plan plan;
	struct model *m;
	struct import im;
	struct import_compared r;
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	plan_init(&plan);
	(void)plan_make_device(&plan, "n1", TIER_HOST, -1);
	(void)plan_make_device(&plan, "n2", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf1", TIER_LEAF, 0);
	m = model_new(&plan);
	hear(m, "n1", "mlx5_0", "leaf1", "Ethernet0");
	hear(m, "n2", "mlx5_0", "leaf1", "Ethernet8");
	hear(m, "leaf1", "Ethernet0", "n1", "mlx5_0");
	hear(m, "leaf1", "Ethernet8", "n2", "mlx5_0");
	hear(m, "leaf1", "Ethernet16", "n2", "mlx5_1");
	hear(m, "n2", "mlx5_1", "leaf1", "Ethernet16");
	/* One as it is, one to another host, one that nobody has heard, and one that the file
	 * lacks. */
	begin(&im, "csv",
		"device,port,device,port\nleaf1,Ethernet0,n1,mlx5_0\n"
		"leaf1,Ethernet8,n1,mlx5_1\nleaf1,Ethernet24,n2,mlx5_9\n");
	end(&im, "csv", "sonic");
	f = open_memstream(&out, &size);
	assert_non_null(f);
	import_compare(&im, m, f, &r);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(r.same, 1);
	assert_int_equal(r.differ, 1);
	assert_int_equal(r.unheard, 1);
	assert_int_equal(r.extra, 1);
	assert_non_null(
		strstr(out, "leaf1:Ethernet8 - n1:mlx5_1 in the file; LLDP at leaf1:Ethernet8 "
			    "shows n2:mlx5_0\n"));
	assert_non_null(strstr(out, "Ethernet16"));
	free(out);
	import_free(&im);
	model_free(m);
	plan_free(&plan);
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/contract/facts.h"
#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/* Links between GPUs, from answers of hosts: see tests/cases/site.md. */

#define BEGIN "@@begin 1\n1700000000000000000\n"
#define END   "@@end\n1700000000100000000\n"

static struct obs *parse(const char *request, const char *text)
{
	struct target t = {.device = "node003", .tier = TIER_HOST};
	struct obs *o = obs_new("node003", request);
	struct err err = {0};

	if (!backend_by_name("linux")->parse(&t, request, text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return o;
}

static const char *word(const struct obs *o, enum obs_attr attr, unsigned gpu)
{
	return attr_word(at_port(o, NULL), attr, gpu);
}

static bool has_word(const struct obs *o, enum obs_attr attr, unsigned gpu)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == attr &&
			o->items.at[i].sub == gpu)
			return true;
	return false;
}

static const char *need(const struct obs *o, unsigned *validity)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_CAPABILITY &&
			str_eq(obs_text(o, o->items.at[i].text), "links between GPUs")) {
			*validity = o->items.at[i].code;
			return obs_text(o, o->items.at[i].text2);
		}
	fail_msg("nothing is said of the links");
	return "";
}

/* ---- state and errors ---- */

CASE(the_states_of_a_gpu_are_kept_apart)
{
	struct obs *o = parse("nvlink", BEGIN
		"@@links\n"
		"GPU 0: NVIDIA RTX A4000 (UUID: GPU-c70c)\n"
		"Device does not have or support Nvlink\n"
		"GPU 1: Quadro RTX 5000 (UUID: GPU-c01c)\n"
		"NVML: Unable to retrieve Nvlink information as all links are inActive\n"
		"GPU 2: NVIDIA A100-SXM4-40GB (UUID: GPU-7fde)\n"
		"\t Link 0: 25 GB/s\n\t Link 1: 25 GB/s\n\t Link 2: <inactive>\n"
		"\t Link 3: 25 GB/s\n"
		"GPU 3: NVIDIA RTX A4000 (UUID: GPU-aaaa) Device does not have or support "
		"Nvlink\n"
		"GPU 4: NVIDIA A100 (UUID: GPU-abcd)\n"
		"@@told 0\n@@errors\nGPU 0: NVIDIA RTX A4000 (UUID: GPU-c70c)\n@@told 0\n" END);
	unsigned v;

	assert_string_equal(word(o, ATTR_GPU_LINKS, 0), "kind=none name=NVIDIA-RTX-A4000");
	assert_string_equal(
		word(o, ATTR_GPU_LINKS, 1), "kind=nvlink name=Quadro-RTX-5000 links=0 active=0");
	assert_string_equal(word(o, ATTR_GPU_LINKS, 2),
		"kind=nvlink name=NVIDIA-A100-SXM4-40GB links=4 active=3 gbs=25 down=2");
	assert_string_equal(word(o, ATTR_GPU_LINKS, 3), "kind=none name=NVIDIA-RTX-A4000");
	/* A header with nothing behind it tells nothing. */
	assert_string_equal(word(o, ATTR_GPU_LINKS, 4), "kind=nvlink name=NVIDIA-A100");
	assert_true(attr_number(at_port(o, NULL), ATTR_GPU_COUNT, 0) == 5);
	(void)need(o, &v);
	assert_int_equal(v, VALID_OK);
	obs_free(o);
}

/* DGX-2 has sixteen. */
CASE(more_gpus_than_priorities)
{
	struct obs *o = parse("nvlink", BEGIN "@@links\nGPU 7: Tesla V100 (UUID: GPU-a)\n"
					      "\t Link 0: 25.781 GB/s\n"
					      "GPU 15: Tesla V100 (UUID: GPU-b)\n"
					      "\t Link 0: <inactive>\n@@told 0\n" END);

	assert_string_equal(word(o, ATTR_GPU_LINKS, 7),
		"kind=nvlink name=Tesla-V100 links=1 active=1 gbs=25.781");
	assert_string_equal(
		word(o, ATTR_GPU_LINKS, 15), "kind=nvlink name=Tesla-V100 links=1 active=0 down=0");
	obs_free(o);
}

/* Words that no driver has printed yet are no evidence of a working link. */
CASE(a_link_without_a_rate_is_not_active)
{
	struct obs *o = parse("nvlink", BEGIN "@@links\nGPU 0: NVIDIA A100 (UUID: GPU-a)\n"
					      "\t Link 0: some state\n\t Link 1: Disabled\n"
					      "\t Link 2: 53.125 GB/s\n@@told 0\n" END);

	assert_string_equal(word(o, ATTR_GPU_LINKS, 0),
		"kind=nvlink name=NVIDIA-A100 links=3 active=1 gbs=53.125 down=0,1");
	obs_free(o);
}

CASE(counts_up_to_nvlink_4)
{
	struct obs *o = parse("nvlink",
		BEGIN "@@links\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-a)\n"
		      "         Link 0: 26.562 GB/s\n         Link 1: 26.562 GB/s\n@@told 0\n"
		      "@@errors\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-a)\n"
		      "         Link 0: Replay Errors: 0\n         Link 0: Recovery Errors: 0\n"
		      "         Link 0: CRC Errors: 2\n         Link 1: Replay Errors: 142\n"
		      "         Link 1: CRC Errors: 891\n@@told 0\n" END);

	assert_string_equal(word(o, ATTR_GPU_LINKS, 0),
		"kind=nvlink name=NVIDIA-H100-80GB-HBM3 links=2 active=2 gbs=26.562 worst=1 "
		"crc=893 "
		"replay=142 recovery=0");
	obs_free(o);
}

/* The corrected codewords of bucket 0 are no errors, and recoveries are counted once. */
CASE(counts_of_nvlink_5)
{
	struct obs *o = parse("nvlink",
		BEGIN "@@links\nGPU 0: NVIDIA GB200 (UUID: GPU-a)\n\t Link 0: 53.125 GB/s\n"
		      "\t Link 14: 53.125 GB/s\n@@told 0\n"
		      "@@errors\nGPU 0: NVIDIA GB200 (UUID: GPU-a)\n"
		      "\t Link 0: Malformed packet Errors: 0\n\t Link 0: Buffer overrun Errors: 0\n"
		      "\t Link 0: Rx Errors: 0\n\t Link 0: Rx remote Errors: 0\n"
		      "\t Link 0: Rx General Errors: 0\n\t Link 0: Local link integrity Errors: 0\n"
		      "\t Link 0: Tx discards: 0\n\t Link 0: Link recovery successful events: 0\n"
		      "\t Link 0: Link recovery failed events: 0\n"
		      "\t Link 0: Total link recovery events: 0\n\t Link 0: Effective Errors: 0\n"
		      "\t Link 0: Symbol Errors: 0\n\t Link 0: FEC Errors - 0: 36140749276\n"
		      "\t Link 14: Link recovery successful events: 505\n"
		      "\t Link 14: Total link recovery events: 505\n"
		      "\t Link 14: Rx remote Errors: 3\n@@told 0\n" END);

	assert_string_equal(word(o, ATTR_GPU_LINKS, 0),
		"kind=nvlink name=NVIDIA-GB200 links=2 active=2 gbs=53.125 worst=14 recovery=505 "
		"failed=0 local=0 remote=3");
	obs_free(o);
}

/* A tool that is killed has printed a part: neither links nor errors are fewer now. */
CASE(what_a_killed_tool_printed_is_not_used)
{
	struct obs *o = parse("nvlink", BEGIN "@@links\nGPU 0: NVIDIA H100 (UUID: GPU-a)\n"
					      "\t Link 0: 26.562 GB/s\n@@told 124\n" END);
	unsigned v;

	assert_false(has_word(o, ATTR_GPU_LINKS, 0));
	assert_non_null(strstr(need(o, &v), "was killed after 15 s"));
	assert_int_equal(v, VALID_DISABLED);
	obs_free(o);
	o = parse("nvlink", BEGIN "@@links\nGPU 0: NVIDIA H100 (UUID: GPU-a)\n"
				  "\t Link 0: 26.562 GB/s\n@@told 0\n"
				  "@@errors\nGPU 0: NVIDIA H100 (UUID: GPU-a)\n"
				  "\t Link 0: Replay Errors: 7\n@@told 124\n" END);
	assert_string_equal(word(o, ATTR_GPU_LINKS, 0),
		"kind=nvlink name=NVIDIA-H100 links=1 active=1 gbs=26.562");
	obs_free(o);
}

CASE(a_driver_that_does_not_answer_has_a_cure)
{
	struct obs *o = parse("nvlink",
		BEGIN "@@links\nNVIDIA-SMI has failed because it couldn't communicate with the "
		      "NVIDIA driver.\n@@told 9\n@@errors\n@@told 9\n" END);
	unsigned v;

	assert_non_null(strstr(need(o, &v), "NVIDIA-SMI has failed"));
	assert_int_equal(v, VALID_DISABLED);
	obs_free(o);
	o = parse("nvlink", BEGIN "@@links\nNo devices were found\n@@told 6\n" END);
	assert_non_null(strstr(need(o, &v), "No devices were found"));
	obs_free(o);
}

/* ---- registration ---- */

CASE(registration_of_a_gb200)
{
	struct obs *o = parse("nvfabric",
		BEGIN "@@fabric\nGPU 00000008:01:00.0\n"
		      "        State                             : before the block\n"
		      "    Fabric\n"
		      "        State                             : Completed\n"
		      "        Status                            : Success\n"
		      "        CliqueId                          : 2\n"
		      "        ClusterUUID                       : "
		      "dc6e40c4-d722-4357-9ba6-5291dd461278\n"
		      "            Summary                       : Unhealthy\n"
		      "            Bandwidth                     : Full\n"
		      "            Route Recovery in progress    : False\n"
		      "            Route Unhealthy               : True\n"
		      "            Access Timeout Recovery       : False\n"
		      "            Incorrect Configuration       : Insufficient NVLinks\n"
		      "GPU 00000009:01:00.0\n    Fabric\n"
		      "        State                             : Completed\n"
		      "        Status                            : Insufficient Resources\n"
		      "        CliqueId                          : 0\n"
		      "        ClusterUUID                       : "
		      "00000000-0000-0000-0000-000000000000\n"
		      "GPU 00000000:1B:00.0\n    Fabric\n"
		      "        State                                          : In Progress\n"
		      "        Status                                         : N/A\n"
		      "        CliqueId                                       : N/A\n"
		      "@@fm\nLoadState=not-found\nActiveState=inactive\n" END);

	assert_string_equal(word(o, ATTR_GPU_FABRIC, 0),
		"bus=0008:01:00.0 state=completed status=success clique=2 "
		"cluster=dc6e40c4-d722-4357-9ba6-5291dd461278 health=unhealthy "
		"why=route-unhealthy,insufficient-nvlinks");
	assert_string_equal(word(o, ATTR_GPU_FABRIC, 1),
		"bus=0009:01:00.0 state=completed status=insufficient-resources clique=0 "
		"cluster=00000000-0000-0000-0000-000000000000");
	assert_string_equal(word(o, ATTR_GPU_FABRIC, 2), "bus=0000:1b:00.0 state=in-progress");
	assert_string_equal(word(o, ATTR_GPU_DOMAIN, 0), "fm=missing");
	obs_free(o);
}

/* A100 says N/A though its manager runs; a single card says that it is not supported. */
CASE(no_answer_is_no_state)
{
	struct obs *o = parse("nvfabric",
		BEGIN "@@fabric\nGPU 00000000:07:00.0\n    Fabric\n"
		      "        State                             : N/A\n"
		      "        Status                            : N/A\n"
		      "GPU 00000000:0F:00.0\n    Fabric\n"
		      "        State                             : Not Supported\n"
		      "            Summary                       : Not Supported\n"
		      "@@fm\nLoadState=loaded\nActiveState=active\n" END);

	assert_string_equal(word(o, ATTR_GPU_FABRIC, 0), "bus=0000:07:00.0");
	assert_string_equal(word(o, ATTR_GPU_FABRIC, 1), "bus=0000:0f:00.0");
	assert_string_equal(word(o, ATTR_GPU_DOMAIN, 0), "fm=active");
	obs_free(o);
	o = parse("nvfabric", BEGIN "@@fabric\n@@fm\nsh: 1: systemctl: not found\n" END);
	assert_string_equal(word(o, ATTR_GPU_DOMAIN, 0), "");
	obs_free(o);
}

CASE(an_imex_domain)
{
	static const struct {
		const char *answer, *says;
	} answers[] = {
		{"{\"nodes\":{\"0\":{\"status\":\"READY\",\"host\":\"10.0.0.1\",\"connections\":{"
		 "\"0\":{\"host\":\"10.0.0.1\",\"status\":\"CONNECTED\",\"changed\":true}},"
		 "\"hostName\":\"a\"},\"1\":{\"status\":\"READY\",\"host\":\"10.0.0.2\"}},"
		 "\"timestamp\":\"9/4/2026 00:00:00.000\",\"status\":\"UP\"}\n",
			"imex=up members=2 ready=2"},
		{"{\"nodes\":{\"1\":{\"status\":\"UNAVAILABLE\",\"host\":\"10.0.0.2\",\"hostName\":"
		 "\"N/A\"},\"0\":{\"status\":\"READY\",\"host\":\"10.0.0.1\"}},\"status\":"
		 "\"DEGRADED\"}\n",
			"imex=degraded members=2 ready=1 bad=10.0.0.2:unavailable"},
		{"5/4/2026 06:08:10.580\nNodes:\n"
		 "Node #0   - 172.31.48.81    - READY                - Version: 570.172\n"
		 "Node #1   - 172.31.48.98    - UNAVAILABLE          - Version: 570.172\n\n"
		 "Domain State: DOWN\n",
			"imex=down members=2 ready=1"},
		{"Failed to connect to IMEX daemon\n", "imex=silent"},
		{"[]\n", "imex=silent"},
		{"{\"nodes\":[]}\n", "imex=silent"},
	};
	char text[1200];

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct obs *o;

		(void)str_printf(text, sizeof(text), "%s@@fabric\n@@imex\n%s%s", BEGIN,
			answers[i].answer, END);
		o = parse("nvfabric", text);
		assert_string_equal(word(o, ATTR_GPU_DOMAIN, 0), answers[i].says);
		obs_free(o);
	}
}

/* ---- AMD ---- */

CASE(xgmi_ports_are_up_down_disabled_or_hidden)
{
	struct obs *o = parse("xgmi", BEGIN
		"@@xgmi\nLINK METRIC TABLE:\n"
		"       bdf           bit_rate  max_bandwidth  link_type  GPU0         GPU1\n"
		"GPU0   0000:05:00.0  32 Gb/s   512 Gb/s       XGMI       N/A          U\n"
		" Read                                                    N/A          N/A\n\n"
		"GPU LINK PORT STATUS:\n       bdf           port_num            \n"
		"GPU0   0000:05:00.0  U  U  U  U  U  U  U  X\n"
		"GPU1   0000:26:00.0  U  D  U  U  D  U  U  X\n"
		"GPU2   0000:46:00.0  X  X  X  X  X  X  X  X\n"
		"GPU3   0000:65:00.0  N/A  N/A  N/A  N/A  N/A  N/A  N/A  N/A\n\n"
		"XGMI LINK STATUS:\n        bdf            GPU0          GPU1          \n"
		"GPU0\t0000:05:00.0   SELF          D\n\nLegend:\n  SELF = Current GPU\n"
		"@@told 0\n" END);
	unsigned v;

	assert_string_equal(word(o, ATTR_GPU_LINKS, 0), "kind=xgmi links=7 active=7");
	assert_string_equal(word(o, ATTR_GPU_LINKS, 1), "kind=xgmi links=7 active=5 down=1,4");
	assert_string_equal(word(o, ATTR_GPU_LINKS, 2), "kind=xgmi");
	assert_string_equal(word(o, ATTR_GPU_LINKS, 3), "kind=xgmi");
	(void)need(o, &v);
	assert_int_equal(v, VALID_OK);
	obs_free(o);
	/* An older tool has no such table: unknown, with its words. */
	o = parse("xgmi",
		BEGIN "@@xgmi\nLINK METRIC TABLE:\nGPU0   0000:05:00.0 32 Gb/s\n@@told 0\n" END);
	(void)need(o, &v);
	assert_int_equal(v, VALID_DISABLED);
	assert_false(has_word(o, ATTR_GPU_LINKS, 0));
	obs_free(o);
}

/* ---- what may be asked ---- */

/* The flags of `nvidia-smi nvlink` that reset counters or change links, by its help. */
CASE(no_flag_that_resets_is_ever_sent)
{
	static const char *const flags[] = {"-r", "--resetcounters", "-re", "--reseterrorcounters",
		"-sc", "--setcontrol", "-sLowPwrThres", "--setLowPowerThreshold", "-sBwMode",
		"--setBandwidthMode", "-r 0", "-re -i 0"};
	static const char *const scripts[] = {linux_nvlink_script, linux_nvfabric_script,
		linux_topology_script, linux_detect_script, linux_fast_script, linux_slow_script,
		linux_optics_script, linux_lldp_script, linux_qos_script, linux_xgmi_script};
	char line[80];

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		assert_null(strstr(scripts[i], "reset"));
		for (const char *at = scripts[i]; (at = strstr(at, "nvidia-smi nvlink"));) {
			at += strlen("nvidia-smi nvlink");
			assert_true(str_starts(at, " -s 2>&1") || str_starts(at, " -e 2>&1"));
		}
		for (const char *at = scripts[i]; (at = strstr(at, "nvidia-smi -"));) {
			at += strlen("nvidia-smi ");
			assert_true(
				str_starts(at, "-q 2>/dev/null") || str_starts(at, "--query-gpu="));
		}
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct request_list list = {0};
		struct request *r;

		(void)str_printf(line, sizeof(line), "nvidia-smi nvlink %s", flags[i]);
		assert_false(linux_reads(requests_ssh(&list, "x", line, NULL)));
		r = requests_ssh(&list, "y", "sh -s", line);
		r->shell = true;
		assert_false(linux_reads(r));
		requests_free(&list);
	}
}

static unsigned asked(const char *gpus, enum poll_tier tier, const char *request)
{
	struct facts facts = {0};
	struct target t = {.device = "n", .tier = TIER_HOST, .facts = &facts};
	struct request_list list = {0};
	struct err err = {0};
	unsigned n = 0;

	facts_set(&facts, "gpus", gpus);
	assert_true(backend_by_name("linux")->plan(&t, tier, &list, &err));
	for (size_t i = 0; i < list.at.n; i++)
		n += str_eq(list.at.at[i].name, request);
	requests_free(&list);
	facts_free(&facts);
	return n;
}

CASE(a_host_without_the_tool_is_not_asked)
{
	assert_int_equal(asked("nvidia", POLL_MEDIUM, "nvlink"), 1);
	assert_int_equal(asked("nvidia", POLL_SLOW, "nvfabric"), 1);
	assert_int_equal(asked("nvidia", POLL_MEDIUM, "xgmi"), 0);
	assert_int_equal(asked("amd", POLL_MEDIUM, "xgmi"), 1);
	assert_int_equal(asked("amd", POLL_MEDIUM, "nvlink"), 0);
	assert_int_equal(asked("", POLL_MEDIUM, "nvlink") + asked("", POLL_MEDIUM, "xgmi") +
				 asked("", POLL_SLOW, "nvfabric"),
		0);
}

CASES_MAIN(NULL, NULL)

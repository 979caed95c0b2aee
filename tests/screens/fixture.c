/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/screens/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"

enum { RAIL_OF_STORM = 2, HOST_OF_STORM = 7 };

/* A port of the fixture, found from either end of its wire. */
struct spot {
	const struct sizing *s;
	enum tier tier;
	unsigned device, port, rail;
	int host;   /* host at the other end of (or with) the port, -1 on fabric links */
	bool alone; /* the storm is the only thing wrong */
	bool up;
	double load; /* bytes per second each way */
};

static const char *dialect_of(enum tier t)
{
	return t == TIER_HOST ? "linux" : t == TIER_LEAF ? "sonic" : "eos";
}

static void name_of(const struct spot *p, char *device, char *port)
{
	(void)sizing_device_name(p->s, p->tier, p->device, device, NAME_MAX_LEN);
	(void)sizing_port_name(p->tier, dialect_of(p->tier), p->port, port, NAME_MAX_LEN);
}

static bool storm(const struct spot *p)
{
	return p->host == HOST_OF_STORM && p->rail == RAIL_OF_STORM;
}

static void put_settings(FILE *out)
{
	(void)fprintf(
		out, ",\"pfc_enabled\":8,\"ecn_enabled\":8,\"trust\":\"dscp\",\"dscp_to_tc\":\"");
	for (int dscp = 0; dscp < 64; dscp++)
		(void)fputc(dscp == 26 ? '3' : dscp == 48 ? '6' : '0', out);
	(void)fprintf(out,
		"\",\"tc_to_queue\":\"01234567\",\"tc_to_pg\":\"00030000\",\"ecn_min_bytes\":{"
		"\"3\":500000},"
		"\"ecn_max_bytes\":{\"3\":1500000},\"ecn_probability\":{\"3\":5},"
		"\"xoff_bytes\":{\"3\":18432},\"headroom_bytes\":{\"3\":49152},"
		"\"pfcwd_state\":{\"3\":\"operational\"},\"pfcwd_action\":{\"3\":\"drop\"},"
		"\"pfcwd_detect_ms\":{\"3\":200},\"pfcwd_restore_ms\":{\"3\":400},"
		"\"rx_power_limit_dbm\":{\"low_alarm\":-9.5,\"low_warn\":-7.5},"
		"\"temperature_limit_c\":{\"high_alarm\":75}");
}

static void put_state(FILE *out, const struct spot *p)
{
	(void)fprintf(out, "\"state\":{\"oper\":\"%s\",\"admin\":\"up\",\"speed_mbps\":400000",
		p->up ? "up" : "down");
	/* Told by the leaves of the bad optic and of the drops. */
	if (p->tier == TIER_LEAF && (p->rail == 1 || p->rail == 3))
		put_settings(out);
	(void)fprintf(out, "}");
}

/* Codewords by corrected symbols: half as many with each symbol more, to the bin of the optic. */
static void put_bins(FILE *out, bool bad_optic)
{
	(void)fprintf(out, ",\"fec_bin\":{");
	for (unsigned bin = 0; bin < 16; bin++)
		(void)fprintf(out, "%s\"%u\":%u", bin ? "," : "", bin,
			bin <= (bad_optic ? 14U : 4U) ? 10000000U >> (bad_optic ? bin : 4 * bin)
						      : 0U);
	(void)fprintf(out, "}");
}

static void put_scalars(FILE *out, const struct spot *p, double t)
{
	double load = p->up ? p->load : 0;
	bool bad_optic = !p->alone && p->tier == TIER_LEAF && p->rail == 1 && p->port == 40;

	(void)fprintf(out,
		"\"rx_bytes\":%.0f,\"tx_bytes\":%.0f,\"rx_packets\":%.0f,\"tx_packets\":%.0f,"
		"\"rx_discards\":0,\"tx_discards\":0,\"rx_fcs_errors\":0,\"pre_fec_ber\":%s,"
		"\"fec_corrected_codewords\":%.0f,\"fec_uncorrectable_codewords\":%.0f,"
		"\"link_down_events\":%u,\"temperature_c\":48.5,"
		"\"rx_power_dbm\":{\"0\":-1.1,\"1\":-1.3,\"2\":%s,\"3\":-1.2}",
		1e12 + load * t, 2e12 + load * t, 1e9 + load / 4096 * t, 1e9 + load / 4096 * t,
		bad_optic ? "2e-5" : "3.1e-9", 1000 + 40 * t, bad_optic ? 3 * t : 0,
		!p->alone && p->host == 12 && p->rail == 5 ? 7U : 0U, bad_optic ? "-9.8" : "-1.0");
	if (p->tier == TIER_LEAF)
		put_bins(out, bad_optic);
}

static void put_priority(FILE *out, const struct spot *p, double t)
{
	bool sick = storm(p);
	bool nic = p->tier == TIER_HOST;
	double light =
		p->tier == TIER_LEAF && p->host < 0 && p->rail == RAIL_OF_STORM ? 0.04 : 0.0004;
	/* Seen from the leaf port the storm is received; from the NIC it is sent. */
	double rx_share = sick && !nic ? 0.93 : light, tx_share = sick && nic ? 0.93 : 0.0002;
	double frame_us = 83.9;

	(void)fprintf(out,
		",\"pfc_rx_frames\":{\"3\":%.0f},\"pfc_tx_frames\":{\"3\":%.0f},"
		"\"ecn_marked_packets\":{\"3\":%.0f},\"queue_tx_bytes\":{\"3\":%.0f},"
		"\"queue_drops\":{\"3\":%.0f},\"queue_depth_bytes\":{\"3\":%d},"
		"\"queue_watermark_bytes\":{\"3\":%d}",
		rx_share * 1e6 / frame_us * t, tx_share * 1e6 / frame_us * t,
		nic ? 0 : (100 + p->port) * t, 1e11 + p->load * t,
		!p->alone && p->tier == TIER_LEAF && p->rail == 3 && p->port == 20 ? 12 * t : 0,
		sick ? 1900000 : 24000, sick ? 2400000 : 180000);
	/* The EOS spines count frames only: their shares are upper bounds. */
	if (p->tier != TIER_SPINE)
		(void)fprintf(out, ",\"pfc_rx_duration_us\":{\"3\":%.0f}", rx_share * 1e6 * t);
	if (nic)
		(void)fprintf(out, ",\"pfc_tx_duration_us\":{\"3\":%.0f}", tx_share * 1e6 * t);
	if (p->tier == TIER_LEAF)
		(void)fprintf(out,
			",\"pg_watermark_bytes\":{\"3\":%d},\"headroom_watermark_bytes\":{\"3\":%d}"
			","
			"\"pg_drops\":{\"3\":0},\"pfcwd_storm_detected\":{\"3\":%u},"
			"\"pfcwd_storm_restored\":{\"3\":0},\"pfcwd_drops\":{\"3\":%.0f}",
			sick ? 310000 : 90000, sick ? 88000 : 0, sick && t > 0 ? 1U : 0U,
			sick ? 900 * t : 0);
}

static void put_nic(FILE *out, const struct spot *p, double t)
{
	bool beside_down = !p->alone && p->host == 12 && p->rail == 5;

	(void)fprintf(out,
		",\"cnp_sent\":%.0f,\"cnp_handled\":%.0f,\"out_of_sequence\":%.0f,"
		"\"local_ack_timeout_err\":%.0f,\"ecn_marked_roce_packets\":%.0f,\"pcie_width\":%d,"
		"\"pcie_speed_mtps\":32000",
		20 * t, 18 * t, beside_down ? 40 * t : 0, beside_down ? 2 * t : 0, 60 * t,
		!p->alone && p->host == 22 && p->rail == 4 ? 8 : 16);
}

static void put_peer(FILE *out, const struct spot *p, const struct spot *peer)
{
	struct spot shown = *peer;
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];

	/* Two cables swapped: LLDP's neighbour differs from the plan's. */
	if (!p->alone && p->rail == 6 && (p->host == 4 || p->host == 5)) {
		if (p->tier == TIER_LEAF)
			shown.device = p->host == 4 ? 5 : 4;
		else
			shown.port = p->host == 4 ? 5 : 4;
	}
	name_of(&shown, device, port);
	(void)fprintf(out, ",\"lldp\":{\"device\":\"%s\",\"port\":\"%s\"}", device, port);
}

static void put_port(FILE *out, const struct spot *p, const struct spot *peer, unsigned sample)
{
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	double t = sample * FIXTURE_STEP;

	if (!p->alone && p->tier == TIER_HOST && p->device == 19 && sample > 0)
		return;
	name_of(p, device, port);
	(void)fprintf(out, "{\"t\":%u,\"device\":\"%s\",\"port\":\"%s\",",
		FIXTURE_START + sample * FIXTURE_STEP, device, port);
	put_state(out, p);
	(void)fprintf(out, ",\"counters\":{");
	put_scalars(out, p, t);
	put_priority(out, p, t);
	if (p->tier == TIER_HOST)
		put_nic(out, p, t);
	(void)fprintf(out, "}");
	if (p->up)
		put_peer(out, p, peer);
	(void)fprintf(out, "}\n");
}

static struct spot spot_of(
	const struct sizing *s, struct wire_end e, const struct wire *w, bool alone)
{
	struct spot p = {
		.s = s, .alone = alone, .tier = e.tier, .device = e.device, .port = e.port};

	p.host = w->a.tier == TIER_HOST ? (int)w->a.device : -1;
	p.rail = w->rail >= 0 ? (unsigned)w->rail : 0;
	p.up = alone || !(p.host == 12 && p.rail == 5);
	/* 58 to 70 % of 400G, different on every link but the same at both of its ends. */
	p.load = 5e10 * (0.58 + 0.12 * (double)((w->a.device * 7 + w->a.port * 13) % 32) / 32);
	if (storm(&p))
		p.load *= 0.1;
	return p;
}

/* A session of each leaf with each spine; that of leaf-r3-00 with spine-002 is down. */
static void put_sessions(FILE *out, unsigned leaf)
{
	(void)fprintf(out, "\"bgp\":[");
	for (unsigned spine = 0; spine < 4; spine++)
		(void)fprintf(out,
			"%s{\"peer\":\"Ethernet%u\",\"host\":\"spine-%03u\",\"state\":\"%s\","
			"\"remote_as\":%u,\"since_s\":%u,\"prefixes\":%u,\"drops\":%u}",
			spine ? "," : "", 128 + 32 * spine, spine,
			leaf == 3 && spine == 2 ? "Active" : "Established", 65100 + spine,
			leaf == 3 && spine == 2 ? 7300 : 1209600, leaf == 3 && spine == 2 ? 0 : 129,
			leaf == 3 && spine == 2 ? 4 : 1);
	(void)fprintf(out, "],\"bgp_whole\":true");
}

static void put_leaf(FILE *out, unsigned leaf, unsigned t)
{
	(void)fprintf(out, "{\"t\":%u,\"device\":\"leaf-r%u-00\",", FIXTURE_START + t, leaf);
	(void)fprintf(out,
		"\"state\":{\"bgp_as\":%u,\"router_id\":\"10.1.0.%u\",\"ecmp_hash\":\"src-ip "
		"dst-ip "
		"l4-src l4-dst\",\"hash_algorithm\":\"crc seed 10\",\"pfcwd_poll_ms\":200},",
		65001 + leaf, leaf + 1);
	(void)fprintf(out,
		"\"capabilities\":[{\"need\":\"port counters\",\"valid\":\"ok\"},"
		"{\"need\":\"pause duration sent\",\"valid\":\"unsupported\"},"
		"{\"need\":\"ECN marks\",\"valid\":\"%s\",\"cure\":\"%s\"},"
		"{\"need\":\"PFC watchdog\",\"valid\":\"ok\"},{\"need\":\"optics: thresholds\","
		"\"valid\":\"%s\"},{\"need\":\"BGP sessions\",\"valid\":\"ok\"},"
		"{\"need\":\"event log\",\"valid\":\"ok\"}],",
		leaf == 6 ? "disabled" : "ok", leaf == 6 ? "counterpoll wredqueue enable" : "",
		leaf % 2 ? "ok" : "unsupported");
	put_sessions(out, leaf);
	if (leaf == 3)
		(void)fprintf(out,
			",\"log\":[{\"t\":%u,\"alarm\":true,\"text\":\"bgpd: hold timer of "
			"Ethernet192 "
			"ran out\"}]",
			FIXTURE_START - 60);
	(void)fprintf(out, "}\n");
}

enum { JOB_HOSTS = 4, JOB_GPUS = 8, JOB_RANKS = JOB_HOSTS * JOB_GPUS, LATE_RANK = 19 };

/* Job pretrain on the first four hosts: its communicator as RAS tells it, and one operation. */
static void put_job(FILE *out, unsigned sample)
{
	unsigned t = FIXTURE_START + sample * FIXTURE_STEP;

	(void)fprintf(out,
		"{\"t\":%u,\"nccl\":{\"jobs\":[{\"name\":\"pretrain\",\"user\":\"ada\",\"hosts\":"
		"[\"node000\",\"node001\",\"node002\",\"node003\"]}]}}\n",
		t);
	(void)fprintf(out, "{\"t\":%u,\"nccl\":{\"ops\":[", t);
	for (unsigned r = 0; r < JOB_RANKS; r++)
		(void)fprintf(out,
			"%s{\"job\":\"pretrain\",\"comm\":\"0x9bd8b4c5a3b1e8f7\",\"rank\":%u,"
			"\"nranks\":%d,\"host\":\"node%03u\",\"gpu\":%u,\"nic\":\"mlx5_%u\","
			"\"func\":\"AllReduce\",\"seq\":%u,\"bytes\":1073741824}",
			r ? "," : "", r, JOB_RANKS, r / JOB_GPUS, r % JOB_GPUS, r % JOB_GPUS,
			r == LATE_RANK ? 1009 : 999 + 40 * sample);
	(void)fprintf(out,
		"]}}\n{\"t\":%u,\"nccl\":{\"communicators\":[{\"hash\":\"0x9bd8b4c5a3b1e8f7\","
		"\"size\":%d,\"ranks\":[",
		t, JOB_RANKS);
	for (unsigned r = 0; r < JOB_RANKS; r++)
		(void)fprintf(out,
			"%s{\"rank\":%u,\"host\":\"node%03u\",\"pid\":%u,\"cuda_dev\":%u,"
			"\"nvml_dev\":%u,\"status\":{\"init_state\":0,\"async_error\":0},"
			"\"collective_counts\":{\"AllReduce\":%u,\"AllGather\":%u}}",
			r ? "," : "", r, r / JOB_GPUS, 4000 + r, r % JOB_GPUS, r % JOB_GPUS,
			r == LATE_RANK ? 1010 : 1000 + 40 * sample,
			r == LATE_RANK ? 200 : 200 + 2 * sample);
	(void)fprintf(out, "]}]}}\n");
}

static void put_sample(FILE *out, unsigned sample, bool alone)
{
	const struct sizing *s = sizing_preset("ref256");

	for (size_t i = 0; i < sizing_wires(s); i++) {
		struct wire w = sizing_wire(s, i);
		struct spot a = spot_of(s, w.a, &w, alone), b = spot_of(s, w.b, &w, alone);

		put_port(out, &a, &b, sample);
		put_port(out, &b, &a, sample);
	}
}

bool fixture_storm(FILE *out, unsigned samples)
{
	for (unsigned sample = 0; sample < samples; sample++)
		put_sample(out, sample, true);
	return !ferror(out);
}

bool fixture_observations(FILE *out, unsigned samples)
{
	for (unsigned sample = 0; sample < samples; sample++) {
		put_sample(out, sample, false);
		for (unsigned leaf = 0; leaf < 8; leaf++)
			put_leaf(out, leaf, sample * FIXTURE_STEP);
		put_job(out, sample);
	}
	(void)fprintf(out,
		"{\"t\":%u,\"device\":\"leaf-r5-00\",\"event\":\"link_down\",\"port\":"
		"\"Ethernet48\"}\n",
		FIXTURE_START + (samples - 1) * FIXTURE_STEP);
	return !ferror(out);
}

bool fixture_inventory(FILE *out)
{
	(void)fprintf(out,
		"fabric: ref256\n"
		"preset: ref256\n"
		"lossless: {priorities: [3], dscp: {26: 3}, cnp_dscp: 48}\n"
		"defaults: {interval: 5s, user: noc}\n"
		"switches:\n"
		"  - {names: \"leaf-r[0-7]-00\", dialect: sonic, transport: ssh, tier: leaf}\n"
		"  - {names: \"spine-[000-003]\", dialect: eos, transport: https, tier: spine, "
		"credentials: env:EAPI}\n"
		"hosts:\n"
		"  - {names: \"node[000-031]\", dialect: linux, transport: ssh, rails: "
		"\"mlx5_[0-7]\"}\n"
		"wiring: {plan: formula}\n");
	return !ferror(out);
}

static bool write_file(const char *path, bool (*fill)(FILE *out))
{
	FILE *f = fopen(path, "we");
	bool ok = f && fill(f);

	return f && fclose(f) == 0 && ok;
}

static bool four_samples(FILE *out)
{
	return fixture_observations(out, 4);
}

static bool four_samples_of_a_storm(FILE *out)
{
	return fixture_storm(out, 4);
}

static int set_up(void **state, bool (*observations)(FILE *out))
{
	struct fixture_files *x = mem_calloc(1, sizeof(*x));

	*state = x;
	(void)str_copy(x->dir, sizeof(x->dir), "/tmp/railtop-screens-XXXXXX");
	if (!mkdtemp(x->dir))
		return -1;
	(void)str_printf(x->observations, sizeof(x->observations), "%s/o.jsonl", x->dir);
	(void)str_printf(x->inventory, sizeof(x->inventory), "%s/fabric.yaml", x->dir);
	return write_file(x->observations, observations) &&
			       write_file(x->inventory, fixture_inventory)
		       ? 0
		       : -1;
}

int fixture_set_up(void **state)
{
	return set_up(state, four_samples);
}

int fixture_set_up_storm(void **state)
{
	return set_up(state, four_samples_of_a_storm);
}

int fixture_tear_down(void **state)
{
	struct fixture_files *x = *state;

	(void)unlink(x->observations);
	(void)unlink(x->inventory);
	(void)rmdir(x->dir);
	free(x);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fabric/model/drive.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

void drive_init(struct drive *d, uint64_t seed)
{
	*d = (struct drive){.random = seed * 2 + 1, .now_us = INT64_C(1760000000000000)};
}

unsigned drive_random(struct drive *d, unsigned n)
{
	d->random = d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(d->random >> 33) % n;
}

static bool one_in(struct drive *d, unsigned n)
{
	return drive_random(d, n) == 0;
}

static const char *const devices[] = {
	"node000", "leaf-r0-00", "leaf-r1-00", "spine-000", "node001", "leaf-x", "spine-x"};
#define DEVICES 7

static const char *const ports[] = {"mlx5_0", "mlx5_1", "Ethernet0", "Ethernet12", "Ethernet1/1",
	"Ethernet2/1", "etp3", "eth03", "eth3", "swp1"};
#define PORTS 10

static const char *device_name(struct drive *d)
{
	return devices[drive_random(d, DEVICES)];
}

static const char *port_name(struct drive *d)
{
	return ports[drive_random(d, PORTS)];
}

/* ---- ports ---- */

static void counters(struct drive *d, struct obs *o, uint32_t port)
{
	for (unsigned i = 0; i < 12; i++) {
		enum counter_id id = (enum counter_id)drive_random(d, COUNTER_COUNT);
		unsigned sub = drive_random(d, counter_dim_size(id));
		uint64_t *at = &d->count[(id * 7 + sub) % 64];

		*at = one_in(d, 300) ? drive_random(d, 50) : *at + drive_random(d, 100000);
		if (one_in(d, 25))
			obs_invalid(o, port, id, sub, VALID_UNSUPPORTED + drive_random(d, 2), "");
		else if (counter_info[id].kind == KIND_GAUGE)
			obs_gauge(o, port, id, sub, drive_random(d, 1000) / 7.0 - 40);
		else
			obs_count(o, port, id, sub, *at);
	}
}

static void attributes(struct drive *d, struct obs *o, uint32_t port)
{
	static const char *const words[] = {"up", "down", "rs", "etp3", "eth03", "Ethernet12",
		"02:00:00:00:00:01", "operational", "stormed", "off", "drop", "", "dscp",
		"00000000", "01234567", "-1234567",
		"0000000011111111222222223333333344444444555555556666666677777777"};

	for (unsigned i = 0; i < 8; i++) {
		enum obs_attr attr = (enum obs_attr)drive_random(d, ATTR_MODEL);
		unsigned sub = drive_random(d, PRIORITIES);

		if (one_in(d, 2))
			obs_word(o, port, attr, sub, words[drive_random(d, 17)]);
		else
			obs_number(o, port, attr, sub % LIMIT_COUNT, drive_random(d, 400));
	}
}

static void neighbours(struct drive *d, struct obs *o, uint32_t port)
{
	if (one_in(d, 6))
		obs_lldp(o, port, "", "");
	else
		obs_lldp(o, port, one_in(d, 5) ? "leaf-x.example.net" : device_name(d),
			port_name(d));
}

static void logs(struct drive *d, struct obs *o, uint32_t port)
{
	char text[64];

	for (unsigned i = 0; i < 6; i++) {
		(void)str_printf(text, sizeof(text), "line %u", drive_random(d, 40));
		obs_log(o, port, (int)drive_random(d, 9) - 1, one_in(d, 2),
			one_in(d, 4) ? 0 : d->now_us - drive_random(d, 60) * CLOCK_SEC, text);
	}
	if (one_in(d, 2))
		obs_event(o, port, (enum event_kind)drive_random(d, EVENT_COUNT), 0, "by itself");
}

/* ---- devices ---- */

static void facts(struct drive *d, struct obs *o)
{
	static const char *const words[] = {"one", "two", "leaf-x", "another"};

	for (unsigned i = 0; i < 4; i++) {
		enum obs_attr attr =
			(enum obs_attr)(ATTR_MODEL + drive_random(d, OBS_ATTR_COUNT - ATTR_MODEL));

		if (attr == ATTR_BOOT_ID && !one_in(d, 20))
			continue;
		obs_word(o, OBS_NO_PORT, attr, 0, words[drive_random(d, 4)]);
	}
	obs_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0, drive_random(d, 70000));
	if (one_in(d, 40))
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, drive_random(d, 100000));
	obs_capability(o, words[drive_random(d, 4)], (enum validity)drive_random(d, 4), "do this");
}

static void sessions(struct drive *d, struct obs *o)
{
	for (unsigned i = 0; i < 3; i++) {
		struct obs_bgp *b = obs_bgp(o, (enum bgp_afi)drive_random(d, 4),
			one_in(d, 3) ? "blue" : "default", ports[drive_random(d, PORTS)],
			one_in(d, 2) ? device_name(d) : "",
			(enum bgp_state)drive_random(d, BGP_STATE_COUNT));

		if (!b || one_in(d, 2))
			continue;
		b->remote_as = drive_random(d, 65000);
		b->prefixes = drive_random(d, 5000);
		b->drops = drive_random(d, 9);
		b->since_s = drive_random(d, 1000);
	}
	o->bgp_whole = one_in(d, 2);
}

/* ---- NCCL ---- */

static void record(struct drive *d, struct obs *o)
{
	static const char *const comms[] = {
		"0x9bd8b4c5a3b1e8f7", "0x1bd8b4c5a3b1e8", "world", "tp0", "0x2222222222222222", ""};
	static const char *const jobs[] = {"", "", "train", "eval", "sweep/7"};
	static const char *const hosts[] = {
		"node000", "node001", "10.0.0.1", "10.0.0.2", "nobody", ""};
	static const char *const funcs[] = {"AllReduce", "Send", "AllGather"};
	enum nccl_kind kind = (enum nccl_kind)drive_random(d, NCCL_DONE + 1);
	struct obs_nccl *r =
		obs_nccl(o, kind, (enum nccl_source)(1 + drive_random(d, NCCL_SOURCE_COUNT - 1)));

	if (!r)
		return;
	if (kind == NCCL_DONE && !one_in(d, 8))
		r->kind = NCCL_RANK;
	r->job = obs_string(o, jobs[drive_random(d, 5)]);
	r->comm = obs_string(o, comms[drive_random(d, 6)]);
	r->host = obs_string(o, hosts[drive_random(d, 6)]);
	r->func = obs_string(o, funcs[drive_random(d, 3)]);
	r->comm_name = one_in(d, 4) ? obs_string(o, "pp1") : 0;
	r->nic = one_in(d, 3) ? obs_string(o, ports[drive_random(d, 2)]) : 0;
	r->rank = (int32_t)drive_random(d, 9) - 1;
	r->nranks = one_in(d, 3) ? (int32_t)drive_random(d, 20) : -1;
	r->peer = (int32_t)drive_random(d, 9) - 1;
	r->pid = (int32_t)drive_random(d, 30) - 1;
	r->gpu = (int32_t)drive_random(d, 4) - 1;
	r->local_gpu = (int32_t)drive_random(d, 4) - 1;
	r->seq = drive_random(d, 60);
	r->completed = drive_random(d, 60);
	r->state = (uint8_t)drive_random(d, NCCL_STATE_COUNT);
	r->begin_us = one_in(d, 2) ? d->now_us - drive_random(d, 90000) : 0;
	r->end_us = r->begin_us && one_in(d, 2) ? r->begin_us + drive_random(d, 9000) : 0;
	r->took_us = one_in(d, 2) ? drive_random(d, 9000) : (double)NAN;
	r->wait_us = one_in(d, 2) ? drive_random(d, 9000) : (double)NAN;
	r->bytes = drive_random(d, 1 << 20);
	r->text = obs_string(o, kind == NCCL_ADDRESS ? hosts[2 + drive_random(d, 2)] : "said");
	r->text2 = obs_string(o, one_in(d, 2) ? "PIX" : "SYS");
}

/* ---- together ---- */

static void of_port(struct drive *d, struct obs *o)
{
	uint32_t port = obs_port(o, port_name(d));

	if (one_in(d, 3))
		o->ports.at[port].sample_us = d->now_us - drive_random(d, 3) * CLOCK_SEC;
	counters(d, o, port);
	if (one_in(d, 3))
		attributes(d, o, port);
	if (one_in(d, 4))
		neighbours(d, o, port);
	if (one_in(d, 6))
		logs(d, o, port);
}

static void result(struct drive *d, struct obs *o)
{
	static const char *const said[] = {"not a number", "refused", "no answer"};

	if (one_in(d, 12)) {
		o->result = OBS_FAILED;
		(void)err_set(&o->err, (enum err_code)drive_random(d, ERR_INTERNAL + 1), o->device,
			"%s", said[drive_random(d, 3)]);
	} else if (one_in(d, 30)) {
		o->result = OBS_CONNECTED;
	}
}

struct obs *drive_next(struct drive *d)
{
	static const char *const requests[] = {"fast", "optics", "log", "bgp", "jobs"};
	struct obs *o = obs_new(device_name(d), requests[drive_random(d, 5)]);

	d->now_us += drive_random(d, 2000000) + (one_in(d, 400) ? 1200 * CLOCK_SEC : 0);
	o->received_us = d->now_us - drive_random(d, 1000);
	o->took_us = drive_random(d, 100000);
	o->bytes = drive_random(d, 100000);
	if (one_in(d, 3))
		o->device_us = d->now_us + 5 * CLOCK_SEC - drive_random(d, 1000);
	if (one_in(d, 2))
		o->refresh_ms[drive_random(d, GROUP_COUNT)] = 1000;
	result(d, o);
	for (unsigned i = drive_random(d, 4); i > 0; i--)
		of_port(d, o);
	if (one_in(d, 4))
		facts(d, o);
	if (one_in(d, 5))
		sessions(d, o);
	for (unsigned i = one_in(d, 3) ? drive_random(d, 12) : 0; i > 0; i--)
		record(d, o);
	return o;
}

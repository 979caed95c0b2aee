/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_OBSERVATION_H
#define FABRIC_OBSERVATION_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "fabric/counter.h"
#include "fabric/event.h"
#include "fabric/types.h"

/*
 * An observation batch: what one answer of one device said, decoded, without interpretation.
 * Built by one dialect's parse() (or the JSON-lines reader), immutable once handed over, applied to
 * the model by the main thread, and freed there. It holds no pointers into the model, so that it
 * can be recorded, replayed and sent between threads.
 */

/* Facts about a port or a device that are words or settings, not counters. */
enum obs_attr {
	/* port */
	ATTR_OPER,       /* "up" | "down" */
	ATTR_ADMIN,      /* "up" | "down" */
	ATTR_SPEED_MBPS, /* number; the speed in operation */
	ATTR_MTU,        /* number */
	ATTR_FEC,        /* "rs", "none", ... */
	ATTR_ALIAS,      /* vendor's other name of the port: etp3a */
	ATTR_DESCRIPTION,
	ATTR_NETDEV, /* of an RDMA device: eth3 */
	ATTR_MAC,
	ATTR_LAST_CHANGE, /* number: epoch seconds of the last state change, device clock */
	ATTR_DOWN_REASON, /* "Bad signal integrity", "errdisabled", ... */
	ATTR_MEDIA,       /* module type */
	ATTR_MODULE_SN,
	ATTR_PFC_ENABLED, /* number: bit mask of priorities with PFC on */
	ATTR_ECN_ENABLED, /* number: bit mask of priorities whose queue marks */
	/* port, one per priority */
	ATTR_PFCWD_STATE, /* "operational", "stormed", "off" */
	ATTR_PFCWD_ACTION,
	ATTR_PFCWD_DETECT_MS,  /* number */
	ATTR_PFCWD_RESTORE_MS, /* number */
	/* device */
	ATTR_MODEL,
	ATTR_SERIAL,
	ATTR_OS_VERSION,
	ATTR_HOSTNAME,
	ATTR_BOOT_ID,  /* any string that changes with a reboot */
	ATTR_UPTIME_S, /* number */
	ATTR_FIRMWARE,
	OBS_ATTR_COUNT
};

enum obs_kind {
	OBS_COUNT,  /* .cell .u64 */
	OBS_GAUGE,  /* .cell .real */
	OBS_VALID,  /* .cell, .code = enum validity (unsupported, disabled), .text = cure or "" */
	OBS_NUMBER, /* .code = enum obs_attr, .real, .sub */
	OBS_WORD,   /* .code = enum obs_attr, .text, .sub */
	OBS_LLDP,   /* .text = peer device, .text2 = peer port; both "" : neighbour gone */
	OBS_EVENT,  /* .code = enum event_kind, .text, .time_us = device time or 0 */
	OBS_CAPABILITY, /* device: .text = need ("ECN marks"), .code = enum validity, .text2 = cure
			 */
};

#define OBS_NO_PORT UINT32_MAX

struct obs_item {
	uint8_t kind; /* enum obs_kind */
	uint8_t code;
	uint8_t sub; /* priority of a per-priority attribute */
	uint16_t cell;
	uint32_t port; /* index into ports, OBS_NO_PORT for the device */
	union {
		uint64_t u64;
		double real;
		int64_t time_us;
	};
	uint32_t text, text2; /* offsets into strings; 0 is the empty string */
};

/* What became of a request, so that freshness and errors travel the same way as data. */
enum obs_result {
	OBS_DATA,      /* items hold an answer (perhaps empty) */
	OBS_CONNECTED, /* the transport is up; no data yet */
	OBS_FAILED,    /* err says why; the model keeps old values and ages them */
};

struct obs_port {
	char name[NAME_MAX_LEN];
	int64_t sample_us; /* device's own sample time of this port's counters, 0: the batch's */
};

struct obs {
	char device[NAME_MAX_LEN];
	char request[32]; /* which of the dialect's requests answered: "fast", "optics" */
	enum obs_result result;
	struct err err;      /* with OBS_FAILED, or a part that could not be decoded beside data */
	int64_t received_us; /* wall time here */
	int64_t device_us;   /* sample time by the device's clock, 0: none, use received_us */
	int64_t took_us;     /* request to last byte */
	uint64_t bytes;      /* of the answer */
	/* How often the device refreshes each group of counters, ms; 0: unknown. */
	uint32_t refresh_ms[GROUP_COUNT];
	VEC(struct obs_port) ports;
	VEC(struct obs_item) items;
	VEC(char) strings;
	struct obs *next; /* for the queue that owns it */
};

struct obs *obs_new(const char *device, const char *request);
void obs_free(struct obs *o); /* NULL is allowed; frees only this one, not next */

/* Finds or adds a port; the name is sanitised. OBS_NO_PORT when it is empty or too long. */
uint32_t obs_port(struct obs *o, const char *name);

void obs_count(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, uint64_t value);
void obs_gauge(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, double value);
/* The device cannot report it, or could but it is off; cure may be "" or a command for the user. */
void obs_invalid(struct obs *o, uint32_t port, enum counter_id id, unsigned sub, enum validity v,
	const char *cure);
void obs_number(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, double value);
void obs_word(struct obs *o, uint32_t port, enum obs_attr attr, unsigned sub, const char *text);
void obs_lldp(struct obs *o, uint32_t port, const char *device, const char *peer_port);
void obs_event(
	struct obs *o, uint32_t port, enum event_kind kind, int64_t device_us, const char *text);
void obs_capability(struct obs *o, const char *need, enum validity v, const char *cure);

/* Text of an item, never NULL. All strings were sanitised when they were added. */
const char *obs_text(const struct obs *o, uint32_t offset);

#endif

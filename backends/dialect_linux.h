/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECT_LINUX_H
#define BACKENDS_DIALECT_LINUX_H

#include <stddef.h>

#include "backends/backend.h"
#include "backends/parse_cells.h"

/* Sent to `sh -s` on a host: see backends/dialect_linux_script.c for the rules they keep. */
extern const char linux_fast_script[]; /* counters and link state, every interval */
extern const char linux_slow_script[]; /* modules, drivers, PFC settings, LLDP, every 5 minutes */

/* One part of a script's output: the text below a line "@@name argument". */
struct section {
	char name[16];
	char arg[NAME_MAX_LEN]; /* "" when there is none */
	const char *body;
	size_t len;
};
/* Steps through an answer; *at starts at 0. False at its end. Text before the first is skipped. */
bool section_next(const char *bytes, size_t len, size_t *at, struct section *s);

#define LINE_TEXT 512
/* Copies the next line of a section without its end; a longer one is cut. False at the end. */
bool line_next(const struct section *s, size_t *at, char line[LINE_TEXT]);

/* A port of an RDMA device and the netdev that carries its packets. */
struct host_port {
	char rdma[NAME_MAX_LEN];   /* "mlx5_3" */
	char netdev[NAME_MAX_LEN]; /* "" when there is none */
	unsigned number;           /* 1 on nearly all NICs */
	uint32_t port;             /* in the batch */
	bool is_active;            /* IB state ACTIVE */
	bool has_oper, is_up;      /* netdev operstate */
	bool has_stats;            /* ethtool printed counters */
	char phys[40];             /* "LinkUp", "Polling", "Disabled" */
	struct cells cells;
};

/* A netdev below an RDMA device's PCI function, before it is known which port it serves. */
struct host_netdev {
	char rdma[NAME_MAX_LEN], netdev[NAME_MAX_LEN];
};

#define HOST_PORTS_MAX 128
struct host {
	const struct target *target;
	struct obs *o;
	VEC(struct host_port *) ports;
	VEC(struct host_netdev) netdevs;
	int64_t begin_us, end_us;
	bool begun, ended;
	bool no_ethtool, has_firmware;
};
void host_free(struct host *h);

/* Splits "mlx5_3/ports/1/REST:VALUE"; returns the port, made when new, NULL when it is no such. */
struct host_port *host_ib_line(struct host *h, char *line, char **rest, char **value);
/* Splits "mlx5_3/device/net/eth3/REST:VALUE" likewise; NULL when no port of ours has the netdev. */
struct host_port *host_net_line(struct host *h, char *line, char **rest, char **value);
/* Notes a line of the map section: "mlx5_3/device/net/eth3". */
void host_map_line(struct host *h, const char *line);
struct host_port *host_by_netdev(struct host *h, const char *netdev);
/* Reads the sections that both scripts have; true when it was one of them. */
bool host_common_section(struct host *h, const struct section *s);

/* What a counter's name means, see backends/dialect_linux_names.c. */
struct host_name {
	const char *name; /* '#' stands for a priority 0-7 */
	enum counter_id id;
	uint8_t rank;  /* see cells_offer() */
	uint8_t scale; /* the value is multiplied by it */
};
/* Sysfs counters, hw_counters and netdev statistics; ethtool -S. NULL: the name is not used. */
const struct host_name *host_ib_name(const char *name);
const struct host_name *host_ethtool_name(const char *name, unsigned *priority);

bool linux_parse_fast(struct host *h, const char *bytes, size_t len, struct err *err);
bool linux_parse_slow(struct host *h, const char *bytes, size_t len, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_LINUX_H
#define BACKENDS_DIALECTS_LINUX_LINUX_H

#include <stddef.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/parse/cells.h"
#include "backends/parse/number_positions.h"

/* Sent to `sh -s` on a host: see backends/dialects/linux/script.c for the rules they keep. */
extern const char linux_fast_script[]; /* counters and link state, every interval */
/*
 * The line before the fast script that says which lines of `ethtool -S` are wanted: a NIC with many
 * rings prints thousands. Without it all of them come. rule: the same for reads_match().
 */
extern const char linux_fast_head[], linux_fast_head_rule[];
extern const char linux_optics_script[];   /* modules: each is read over I2C, which takes long */
extern const char linux_lldp_script[];     /* neighbours */
extern const char linux_slow_script[];     /* identity, drivers, PCIe */
extern const char linux_qos_script[];      /* PFC, maps, congestion control */
extern const char linux_topology_script[]; /* addresses, GPUs and the NICs next to them */
extern const char linux_detect_script[];   /* what the host is and can, once a connection */

/* One part of a script's output: the text below a line "@@name argument". */
struct section {
	char name[16];
	char arg[NAME_MAX_LEN]; /* "" when there is none */
	const char *body;
	size_t len;
	bool is_plain; /* its lines end at their newline: no '\r' and no NUL is in it */
};
/* Steps through an answer; *at starts at 0. False at its end. Text before the first is skipped. */
bool section_next(const char *bytes, size_t len, size_t *at, struct section *s);
/* Answers have many sections, and each is none of nearly all names. */
static inline bool section_is(const struct section *s, const char *name)
{
	return s->name[0] == name[0] && strcmp(s->name, name) == 0;
}

#define LINE_TEXT 512
/* Copies the next line of a section without its end; a longer one is cut. False at the end. */
bool line_next(const struct section *s, size_t *at, char line[LINE_TEXT]);

/* A text that is read where it lies in the answer; nothing ends it. */
struct span {
	const char *at;
	size_t n;
};
/* line_next() without a copy: the same lines, cut alike. */
bool line_span(const struct section *s, size_t *at, struct span *line);
bool span_is(struct span s, const char *word);
bool span_starts(struct span s, const char *prefix);
/* Behind the last slash; all of it when there is none. */
struct span span_last_part(struct span path);

/* A port of an RDMA device and the netdev that carries its packets. */
struct host_port {
	char rdma[NAME_MAX_LEN];   /* "mlx5_3" */
	char netdev[NAME_MAX_LEN]; /* "" when there is none */
	unsigned number;           /* 1 on nearly all NICs */
	uint32_t port;             /* in the batch */
	bool is_active;            /* IB state ACTIVE */
	bool has_oper, is_up;      /* netdev operstate */
	bool has_stats;            /* ethtool printed counters */
	bool has_pci;              /* its PCI address is known */
	bool has_pcie;             /* and its width in use */
	bool is_hung;              /* a tool did not answer in time for it */
	bool is_bond;              /* several links behind one RDMA device */
	bool is_ib;                /* InfiniBand: no PFC */
	bool is_nic;               /* hardware: the kernel's traffic is not all */
	bool has_speed;            /* the netdev told its speed */
	double rate_mbps;          /* else that of the RDMA port; 0: unknown */
	bool is_read;              /* its tools have all answered */
	char phys[40];             /* "LinkUp", "Polling", "Disabled" */
	char reason[96];           /* why there is no link, as the driver says it */
	struct cells cells;        /* the last: see new_port() */
};

/* A netdev below an RDMA device's PCI function, before it is known which port it serves. */
struct host_netdev {
	char rdma[NAME_MAX_LEN], netdev[NAME_MAX_LEN];
	bool is_nic;
};

/* What a counter's name means, see backends/dialects/linux/counter_names.c. */
struct host_name {
	const char *name; /* '#' stands for a priority 0-7 */
	enum counter_id id;
	uint8_t rank;  /* see cells_offer() */
	uint8_t scale; /* the value is multiplied by it */
};
/* Finds names by hash. Made anew for each answer, which costs less than ten of its lines. */
#define HOST_NAME_SLOTS 256
struct host_names {
	uint8_t ib[HOST_NAME_SLOTS], ethtool[HOST_NAME_SLOTS]; /* in their tables, plus one */
	bool is_ready;
};

/*
 * What a line of `ethtool -m` means, by how it begins. Modules are mostly alike, so that a line is
 * nearly always the one that the module before had at this place.
 */
struct host_line {
	const char *begins; /* in the answer: up to the value */
	uint16_t n;
	uint16_t label_at, label_n; /* in it */
	int8_t lane;                /* -1: the module's */
	uint8_t means;              /* private: enum means */
	uint8_t what, level;
	uint16_t limit_n; /* bytes of the value of a threshold, 0: it is none */
	double limit;     /* and what it is */
};
#define HOST_LINES 64

#define HOST_PORTS_MAX 512
#define HOST_STUCK     200 /* fits a fact */
struct host {
	const struct target *target;
	struct obs *o;
	struct host_names names;
	VEC(struct host_port *) ports;
	size_t next_port; /* where host_port() begins to look */
	VEC(struct host_netdev) netdevs;
	int64_t begin_us, end_us;
	bool begun, ended;
	bool no_ethtool, has_firmware, has_limits, denied_limits;
	struct host_line lines[HOST_LINES]; /* of modules, in their order */
	size_t lines_n;
	char trying[NAME_MAX_LEN]; /* what a tool was asked about last, not ended yet */
	char stuck[HOST_STUCK];    /* names that a tool slept on, to be left alone: "mlx5_3 eth3" */
};
void host_free(struct host *h);

/*
 * After all sections. Where the answer breaks off, the NIC that was being asked is stuck: sees to
 * it that it is left alone (fact), and that ports which were not read say nothing of what they
 * lack.
 */
void host_settle(struct host *h);
/* Finds or makes the port; NULL when there are too many. */
struct host_port *host_port(struct host *h, const char *rdma, unsigned number);

/* Lines come port by port: what the last one began with, and whose it is. */
struct host_way {
	char prefix[NAME_MAX_LEN + 16];
	size_t n; /* 0: none */
	struct host_port *port;
};
/*
 * Splits "mlx5_3/ports/1/REST:VALUE"; returns the port, made when new, NULL when it is no such. way
 * begins as {0} and is one section's.
 */
struct host_port *host_ib_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value);
/* Likewise "eth3/REST:VALUE"; NULL when no port of ours has the netdev. */
struct host_port *host_net_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value);
/* The same with a line that is cut to pieces. */
struct host_port *host_ib_line(struct host *h, char *line, char **rest, char **value);
struct host_port *host_net_line(struct host *h, char *line, char **rest, char **value);
/* Notes a line of the map section: "mlx5_3/device/net/eth3". */
void host_map_line(struct host *h, const char *line);
struct host_port *host_by_netdev(struct host *h, const char *netdev);
/* Splits "mlx5_3/device:/sys/devices/.../0000:5e:00.0"; false when it is not on PCI. */
bool host_pci_line(char *line, char **rdma, char **pci);
/* The netdev's name as the section's argument, found among the ports. */
#define host_of_section(h, s) host_by_netdev((h), (s)->arg)
/* Reads the sections that all scripts have; true when it was one of them. */
bool host_common_section(struct host *h, const struct section *s);

/* Words of the fast answer for slots_tell(). */
enum host_word { HOST_BEGIN, HOST_END, HOST_UPTIME, HOST_IDLE };
/* Of `date +%s%N`, 0: none. The seconds that it has been up, as an item; false: no number. */
int64_t host_clock_us(const char *s, size_t n);
bool host_uptime(struct obs *o, const char *s, size_t n);

#define RANK_IB_PORT 5 /* of port_rcv_data and its like */
/* Sysfs counters, hw_counters and netdev statistics; ethtool -S. NULL: the name is not used. */
const struct host_name *host_ib_name(struct host_names *names, const char *name, size_t len);
const struct host_name *host_ethtool_name(
	struct host_names *names, const char *name, size_t len, unsigned *priority);
/* Whether some driver's ethtool statistics hold the counter. */
bool host_ethtool_counts(enum counter_id id);

/* rdma(8), where sysfs shows no counters: `rdma -j link`, `rdma -j statistic`, or their text. */
void host_rdma_link(struct host *h, const struct section *s);
void host_rdma_statistic(struct host *h, const struct section *s);
/* Offers a counter of sysfs, rdma(8) or the kernel to the port; value is its text. */
void host_offer_ib(struct host *h, struct host_port *p, struct span name, struct span value);
/* The same of a name that was found. */
void host_offer_known(
	struct host *h, struct host_port *p, const struct host_name *known, struct span value);

/*
 * The number of a counter that was found, not scaled, to a cell of the port; text: where it stands
 * in the answer, or a copy.
 */
void host_offer(struct host *h, struct host_port *p, const struct host_name *known, unsigned sub,
	uint64_t v, struct span text);
/* A number in the answer that nothing is made of, whatever it is. */
void host_unused(struct host *h, struct span text);

/* ethtool's texts: settings (-I DEV), --show-fec, -a, -S, -m. */
void host_link_section(struct host *h, const struct section *s);
void host_fec_section(struct host *h, const struct section *s);
void host_pause_section(struct host *h, const struct section *s);
void host_stats_section(struct host *h, const struct section *s);
void host_module_section(struct host *h, const struct section *s);
/* What all modules together say of their thresholds. */
void host_limits_say(struct host *h);
/* True when the text is a shell's or a wrapper's "there is no such program". */
bool host_no_program(const char *bytes, size_t len);

/*
 * qos.c, dcb.c: settings of NICs and ports. Each section is one tool's
 * view of one netdev ("pfc eth3": dcb's PFC object); emit adds all to the batch with their needs.
 */
struct host_qos;
struct host_qos *host_qos_new(void);
void host_qos_free(struct host_qos *q);
/* False when the section is none of these. */
bool host_qos_section(struct host *h, struct host_qos *q, const struct section *s);
void host_qos_emit(struct host *h, struct host_qos *q);

/* Decoders of whole answers. False: it is not the script's output. */
bool linux_parse_fast(struct host *h, const char *bytes, size_t len);
bool linux_parse_optics(struct host *h, const char *bytes, size_t len);
bool linux_parse_lldp(struct host *h, const char *bytes, size_t len);
bool linux_parse_slow(struct host *h, const char *bytes, size_t len);
bool linux_parse_qos(struct host *h, const char *bytes, size_t len);
bool linux_parse_topology(struct host *h, const char *bytes, size_t len);
bool linux_parse_detect(struct host *h, const char *bytes, size_t len);

/* The followed log: the command that detect found to work, NULL where there is none. */
const char *linux_log_command(const struct facts *f);
/* Lines of it, as they come. */
void linux_parse_log(const struct target *t, const char *bytes, size_t len, struct obs *o);

/* backend_ops.reads() of hosts and FRR switches: reads.c. */
bool linux_reads(const struct request *r);

#endif

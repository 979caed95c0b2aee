/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_LINUX_LINUX_H
#define BACKENDS_DIALECTS_LINUX_LINUX_H

#include <stddef.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/parse/cells.h"
#include "backends/parse/number_positions.h"

/* Scripts for `sh -s` on a host: see backends/dialects/linux/script.c for their rules. */
extern const char linux_fast_script[]; /* counters and link state, every interval */
/*
 * The line before the fast script that selects the lines of `ethtool -S`: a NIC with many rings
 * prints thousands. Without it all lines are sent. rule: the same for reads_match().
 */
extern const char linux_fast_head[], linux_fast_head_rule[];
extern const char linux_optics_script[];   /* modules: each is read over I2C, which takes long */
extern const char linux_lldp_script[];     /* neighbours */
extern const char linux_slow_script[];     /* identity, drivers, PCIe */
extern const char linux_qos_script[];      /* PFC, maps, congestion control */
extern const char linux_topology_script[]; /* addresses, GPUs and the NICs next to them */
extern const char linux_nvlink_script[];   /* links between GPUs: state and errors */
extern const char linux_nvfabric_script[]; /* their registration with switches and other hosts */
extern const char linux_subnet_script[];   /* other end and manager of InfiniBand ports */
extern const char linux_bmc_script[];      /* the management controller */
extern const char linux_xgmi_script[];     /* links between GPUs of AMD */
extern const char linux_detect_script[];   /* features of the host, once per connection */

/* One section of a script's output: the text below a line "@@name argument". */
struct section {
	char name[16];
	char arg[NAME_MAX_LEN]; /* "" without an argument */
	const char *body;
	size_t len;
	bool is_plain; /* no '\r' and no NUL in it: each line ends at its newline */
};
/*
 * Returns the next section; *at starts at 0. False at the end. Skips text before the first section.
 */
bool section_next(const char *bytes, size_t len, size_t *at, struct section *s);
/* Inline, because an answer has many sections and each is compared with many names. */
static inline bool section_is(const struct section *s, const char *name)
{
	return s->name[0] == name[0] && strcmp(s->name, name) == 0;
}

#define LINE_TEXT 512
/* Copies the next line of a section without its end; cuts a longer one. False at the end. */
bool line_next(const struct section *s, size_t *at, char line[LINE_TEXT]);

/* A text within the answer, not NUL-terminated. */
struct span {
	const char *at;
	size_t n;
};
/* line_next() without a copy: the same lines, cut at the same length. */
bool line_span(const struct section *s, size_t *at, struct span *line);
bool span_is(struct span s, const char *word);
bool span_starts(struct span s, const char *prefix);
/* Returns the part after the last slash; all of it without a slash. */
struct span span_last_part(struct span path);

/* A port of an RDMA device and the netdev that carries its packets. */
struct host_port {
	char rdma[NAME_MAX_LEN];   /* "mlx5_3" */
	char netdev[NAME_MAX_LEN]; /* "" without one */
	unsigned number;           /* 1 on nearly all NICs */
	uint32_t port;             /* in the batch */
	bool is_active;            /* IB state ACTIVE */
	bool has_oper, is_up;      /* netdev operstate */
	bool has_stats;            /* ethtool printed counters */
	bool has_pci;              /* its PCI address is known */
	bool has_pcie;             /* and its width in use */
	bool is_hung;              /* a tool timed out on it */
	struct host_port *bond;    /* the bond that it is a slave of; NULL: none */
	unsigned slaves;           /* of a bond */
	char mode[24];             /* of a bond: "802.3ad" */
	bool is_bond;              /* several links behind one device */
	bool is_slave;             /* of a bond, without an RDMA device of its own */
	bool is_ethernet;          /* a bond or slave without RDMA */
	bool is_out;               /* the bond does not use this slave: its link monitor says so */
	bool is_ib;                /* InfiniBand: no PFC */
	bool has_layer;            /* its link layer was told */
	bool is_efa;               /* Amazon's: no PFC, and its RDMA port is always ACTIVE */
	uint64_t full;             /* InfiniBand: bit of each counter that stands at its end */
	bool is_nic;               /* hardware: the kernel sees a part of the traffic only */
	bool has_speed;            /* the netdev reported its speed */
	double rate_mbps;          /* of the netdev; 0: unknown */
	double rdma_mbps;          /* of the RDMA port; 0: unknown */
	bool is_read;              /* all tools have answered for it */
	char phys[40];             /* "LinkUp", "Polling", "Disabled" */
	char reason[96];           /* the driver's reason for a missing link */
	char pci[20], setup[120];  /* slow tier: see preflight.c */
	char driver[24];           /* of its PCI function, "mlx5_core"; "" unknown */
	struct cells cells;        /* keep last: see new_port() */
};

/* A netdev of an RDMA device's PCI function whose port is not known yet. */
struct host_netdev {
	char rdma[NAME_MAX_LEN], netdev[NAME_MAX_LEN];
	bool is_nic;
};

#define NAME_EFA  1 /* only the driver efa has it */
#define NAME_ADDS 2 /* a part of the counter: all names of its rank are added up */

/* Meaning of a counter's name, see backends/dialects/linux/counter_names.c. */
struct host_name {
	const char *name; /* '#' stands for a priority 0-7 */
	counter_id id;
	uint8_t rank;  /* see cells_offer() */
	uint8_t scale; /* factor for the value */
	uint8_t flags; /* NAME_* */
};
/* Hash tables of names. Built for each answer, which costs less than ten of its lines. */
#define HOST_NAME_SLOTS 256
struct host_names {
	uint8_t ib[HOST_NAME_SLOTS], ethtool[HOST_NAME_SLOTS]; /* index of the name, plus one */
	bool is_ready;
};

/*
 * The meaning of a line of `ethtool -m`, by its beginning. Modules are mostly alike, so a line is
 * nearly always the same as the previous module's line at this position.
 */
struct host_line {
	const char *begins; /* in the answer: up to the value */
	uint16_t n;
	uint16_t label_at, label_n; /* position in begins */
	int8_t lane;                /* -1: of the module */
	uint8_t means;              /* private: enum means */
	uint8_t what, level;
	uint16_t limit_n; /* bytes of a threshold's value, 0: not a threshold */
	double limit;     /* the threshold */
};
#define HOST_LINES 64

#define HOST_PORTS_MAX 512
#define HOST_STUCK     200 /* fits a fact */
struct host {
	const struct target *target;
	struct obs *o;
	struct host_names names;
	VEC(struct host_port *) ports;
	size_t next_port; /* host_port() starts its search here */
	VEC(struct host_netdev) netdevs;
	int64_t begin_us, end_us;
	bool begun, ended, has_bonds;
	bool no_ethtool, has_firmware, has_limits, denied_limits;
	bool has_dmi;                       /* the firmware told something of the machine */
	const char *provider;               /* the cloud, by provider.c; NULL: none is known */
	struct host_line lines[HOST_LINES]; /* of modules, in the order of the answer */
	size_t lines_n;
	char trying[NAME_MAX_LEN]; /* subject of the latest tool call, not finished yet */
	char setup[160];           /* slow tier: see preflight.c */
	char stuck[HOST_STUCK];    /* names on which a tool hung, to be skipped: "mlx5_3 eth3" */
};
void host_free(struct host *h);

/*
 * Call after all sections. If the answer is truncated, the NIC of the last tool call is stuck: a
 * fact then excludes it. Ports that were not read report no missing counters.
 */
void host_settle(struct host *h);
/* Finds or creates the port; NULL if there are too many. */
struct host_port *host_port(struct host *h, const char *rdma, unsigned number);

/* Lines come port by port: the beginning of the last line, and its port. */
struct host_way {
	char prefix[NAME_MAX_LEN + 16];
	size_t n; /* 0: none */
	struct host_port *port;
};
/*
 * Splits "mlx5_3/ports/1/REST:VALUE". Returns the port, which it creates if it is new; NULL for
 * another line. way must be {0} at the start of a section.
 */
struct host_port *host_ib_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value);
/* Likewise "eth3/REST:VALUE"; NULL if none of our ports has the netdev. */
struct host_port *host_net_span(struct host *h, struct host_way *way, struct span line,
	struct span *rest, struct span *value);
/* The same for a line that may be modified. */
struct host_port *host_ib_line(struct host *h, char *line, char **rest, char **value);
struct host_port *host_net_line(struct host *h, char *line, char **rest, char **value);
/* Stores a line of the map section: "mlx5_3/device/net/eth3". */
void host_map_line(struct host *h, const char *line);
struct host_port *host_by_netdev(struct host *h, const char *netdev);
/* The only netdev of the device's PCI function; "" if there are none or several. */
const char *host_only_netdev(const struct host *h, const char *rdma);

/*
 * bond.c: bonds and their slaves. The section follows those of the ports. host_bonds_sum: call
 * after all counters. host_bond_emit: reports the bond of a port. host_bond_describe: reports
 * mode and slaves of a bond, as its description.
 */
void host_bonds_section(struct host *h, const struct section *s);
/* Ethernet ports without RDMA and without a bond; the section follows those above. */
void host_plain_section(struct host *h, const struct section *s);
void host_bond_line(struct host_port *p, struct span rest, struct span value);
void host_bonds_sum(struct host *h);
void host_bond_emit(const struct host *h, const struct host_port *p);
void host_bond_describe(const struct host *h, const struct host_port *p);
/* Splits "mlx5_3/device:/sys/devices/.../0000:5e:00.0"; false if it is not on PCI. */
bool host_pci_line(char *line, char **rdma, char **pci);
/* Returns the port for the netdev in the section's argument. */
#define host_of_section(h, s) host_by_netdev((h), (s)->arg)
/* Decodes the answer of `lldpcli -f json0 show neighbors details` for ports with RDMA. */
void host_lldp_section(struct host *h, const struct section *s);
/* Whether the host has an RDMA device; false: bonds and Ethernet NICs only, or nothing. */
bool host_has_rdma(const struct host *h);
/* Decodes the sections that all scripts have; true if it was one of them. */
bool host_common_section(struct host *h, const struct section *s);
/* Reads a file "dmi/id/NAME" of the machine: its model, serial, cloud. False: it is none. */
bool host_provider_line(struct host *h, const char *file, const char *value);

/* Words of the fast answer for positions_tell(). */
enum host_word { HOST_BEGIN, HOST_END, HOST_UPTIME, HOST_IDLE };
/*
 * host_clock_us: reads `date +%s%N`, 0: invalid. host_uptime: adds the uptime in seconds; false:
 * not a number.
 */
int64_t host_clock_us(const char *s, size_t n);
bool host_uptime(struct obs *o, const char *s, size_t n);

#define RANK_IB_PORT 5 /* rank of port_rcv_data and similar counters */
/*
 * Names of sysfs counters, hw_counters and netdev statistics, and of ethtool -S. NULL: the name is
 * not used.
 */
const struct host_name *host_ib_name(struct host_names *names, const char *name, size_t len);
const struct host_name *host_ethtool_name(
	struct host_names *names, const char *name, size_t len, unsigned *priority);
/* True: the ethtool statistics of some driver have the counter. */
bool host_ethtool_counts(counter_id id);

/*
 * rdma(8) for hosts where sysfs shows no counters: `rdma -j link`, `rdma -j statistic`, or their
 * text.
 */
void host_rdma_link(struct host *h, const struct section *s);
void host_rdma_statistic(struct host *h, const struct section *s);
/* Offers a counter of sysfs, rdma(8) or the kernel to the port; value is its text. */
void host_offer_ib(struct host *h, struct host_port *p, struct span name, struct span value);
/* The same for a known name. */
void host_offer_known(
	struct host *h, struct host_port *p, const struct host_name *known, struct span value);

/*
 * Offers the unscaled number of a known counter to a cell of the port; text: its position in the
 * answer, or a copy.
 */
void host_offer(struct host *h, struct host_port *p, const struct host_name *known, unsigned sub,
	uint64_t v, struct span text);
/* Marks a number in the answer as unused. */
void host_unused(struct host *h, struct span text);

/* Text output of ethtool: settings (-I DEV), --show-fec, -a, -S, -m. */
void host_link_section(struct host *h, const struct section *s);
void host_fec_section(struct host *h, const struct section *s);
void host_pause_section(struct host *h, const struct section *s);
void host_stats_section(struct host *h, const struct section *s);
void host_module_section(struct host *h, const struct section *s);
/* Reports whether the modules have thresholds. */
void host_limits_say(struct host *h);
/* True: the text is a shell's or a wrapper's "there is no such program". */
bool host_no_program(const char *bytes, size_t len);

/*
 * qos.c, dcb.c: settings of NICs and ports. Each section is one tool's view of one netdev ("pfc
 * eth3": dcb's PFC object). emit adds all settings to the batch, with their needs.
 */
struct host_qos;
struct host_qos *host_qos_new(void);
void host_qos_free(struct host_qos *q);
/* Returns false if the section is none of these. */
bool host_qos_section(struct host *h, struct host_qos *q, const struct section *s);
void host_qos_emit(struct host *h, struct host_qos *q);

/*
 * preflight.c: settings that siblings have alike. attr: a file of an RDMA device, "fw_ver"; emit:
 * adds to the batch what the sections told.
 */
void preflight_attr(struct host *h, const char *rdma, const char *file, const char *value);
void preflight_host_section(struct host *h, const struct section *s);
void preflight_lspci_section(struct host *h, const struct section *s);
void preflight_emit(struct host *h);

/* Decoders of whole answers. They return false if it is not the script's output. */
bool linux_parse_fast(struct host *h, const char *bytes, size_t len);
bool linux_parse_optics(struct host *h, const char *bytes, size_t len);
bool linux_parse_lldp(struct host *h, const char *bytes, size_t len);
bool linux_parse_slow(struct host *h, const char *bytes, size_t len);
bool linux_parse_qos(struct host *h, const char *bytes, size_t len);
bool linux_parse_topology(struct host *h, const char *bytes, size_t len);
bool linux_parse_nvlink(struct host *h, const char *bytes, size_t len);
bool linux_parse_nvfabric(struct host *h, const char *bytes, size_t len);
bool linux_parse_xgmi(struct host *h, const char *bytes, size_t len);
bool linux_parse_subnet(struct host *h, const char *bytes, size_t len);
bool linux_parse_bmc(struct host *h, const char *bytes, size_t len);
bool linux_parse_detect(struct host *h, const char *bytes, size_t len);

/* Returns the command for following the log that detect found to work, NULL: none. */
const char *linux_log_command(const struct facts *f);
/* Decodes lines of the log as they arrive. */
void linux_parse_log(const struct target *t, const char *bytes, size_t len, struct obs *o);

/* Why no diagnostics of the signal are read: the pages of CMIS behind 11h. */
#define VDM_OF_ETHTOOL "ethtool prints no page of the module behind 11h"

/* backend_ops.reads() of hosts and FRR switches: reads.c. */
bool linux_reads(const struct request *r);

#endif

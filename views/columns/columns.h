/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_COLUMNS_COLUMNS_H
#define VIEWS_COLUMNS_COLUMNS_H

#include "views/common.h"
#include "views/summary.h"

/*
 * The columns an operator decides by, once: a number has the same name, title, width and meaning in
 * every table. A view lists the ones it has:
 *
 *	#define COLUMNS(X) X(PORT) X(STATE) X(RX)
 *	static const struct table_column columns[] = {COLUMNS(AS_COLUMN)};
 *	static const enum column kinds[] = {COLUMNS(AS_KIND)};
 *
 * Columns of one counter are lines of columns.def, which the view includes in both lists:
 *
 *	#define HOST_COLUMN AS_COUNTER_COLUMN (in kinds: AS_COUNTER_KIND)
 *	#include "views/columns/columns.def"
 *
 * The view gives their cells to port_column() or summary_column(). Priorities 0 and 1 of any view
 * fit in 80 columns (tests/views/columns/test_view_table.c).
 */
enum column {
	/* words */
	COL_PORT,
	COL_NIC,
	COL_NAME,
	COL_TIER,
	COL_STATE,
	COL_OPER,
	COL_PEER,
	COL_SPEED,
	COL_RAIL,
	COL_RACK,
	COL_PEER_RACK,
	COL_NETDEV,
	COL_NET,
	COL_LEAVES,
	COL_PORTS,
	COL_DATA,
	COL_WHY,
	/* measured: marked when the device does not answer */
	COL_FIRST_MEASURED,
	COL_RX = COL_FIRST_MEASURED,
	COL_TX,
	COL_RX_UTIL,
	COL_TX_UTIL,
	COL_UP_UTIL,
	COL_PAUSED_RX,
	COL_PAUSED_TX,
	COL_PAUSED_RX_1M,
	COL_PAUSED_TX_1M,
	COL_ECN,
	COL_ECN_SHARE,
	COL_ORDER,
	COL_CNP,
	COL_DROPS,
	COL_FLAPS,
	COL_SLOW,
	COL_FEC,
	COL_BER,
	COL_OPTICS,
	COL_WD,
	COL_PCIE,
	COL_FEC_BINS,
	COL_TREND,
	/* columns.def: COL_CNP_RX, COL_SINCE_RX, ... */
	COL_FIRST_COUNTER,
	COL_BEFORE_COUNTERS = COL_FIRST_COUNTER - 1, /* the next has the number of FIRST */
#define HOST_COLUMN(col, ...)   COL_##col,
#define SWITCH_COLUMN(col, ...) COL_##col,
#define SINCE_COLUMN(col, ...)  COL_##col,
#include "views/columns/columns.def"
	COL_COUNT
};

#define AS_COLUMN(id) COLUMN_##id,
#define AS_KIND(id)   COL_##id,
#define AS_COUNTER_COLUMN(col, id, title, width, priority, shows, counter, help)                   \
	{id, title, width, 0, priority, true, help},
#define AS_COUNTER_KIND(col, ...) COL_##col,

/* Columns that tables share: sums of a rail or switch, and the traffic of a port. */
#define SUMMARY_COLUMNS(X)                                                                         \
	X(PORTS)                                                                                   \
	X(SLOW)                                                                                    \
	X(RX)                                                                                      \
	X(TX)                                                                                      \
	X(RX_UTIL)                                                                                 \
	X(TX_UTIL)                                                                                 \
	X(UP_UTIL)                                                                                 \
	X(PAUSED_RX)                                                                               \
	X(PAUSED_TX)                                                                               \
	X(ECN)                                                                                     \
	X(ECN_SHARE)                                                                               \
	X(CNP)                                                                                     \
	X(DROPS)                                                                                   \
	X(FLAPS)                                                                                   \
	X(FEC)                                                                                     \
	X(BER)                                                                                     \
	X(OPTICS)                                                                                  \
	X(DATA)                                                                                    \
	X(WHY)
#define PORT_TRAFFIC_COLUMNS(X)                                                                    \
	X(STATE)                                                                                   \
	X(OPER)                                                                                    \
	X(PEER)                                                                                    \
	X(SPEED)                                                                                   \
	X(RX)                                                                                      \
	X(TX)                                                                                      \
	X(RX_UTIL)                                                                                 \
	X(TX_UTIL)                                                                                 \
	X(PAUSED_RX)                                                                               \
	X(PAUSED_TX)                                                                               \
	X(PAUSED_RX_1M)                                                                            \
	X(PAUSED_TX_1M)                                                                            \
	X(ECN)                                                                                     \
	X(CNP)

/* clang-format off */
/* id, title, width, grow, priority, right, help */
#define COLUMN_PORT {"port", "port", 11, 0, 0, false, "Name of the port on its device"}
#define COLUMN_NIC {"nic", "nic", 8, 0, 0, false, "RDMA device of the host"}
#define COLUMN_NAME {"name", "name", 13, 0, 0, false, "Rail or device"}
#define COLUMN_TIER {"tier", "tier", 6, 0, 2, false, "Tier: leaf, spine, superspine, host"}
#define COLUMN_STATE {"state", "state", 5, 0, 0, false, \
	"ok, WARN or CRIT by fixed rules; down: the port is down and not planned; -: unknown"}
#define COLUMN_OPER {"oper", "link", 4, 0, 2, false, "Operational state of the port as its device reports it"}
#define COLUMN_PEER {"peer", "peer", 15, 3, 0, false, \
	"The other end of the link, as LLDP found it, else as planned"}
#define COLUMN_SPEED {"speed", "speed", 5, 0, 1, true, \
	"Speed in operation; ! behind it: not the planned speed"}
#define COLUMN_RAIL {"rail", "rail", 4, 0, 3, true, "Rail that the port belongs to"}
#define COLUMN_RACK {"rack", "rack", 8, 0, 4, false, "Rack and unit where the device stands, by the inventory"}
#define COLUMN_PEER_RACK {"peer_rack", "peer rack", 9, 0, 4, false, \
	"Rack and unit where the other end stands, by the inventory"}
#define COLUMN_ORDER {"order", "order", 8, 0, 3, false, \
	"ECN, or PFC: whether the port marks more packets than its peer pauses it for time; PFC! should be the last resort"}
#define COLUMN_NETDEV {"netdev", "netdev", 8, 0, 3, false, "Network device of the RDMA device"}
#define COLUMN_NET {"net", "net", 8, 0, 4, false, \
	"Network of the port: backend, storage, frontend, oob; -: not known"}
#define COLUMN_LEAVES {"leaves", "leaves", 6, 0, 2, true, \
	"Leaves of the rail: seen / planned"}
#define COLUMN_PORTS {"ports", "ports", 9, 0, 1, true, "Ports: up / planned, or seen where there is no plan"}
#define COLUMN_DATA {"data", "data", 7, 0, 1, false, \
	"State of the data: fresh, late, stale, unreachable, unauthorised"}
#define COLUMN_WHY {"why", "why", 24, 2, 2, false, "Problem found by the worst rule that applies"}
#define COLUMN_RX {"rx", "rx b/s", 6, 0, 0, true, \
	"Bits per second received; of a switch or rail: from the tier below"}
#define COLUMN_TX {"tx", "tx b/s", 6, 0, 0, true, \
	"Bits per second sent; of a switch or rail: to the tier below"}
#define COLUMN_RX_UTIL {"rx_util", "rx%", 5, 0, 2, true, "Receive rate in per cent of the speed in operation"}
#define COLUMN_TX_UTIL {"tx_util", "tx%", 5, 0, 2, true, "Send rate in per cent of the speed in operation"}
#define COLUMN_UP_UTIL {"up_util", "up%", 5, 0, 3, true, \
	"Send rate of the ports to the tier above in per cent of their speed"}
#define COLUMN_PAUSED_RX {"paused_rx", "pau rx", 6, 0, 1, true, \
	"Per cent of time paused by the peer on a lossless priority; <=: upper bound " \
	"from frames"}
#define COLUMN_PAUSED_TX {"paused_tx", "pau tx", 6, 0, 1, true, \
	"Per cent of time that the port pauses its peer on a lossless priority; <=: upper bound " \
	"from frames"}
#define COLUMN_PAUSED_RX_1M {"paused_rx_1m", "rx 1min", 7, 0, 5, true, \
	"Per cent of the last minute, or of what was seen of it, paused by the peer: one short burst is no storm"}
#define COLUMN_PAUSED_TX_1M {"paused_tx_1m", "tx 1min", 7, 0, 5, true, \
	"Per cent of the last minute, or of what was seen of it, that the port paused its peer"}
#define COLUMN_ECN {"ecn", "ecn/s", 6, 0, 2, true, \
	"Packets marked congestion-experienced per second; at a NIC: marked on arrival"}
#define COLUMN_ECN_SHARE {"ecn_share", "ecn%", 5, 0, 4, true, \
	"Marked packets in per cent of the packets that the same ports sent"}
#define COLUMN_CNP {"cnp", "cnp/s", 6, 0, 2, true, \
	"Congestion notifications the NIC sent per second; at a leaf or rail: the NICs at the " \
	"other end"}
#define COLUMN_DROPS {"drops", "drop/s", 6, 0, 1, true, \
	"Packets lost per second: discards, queues, priority groups, watchdog"}
#define COLUMN_FLAPS {"flaps", "flaps", 5, 0, 1, true, "Times the link went down"}
#define COLUMN_SLOW {"slow", "slow", 5, 0, 3, true, "Ports that run below their planned speed"}
#define COLUMN_FEC {"fec", "fec/s", 6, 0, 3, true, \
	"Codewords per second that FEC could not correct: data lost on the wire"}
#define COLUMN_BER {"ber", "ber", 8, 0, 3, true, \
	"Bit error ratio before FEC, of several ports the worst; RS-544 fails near 2.4e-4"}
#define COLUMN_OPTICS {"rx_power", "rx dBm", 6, 0, 3, true, \
	"Lowest light received over the lanes in use, of several ports the lowest"}
#define COLUMN_WD {"wd", "wd", 5, 0, 3, false, "PFC watchdog of the lossless queues: ok (armed), STORM, off"}
#define COLUMN_PCIE {"pcie", "pcie", 8, 0, 3, false, "PCIe generation and lanes in use"}
#define COLUMN_FEC_BINS {"fec_bins", "fec bins 0-15", 16, 0, 5, false, \
	"Codewords by corrected symbols, 0 to 15, as bars of their logarithm; as a number the " \
	"highest bin that has any: beyond 15 RS-544 fails"}
#define COLUMN_TREND {"trend", "rx trend", 20, 0, 4, false, \
	"Receive rate of the last samples against the speed; the gap is now"}
/* clang-format on */

/* "R12 U40"; empty where the inventory does not say. */
void cell_stand(const struct device *d, struct view_cell *out);

/*
 * The cell of a port. A column that ports do not have is unknown. Numbers of a device that stopped
 * answering are marked with "~".
 */
void port_column(
	const struct view_ctx *ctx, const struct port *p, enum column col, struct view_cell *out);

/* The same for a row that is a port, in a view whose columns are of these n kinds. */
void port_row_cell(const struct view_ctx *ctx, struct ref row, const enum column *kinds, size_t n,
	size_t col, struct view_cell *out);

/* The cell of a device's or a rail's sum; name and tier are the caller's. */
void summary_column(const struct view_ctx *ctx, const struct summary *s, enum column col,
	struct view_cell *out);
/* The same for a device, with its name, tier and freshness. */
void device_column(
	const struct view_ctx *ctx, const struct device *d, enum column col, struct view_cell *out);

/* The FEC histogram of a port as 16 bars of the logarithm; t: of the screen. */
void fec_bins_text(const struct term *t, const struct port *p, char *dst, size_t size);

/* Severity of a port as a word; "down" for one that is off without being missed. */
void cell_port_state(const struct view_ctx *ctx, struct view_cell *c, const struct port *p);

#endif

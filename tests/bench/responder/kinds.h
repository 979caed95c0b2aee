/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_RESPONDER_KINDS_H
#define TESTS_BENCH_RESPONDER_KINDS_H

/*
 * The devices of the responder, of ref256: a host with 8 NICs, and a SONiC leaf switch with 64
 * ports. Every 127.60.x.y is such a host, every 127.61.x.y such a switch.
 */
enum responder_kind { RESPONDER_HOST, RESPONDER_SWITCH, RESPONDER_KINDS };
#define RESPONDER_NAMES                                                                            \
	{                                                                                          \
		"host", "switch"                                                                   \
	}
#define RESPONDER_DIALECTS                                                                         \
	{                                                                                          \
		"linux", "sonic"                                                                   \
	}
#define RESPONDER_NET 60U

/*
 * A command that stands for what the dialect asks each poll, for programs that are no railtop. What
 * that is, whoever starts the responder writes to DIR/host.command, DIR/host.input and so on.
 */
#define RESPONDER_PAYLOAD "pl-fast"
#define RESPONDER_USER    "noc"

#endif

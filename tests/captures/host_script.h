/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CAPTURES_HOST_SCRIPT_H
#define TESTS_CAPTURES_HOST_SCRIPT_H

#include "base/buf.h"
#include "backends/contract/facts.h"
#include "fabric/vocabulary/observation.h"

/*
 * Single captures of a host put together as the answer of a script of the dialect "linux". Also
 * sandboxes in which the scripts themselves run on captured trees with captured tools.
 */
void script_begin(struct buf *b);
/* "@@TITLE" and the capture, then its standard error (FILE.err), if anything. */
void script_file(struct buf *b, const char *title, const char *file);
void script_text(struct buf *b, const char *title, const char *text);
/* RDMA device, its netdev and the state of its port: the beginning of every answer. */
void script_port(struct buf *b, const char *rdma, const char *netdev);
/* The netdevs of `ip -j -s -s link` as the files of sysfs that hold the same. */
void script_net(struct buf *b, const char *file);
/* Ends, decodes for a host of which these facts are known, frees b. No error may be in it. */
struct obs *script_decode(struct buf *b, const char *request);
struct obs *script_decode_as(struct buf *b, const char *request, const struct facts *facts);

/* One capture as a section about the port mlx5_3, netdev rdma3. */
struct obs *script_section(const char *request, const char *section, const char *file);

/* Text of the port's first log item; NULL: none. NULL port: of any. */
const char *log_text(const struct obs *o, const char *port);
size_t log_lines(const struct obs *o, const char *words);

struct sandbox {
	char root[64], path[512], sys[96];
};
/* A directory with tools that come first in the path. */
void sandbox_open(struct sandbox *b);
void sandbox_tool(const struct sandbox *b, const char *name, const char *script);
/* Runs the script through `sh -s` in it. */
struct obs *sandbox_run(const struct sandbox *b, const char *request, const char *script);
void sandbox_close(const struct sandbox *b);

#endif

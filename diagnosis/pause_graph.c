/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/pause_graph.h"

#include "base/mem.h"

struct pause_graph *pause_graph_new(void)
{
	return mem_calloc(1, sizeof(struct pause_graph));
}

void pause_graph_free(struct pause_graph *g)
{
	free(g);
}

void pause_graph_build(
	struct pause_graph *g, const struct model *m, const struct windows *w, int64_t now_us)
{
	(void)g, (void)m, (void)w, (void)now_us;
}

const struct pause_node *pause_node_of(const struct pause_graph *g, uint32_t port)
{
	(void)g, (void)port;
	return NULL;
}

const char *pause_end_name(enum pause_end e)
{
	static const char *const names[] = {
		"held", "contention", "nic", "cycle", "unexplained", "blind"};

	return (unsigned)e < sizeof(names) / sizeof(names[0]) ? names[e] : "unknown";
}

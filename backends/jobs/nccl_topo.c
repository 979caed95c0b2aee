/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/jobs/nccl_private.h"
#include "backends/parse/first_line.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Decodes a host's own GPUs and addresses: nvidia-smi topo -m, nvidia-smi --query-gpu, and ip -j
 * addr. topo -m prints a table with tabs, and underlines its head with escape sequences even
 * without a terminal. It names NICs NIC0 with a legend, or mlx5_0 with older drivers.
 */

#define COLUMNS_MAX 256
#define CELL_LEN    64

/* From near to far; other entries of the table (NV18, X) are not paths to a NIC. */
static const char *const ways[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
#define WAYS       (sizeof(ways) / sizeof(ways[0]))
#define WAYS_CLEAR 2 /* PIX, PXB: the same switch; NCCL's rule chooses among several such NICs */

struct table {
	struct obs *o;
	unsigned columns;
	char column[COLUMNS_MAX][CELL_LEN];
	bool is_nic[COLUMNS_MAX];        /* the column may be a NIC */
	char nic[COLUMNS_MAX][CELL_LEN]; /* from the legend: NIC0 is mlx5_0 */
	struct {
		int32_t gpu;
		unsigned column, way;   /* way WAYS: no NIC */
		bool near[COLUMNS_MAX]; /* the NICs at that way */
	} row[COLUMNS_MAX];
	unsigned rows;
};

/* Copies the line without escapes and with one tab after each cell. */
static void strip_escapes(const char *bytes, size_t n, char *dst, size_t size)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < size; i++) {
		if (bytes[i] != '\x1b') {
			const char *escape = memchr(bytes + i, '\x1b', n - i);
			size_t plain = escape ? (size_t)(escape - bytes) - i : n - i;

			if (plain > size - 1 - k)
				plain = size - 1 - k;
			memcpy(dst + k, bytes + i, plain);
			k += plain;
			i += plain - 1;
			continue;
		}
		if (i + 1 < n && bytes[i + 1] == '[')
			i++;
		while (i + 1 < n && !(bytes[i + 1] >= '@' && bytes[i + 1] <= '~'))
			i++;
		i++;
	}
	dst[k] = '\0';
}

/* Moves *s behind the cell and its tab; false at the end of the line. */
static bool next_cell(const char **s, char *dst, size_t size)
{
	const char *at = *s;
	size_t n;

	if (!at)
		return false;
	at += strspn(at, " ");
	n = strcspn(at, "\t");
	*s = at[n] ? at + n + 1 : NULL;
	while (n && at[n - 1] == ' ')
		n--;
	(void)str_copyn(dst, size, at, n < size - 1 ? n : size - 1);
	return true;
}

static bool gpu_of(const char *cell, int32_t *gpu)
{
	int64_t n;

	if (!scan_text(&cell, "GPU") || !scan_int(&cell, &n) || *cell || n >= NCCL_GPUS_MAX)
		return false;
	*gpu = (int32_t)n;
	return true;
}

static bool is_nic(const char *column)
{
	int32_t gpu;

	return *column && !gpu_of(column, &gpu) && !strchr(column, ' ');
}

static void read_head(struct table *t, const char *line)
{
	char cell[CELL_LEN];

	t->columns = 0;
	(void)next_cell(&line, cell, sizeof(cell));
	while (t->columns < COLUMNS_MAX &&
		next_cell(&line, t->column[t->columns], sizeof(t->column[0]))) {
		t->is_nic[t->columns] = is_nic(t->column[t->columns]);
		t->columns++;
	}
}

static unsigned way_of(const char *cell)
{
	unsigned w = 0;

	while (w < WAYS && !str_eq(cell, ways[w]))
		w++;
	return w;
}

static void read_row(struct table *t, const char *line)
{
	char cell[CELL_LEN];
	unsigned column = 0, ties = 0, ways_of[COLUMNS_MAX];

	if (t->rows >= COLUMNS_MAX || !next_cell(&line, cell, sizeof(cell)) ||
		!gpu_of(cell, &t->row[t->rows].gpu))
		return;
	t->row[t->rows].way = WAYS;
	for (unsigned i = 0; i < COLUMNS_MAX; i++)
		ways_of[i] = WAYS;
	for (unsigned i = 0; i < t->columns && next_cell(&line, cell, sizeof(cell)); i++) {
		unsigned w = ways_of[i] = t->is_nic[i] ? way_of(cell) : WAYS;

		if (w < WAYS && w == t->row[t->rows].way)
			ties++;
		if (w < t->row[t->rows].way) {
			t->row[t->rows].way = w;
			column = i;
			ties = 0;
		}
	}
	t->row[t->rows].column = column;
	for (unsigned i = 0; i < COLUMNS_MAX; i++)
		t->row[t->rows].near[i] = ways_of[i] < WAYS && ways_of[i] == t->row[t->rows].way;
	/* All NICs of the node are equally near: none of them belongs to the GPU. */
	if (ties && t->row[t->rows].way >= WAYS_CLEAR)
		t->row[t->rows].way = WAYS;
	t->rows++;
}

/* Reads "  NIC0: mlx5_0". */
static void read_legend(struct table *t, const char *line)
{
	const char *word;
	int64_t i;
	size_t n;

	if (scan_text(&line, "NIC") && scan_int(&line, &i) && i < COLUMNS_MAX && *line == ':') {
		line++;
		if (scan_word(&line, "", &word, &n) && n < CELL_LEN)
			(void)str_copyn(t->nic[i], sizeof(t->nic[i]), word, n);
	}
}

static bool read_line(void *ctx, const char *bytes, size_t n)
{
	struct table *t = ctx;
	char line[8192];
	int32_t gpu;
	char cell[CELL_LEN];
	const char *s = line;

	strip_escapes(bytes, n, line, sizeof(line));
	if (*line == '\t' && !t->columns) {
		read_head(t, line);
		return true;
	}
	if (next_cell(&s, cell, sizeof(cell)) && gpu_of(cell, &gpu))
		read_row(t, line);
	else
		read_legend(t, line);
	return true;
}

static const char *nic_name(const struct table *t, unsigned column)
{
	const char *s = t->column[column];
	int64_t i;

	if (scan_text(&s, "NIC") && scan_int(&s, &i) && !*s)
		return i < COLUMNS_MAX ? t->nic[i] : "";
	return t->column[column];
}

unsigned nccl_local_net(unsigned gpu, unsigned gpus, unsigned nets)
{
	unsigned at = gpus ? gpu % gpus : 0, mirror = 0;

	if (!nets)
		return 0;
	if ((nets & (nets - 1)) == 0) {
		for (unsigned bit = 1, to = nets >> 1; bit < nets; bit <<= 1, to >>= 1)
			if (at & bit)
				mirror |= to;
		at = mirror;
	}
	return at % nets;
}

/* Of several NICs behind one switch, the one that NCCL gives to the GPU. */
static void choose_column(struct table *t, unsigned row)
{
	unsigned first = t->row[row].column, gpus = 0, nets = 0, place;

	for (unsigned i = 0; i < t->rows; i++)
		gpus += t->row[i].way < WAYS && t->row[i].near[first];
	for (unsigned i = 0; i < t->columns; i++)
		nets += t->row[row].near[i];
	if (t->row[row].way >= WAYS_CLEAR || nets < 2)
		return;
	place = nccl_local_net((unsigned)t->row[row].gpu, gpus, nets);
	for (unsigned i = 0; i < t->columns; i++)
		if (t->row[row].near[i] && !place--)
			t->row[row].column = i;
}

static void add_gpus(struct table *t)
{
	for (unsigned i = 0; i < t->rows; i++)
		choose_column(t, i);
	for (unsigned i = 0; i < t->rows; i++) {
		struct obs_nccl *r = nccl_add(t->o, NCCL_GPU, SOURCE_TOPOLOGY);

		if (!r)
			return;
		r->gpu = t->row[i].gpu;
		if (t->row[i].way >= WAYS)
			continue;
		r->nic = obs_string(t->o, nic_name(t, t->row[i].column));
		if (r->nic)
			r->text2 = obs_string(t->o, ways[t->row[i].way]);
	}
}

bool nccl_topo_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct table *t = mem_alloc(sizeof(*t));
	bool ok;
	char line[128];

	t->o = out;
	t->columns = t->rows = 0;
	for (size_t i = 0; i < COLUMNS_MAX; i++)
		t->nic[i][0] = '\0';
	(void)nccl_lines(bytes, len, read_line, t);
	ok = t->columns > 0 && t->rows > 0;
	if (ok)
		add_gpus(t);
	free(t);
	return ok || err_set(err, ERR_PROTOCOL, out->device,
			     "expected the table of nvidia-smi topo -m, got: %s",
			     parse_first_line(bytes, len, line, sizeof(line)));
}

struct gpus {
	struct obs *o;
	unsigned n;
};

/* Reads "3, 00000000:5D:00.0": sysfs has a domain of four digits, and lower case. */
static bool read_gpu(void *ctx, const char *bytes, size_t n)
{
	struct gpus *g = ctx;
	unsigned domain, bus, device, function;
	struct obs_nccl *r;
	char line[256], bdf[24];
	const char *s = line;
	int64_t index;

	(void)str_copyn(line, sizeof(line), bytes, n < sizeof(line) - 1 ? n : sizeof(line) - 1);
	if (!scan_int(&s, &index) || index >= NCCL_GPUS_MAX || !scan_text(&s, ",") ||
		sscanf(s, " %8x:%2x:%2x.%1x", &domain, &bus, &device, &function) != 4)
		return true;
	r = nccl_add(g->o, NCCL_GPU, SOURCE_TOPOLOGY);
	if (!r)
		return false;
	g->n++;
	(void)str_printf(bdf, sizeof(bdf), "%04x:%02x:%02x.%x", domain, bus, device, function);
	r->gpu = (int32_t)index;
	r->text = obs_string(g->o, bdf);
	return true;
}

bool nccl_gpus_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct gpus g = {.o = out};
	char line[128];

	(void)nccl_lines(bytes, len, read_gpu, &g);
	return g.n || err_set(err, ERR_PROTOCOL, out->device,
			      "expected GPUs of nvidia-smi --query-gpu=index,pci.bus_id, got: %s",
			      parse_first_line(bytes, len, line, sizeof(line)));
}

/* True: interfaces that have the same addresses on every host. */
static bool is_local(const char *ifname)
{
	static const char *const prefixes[] = {
		"docker", "virbr", "br-", "cni", "veth", "kube-ipvs", "nodelocaldns"};

	if (str_eq(ifname, "lo"))
		return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (str_starts(ifname, prefixes[i]))
			return true;
	return false;
}

static void add_addresses(struct obs *o, const struct json_value *link)
{
	const char *ifname = json_value_text_or(json_value_get(link, "ifname"), "");

	if (!*ifname || is_local(ifname))
		return;
	for (json_value_items(v, json_value_get(link, "addr_info"))) {
		const char *scope = json_value_text_or(json_value_get(v, "scope"), "");
		const char *local = json_value_text(json_value_get(v, "local"));
		struct obs_nccl *r;

		if (!local || str_eq(scope, "link") || str_eq(scope, "host"))
			continue;
		r = nccl_add(o, NCCL_ADDRESS, SOURCE_ADDRESSES);
		if (!r)
			return;
		r->text = obs_string(o, local);
		r->text2 = obs_string(o, ifname);
	}
}

bool nccl_addresses_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct err e = {0};
	struct json_value *doc;
	size_t at = 0;
	char line[128];

	doc = json_value_parse_next(bytes, len, &at, out->device, &e);
	if (!json_value_is(doc, DV_ARRAY)) {
		free(doc);
		if (e.code == ERR_NONE)
			err_set(&e, ERR_PROTOCOL, out->device,
				"expected the list of ip -j addr, got: %s",
				parse_first_line(bytes, len, line, sizeof(line)));
		if (err)
			*err = e;
		return false;
	}
	for (json_value_items(link, doc))
		add_addresses(out, link);
	free(doc);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The topology of one host as NCCL writes it with NCCL_TOPO_DUMP_FILE, and reads it with
 * NCCL_TOPO_FILE: <net name="mlx5_0" speed="400000" .../>. The file has no name of its host: it is
 * the file's own name, or --host names the hosts that are built alike.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/inventory/inventory_yaml.h"
#include "app/import/import.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

#define NETS_MAX 64
#define TAG_MAX  2048

struct nccl {
	struct import *im;
	char nets[NETS_MAX][NAME_MAX_LEN];
	unsigned mbps[NETS_MAX];
	size_t n, gpus;
	bool has_system;
};

/* The value of name="..." in a tag; false: none. */
static bool find_attribute(const char *tag, const char *name, char *dst, size_t size)
{
	size_t n = strlen(name);

	for (const char *at = tag; (at = strstr(at, name)); at++) {
		const char *value = at + n;
		char quote;

		if (at == tag || !isspace((unsigned char)at[-1]))
			continue;
		value += strspn(value, " \t\r\n");
		if (*value != '=')
			continue;
		value += 1 + strspn(value + 1, " \t\r\n");
		quote = *value;
		if (quote != '"' && quote != '\'')
			continue;
		value++;
		return str_copyn(dst, size, value, strcspn(value, quote == '"' ? "\"" : "'"));
	}
	return false;
}

static bool tag_is(const char *tag, const char *name)
{
	size_t n = strlen(name);

	return strncmp(tag, name, n) == 0 &&
	       (!tag[n] || isspace((unsigned char)tag[n]) || tag[n] == '/');
}

static void read_net(struct nccl *x, const char *tag)
{
	char name[NAME_MAX_LEN], speed[16] = "";

	if (!find_attribute(tag, "name", name, sizeof(name)) || !*name)
		return;
	/* Over sockets NCCL uses any network device. */
	if (!import_is_rdma(name)) {
		import_skip(x->im, "networks that are no RDMA device", name);
		return;
	}
	/* A NIC of two ports is listed once for each. */
	for (size_t i = 0; i < x->n; i++)
		if (str_eq(x->nets[i], name))
			return;
	if (x->n == NETS_MAX) {
		import_skip(x->im, "networks beyond 64 of a host", name);
		return;
	}
	(void)find_attribute(tag, "speed", speed, sizeof(speed));
	(void)str_copy(x->nets[x->n], NAME_MAX_LEN, name);
	x->mbps[x->n++] = import_speed(speed);
}

/* Reads the tags; comments and declarations are skipped. */
static bool read_tags(struct nccl *x, const char *text, size_t len, struct err *err)
{
	const char *end = text + len, *at = text;
	size_t line = 1;

	for (; at < end; at++) {
		char tag[TAG_MAX];
		const char *close, *from = at;

		line += *at == '\n';
		if (*at != '<')
			continue;
		if ((size_t)(end - at) >= 4 && memcmp(at, "<!--", 4) == 0) {
			close = memmem(at, (size_t)(end - at), "-->", 3);
			if (!close)
				return import_error(x->im, err, line, "a comment does not end");
			close += 2;
		} else {
			close = memchr(at, '>', (size_t)(end - at));
			if (!close)
				return import_error(x->im, err, line, "a tag does not end");
			if ((size_t)(close - at) >= sizeof(tag))
				return import_error(
					x->im, err, line, "a tag of more than %d bytes", TAG_MAX);
			(void)str_copyn(tag, sizeof(tag), at + 1, (size_t)(close - at - 1));
			x->has_system = x->has_system || tag_is(tag, "system");
			x->gpus += tag_is(tag, "gpu");
			if (tag_is(tag, "net"))
				read_net(x, tag);
		}
		for (at = from + 1; at < close; at++)
			line += *at == '\n';
		at = close;
	}
	return true;
}

/* ---- hosts ---- */

static void add_nics(struct import *im, const struct nccl *x, const char *name)
{
	size_t at = import_device(im, name);
	struct found *f;

	if (at == SIZE_MAX)
		return;
	f = &im->d.devices.at[at];
	im->said.at[at].kind = IMPORT_HOST;
	im->said.at[at].why = x->gpus ? "NCCL found GPUs in it" : "NCCL ran on it";
	for (size_t i = 0; i < x->n; i++) {
		struct found_port *p = vec_add(&f->ports);

		(void)str_copy(p->name, sizeof(p->name), x->nets[i]);
		p->mbps = x->mbps[i];
		vec_push(&f->nics, mem_strdup(x->nets[i]));
	}
}

struct adding {
	struct import *im;
	const struct nccl *x;
};

static void add_host(void *ctx, const char *name)
{
	struct adding *a = ctx;

	add_nics(a->im, a->x, name);
}

/* "/tmp/node001.xml": node001. */
static void host_of_file(const char *path, char *dst, size_t size)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');

	(void)str_copyn(dst, size, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool read_nccl(struct import *im, const char *text, size_t len, struct err *err)
{
	struct nccl *x = mem_calloc(1, sizeof(*x));
	struct adding a = {im, x};
	struct err why = {0};
	char name[NAME_MAX_LEN];
	bool ok;

	x->im = im;
	ok = read_tags(x, text, len, err);
	if (ok && !x->has_system) {
		ok = import_error(im, err, 0, "it has no <system>: it is no topology of NCCL");
		(void)err_cure(err, "NCCL_TOPO_DUMP_FILE=FILE writes one");
	} else if (ok && !x->n) {
		ok = import_error(im, err, 0, "it has no <net> of an RDMA device");
		(void)err_cure(err,
			"a dump by NCCL_TOPO_DUMP_FILE of a job over the network has them; a file "
			"written by hand often has the PCI devices only");
	}
	host_of_file(im->file, name, sizeof(name));
	if (ok && im->hosts &&
		!hostlist_expand(im->hosts, INVENTORY_DEVICES_MAX, add_host, &a, &why))
		ok = err_set(err, ERR_USAGE, "", "--host: %s", why.text);
	else if (ok && !im->hosts)
		add_nics(im, x, name);
	free(x);
	return ok;
}

const struct importer importer_nccl = {
	.name = "nccl",
	.help = "the XML of NCCL_TOPO_DUMP_FILE: NICs of the host that the file or --host names",
	.read = read_nccl,
};

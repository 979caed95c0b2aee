/* SPDX-License-Identifier: Apache-2.0 */
#include "app/discover/found_role.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define NETS_MAX    4096
#define BRIDGED_MAX 1024

/* "10.0.0.1/31 ", "default ": an address alone is a whole prefix. */
static bool read_net(const char *text, size_t n, struct found_net *out)
{
	char word[INET6_ADDRSTRLEN + 8], *slash;
	uint64_t length;

	memset(out, 0, sizeof(*out));
	if (n >= sizeof(word) || !str_copyn(word, sizeof(word), text, n))
		return false;
	if (str_eq(word, "default"))
		return true;
	slash = strchr(word, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, word, out->bytes) == 1)
		out->length = 32;
	else if (inet_pton(AF_INET6, word, out->bytes) == 1)
		out->length = 128;
	else
		return false;
	out->v6 = out->length == 128;
	if (slash && (!str_to_u64(slash + 1, &length) || length > out->length))
		return false;
	if (slash)
		out->length = (unsigned)length;
	return true;
}

static void add_address(struct found_role *r, const char *value)
{
	size_t n = strcspn(value, " ");
	struct found_net net;

	if (r->addresses.n >= NETS_MAX || !value[n] || !read_net(value, n, &net))
		return;
	(void)str_copy(net.port, sizeof(net.port), value + n + 1);
	vec_push(&r->addresses, net);
}

/* One entry for each port that the route leaves by. */
static void add_route(struct found_role *r, const char *value)
{
	size_t n = strcspn(value, " ");
	struct found_net net;

	if (!read_net(value, n, &net))
		return;
	while (value[n] && r->routes.n < NETS_MAX) {
		value += n + 1;
		n = strcspn(value, " ");
		(void)str_copyn(net.port, sizeof(net.port), value, n);
		vec_push(&r->routes, net);
	}
}

void found_role_fact(struct found *f, const char *key, const char *value)
{
	struct found_role *r = &f->role;
	uint64_t caps;

	if (str_eq(key, "role"))
		r->read = true;
	else if (str_eq(key, "rdma"))
		r->rdma = true;
	else if (str_eq(key, "gpus"))
		r->gpus = true;
	else if (str_eq(key, "chip"))
		r->chip = true;
	else if (str_eq(key, "forwards"))
		r->forwards = r->forwards > 0 || str_eq(value, "1");
	else if (str_eq(key, "caps") && str_to_u64(value, &caps))
		r->caps |= (unsigned)caps;
	else if (str_eq(key, "bridged") && r->bridged.n < BRIDGED_MAX)
		vec_push(&r->bridged, mem_strdup(value));
	else if (str_eq(key, "addr"))
		add_address(r, value);
	else if (str_eq(key, "via"))
		(void)read_net(value, strlen(value), &r->via);
	else if (str_eq(key, "route") || str_eq(key, "route.static"))
		add_route(r, value);
	r->protocol |= str_eq(key, "route");
}

void found_role_peer(struct found *f, const struct obs *o, const struct obs_bgp *b)
{
	struct found_peer p = {.v6 = b->afi == BGP_IPV6};

	if ((b->afi != BGP_IPV4 && b->afi != BGP_IPV6) || b->state != BGP_ESTABLISHED ||
		b->prefixes == UINT64_MAX || f->role.peers.n >= NETS_MAX)
		return;
	(void)str_copy(p.peer, sizeof(p.peer), obs_text(o, b->peer));
	p.prefixes = b->prefixes;
	vec_push(&f->role.peers, p);
	f->role.protocol |= p.prefixes > 0;
}

bool found_role_address(const char *text, struct found_net *out)
{
	return read_net(text, strlen(text), out) && out->length > 0;
}

void found_role_free(struct found_role *r)
{
	for (size_t i = 0; i < r->bridged.n; i++)
		free(r->bridged.at[i]);
	vec_free(&r->bridged);
	vec_free(&r->peers);
	vec_free(&r->addresses);
	vec_free(&r->routes);
}

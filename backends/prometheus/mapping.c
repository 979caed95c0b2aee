/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/mapping.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const struct prometheus_attr attrs[] = {
	{"oper", ATTR_OPER, true, false, false},
	{"admin", ATTR_ADMIN, true, false, false},
	{"speed_mbps", ATTR_SPEED_MBPS, false, false, false},
	{"mtu", ATTR_MTU, false, false, false},
	{"fec", ATTR_FEC, true, false, false},
	{"alias", ATTR_ALIAS, true, false, false},
	{"description", ATTR_DESCRIPTION, true, false, false},
	{"netdev", ATTR_NETDEV, true, false, false},
	{"media", ATTR_MEDIA, true, false, false},
	{"module_sn", ATTR_MODULE_SN, true, false, false},
	{"pfc_enabled", ATTR_PFC_ENABLED, false, false, false},
	{"ecn_enabled", ATTR_ECN_ENABLED, false, false, false},
	{"watchdog", ATTR_PFCWD_STATE, true, false, true},
	{"model", ATTR_MODEL, true, true, false},
	{"serial", ATTR_SERIAL, true, true, false},
	{"release", ATTR_OS_VERSION, true, true, false},
	{"hostname", ATTR_HOSTNAME, true, true, false},
	{"boot_id", ATTR_BOOT_ID, true, true, false},
	{"firmware", ATTR_FIRMWARE, true, true, false},
	{"uptime_s", ATTR_UPTIME_S, false, true, false},
};
#define ATTRS (sizeof(attrs) / sizeof(attrs[0]))

const struct prometheus_attr *prometheus_attr_by_name(const char *name)
{
	for (size_t i = 0; i < ATTRS; i++)
		if (str_eq(attrs[i].name, name))
			return &attrs[i];
	return NULL;
}

const struct prometheus_attr *prometheus_attr_of(enum obs_attr attr)
{
	for (size_t i = 0; i < ATTRS; i++)
		if (attrs[i].attr == attr)
			return &attrs[i];
	return NULL;
}

const char *prometheus_attr_names(void)
{
	return "oper, admin, speed_mbps, mtu, fec, alias, description, netdev, media, module_sn, "
	       "pfc_enabled, ecn_enabled, watchdog, model, serial, release, hostname, boot_id, "
	       "firmware, uptime_s";
}

struct prometheus_map *prometheus_map_new(void)
{
	return mem_calloc(1, sizeof(struct prometheus_map));
}

void prometheus_map_free(struct prometheus_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->rules.n; i++)
		prometheus_rule_free(map->rules.at[i]);
	for (size_t i = 0; i < map->names.n; i++)
		free(map->names.at[i]);
	vec_free(&map->rules);
	vec_free(&map->names);
	free(map);
}

struct prometheus_rule *prometheus_rule_new(void)
{
	struct prometheus_rule *r = mem_calloc(1, sizeof(*r));

	r->scale = 1;
	return r;
}

void prometheus_rule_free(struct prometheus_rule *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->values.n; i++)
		free(r->values.at[i].word);
	for (size_t i = 0; i < r->words.n; i++)
		free(r->words.at[i].label);
	vec_free(&r->values);
	vec_free(&r->words);
	prometheus_label_free(&r->device);
	prometheus_label_free(&r->port);
	free(r->metric);
	free(r->where);
	free(r->sub_label);
	free(r->a);
	free(r->b);
	free(r);
}

bool prometheus_label_set(
	struct prometheus_label *l, const char *label, const char *match, struct err *err)
{
	char why[128], *whole;
	size_t size;
	int rc;

	prometheus_label_free(l);
	if (match) {
		size = strlen(match) + 5;
		whole = mem_alloc(size);
		(void)str_printf(whole, size, "^%s$", match);
		rc = regcomp(&l->regex, whole, REG_EXTENDED);
		free(whole);
		if (rc) {
			(void)regerror(rc, NULL, why, sizeof(why));
			return err_set(err, ERR_CONFIG, label,
				"\"%s\" is not a regular expression: %s", match, why);
		}
		if (!l->regex.re_nsub) {
			regfree(&l->regex);
			return err_set(err, ERR_CONFIG, label,
				"\"%s\" has no group (...) for the name", match);
		}
		l->match = mem_strdup(match);
	}
	l->label = mem_strdup(label);
	return true;
}

void prometheus_label_free(struct prometheus_label *l)
{
	if (l->match)
		regfree(&l->regex);
	free(l->match);
	free(l->label);
	memset(l, 0, sizeof(*l));
}

bool prometheus_label_name(const struct prometheus_label *l, const char *value, char *dst)
{
	char name[NAME_MAX_LEN * 4];
	regmatch_t found[2];
	size_t n = strlen(value);

	if (l->match) {
		if (regexec(&l->regex, value, 2, found, 0) != 0 || found[1].rm_so < 0)
			return false;
		value += found[1].rm_so;
		n = (size_t)(found[1].rm_eo - found[1].rm_so);
	}
	if (!n || n >= NAME_MAX_LEN)
		return false;
	(void)str_sanitise(name, sizeof(name), value, n);
	return str_copy(dst, NAME_MAX_LEN, name);
}

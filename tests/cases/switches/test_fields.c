/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each value of an answer about trouble is once missing, once unreadable: null, "N/A", a word that
 * nobody foresaw, another type. What is left may say less, and never that all is well: no count
 * that was there becomes 0, nothing that was down is up, no session is established. The answers are
 * small ones of the devices' own formats.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

struct answer {
	const char *dialect;
	enum transport_kind way;
	const char *request, *text; /* quotes are single */
};

static const struct answer answers[] = {
	{"eos", TRANSPORT_SSH, "fast",
		"{'interfaces':{'Ethernet1/1':{'name':'Ethernet1/1','lineProtocolStatus':'down',"
		"'interfaceStatus':'errdisabled','bandwidth':0,'interfaceCounters':{'inOctets':7,"
		"'outOctets':8,'inUcastPkts':9,'outUcastPkts':9,'inDiscards':3,'outDiscards':4,"
		"'totalInErrors':5,'totalOutErrors':6,'linkStatusChanges':7,'inputErrorsDetail':{"
		"'fcsErrors':4,'symbolErrors':3,'rxPause':2},'outputErrorsDetail':{'txPause':9}}}}"
		"}"},
	{"eos", TRANSPORT_SSH, "pfc",
		"{'interfaces':{'Ethernet1/1':{'priorities':{'3':{'rxFrames':300,'txFrames':'301'}"
		"}}}}"},
	{"eos", TRANSPORT_SSH, "ecn",
		"{'intfQueueCounters':{'Ethernet1/1':{'queueCounters':{'3':'12345'}}}}"},
	{"eos", TRANSPORT_SSH, "queues",
		"{'egressQueueCounters':{'interfaces':{'Ethernet1/1':{'ucastQueues':{"
		"'trafficClasses':{'TC3':{'dropPrecedences':{'DP0':{'droppedPackets':5,"
		"'enqueuedPackets':100,'enqueuedBytes':900},'DP1':{'droppedPackets':6}}}}}}}}}"},
	{"eos", TRANSPORT_SSH, "watchdog",
		"{'interfaces':{'Ethernet1/1':{'txQueues':{'3':{'stuckCount':4,'recoveryCount':3}}"
		"}}}"},
	{"eos", TRANSPORT_SSH, "phy",
		"{'interfacePhyStatuses':{'Ethernet1/1':{'phyStatuses':[{'description':{'location'"
		":'line'},'fec':{'encoding':'reedSolomon544','correctedCodewords':{'value':50},"
		"'uncorrectedCodewords':{'value':2}},'preFecBer':{'value':3.5e-4}}]}}}"},
	{"eos", TRANSPORT_SSH, "lag",
		"{'portChannels':{'Port-Channel1':{'minLinks':2,'inactivePorts':{'Ethernet50':{"
		"'reasonUnconfigured':'waiting for LACP response'}},'activePorts':{'Ethernet49':{"
		"'protocol':'lacp'}}}}}"},
	{"eos", TRANSPORT_SSH, "mlag",
		"{'domainId':'d1','state':'inactive','negStatus':'connecting','peerLinkStatus':"
		"'down','localIntfStatus':'down','configSanity':'inconsistent','peerLink':"
		"'Port-Channel9','mlagPorts':{'Disabled':0,'Configured':0,'Inactive':1,"
		"'Active-partial':2,'Active-full':0}}"},
	{"eos", TRANSPORT_SSH, "mlag",
		"{'domainId':'d1','state':'active','negStatus':'connected','peerLinkStatus':'up',"
		"'localIntfStatus':'up','configSanity':'inconsistent','peerLink':'Port-Channel9'}"},
	{"eos", TRANSPORT_SSH, "segments",
		"{'bgpEvpnInstances':{'VLAN 2000':{'ethernetSegments':{'0000:0000:1111:2222:3333':"
		"{'intf':'Port-Channel6','state':'down','dFPeer':{'ip':'10.0.0.2'}}}}}}"},
	{"eos", TRANSPORT_SSH, "bgp",
		"{'vrfs':{'default':{'routerId':'10.1.0.1','asn':'65002','peers':{'10.1.9.9':{"
		"'asn':'65999','peerState':'Idle','prefixReceived':7,'prefixAccepted':7}}}}}"},
	{"nxos", TRANSPORT_SSH, "brief",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','state':'down',"
		"'state_rsn_desc':'Link not connected','speed':'auto'}]}}"},
	{"nxos", TRANSPORT_SSH, "counters",
		"{'TABLE_rx_counters':{'ROW_rx_counters':[{'interface_rx':'Ethernet1/1',"
		"'eth_inbytes':288,'eth_inucast':73},{'interface_rx':'Ethernet1/1','eth_inmcast':"
		"28,'eth_inbcast':3}]},'TABLE_tx_counters':{'ROW_tx_counters':[{'interface_tx':"
		"'Ethernet1/1','eth_outbytes':225,'eth_outucast':82}]}}"},
	{"nxos", TRANSPORT_SSH, "errors",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','eth_align_err':"
		"3,'eth_fcs_err':4,'eth_xmit_err':2,'eth_rcv_err':15,'eth_outdisc':7,"
		"'eth_symbol_err':5}]}}"},
	{"nxos", TRANSPORT_SSH, "lag",
		"{'TABLE_channel':{'ROW_channel':[{'group':'7','port-channel':'port-channel7',"
		"'status':'D','prtcl':'LACP','TABLE_member':{'ROW_member':[{'port':'Ethernet1/7',"
		"'port-status':'I'},{'port':'Ethernet1/8','port-status':'s'}]}}]}}"},
	{"nxos", TRANSPORT_SSH, "vpc",
		"{'vpc-domain-id':'1','vpc-role':'primary','vpc-peer-status':'peer-link-down',"
		"'vpc-peer-keepalive-status':'peer-not-alive','vpc-peer-consistency':"
		"'inconsistent','TABLE_peerlink':{'ROW_peerlink':{'peerlink-ifindex':'Po1',"
		"'peer-link-port-state':'0'}},'TABLE_vpc':{'ROW_vpc':{'vpc-id':'10','vpc-ifindex':"
		"'Po10','vpc-port-state':'0','vpc-consistency':'inconsistent'}}}"},
	{"nxos", TRANSPORT_SSH, "segments",
		"{'TABLE_es':{'ROW_es':[{'esi':'0300.0000.0001.2c00.0309','if-name':"
		"'port-channel9','es-state':'Down','num-es-mem':'1'}]}}"},
	{"nxos", TRANSPORT_SSH, "bgp",
		"{'TABLE_vrf':{'ROW_vrf':{'vrf-name-out':'default','vrf-router-id':'10.9.0.0',"
		"'vrf-local-as':'65001','TABLE_af':{'ROW_af':{'af-id':'1','TABLE_saf':{'ROW_saf':{"
		"'safi':'1','af-name':'IPv4 Unicast','TABLE_neighbor':{'ROW_neighbor':{"
		"'neighborid':'10.0.0.8','neighboras':'65001','time':'PT4H37M19S','state':'Idle',"
		"'prefixreceived':'0'}}}}}}}}}"},
	{"nxos", TRANSPORT_SSH, "queuing",
		"{'TABLE_module':{'ROW_module':{'TABLE_queuing_interface':{"
		"'ROW_queuing_interface':{'if_name_str':'Ethernet1/1 queuing information',"
		"'TABLE_qosgrp_egress_stats':{'ROW_qosgrp_egress_stats':[{'eq-qosgrp':'3',"
		"'TABLE_qosgrp_egress_stats_entry':{'ROW_qosgrp_egress_stats_entry':[{"
		"'eq-stat-type':'Tx','eq-stat-units':'Pkts','eq-uc-stat-value':'1000'},{"
		"'eq-stat-type':'WRED/AFD & Tail Drop','eq-stat-units':'Pkts','eq-uc-stat-value':"
		"'7','eq-mc-stat-value':'2'},{'eq-stat-type':'ECN','eq-stat-units':'Pkts',"
		"'eq-uc-stat-value':'45'}]}}]}}}}}}"},
	{"cumulus", TRANSPORT_HTTPS, "interfaces",
		"{'swp1':{'link':{'speed':'1G','mtu':9216,'admin-status':'up','oper-status':"
		"'down','state':{'down':{}},'stats':{'carrier-transitions':4,'in-bytes':300,"
		"'in-drops':5,'in-errors':6,'in-pkts':5,'out-bytes':7,'out-drops':8,'out-errors':"
		"9,'out-pkts':17}}}}"},
	{"cumulus", TRANSPORT_HTTPS, "qos",
		"{'swp1':{'counters':{'qos':{'ingress-buffer-stats':{'3':{'rx-frames':900,"
		"'rx-buffer-discards':11,'rx-shared-buffer-discards':2}},'egress-queue-stats':{'3'"
		":{'tx-frames':91,'tx-bytes':900,'tx-uc-buffer-discards':7,'wred-discards':8,"
		"'ecn-marked-frames':31}},'pfc-stats':{'3':{'rx-pause-frames':184,"
		"'rx-pause-duration':3728,'tx-pause-frames':12,'tx-pause-duration':99}}}}}}"},
	{"cumulus", TRANSPORT_HTTPS, "watchdog",
		"{'swp1':{'qos':{'pfc-watchdog':{'state':'enabled','status':{'3':{'status':"
		"'DEADLOCK','deadlock-count':2}}}}}}"},
	{"cumulus", TRANSPORT_HTTPS, "phy",
		"{'swp1':{'link':{'phy':{'health':{'effective-ber':'2E-9','effective-errors':4,"
		"'raw-ber':'2E-5','symbol-errors':3}}}}}"},
	{"cumulus", TRANSPORT_HTTPS, "bonds",
		"{'bond2':{'bond':{'member':{'swp2':{}},'mlag':{'enable':'on','id':2,'status':"
		"'single'},'mode':'lacp'}}}"},
	{"cumulus", TRANSPORT_SSH, "lacp",
		"[{'ifname':'swp2','link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP'],"
		"'master':'bond1','linkinfo':{'info_slave_kind':'bond','info_slave_data':{'state':"
		"'ACTIVE','mii_status':'UP','ad_actor_oper_port_state':69}}},{'ifname':'bond1',"
		"'link_type':'ether','operstate':'DOWN','linkinfo':{'info_kind':'bond',"
		"'info_data':{'mode':'802.3ad','min_links':1}}}]"},
	{"cumulus", TRANSPORT_SSH, "mlag",
		"{'enable':'on','backup-active':false,'local-role':'primary','peer-alive':false,"
		"'peer-interface':'peerlink.4094'}"},
	{"cumulus", TRANSPORT_HTTPS, "segments",
		"{'03:44:38:39:be:ef:aa:00:00:03':{'df-preference':50000,'flags':{'local':'on',"
		"'ready-for-bgp':'on'},'local-interface':'bond3','remote-vtep':{'172.31.2.16':{}}}"
		"}"},
	{"sonic", TRANSPORT_SSH, "optics",
		"{'t':['1','0'],'n':1,'df':['temperature'],'vf':[],'qf':[],'lf':['sys_name'],'cf':"
		"['index','lanes','dom_polling'],'ports':{'Ethernet48':{'d':null,'l':[],'p':[]}},"
		"'lags':{'PortChannel1':{'c':[null,'up'],'s':'down','r':'false','m':{'Ethernet48':"
		"['disabled','false','false','expired']}}},'pair':null}"},
	{"sonic", TRANSPORT_SSH, "bgp",
		"{'default':{'ipv4Unicast':{'routerId':'10.1.0.32','as':65100,'peers':{'10.0.0.1':"
		"{'remoteAs':65200,'peerUptimeMsec':162683000,'pfxRcd':7,'state':'Active',"
		"'connectionsDropped':3}}}}}"},
	{"linux", TRANSPORT_SSH, "sw-bgp",
		"@@begin 1\n1\n@@bgp\n{}\n@@segments\n[{'esi':'03:44:38:39:ff:ff:01:00:00:01',"
		"'flags':['local','remote','nonDF'],'accessPort':'bond1','bondState':'down',"
		"'vteps':[{'vtep':'10.0.0.2'}]}]\n@@end\n1\n"},
};

/* ---- changes of a text ---- */

/* Returns the end of the JSON value at `at`. */
static const char *value_end(const char *at)
{
	int depth = 0;
	bool quoted = false;

	for (; *at; at++) {
		if (*at == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth--;
		else if (depth == 0 && *at == ',')
			return at;
		if (depth < 0)
			return at;
		if (depth == 0 && strchr("\"}]", *at))
			return at + 1;
	}
	return at;
}

/* Calls each() for the n-th value behind a colon or in a list; false: there is none. */
static bool find_value(const char *text, size_t n, const char **from, const char **to)
{
	bool quoted = false;

	for (const char *at = text; *at; at++) {
		if (*at == '"')
			quoted = !quoted;
		if (quoted || !strchr(":[,", *at) || at[1] == ']' || at[1] == '\0')
			continue;
		/* A comma between members: their names are no values. */
		if (*at != ':' && at[1] == '"') {
			const char *end = value_end(at + 1);

			if (*end == ':')
				continue;
		}
		if (n--)
			continue;
		*from = at + 1;
		*to = value_end(at + 1);
		return true;
	}
	return false;
}

static const char *const others[] = {"null", "\"\"", "\"N/A\"", "\"n/a\"", "\"-\"", "\"--\"", "{}",
	"[]", "\"unforeseen\"", "\"-1\"", "true"};

static struct obs *decode(const struct answer *a, const char *text)
{
	const struct target t = {
		.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = a->way, .lossless = 8};
	struct obs *o = obs_new("leaf-r0-00", a->request);
	struct err err = {0};

	if (backend_by_name(a->dialect)->parse(&t, a->request, text, strlen(text), o, &err))
		return o;
	/* It is told. */
	obs_free(o);
	return NULL;
}

static char *text_of(const struct answer *a)
{
	char *text = mem_strdup(a->text);

	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	return text;
}

/* ---- what must not be said ---- */

static const char *port_name(const struct obs *o, uint32_t port)
{
	return port < o->ports.n ? o->ports.at[port].name : "";
}

static bool ends_in(const char *text, const char *tail)
{
	size_t n = strlen(text), k = strlen(tail);

	return n >= k && str_eq(text + n - k, tail);
}

/* A word that says that all is well. */
static bool is_well(enum obs_attr attr, const char *w)
{
	switch (attr) {
	case ATTR_OPER:
		return str_eq(w, "up");
	case ATTR_LAG_STATE:
		return str_starts(w, "active");
	case ATTR_LAG_PAIR:
		return ends_in(w, " up") || ends_in(w, " dual");
	case ATTR_PAIR:
		return strstr(w, "state=ok") != NULL;
	case ATTR_PFCWD_STATE:
		return str_eq(w, "operational");
	case ATTR_ADMIN:
		return str_eq(w, "down"); /* on purpose */
	default:
		return false;
	}
}

/* A watchdog that cannot be read is not off either, which would have a cure of its own. */
static bool is_off(const struct obs *o, const struct obs_item *it)
{
	return it->code == ATTR_PFCWD_STATE && str_eq(obs_text(o, it->text), "off");
}

static bool has_well(const struct obs *o, const struct obs_item *of, const char *port)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_WORD && it->code == of->code && it->sub == of->sub &&
			str_eq(port_name(o, it->port), port) &&
			is_well((enum obs_attr)it->code, obs_text(o, it->text)))
			return true;
	}
	return false;
}

static bool had_more(const struct obs *o, const struct obs_item *of, const char *port)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		bool more = (it->kind == OBS_COUNT && it->u64 > 0) ||
			    (it->kind == OBS_GAUGE && it->real != 0);

		if (more && it->cell == of->cell && str_eq(port_name(o, it->port), port))
			return true;
	}
	return false;
}

static bool is_small; /* the answer is one of this file */

static const char *calmer_word(const struct obs *o, const struct obs *before, char *dst, size_t n)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		const char *port = port_name(o, it->port);

		if (it->kind == OBS_WORD &&
			(is_well((enum obs_attr)it->code, obs_text(o, it->text)) ||
				(is_small && is_off(o, it))) &&
			!has_well(before, it, port)) {
			snprintf(dst, n, "%s %s", port, obs_text(o, it->text));
			return dst;
		}
		if ((it->kind == OBS_COUNT && it->u64 == 0) ||
			(it->kind == OBS_GAUGE && it->real == 0)) {
			unsigned sub;
			counter_id id = counter_of_cell(it->cell, &sub);

			if (!had_more(before, it, port))
				continue;
			snprintf(dst, n, "%s %s[%u] = 0", port, counter_info[id].name, sub);
			return dst;
		}
	}
	return NULL;
}

/* What is wrong with the reading, NULL: nothing. */
static const char *calmer(const struct obs *o, const struct obs *before, char *dst, size_t n)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (o->bgp.at[i].state == BGP_ESTABLISHED || o->bgp.at[i].state == BGP_ADMIN_DOWN)
			return "a session is established, or shut";
	return calmer_word(o, before, dst, n);
}

static unsigned try_all(const struct answer *a, char *text)
{
	char *changed = mem_alloc(strlen(text) + 32), why[160];
	struct obs *before = decode(a, text);
	const char *from, *to;
	unsigned bad = 0;

	assert_non_null(before);
	assert_true(before->items.n > 0);
	for (size_t n = 0; find_value(text, n, &from, &to); n++)
		for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
			struct obs *o;
			const char *said;

			sprintf(changed, "%.*s%s%s", (int)(from - text), text, others[k], to);
			o = decode(a, changed);
			said = o ? calmer(o, before, why, sizeof(why)) : NULL;
			if (said) {
				print_message("%s %s: %s for %.*s: %s\n", a->dialect, a->request,
					others[k], (int)(to - from), from, said);
				bad++;
			}
			obs_free(o);
		}
	obs_free(before);
	free(changed);
	return bad;
}

CASE(a_value_that_cannot_be_read_is_not_well)
{
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		char *text = text_of(&answers[i]);

		is_small = true;
		bad += try_all(&answers[i], text);
		free(text);
	}
	assert_int_equal(bad, 0);
}

/* The same with the answers that the decoders' own tests read. */
CASE(a_value_of_a_whole_answer_is_not_well)
{
	static const struct {
		struct answer a;
		const char *file;
	} files[] = {
		{{"sonic", TRANSPORT_SSH, "fast", NULL}, "sonic_fast.txt"},
		{{"sonic", TRANSPORT_SSH, "optics", NULL}, "sonic_optics.txt"},
		{{"cumulus", TRANSPORT_HTTPS, "optics", NULL}, "cumulus_optics.json"},
		{{"cumulus", TRANSPORT_HTTPS, "interfaces", NULL}, "cumulus_link.json"},
		{{"cumulus", TRANSPORT_HTTPS, "qos", NULL}, "cumulus_qos_513.json"},
	};
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[96];
		size_t n;
		char *text;

		snprintf(path, sizeof(path), "tests/backends/fixtures/%s", files[i].file);
		text = read_file(path, &n);
		assert_non_null(text);
		is_small = false;
		bad += try_all(&files[i].a, text);
		free(text);
	}
	assert_int_equal(bad, 0);
}

CASES_MAIN(NULL, NULL)

/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/sonic/sonic.h"

/* C promises 4,095 characters of a text; gcc and clang have no limit, and counters add to it. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/*
 * These scripts run inside the switch's Redis, which its own control plane shares. They only read,
 * touch a bounded number of keys, and take a few milliseconds. A shell command passes them between
 * double quotes. So they contain no double quote, dollar, backtick, backslash or exclamation mark.
 * They do not start with a dash, which sonic-db-cli would take for an option.
 *
 * Reply: one JSON object. The reply contains the field names, and rows have values in that order.
 * So the decoder looks names up, and differences between releases become visible. Values stay
 * strings (64-bit counters do not survive as Lua numbers); an absent field is null. cjson writes an
 * empty table as {} even for a list.
 */

/* row: fields of a hash, absent ones as null. words: a list of names with a common prefix. */
#define LUA_HELPERS                                                                                \
	"local null=cjson.null\n"                                                                  \
	"local function row(key,names)\n"                                                          \
	" local got=redis.pcall('HMGET',key,unpack(names))\n"                                      \
	" local out={}\n"                                                                          \
	" for i=1,#names do out[i]=got[i] or null end\n"                                           \
	" return out\n"                                                                            \
	"end\n"                                                                                    \
	"local function one(key,name)\n"                                                           \
	" return redis.pcall('HGET',key,name) or null\n"                                           \
	"end\n"                                                                                    \
	"local function words(prefix,text,out)\n"                                                  \
	" out=out or {}\n"                                                                         \
	" for w in text:gmatch('%S+') do out[#out+1]=prefix..w end\n"                              \
	" return out\n"                                                                            \
	"end\n"

/*
 * piece: the ports of this call, a slice of all names in a fixed order, and the number of all.
 * Redis answers nobody while a script runs, so one call takes a bounded number of ports. ARGV[2] is
 * the index of the first one, from 0.
 */
#define LUA_PIECE(most)                                                                            \
	"local function piece()\n"                                                                 \
	" local all=redis.call('HKEYS','COUNTERS_PORT_NAME_MAP')\n"                                \
	" table.sort(all)\n"                                                                       \
	" local out,from={},tonumber(ARGV[2] or 0)\n"                                              \
	" for i=from+1,math.min(from+" most ",#all) do out[#out+1]=all[i] end\n"                   \
	" return out,#all\n"                                                                       \
	"end\n"

/*
 * reals: readings as one text with bars between them and "-" for an absent one; trailing absent
 * ones are omitted. A list of texts takes half as much again, and many modules lack some lanes.
 */
#define LUA_REALS                                                                                  \
	"local function reals(key,names)\n"                                                        \
	" local got=redis.pcall('HMGET',key,unpack(names))\n"                                      \
	" local out,last={},0\n"                                                                   \
	" for i=1,#names do\n"                                                                     \
	"  local v=got[i] or '-'\n"                                                                \
	"  if v=='N/A' then v='-' end\n"                                                           \
	"  if v~='-' then last=i end\n"                                                            \
	"  out[i]=v\n"                                                                             \
	" end\n"                                                                                   \
	" return table.concat(out,'|',1,last)\n"                                                   \
	"end\n"

/* of_card: the port's own name of HOST|ASIC|PORT or HOST|PORT, if it is this card's. */
#define LUA_OF_CARD                                                                                \
	"local function of_card(key,meta)\n"                                                       \
	" if key:sub(1,#meta[2]+1)~=meta[2]..'|' then return nil end\n"                            \
	" local asic,port=key:match('^[^|]*|([^|]*)|?(.*)')\n"                                     \
	" if port=='' then return asic end\n"                                                      \
	" return (not meta[3] or asic:lower()==meta[3]:lower()) and port or nil\n"                 \
	"end\n"

#define FAST_HELPERS   LUA_HELPERS LUA_OF_CARD LUA_PIECE(SONIC_PIECE_FAST)
#define OPTICS_HELPERS LUA_HELPERS LUA_REALS LUA_PIECE(SONIC_PIECE_OPTICS)
#define CONFIG_HELPERS LUA_HELPERS LUA_PIECE(SONIC_PIECE_CONFIG)

/*
 * Counters come from fields.def: each kind of line is a list of names with blanks.
 *
 * pf: counters that move all the time come first, each between commas. Counters that move only in
 * faults and floods of pauses come behind `live`, between blanks, as one piece. The filter compares
 * the texts between commas (backends/incremental/text_delta.h).
 */
const char sonic_fast_lua[] = FAST_HELPERS
	"local sp,pfc='SAI_PORT_STAT_','SAI_PORT_STAT_PFC_'\n"
	"local pf=words(sp,'"
#define PORT(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"')\n"
	"for i=0,15 do pf[#pf+1]=sp..'IF_IN_FEC_CODEWORD_ERRORS_S'..i end\n"
	"local rf=words('','"
#define RATIO(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"')\n"
	"local qf=words('SAI_QUEUE_STAT_','"
#define QUEUE(group, field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"')\n"
	"words('PFC_WD_','STATUS ACTION DETECTION_TIME RESTORATION_TIME "
#define WATCHDOG(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"',qf)\n"
	"words('','PFC_STAT_HISTORY BIG_RED_SWITCH_MODE',qf)\n"
	"local qwm='SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES'\n"
	"local pg='SAI_INGRESS_PRIORITY_GROUP_STAT_'\n"
	"local gwm=words(pg,'SHARED_WATERMARK_BYTES XOFF_ROOM_WATERMARK_BYTES')\n"
	"local each='"
#define PFC(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"'\n"
	"local timed='"
#define PFC_TIME(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"'\n"
	"local af=words('','oper_status admin_status speed mtu fec alias description flap_count"
	" last_up_time last_down_time')\n"
	"local sf={'speed','fec'}\n"
	"local mf=words('','status error cmis_state')\n"
	/* The watchdog in the chip, of releases from 2026 on. */
	"local hf=words('','status action hw_detection_time hw_restoration_time')\n"
	/* Many counters are one text with - for an absent one, instead of a list of texts. */
	"local function line(key,live)\n"
	" local out=redis.pcall('HMGET',key,unpack(pf))\n"
	" for i=1,#pf do out[i]=out[i] or '-' end\n"
	" return table.concat(out,',',1,live)..','..table.concat(out,' ',live+1)\n"
	"end\n"
	"local now=redis.call('TIME')\n"
	"local ports={}\n"
	"redis.call('SELECT',2)\n"
	"local names,n=piece()\n"
	/* Storms first: a queue in one is reported whatever its class. */
	"redis.call('SELECT',0)\n"
	"local mine,any,storms={},{},{}\n"
	"for _,name in ipairs(names) do\n"
	" local got=redis.call('HGETALL','PFC_WD_TABLE_INSTORM:'..name)\n"
	" local set={}\n"
	" for i=1,#got,2 do if #got[i]==1 then set[got[i]]=true end end\n"
	" mine[name],storms[name]=set,got\n"
	"end\n"
	/* Lossless priorities of the plan, and those of the switch itself for each port. */
	"redis.call('SELECT',4)\n"
	"for _,name in ipairs(names) do\n"
	" local got=redis.pcall('HMGET','PORT_QOS_MAP|'..name,'pfc_enable','pfcwd_sw_enable')\n"
	" for p in ((ARGV[1] or '')..(got[1] or '')..(got[2] or '')):gmatch('[0-7]') do\n"
	"  mine[name][p]=true any[p]=true\n"
	" end\n"
	"end\n"
	"local meta=redis.call('HMGET','DEVICE_METADATA|localhost','switch_type','hostname',"
	"'asic_name')\n"
	"for p in pairs(any) do\n"
	" words(pfc..p,each,pf)\n"
	" for _,of in ipairs({'SAI','EST'}) do words(of..'_PORT_STAT_PFC_'..p,timed,pf) end\n"
	"end\n"
	"local live=#pf\n"
	"words(sp,'"
#define PORT_FAULT(field, counter) field " "
#include "backends/dialects/sonic/fields.def"
	"',pf)\n"
	"for p=0,7 do\n"
	" if not any[tostring(p)] then words(pfc..p,each,pf) end\n"
	"end\n"
	"redis.call('SELECT',2)\n"
	/*
	 * A card with virtual output queues: its own ports among those of the whole system, named
	 * HOST|ASIC|PORT or HOST|PORT.
	 */
	"local own={}\n"
	"local voq='SAI_QUEUE_STAT_'\n"
	"if meta[1]=='voq' and meta[2] then\n"
	" for _,key in ipairs(redis.call('HKEYS','COUNTERS_SYSTEM_PORT_NAME_MAP')) do\n"
	"  local port=of_card(key,meta)\n"
	"  if port then own[port]=key end\n"
	" end\n"
	"end\n"
	"for _,name in ipairs(names) do\n"
	" local oid=redis.call('HGET','COUNTERS_PORT_NAME_MAP',name)\n"
	" local e={c=line('COUNTERS:'..oid,live),r=row('RATES:'..oid,rf),q={},g={}}\n"
	" for p in pairs(mine[name]) do\n"
	"  local at=name..':'..p\n"
	"  local q=redis.call('HGET','COUNTERS_QUEUE_NAME_MAP',at)\n"
	"  if q then e.q[p]={row('COUNTERS:'..q,qf),one('USER_WATERMARKS:'..q,qwm)} end\n"
	"  local g=redis.call('HGET','COUNTERS_PG_NAME_MAP',at)\n"
	"  if g then\n"
	"   e.g[p]={row('USER_WATERMARKS:'..g,gwm),one('COUNTERS:'..g,pg..'DROPPED_PACKETS')}\n"
	"  end\n"
	" end\n"
	" if own[name] then\n"
	"  e.v={}\n"
	"  for p=0,7 do\n"
	"   local q=redis.call('HGET','COUNTERS_VOQ_NAME_MAP',own[name]..':'..p)\n"
	"   local key='COUNTERS:'..(q or '')\n"
	"   local "
	"v=redis.call('HMGET',key,voq..'DROPPED_PACKETS',voq..'CREDIT_WD_DELETED_PACKETS')\n"
	"   e.v[p+1]={v[1] or null,v[2] or null}\n"
	"  end\n"
	" end\n"
	" ports[name]=e\n"
	"end\n"
	"redis.call('SELECT',0)\n"
	"for name,e in pairs(ports) do\n"
	" e.a=row('PORT_TABLE:'..name,af)\n"
	" e.s=storms[name]\n"
	"end\n"
	"redis.call('SELECT',6)\n"
	"for name,e in pairs(ports) do\n"
	" for i,v in ipairs(row('PORT_TABLE|'..name,sf)) do e.a[#af+i]=v end\n"
	" local h='PFC_WD_HW_STATE|'..name\n"
	" if redis.call('EXISTS',h)==1 then e.h=row(h,hf) end\n"
	" if e.a[1]~='up' then\n"
	"  e.x=redis.call('HGETALL','PORT_OPERR_TABLE|'..name)\n"
	"  local key='TRANSCEIVER_STATUS_SW|'..name\n"
	/* Releases before 2024 store it in the module's own status. */
	"  if redis.call('EXISTS',key)==0 then key='TRANSCEIVER_STATUS|'..name end\n"
	"  e.m=row(key,mf)\n"
	" end\n"
	"end\n"
	"words('state_','speed fec',af)\n"
	"local ecn='QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER'\n"
	"local can={ecn=one(ecn,'isSupported')}\n"
	"redis.call('SELECT',4)\n"
	"can.type=meta[1] or null\n"
	"local fc,fi={},{}\n"
	"for _,g in ipairs(words('','PORT QUEUE PG_DROP QUEUE_WATERMARK PG_WATERMARK"
	" WRED_ECN_QUEUE')) do\n"
	" fc[g]=one('FLEX_COUNTER_TABLE|'..g,'FLEX_COUNTER_STATUS')\n"
	" fi[g]=one('FLEX_COUNTER_TABLE|'..g,'POLL_INTERVAL')\n"
	"end\n"
	/* The ports last, so that a streaming decoder knows the meaning of the rows. */
	"local head=cjson.encode({t=now,n=n,pf=pf,rf=rf,qf=qf,af=af,mf=mf,hf=hf,fc=fc,"
	"fi=fi,can=can})\n"
	"return head:sub(1,-2)..','..cjson.encode({ports=ports}):sub(2)\n";

const char sonic_optics_lua[] = OPTICS_HELPERS LUA_OF_CARD
	/* A row without its trailing nulls, which are most of an unconnected port's row. */
	"local function short(out)\n"
	" for i=#out,1,-1 do\n"
	"  if out[i]~=null then break end\n"
	"  out[i]=nil\n"
	" end\n"
	" return out\n"
	"end\n"
	"local df=words('','temperature voltage')\n"
	"for i=1,8 do words('','rx'..i..'power tx'..i..'power tx'..i..'bias',df) end\n"
	/* Versatile diagnostics (CMIS): of each lane, at the optical (media) and electrical input.
	 */
	"local vf={}\n"
	"for _,w in ipairs(words('','laser_temperature_media esnr_media_input"
	" prefec_ber_avg_media_input prefec_ber_avg_host_input"
	" prefec_ber_curr_media_input prefec_ber_curr_host_input')) do\n"
	" for i=1,8 do vf[#vf+1]=w..i end\n"
	"end\n"
	/* Coherent modules, and releases before 2025: one optical lane. */
	"local qf=words('','esnr_avg prefec_ber_avg')\n"
	"local lf=words('lldp_rem_','sys_name port_id port_desc port_id_subtype man_addr"
	" sys_desc chassis_id')\n"
	"local cf=words('','index lanes dom_polling')\n"
	"local now=redis.call('TIME')\n"
	"local ports={}\n"
	"redis.call('SELECT',2)\n"
	"local names,n=piece()\n"
	"redis.call('SELECT',6)\n"
	"for _,name in ipairs(names) do\n"
	" local key='TRANSCEIVER_DOM_SENSOR|'..name\n"
	" local e={d=redis.call('EXISTS',key)==1 and reals(key,df) or null}\n"
	" key='TRANSCEIVER_VDM_REAL_VALUE|'..name\n"
	" if redis.call('EXISTS',key)==1 then e.v=reals(key,vf) end\n"
	" key='TRANSCEIVER_PM|'..name\n"
	" if redis.call('EXISTS',key)==1 then e.q=reals(key,qf) end\n"
	" ports[name]=e\n"
	"end\n"
	"redis.call('SELECT',0)\n"
	"for name,e in pairs(ports) do\n"
	" local l=row('LLDP_ENTRY_TABLE:'..name,lf)\n"
	/* The chassis identifies a neighbour without a name. */
	" if l[1]~=null and l[1]~='' then l[#lf]=null end\n"
	" e.l=short(l)\n"
	"end\n"
	"redis.call('SELECT',4)\n"
	"for name,e in pairs(ports) do e.p=short(row('PORT|'..name,cf)) end\n"
	"local lldp=one('FEATURE|lldp','state')\n"
	/* The names of bundles are in the settings: a scan of APPL_DB would visit all routes. */
	"local lags,pair\n"
	"if tonumber(ARGV[2] or 0)==0 then\n"
	"local bf=words('','min_links admin_status')\n"
	"lags,pair={},null\n"
	"for _,key in ipairs(redis.call('KEYS','PORTCHANNEL*|*')) do\n"
	" local name,port=key:match('^PORTCHANNEL_MEMBER|([^|]+)|(.+)')\n"
	" name=name or key:match('^PORTCHANNEL|([^|]+)')\n"
	" if name then\n"
	"  local l=lags[name] or {c=row('PORTCHANNEL|'..name,bf),m={}}\n"
	"  lags[name]=l\n"
	"  if port then l.m[port]={} end\n"
	" end\n"
	"end\n"
	"local pd=redis.call('KEYS','MCLAG_DOMAIN|*')[1]\n"
	"local df2=words('','peer_ip peer_link')\n"
	"if pd then pair={id=pd:sub(14),c=row(pd,df2)} end\n"
	"redis.call('SELECT',0)\n"
	"for name,l in pairs(lags) do\n"
	" l.s=one('LAG_TABLE:'..name,'oper_status')\n"
	" for port,m in pairs(l.m) do m[1]=one('LAG_MEMBER_TABLE:'..name..':'..port,'status') end\n"
	"end\n"
	"redis.call('SELECT',6)\n"
	"local gf=words('','link.up runner.aggregator.selected runner.state')\n"
	"for name,l in pairs(lags) do\n"
	" l.r=one('LAG_TABLE|'..name,'runner.active')\n"
	" for port,m in pairs(l.m) do\n"
	"  for i,v in ipairs(row('LAG_MEMBER_TABLE|'..name..'|'..port,gf)) do m[i+1]=v end\n"
	" end\n"
	" if pair~=null then\n"
	"  l.p=one('MCLAG_REMOTE_INTF_TABLE|'..pair.id..'|'..name,'oper_status')\n"
	" end\n"
	"end\n"
	"if pair~=null then pair.s=one('MCLAG_TABLE|'..pair.id,'oper_status') end\n"
	"end\n"
	/* Pools of the chip: their sizes, and their peaks since the switch's own clear. */
	"local pools\n"
	"if tonumber(ARGV[2] or 0)==0 then\n"
	"pools={}\n"
	"redis.call('SELECT',2)\n"
	"local pf=words('SAI_BUFFER_POOL_STAT_','WATERMARK_BYTES XOFF_ROOM_WATERMARK_BYTES')\n"
	"local got=redis.call('HGETALL','COUNTERS_BUFFER_POOL_NAME_MAP')\n"
	"for i=1,#got,2 do pools[got[i]]=row('USER_WATERMARKS:'..got[i+1],pf) end\n"
	"redis.call('SELECT',0)\n"
	"for name,v in pairs(pools) do\n"
	" v[3]=one('BUFFER_POOL_TABLE:'..name,'size')\n"
	" v[4]=one('BUFFER_POOL_TABLE:'..name,'xoff')\n"
	"end\n"
	"end\n"
	/*
	 * A card with virtual output queues: those of lossless priorities that lead to ports of
	 * other cards, a slice of them for each slice of the card's own ports. Of more than
	 * one call may read, a part by chance: the counters are cumulative, so the others' losses
	 * are found later.
	 */
	"local far\n"
	"redis.call('SELECT',4)\n"
	"local meta=redis.call('HMGET','DEVICE_METADATA|localhost','switch_type','hostname',"
	"'asic_name')\n"
	"if meta[1]=='voq' and meta[2] and n>0 then\n"
	" local any,others={},{}\n"
	" for _,name in ipairs(names) do\n"
	"  local got=redis.pcall('HMGET','PORT_QOS_MAP|'..name,'pfc_enable')\n"
	"  for p in (got[1] or ''):gmatch('[0-7]') do any[p]=true end\n"
	" end\n"
	" local each=0\n"
	" for _ in pairs(any) do each=each+1 end\n"
	" redis.call('SELECT',2)\n"
	" for _,key in ipairs(redis.call('HKEYS','COUNTERS_SYSTEM_PORT_NAME_MAP')) do\n"
	"  if not of_card(key,meta) then others[#others+1]=key end\n"
	" end\n"
	" table.sort(others)\n"
	" local from=tonumber(ARGV[2] or 0)\n"
	" local last=math.min(from+" SONIC_PIECE_OPTICS ",n)\n"
	" local first=math.floor(from*#others/n)\n"
	" local many=math.floor(last*#others/n)-first\n"
	" local parts=math.max(math.ceil(many*each/" SONIC_PIECE_FAR "),1)\n"
	" local part=now[2]%parts\n"
	/* Other queues of the same name would be a loss that is none. */
	" local at=table.concat({meta[3] or '',from,part,#others,each},':')\n"
	" far={at=at,n=0,k=0,q={}}\n"
	" for i=first+math.floor(part*many/parts)+1,first+math.floor((part+1)*many/parts) do\n"
	"  far.n=far.n+each\n"
	"  for p in pairs(any) do\n"
	"   local at=others[i]..':'..p\n"
	"   local q=redis.call('HGET','COUNTERS_VOQ_NAME_MAP',at)\n"
	"   local v=redis.call('HMGET','COUNTERS:'..(q or ''),'SAI_QUEUE_STAT_DROPPED_PACKETS',"
	"'SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS')\n"
	"   if v[1] or v[2] then far.k=far.k+1 end\n"
	"   if (v[1] or '0')~='0' or (v[2] or '0')~='0' then\n"
	"    far.q[at]={v[1] or null,v[2] or null}\n"
	"   end\n"
	"  end\n"
	" end\n"
	"end\n"
	"return "
	"cjson.encode({t=now,n=n,df=df,vf=vf,qf=qf,lf=lf,cf=cf,lldp=lldp,ports=ports,lags=lags,"
	"pair=pair,pools=pools,far=far})"
	"\n";

/*
 * Rows of tables that refer to each other by name are sent unchanged: the decoder
 * resolves the references.
 */
const char sonic_config_lua[] = CONFIG_HELPERS
	"local wf=words('','action detection_time restoration_time "
	"pfc_stat_history')\n"
	"local pf=words('','pfc_enable pfcwd_sw_enable dscp_to_tc_map tc_to_queue_map tc_to_pg_map"
	" pfc_to_queue_map')\n"
	"local rf=words('','ecn')\n"
	"for _,c in ipairs(words('','green yellow red')) do\n"
	" words(c..'_','min_threshold max_threshold drop_probability',rf)\n"
	"end\n"
	"local bf=words('','xon xoff size static_th')\n"
	"local mf=words('','hostname hwsku platform mac bgp_asn')\n"
	"local hf=words('','ecmp_hash ecmp_hash@ lag_hash lag_hash@ ecmp_hash_algorithm"
	" lag_hash_algorithm')\n"
	"local now=redis.call('TIME')\n"
	"local ports={}\n"
	"redis.call('SELECT',2)\n"
	"local names,n=piece()\n"
	"for _,name in ipairs(names) do\n"
	" local on={}\n"
	" for p in (ARGV[1] or ''):gmatch('%d') do\n"
	"  local q=redis.call('HGET','COUNTERS_QUEUE_NAME_MAP',name..':'..p)\n"
	"  if q and redis.call('HEXISTS','COUNTERS:'..q,'PFC_WD_STATUS')==1 then on[#on+1]=p end\n"
	" end\n"
	" ports[name]={on=on}\n"
	"end\n"
	"redis.call('SELECT',4)\n"
	/*
	 * Rows with a list of ports (releases before 2020): the one scan of all names. Redis
	 * matches them, so few of the thousands come here.
	 */
	"local of={}\n"
	"for _,key in ipairs(redis.call('KEYS','[BPQ]*|*,*')) do\n"
	" local t,rest=key:match('^([^|]+)|(.+)')\n"
	" if t then\n"
	"  of[t]=of[t] or {}\n"
	"  of[t][#of[t]+1]=rest\n"
	" end\n"
	"end\n"
	"local function rows(table,names,to)\n"
	" for name,e in pairs(ports) do e[to]=row(table..'|'..name,names) end\n"
	/* Releases before 2020 write one row for a list of ports. */
	" for _,list in ipairs(of[table] or {}) do\n"
	"  if list:find(',',1,true) then\n"
	"   for name in list:gmatch('[^,]+') do\n"
	"    if ports[name] then ports[name][to]=row(table..'|'..list,names) end\n"
	"   end\n"
	"  end\n"
	" end\n"
	"end\n"
	"rows('PFC_WD',wf,'w')\n"
	"rows('PORT_QOS_MAP',pf,'p')\n"
	"local meta=row('DEVICE_METADATA|localhost',mf)\n"
	"local all=row('PORT_QOS_MAP|global',pf)\n"
	"local poll=one('PFC_WD|GLOBAL','POLL_INTERVAL')\n"
	"local hash=row('SWITCH_HASH|GLOBAL',hf)\n"
	/*
	 * Rows of the call's own ports: one of a queue, or of some: Ethernet0|3,
	 * Ethernet0|3-4.
	 */
	"local function is_mine(row)\n"
	" for name in row:match('^[^|]*'):gmatch('[^,]+') do\n"
	"  if ports[name] then return true end\n"
	" end\n"
	" return false\n"
	"end\n"
	"local function refs(table,field,more)\n"
	" local out,other={},{}\n"
	" local function add(name)\n"
	"  local got=redis.call('HMGET',table..'|'..name,field,more)\n"
	"  if got[1] then out[#out+1]={name,got[1]} end\n"
	"  if got[2] then other[#other+1]={name,got[2]} end\n"
	" end\n"
	" for _,name in ipairs(of[table] or {}) do if is_mine(name) then add(name) end end\n"
	" for _,name in ipairs(names) do\n"
	"  for i=0,7 do\n"
	"   add(name..'|'..i)\n"
	"   for k=i+1,7 do add(name..'|'..i..'-'..k) end\n"
	"  end\n"
	" end\n"
	" return out,other\n"
	"end\n"
	"local queues,scheds=refs('QUEUE','wred_profile','scheduler')\n"
	"local groups=refs('BUFFER_PG','profile','NULL')\n"
	/* What they name: AZURE, or [WRED_PROFILE|AZURE] in releases before 2021. */
	"local function named(ref) return ref:match('|([^%]]+)') or ref end\n"
	"local function profiles(table,names,list)\n"
	" local out={}\n"
	" for _,r in ipairs(list) do\n"
	"  local name=named(r[2])\n"
	"  out[name]=out[name] or row(table..'|'..name,names)\n"
	" end\n"
	" return out\n"
	"end\n"
	"local wred=profiles('WRED_PROFILE',rf,queues)\n"
	"local sf=words('','type weight')\n"
	"local sched=profiles('SCHEDULER',sf,scheds)\n"
	"local buffers=profiles('BUFFER_PROFILE',bf,groups)\n"
	"local maps={}\n"
	"local tables=words('','DSCP_TO_TC_MAP TC_TO_QUEUE_MAP TC_TO_PRIORITY_GROUP_MAP"
	" MAP_PFC_PRIORITY_TO_QUEUE')\n"
	"local function add_maps(p)\n"
	" for i,m in ipairs(tables) do\n"
	"  local ref=p[i+2]\n"
	"  if ref and ref~=null then\n"
	"   local key=m..'|'..named(ref)\n"
	"   maps[key]=maps[key] or redis.call('HGETALL',key)\n"
	"  end\n"
	" end\n"
	"end\n"
	"add_maps(all)\n"
	"for _,e in pairs(ports) do add_maps(e.p) end\n"
	"local schema=one('VERSIONS|DATABASE','VERSION')\n"
	/* Adaptive routing and switching: the switch's own rows, in the first call only. */
	"local ars=null\n"
	"if tonumber(ARGV[2] or 0)==0 then\n"
	" ars={}\n"
	" for _,key in ipairs(redis.call('KEYS','ARS_*|*')) do\n"
	"  ars[#ars+1]=key\n"
	"  for _,v in ipairs(redis.call('HGETALL',key)) do ars[#ars+1]=v end\n"
	" end\n"
	"end\n"
	"redis.call('SELECT',0)\n"
	"for _,g in ipairs(groups) do\n"
	" local ref=redis.call('HGET','BUFFER_PG_TABLE:'..g[1]:gsub('|',':'),'profile')\n"
	" if ref then\n"
	"  g[2]=ref\n"
	"  local key='BUFFER_PROFILE_TABLE:'..ref\n"
	"  if redis.call('EXISTS',key)==1 then buffers[ref]=row(key,bf) end\n"
	" end\n"
	"end\n"
	"redis.call('SELECT',6)\n"
	"local serial=one('EEPROM_INFO|0x23','Value')\n"
	"local can={hash=one('SWITCH_CAPABILITY|switch','ECMP_HASH_CAPABLE')}\n"
	"return "
	"cjson.encode({t=now,n=n,schema=schema,ars=ars,wf=wf,pf=pf,rf=rf,bf=bf,mf=mf,hf=hf,meta="
	"meta,"
	"sf=sf,sched=sched,scheds=scheds,"
	"all=all,poll=poll,hash=hash,wred=wred,queues=queues,groups=groups,maps=maps,buffers="
	"buffers,serial=serial,can=can,ports=ports})\n";

const char sonic_modules_lua[] = OPTICS_HELPERS
	"local xf=words('','type serial model media_interface_code specification_compliance')\n"
	"local flags=words('TRANSCEIVER_','DOM STATUS VDM_HALARM VDM_LALARM VDM_HWARN VDM_LWARN')\n"
	/* Of a module with flags: how often any of them was raised or cleared. */
	"local function changes(name)\n"
	" local n,known=0,false\n"
	" for _,t in ipairs(flags) do\n"
	"  for _,v in ipairs(redis.call('HVALS',t..'_FLAG_CHANGE_COUNT|'..name)) do\n"
	"   v=tonumber(v)\n"
	"   if v then n,known=n+v,true end\n"
	"  end\n"
	" end\n"
	" return known and string.format('%.0f',n) or nil\n"
	"end\n"
	/* The part of the advertised applications about the one in use. */
	"local function application(key)\n"
	" local got=redis.pcall('HMGET',key,'application_advertisement','active_apsel_hostlane1')\n"
	" local all,n=got[1],tonumber(got[2] or '') or 1\n"
	" if not all then return nil end\n"
	" return all:match('[{ ]'..string.format('%d',n)..': {(.-)}') or all:sub(1,240)\n"
	"end\n"
	"local tf={}\n"
	"for _,of in ipairs(words('','temp vcc rxpower txpower txbias')) do\n"
	" words(of,'lowalarm lowwarning highwarning highalarm',tf)\n"
	"end\n"
	"local now=redis.call('TIME')\n"
	"local ports={}\n"
	"redis.call('SELECT',2)\n"
	"local names,n=piece()\n"
	"redis.call('SELECT',6)\n"
	"for _,name in ipairs(names) do\n"
	" local key='TRANSCEIVER_DOM_THRESHOLD|'..name\n"
	/* Releases before 2022 store the thresholds with the readings. */
	" if redis.call('EXISTS',key)==0 then key='TRANSCEIVER_DOM_SENSOR|'..name end\n"
	" local info='TRANSCEIVER_INFO|'..name\n"
	" ports[name]={x=row(info,xf),h=reals(key,tf),f=changes(name),a=application(info)}\n"
	"end\n"
	"return cjson.encode({t=now,n=n,xf=xf,tf=tf,ports=ports})\n";

/*
 * The condition of one port, ARGV[1], before and after a change; ARGV[2]: a group of
 * counters. Rows that one port shares with others (releases before 2020) are reported
 * with their key.
 */
const char sonic_condition_lua[] = LUA_HELPERS
	"local port,group=ARGV[1],ARGV[2]\n"
	"local now=redis.call('TIME')\n"
	"local wf=words('','action detection_time restoration_time pfc_stat_history')\n"
	"local qf=words('PFC_WD_','STATUS QUEUE_STATS_DEADLOCK_DETECTED')\n"
	"qf[#qf+1]='DEBUG_STORM'\n"
	"local nf=words('','local_addr admin_status')\n"
	"local pf={}\n"
	"for p=0,7 do pf[p+1]='SAI_PORT_STAT_PFC_'..p..'_RX_PKTS' end\n"
	"redis.call('SELECT',2)\n"
	"local oid=redis.call('HGET','COUNTERS_PORT_NAME_MAP',port)\n"
	"local rx=oid and row('COUNTERS:'..oid,pf) or null\n"
	"local q={}\n"
	"for p=0,7 do\n"
	" local id=redis.call('HGET','COUNTERS_QUEUE_NAME_MAP',port..':'..p)\n"
	" if id then q[tostring(p)]=row('COUNTERS:'..id,qf) end\n"
	"end\n"
	"redis.call('SELECT',0)\n"
	"local appl=row('PORT_TABLE:'..port,words('','admin_status oper_status'))\n"
	"local storm=redis.call('HGETALL','PFC_WD_TABLE_INSTORM:'..port)\n"
	"redis.call('SELECT',4)\n"
	"local has=redis.call('EXISTS','PORT|'..port)\n"
	"local conf=one('PORT|'..port,'admin_status')\n"
	"local wk,w=null,null\n"
	"for _,key in ipairs(redis.call('KEYS','PFC_WD*|*Ethernet*')) do\n"
	" local list=key:match('^PFC_WD[^|]*|(.+)') or ''\n"
	" for name in list:gmatch('[^,]+') do\n"
	"  if name==port then wk,w=key,row(key,wf) end\n"
	" end\n"
	"end\n"
	"local qos=row('PORT_QOS_MAP|'..port,words('','pfc_enable pfcwd_sw_enable'))\n"
	"local all=row('PFC_WD|GLOBAL',words('','POLL_INTERVAL BIG_RED_SWITCH'))\n"
	"local meta=row('DEVICE_METADATA|localhost',words('','bgp_asn default_bgp_status'))\n"
	"local flex=one('FLEX_COUNTER_TABLE|'..group,'FLEX_COUNTER_STATUS')\n"
	"local ips,near={},{}\n"
	"for _,key in ipairs(redis.call('KEYS','INTERFACE|'..port..'|*')) do\n"
	" ips[#ips+1]=key:sub(#port+12)\n"
	"end\n"
	"for _,key in ipairs(redis.call('KEYS','BGP_NEIGHBOR|*')) do\n"
	" near[key:sub(14)]=row(key,nf)\n"
	"end\n"
	"redis.call('SELECT',6)\n"
	"for name,r in pairs(near) do r[3]=one('NEIGH_STATE_TABLE|'..name,'state') end\n"
	"nf[3]='state'\n"
	"local ecn='QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER'\n"
	"local can={ecn=one(ecn,'isSupported')}\n"
	"return "
	"cjson.encode({t=now,has=has,appl=appl,conf=conf,storm=storm,wf=wf,wk=wk,w=w,qf=qf,q=q,"
	"rx=rx,qos=qos,all=all,meta=meta,flex=flex,ips=ips,nf=nf,near=near,can=can})\n";

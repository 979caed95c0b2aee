/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/device/sonic/sonic_lua.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"

#define LUA_MEMORY_MAX  (64u << 20)
#define LUA_STEPS       1000 /* between two checks of the clock */
#define LUA_CPU_MAX_US  1000000
#define LUA_ARGS_MAX    4096
#define LUA_SCRIPTS_MAX 256u
#define REPLY_DEPTH_MAX 16

struct sonic_lua {
	lua_State *L;
	size_t memory;
	unsigned scripts;
	int64_t deadline; /* CPU time of the thread */
	struct redis db;  /* of the running script; a SELECT inside does not affect the caller */
};

static const char scripts_key[] = "scripts", known_key[] = "known";

static void *lua_allocate(void *ud, void *p, size_t old, size_t want)
{
	struct sonic_lua *l = ud;

	if (!want) {
		l->memory -= p ? old : 0;
		free(p);
		return NULL;
	}
	if (want > old && l->memory + (want - old) > LUA_MEMORY_MAX)
		return NULL;
	l->memory += want - (p ? old : 0);
	return mem_realloc(p, want, 1);
}

static struct sonic_lua *get_self(lua_State *L)
{
	void *ud;

	(void)lua_getallocf(L, &ud);
	return ud;
}

/* ---- replies of redis.call as Lua values ---- */

struct build {
	lua_State *L;
	int at[REPLY_DEPTH_MAX]; /* next index in each open table */
	int depth;
};

static void end_value(struct build *b)
{
	if (b->depth)
		lua_rawseti(b->L, -2, b->at[b->depth - 1]++);
}

static void build_nil(void *arg)
{
	struct build *b = arg;

	lua_pushboolean(b->L, 0);
	end_value(b);
}

static void build_str(void *arg, const char *p, size_t n)
{
	struct build *b = arg;

	lua_pushlstring(b->L, p, n);
	end_value(b);
}

static void build_integer(void *arg, int64_t v)
{
	struct build *b = arg;

	lua_pushnumber(b->L, (lua_Number)v);
	end_value(b);
}

static void build_named(struct build *b, const char *name, const char *text)
{
	lua_newtable(b->L);
	lua_pushstring(b->L, text);
	lua_setfield(b->L, -2, name);
	end_value(b);
}

static void build_status(void *arg, const char *text)
{
	build_named(arg, "ok", text);
}

static void build_error(void *arg, const char *text)
{
	build_named(arg, "err", text);
}

static void build_array(void *arg)
{
	struct build *b = arg;

	luaL_checkstack(b->L, 4, "reply");
	lua_newtable(b->L);
	if (b->depth < REPLY_DEPTH_MAX)
		b->at[b->depth++] = 1;
}

static void build_end(void *arg)
{
	struct build *b = arg;

	b->depth--;
	end_value(b);
}

/* redis.call and redis.pcall; the upvalue selects one of them. */
static int redis_call(lua_State *L)
{
	struct build b = {.L = L};
	struct redis_sink sink = {&b, build_nil, build_str, build_integer, build_status,
		build_error, build_array, build_end};
	struct redis_arg argv[512];
	int n = lua_gettop(L), i;

	if (n < 1 || n > 512)
		return luaL_error(
			L, "Please specify at least one argument for this redis.call() call");
	for (i = 1; i <= n; i++) {
		if (!lua_isstring(L, i))
			return luaL_error(
				L, "Lua redis lib command arguments must be strings or integers");
		argv[i - 1].p = lua_tolstring(L, i, &argv[i - 1].n);
	}
	redis_command(&get_self(L)->db, (size_t)n, argv, &sink);
	if (lua_toboolean(L, lua_upvalueindex(1)) && lua_istable(L, -1)) {
		lua_pushliteral(L, "err");
		lua_rawget(L, -2);
		if (lua_isstring(L, -1)) {
			lua_pop(L, 1);
			return lua_error(L);
		}
		lua_pop(L, 1);
	}
	return 1;
}

static bool sha1_hex(const char *p, size_t n, char hex[41])
{
	unsigned char digest[20];
	size_t i;

	if (gnutls_hash_fast(GNUTLS_DIG_SHA1, p, n, digest) < 0)
		return false;
	for (i = 0; i < sizeof(digest); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return true;
}

static int lua_sha1hex(lua_State *L)
{
	char hex[41];
	size_t n;
	const char *p = luaL_checklstring(L, 1, &n);

	if (!sha1_hex(p, n, hex))
		return luaL_error(L, "no SHA1");
	lua_pushstring(L, hex);
	return 1;
}

static int reply_table(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);

	lua_newtable(L);
	lua_pushstring(L, text);
	lua_setfield(L, -2, lua_toboolean(L, lua_upvalueindex(1)) ? "err" : "ok");
	return 1;
}

static int ignore_call(lua_State *L)
{
	(void)L;
	return 0;
}

static int no_new_global(lua_State *L)
{
	return luaL_error(
		L, "Script attempted to create global variable '%s'", luaL_optstring(L, 2, "?"));
}

static int no_global(lua_State *L)
{
	return luaL_error(L, "Script attempted to access nonexistent global variable '%s'",
		luaL_optstring(L, 2, "?"));
}

static int64_t cpu_us(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Limits time, not steps: one step can be a string.rep() of megabytes. */
static void too_long(lua_State *L, lua_Debug *d)
{
	(void)d;
	if (cpu_us() > get_self(L)->deadline)
		(void)luaL_error(L, "Script killed by user with SCRIPT KILL.");
}

/* ---- the sandbox ---- */

static void open_library(lua_State *L, const char *name, lua_CFunction open)
{
	lua_pushcfunction(L, open);
	lua_pushstring(L, name);
	lua_call(L, 1, 0);
}

static void set_closure(lua_State *L, const char *name, lua_CFunction f, bool upvalue)
{
	lua_pushboolean(L, upvalue);
	lua_pushcclosure(L, f, 1);
	lua_setfield(L, -2, name);
}

static void open_redis(lua_State *L)
{
	static const char *const levels[] = {
		"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"};
	int i;

	lua_newtable(L);
	set_closure(L, "call", redis_call, true);
	set_closure(L, "pcall", redis_call, false);
	set_closure(L, "error_reply", reply_table, true);
	set_closure(L, "status_reply", reply_table, false);
	set_closure(L, "sha1hex", lua_sha1hex, false);
	set_closure(L, "log", ignore_call, false);
	for (i = 0; i < 4; i++) {
		lua_pushinteger(L, i);
		lua_setfield(L, -2, levels[i]);
	}
	lua_setglobal(L, "redis");
}

static void protect_globals(lua_State *L)
{
	lua_newtable(L);
	lua_pushcfunction(L, no_new_global);
	lua_setfield(L, -2, "__newindex");
	lua_pushcfunction(L, no_global);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, LUA_GLOBALSINDEX);
}

static int open_all(lua_State *L)
{
	static const char *const gone[] = {"package", "require", "module", "dofile", "loadfile",
		"print", "newproxy", "collectgarbage", NULL};
	size_t i;

	open_library(L, "", luaopen_base);
	open_library(L, LUA_TABLIBNAME, luaopen_table);
	open_library(L, LUA_STRLIBNAME, luaopen_string);
	open_library(L, LUA_MATHLIBNAME, luaopen_math);
	open_library(L, LUA_LOADLIBNAME, luaopen_package);
	lua_getglobal(L, "require");
	lua_pushliteral(L, "cjson");
	lua_call(L, 1, 1);
	lua_setglobal(L, "cjson");
	for (i = 0; gone[i]; i++) {
		lua_pushnil(L);
		lua_setglobal(L, gone[i]);
	}
	open_redis(L);
	lua_newtable(L);
	lua_setfield(L, LUA_REGISTRYINDEX, scripts_key);
	lua_newtable(L);
	lua_setfield(L, LUA_REGISTRYINDEX, known_key);
	protect_globals(L);
	return 0;
}

struct sonic_lua *sonic_lua_new(void)
{
	struct sonic_lua *l = mem_calloc(1, sizeof(*l));

	l->L = lua_newstate(lua_allocate, l);
	if (l->L && !lua_cpcall(l->L, open_all, NULL))
		return l;
	sonic_lua_free(l);
	return NULL;
}

void sonic_lua_free(struct sonic_lua *l)
{
	if (!l)
		return;
	if (l->L)
		lua_close(l->L);
	free(l);
}

/* ---- a script's value as a reply ---- */

static void send_value(lua_State *L, const struct redis_sink *sink, int depth);

static bool send_field(
	lua_State *L, const char *name, void (*send)(void *arg, const char *text), void *arg)
{
	bool some;

	lua_pushstring(L, name);
	lua_rawget(L, -2);
	some = lua_type(L, -1) == LUA_TSTRING;
	if (some)
		send(arg, lua_tostring(L, -1));
	lua_pop(L, 1);
	return some;
}

static void send_table(lua_State *L, const struct redis_sink *sink, int depth)
{
	int i;

	if (send_field(L, "err", sink->error, sink->arg) ||
		send_field(L, "ok", sink->status, sink->arg))
		return;
	sink->array(sink->arg);
	for (i = 1; depth < REPLY_DEPTH_MAX; i++) {
		lua_rawgeti(L, -1, i);
		if (lua_isnil(L, -1)) {
			lua_pop(L, 1);
			break;
		}
		send_value(L, sink, depth + 1);
		lua_pop(L, 1);
	}
	sink->end(sink->arg);
}

static void send_value(lua_State *L, const struct redis_sink *sink, int depth)
{
	const char *p;
	size_t n;

	switch (lua_type(L, -1)) {
	case LUA_TSTRING:
		p = lua_tolstring(L, -1, &n);
		sink->str(sink->arg, p, n);
		break;
	case LUA_TNUMBER:
		sink->integer(sink->arg, (int64_t)lua_tonumber(L, -1));
		break;
	case LUA_TBOOLEAN:
		if (lua_toboolean(L, -1))
			sink->integer(sink->arg, 1);
		else
			sink->nil(sink->arg);
		break;
	case LUA_TTABLE:
		if (lua_checkstack(L, 4)) {
			send_table(L, sink, depth);
			break;
		}
		/* fall through */
	default:
		sink->nil(sink->arg);
	}
}

/* ---- running ---- */

struct request {
	const struct redis *r;
	const char *sha, *script;
	size_t script_len, argc;
	const struct redis_arg *argv;
	uint64_t keys;
	bool load_only, found, compiled;
	const struct redis_sink *sink;
};

static void push_known_name(lua_State *L, const struct redis *r, const char *sha)
{
	lua_pushfstring(L, "%s/%s/%s", r->d->name, r->d->boot_id, sha);
}

static void forget_all(lua_State *L)
{
	lua_newtable(L);
	lua_setfield(L, LUA_REGISTRYINDEX, scripts_key);
	lua_newtable(L);
	lua_setfield(L, LUA_REGISTRYINDEX, known_key);
	get_self(L)->scripts = 0;
}

/* Leaves the function on the stack; raises an error of the script. */
static void compile_script(lua_State *L, struct request *q)
{
	struct sonic_lua *l = get_self(L);

	lua_getfield(L, LUA_REGISTRYINDEX, scripts_key);
	lua_getfield(L, -1, q->sha);
	if (lua_isnil(L, -1)) {
		lua_pop(L, 2);
		if (++l->scripts > LUA_SCRIPTS_MAX)
			forget_all(L);
		if (luaL_loadbuffer(L, q->script, q->script_len, "@user_script"))
			(void)lua_error(L);
		lua_getfield(L, LUA_REGISTRYINDEX, scripts_key);
		lua_pushvalue(L, -2);
		lua_setfield(L, -2, q->sha);
		lua_pop(L, 1);
	} else {
		lua_remove(L, -2);
	}
	lua_getfield(L, LUA_REGISTRYINDEX, known_key);
	push_known_name(L, q->r, q->sha);
	lua_pushboolean(L, 1);
	lua_rawset(L, -3);
	lua_pop(L, 1);
}

static bool is_known(lua_State *L, const struct request *q)
{
	bool known;

	lua_getfield(L, LUA_REGISTRYINDEX, known_key);
	push_known_name(L, q->r, q->sha);
	lua_rawget(L, -2);
	known = lua_toboolean(L, -1);
	lua_pop(L, 2);
	if (!known)
		return false;
	lua_getfield(L, LUA_REGISTRYINDEX, scripts_key);
	lua_getfield(L, -1, q->sha);
	known = !lua_isnil(L, -1);
	lua_pop(L, 2);
	return known;
}

static void set_list(lua_State *L, const char *name, const struct redis_arg *argv, size_t n)
{
	size_t i;

	lua_pushstring(L, name);
	lua_newtable(L);
	for (i = 0; i < n; i++) {
		lua_pushlstring(L, argv[i].p, argv[i].n);
		lua_rawseti(L, -2, (int)i + 1);
	}
	lua_rawset(L, LUA_GLOBALSINDEX);
}

static int execute_script(lua_State *L)
{
	struct request *q = lua_touserdata(L, 1);

	q->found = q->script || is_known(L, q);
	if (!q->found)
		return 0;
	compile_script(L, q);
	q->compiled = true;
	if (q->load_only)
		return 0;
	set_list(L, "KEYS", q->argv, q->keys);
	set_list(L, "ARGV", q->argv + q->keys, q->argc - q->keys);
	get_self(L)->deadline = cpu_us() + LUA_CPU_MAX_US;
	lua_sethook(L, too_long, LUA_MASKCOUNT, LUA_STEPS);
	lua_call(L, 0, 1);
	send_value(L, q->sink, 0);
	return 0;
}

/* Sends the error value on the stack, in redis-server's wording. */
static void send_error(lua_State *L, const struct request *q)
{
	char text[512];
	const char *why = NULL;

	if (lua_istable(L, -1)) {
		lua_pushliteral(L, "err");
		lua_rawget(L, -2);
		why = lua_tostring(L, -1);
		(void)snprintf(text, sizeof(text), "%s script: %s, on @user_script:1.",
			why ? why : "ERR unknown error", q->sha);
	} else {
		why = lua_tostring(L, -1);
		(void)snprintf(text, sizeof(text),
			q->compiled ? "ERR %s script: %s, on @user_script:1."
				    : "ERR Error compiling script (new function): %s",
			why ? why : "unknown error", q->sha);
	}
	q->sink->error(q->sink->arg, text);
}

static void run_script(struct sonic_lua *l, struct request *q)
{
	lua_State *L = l->L;

	l->db = *q->r;
	if (lua_cpcall(L, execute_script, q)) {
		send_error(L, q);
		/*
		 * Lua 5.1 does not collect when memory runs out; without this the next script would
		 * fail too.
		 */
		lua_settop(L, 0);
		(void)lua_gc(L, LUA_GCCOLLECT, 0);
	} else if (!q->found) {
		q->sink->error(q->sink->arg, "NOSCRIPT No matching script. Please use EVAL.");
	}
	lua_sethook(L, NULL, 0, 0);
	lua_settop(L, 0);
}

void sonic_lua_eval(struct sonic_lua *l, const struct redis *r, bool by_sha, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink)
{
	struct request q = {.r = r, .sink = sink};
	char sha[41], number[24];

	if (argc < 2) {
		sink->error(
			sink->arg, by_sha ? "ERR wrong number of arguments for 'evalsha' command"
					  : "ERR wrong number of arguments for 'eval' command");
		return;
	}
	if (!str_copyn(number, sizeof(number), argv[1].p, argv[1].n) ||
		!str_to_u64(number, &q.keys)) {
		sink->error(sink->arg, "ERR value is not an integer or out of range");
		return;
	}
	if (q.keys > argc - 2 || argc > LUA_ARGS_MAX) {
		sink->error(sink->arg, "ERR Number of keys can't be greater than number of args");
		return;
	}
	if (by_sha) {
		(void)str_copyn(sha, sizeof(sha), argv[0].p, argv[0].n);
	} else {
		q.script = argv[0].p;
		q.script_len = argv[0].n;
		if (!sha1_hex(q.script, q.script_len, sha))
			sha[0] = '\0';
	}
	q.sha = sha;
	q.argc = argc - 2;
	q.argv = argv + 2;
	run_script(l, &q);
}

void sonic_lua_script(struct sonic_lua *l, const struct redis *r, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink)
{
	struct request q = {.r = r, .sink = sink, .load_only = true};
	char sha[41];
	size_t i;

	if (argc == 2 && argv[0].n == 4 && !strncasecmp(argv[0].p, "LOAD", 4) &&
		sha1_hex(argv[1].p, argv[1].n, sha)) {
		q.script = argv[1].p;
		q.script_len = argv[1].n;
		q.sha = sha;
		run_script(l, &q);
		if (q.compiled)
			sink->str(sink->arg, sha, 40);
	} else if (argc >= 2 && argv[0].n == 6 && !strncasecmp(argv[0].p, "EXISTS", 6)) {
		sink->array(sink->arg);
		for (i = 1; i < argc; i++) {
			(void)str_copyn(sha, sizeof(sha), argv[i].p, argv[i].n);
			q.sha = sha;
			sink->integer(sink->arg, is_known(l->L, &q));
		}
		sink->end(sink->arg);
	} else if (argc >= 1 && argv[0].n == 5 && !strncasecmp(argv[0].p, "FLUSH", 5)) {
		forget_all(l->L);
		sink->status(sink->arg, "OK");
	} else {
		sink->error(sink->arg,
			"ERR unknown subcommand or wrong number of arguments. Try SCRIPT HELP.");
	}
}

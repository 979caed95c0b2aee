/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_LUA_H
#define EMULATOR_SONIC_LUA_H

#include "emulator/device/sonic/sonic_redis.h"

/*
 * EVAL as in Redis: Lua 5.1 in a sandbox (no os, io, package), with protected globals and bounded
 * steps and memory. One interpreter serves all switches, which share compiled scripts. But a switch
 * knows only the scripts that it received since its boot.
 */
struct sonic_lua;

struct sonic_lua *sonic_lua_new(void); /* NULL: no memory, or the cjson module is missing */
void sonic_lua_free(struct sonic_lua *l);

/* argv: script or SHA1, number of keys, keys and arguments. Sends exactly one reply to the sink. */
void sonic_lua_eval(struct sonic_lua *l, const struct redis *r, bool by_sha, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink);
/* SCRIPT LOAD | EXISTS | FLUSH; argv without the word SCRIPT. */
void sonic_lua_script(struct sonic_lua *l, const struct redis *r, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink);

#endif

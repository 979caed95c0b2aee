/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SONIC_LUA_H
#define EMULATOR_SONIC_LUA_H

#include "emulator/device/sonic/sonic_redis.h"

/*
 * EVAL as Redis does it: Lua 5.1 without a way out (no os, io, package), globals protected, steps
 * and memory bounded. One interpreter serves all switches; compiled scripts are shared, but a
 * switch knows only those that it was sent since it booted.
 */
struct sonic_lua;

struct sonic_lua *sonic_lua_new(void); /* NULL: no memory, or the cjson module is missing */
void sonic_lua_free(struct sonic_lua *l);

/* argv: script or SHA1, number of keys, keys and arguments. Exactly one reply reaches the sink. */
void sonic_lua_eval(struct sonic_lua *l, const struct redis *r, bool by_sha, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink);
/* SCRIPT LOAD | EXISTS | FLUSH; argv without the word SCRIPT. */
void sonic_lua_script(struct sonic_lua *l, const struct redis *r, size_t argc,
	const struct redis_arg *argv, const struct redis_sink *sink);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_MEMORY_TRIM_H
#define APP_SESSION_MEMORY_TRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/*
 * Returns unused memory to the system. A session runs for weeks, and the allocator keeps all memory
 * that was needed once: a storm of large answers, a recording's keyframe. Once a minute a thread of
 * libuv's pool calls mem_give_back(). The timer does not keep the loop alive.
 */
struct memory_trim;

/*
 * True when a call is worth it. left: resident bytes after the last call. A large process must have
 * grown by a quarter since, because the call stops it for longer.
 */
bool memory_trim_worth(size_t resident, size_t left);

struct memory_trim *memory_trim_new(uv_loop_t *loop);
/* Frees itself during the loop's next turns. NULL is allowed. */
void memory_trim_close(struct memory_trim *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_MEMORY_TRIM_H
#define APP_SESSION_MEMORY_TRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/*
 * A session runs for weeks, and the allocator keeps whatever was needed once: a storm of large
 * answers, a recording's keyframe. Once a minute the system has it back (mem_give_back()), on a
 * thread of libuv's pool. It keeps no loop alive.
 */
struct give_back;

/*
 * Whether to do it with so many bytes resident, and so many after the last time: what is large
 * stands still meanwhile, so a quarter must have come.
 */
bool give_back_worth(size_t resident, size_t left);

struct give_back *give_back_new(uv_loop_t *loop);
/* The memory goes with the loop's next turns. NULL is allowed. */
void give_back_close(struct give_back *g);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SANDBOX_SANDBOX_PRIVATE_H
#define BASE_SANDBOX_SANDBOX_PRIVATE_H

#include "base/sandbox/sandbox.h"

/* Private to base/sandbox. */

/* LeakSanitizer starts a process and stops the threads at the end: these builds let it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANDBOX_SANITIZED
#endif
#endif

struct sandbox_status *sandbox_own_status(void);
/* Why system calls cannot be filtered here, in words. NULL: they can. */
const char *sandbox_no_filter(void);

#endif

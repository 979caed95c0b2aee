/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Nothing of railtop stays on a host for longer than 30 s after the console has ended, was killed,
 * or is cut off, whatever tool hangs there. The shells see to that themselves, because a server
 * sends no signal to processes of root, and none at all when the network is gone.
 *
 * g_end    Ends all processes that descend from this shell, and the shell. Groups and sessions are
 *          of no use: timeout(1) makes a group of its own, and some servers share theirs.
 * g_beat   Beside the kept shell. The console sends a line at least every SSH_BEAT_US, and the
 *          shell passes it on as USR1. After 25 s of silence the session's sshd is ended too: it
 *          would wait for hours on a connection that is gone, and with it every other channel.
 *
 * A script with a channel of its own has a reader of that channel beside it: its end means that
 * nobody wants the answer any more. Such a channel gets no EOF from the console. Each tool may use
 * 30 s of processor time and 1 GB of memory.
 */

#define GUARD_END                                                                                  \
	"g_end() {\n"                                                                              \
	"exec 2>/dev/null\n"                                                                       \
	"read -r l </proc/self/stat\n"                                                             \
	"m=${l%% *} k=$$ a=\n"                                                                     \
	"while [ \"$k\" ]; do\n"                                                                   \
	"n=\n"                                                                                     \
	"for f in /proc/[0-9]*/stat; do\n"                                                         \
	"read -r l <\"$f\" || continue\n"                                                          \
	"p=${l%% *} l=${l##*) }\n"                                                                 \
	"set -- $l\n"                                                                              \
	"case \" $k \" in *\" $2 \"*) [ \"$p\" = \"$m\" ] || n=\"$n $p\" ;; esac\n"                \
	"done\n"                                                                                   \
	"a=\"$a $k\" k=$n\n"                                                                       \
	"done\n"                                                                                   \
	"kill -9 $a\n"                                                                             \
	"exit\n"                                                                                   \
	"}\n"

#define GUARD_LIMITS                                                                               \
	"u() {\n"                                                                                  \
	"ulimit -t 30\n"                                                                           \
	"ulimit -d 1048576\n"                                                                      \
	"} 2>/dev/null\n"

/* The loop ends at the session's sshd, or at init. */
const char ssh_guard_beat[] =
	/* clang-format off */
	GUARD_END
	"g_beat() {\n"
	"trap 'kill $z; exit' TERM\n"
	"trap : USR1\n"
	"while :; do\n"
	"sleep 25 &\n"
	"z=$!\n"
	"wait $z && break\n"
	"kill $z\n"
	"done\n"
	"p=$$\n"
	"while [ \"$p\" -gt 1 ] && read -r l <\"/proc/$p/stat\"; do\n"
	"case $l in *\\(sshd*) kill \"$p\"; break ;; esac\n"
	"l=${l##*) }\n"
	"set -- $l\n"
	"p=$2\n"
	"done\n"
	"g_end\n"
	"}\n"
	"(g_beat) </dev/null >/dev/null 2>&1 3>&- 4>&- &\n"
	"g=$!\n"
	"trap 'kill $g' 0\n"
	"h() {\n"
	"kill -USR1 $g\n"
	"}\n"
	GUARD_LIMITS;
/* clang-format on */

/* The whole is parsed before it runs, so the reader alone reads the rest of the input. */
static const char head[] = GUARD_END GUARD_LIMITS "g_run() {\n";
static const char tail[] = "\n}\n"
			   "{ exec 3<&0 </dev/null\n"
			   "(while read -r x; do :; done; g_end) <&3 3<&- >/dev/null 2>&1 &\n"
			   "g=$! s=0\n"
			   "exec 3<&-\n"
			   "(u; g_run) || s=$?\n"
			   "exec 2>/dev/null\n"
			   "kill $g\n"
			   "exit $s\n"
			   "}\n";

bool ssh_guard_wants(const struct ssh_ask *a)
{
	const struct request *r = a->request;

	return r && r->input && r->command && str_eq(r->command, "sh -s") && !r->change &&
	       !r->follow && !a->port && !a->link->permitted;
}

void ssh_guard_wrap(struct ssh_ask *a)
{
	struct buf b;

	buf_init(&b, sizeof(head) + strlen(a->request->input) + sizeof(tail));
	(void)buf_adds(&b, head);
	(void)buf_adds(&b, a->request->input);
	(void)buf_adds(&b, tail);
	a->guarded = buf_take(&b, NULL);
}

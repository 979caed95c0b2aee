/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/incremental/device_stream.h"

/*
 * t_u is the time, t_z that of place 0, t_k the place, t_s the sleep and t_x set when it is to end.
 * The signal only says so, and wakes the sleep: an answer that is under way becomes whole. Between
 * the sleep's start and t_s the signal would be lost, so t_x is looked at once more. It is the time
 * that says which place comes next: what took longer than a period costs places and not time.
 */
const char answer_stream_sh[] =
	/* clang-format off */
	"t_c() {\n"
	"read -r t_u t_o </proc/uptime\n"
	"case $t_u in [1-9]*.[0-9][0-9]) t_u=${t_u%.*}${t_u#*.} ;; *) return 1 ;; esac\n"
	"}\n"
	"t_r() {\n"
	"t_c\n"
	"t_v=$t_u\n"
	"printf '%s %s d\\n' \"$N\" \"$1\"\n"
	"t_e=$(\"f$1\" 2>&1 >&3 3>&- 4>&- </dev/null)\n"
	"t_y=$?\n"
	"t_c\n"
	"printf '\\n%s %s %s %s %s %s\\n%s\\n%s\\n' \"$N\" \"$2\" \"$t_y\" \"$t_k\" \"$t_u\" $((t_u - t_v)) \"$t_e\" \"$N\"\n"
	"}\n"
	"t_l() {\n"
	"trap 't_x=1; [ -z \"$t_s\" ] || kill \"$t_s\"' USR1\n"
	"t_q=$2 t_k=0 t_x= t_s=\n"
	"if t_c && sleep 0.01; then :; else printf 'n%s\\n' \"$N\"; return; fi\n"
	"t_z=$t_u\n"
	"while [ -z \"$t_x\" ]\n"
	"do\n"
	"t_c || break\n"
	"t_n=$(((t_u - t_z) / $1 + 1))\n"
	"[ \"$t_n\" -gt \"$t_k\" ] || t_n=$((t_k + 1))\n"
	"t_k=$t_n\n"
	"t_d=$((t_z + t_k * $1 - t_u))\n"
	"sleep \"$((t_d / 100)).$((t_d / 10 % 10))$((t_d % 10))\" 3>&- &\n"
	"t_s=$!\n"
	"[ -n \"$t_x\" ] || wait \"$t_s\" || break\n"
	"[ -z \"$t_x\" ] || break\n"
	"t_s=\n"
	"kill -0 $$ || break\n"
	"t_q=$((t_q + 1))\n"
	"t_r \"$3\" \"$t_q\"\n"
	"done\n"
	"[ -z \"$t_s\" ] || kill \"$t_s\"\n"
	"}\n"
	"t_b() {\n"
	"t_l \"$@\" </dev/null 2>/dev/null 4>&- &\n"
	"t_p=$!\n"
	"}\n"
	"t_end() {\n"
	"kill -USR1 \"$t_p\"\n"
	"wait \"$t_p\"\n"
	"t_p=\n"
	"printf 'x%s %s\\n' \"$N\" \"$1\"\n"
	"} 2>/dev/null\n"
	"trap '[ -z \"$t_p\" ] || kill -USR1 \"$t_p\"' EXIT\n"
	"t_p=\n";
/* clang-format on */

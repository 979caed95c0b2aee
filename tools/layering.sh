#!/bin/sh
# The one-way rule of docs/architecture.md: which folder may include which, and who may use which library.
set -u
cd "$(dirname "$0")/.."
bad=0

may() { # folder, folders it may include
	folder=$1
	shift
	[ -d "$folder" ] || return 0
	allowed="$folder $*"
	for line in $(grep -Eno '^[[:space:]]*#[[:space:]]*include[[:space:]]+"[^"]+"' -r "$folder" --include='*.[ch]' --include='*.def' |
		sed -E 's/[[:space:]]*#[[:space:]]*include[[:space:]]+//; s/"//g'); do
		file=${line%%:*}
		included=${line##*:}
		number=${line#*:}
		number=${number%%:*}
		case $included in
		*/*) top=${included%%/*} ;;
		embedded.h) [ "$folder" = app ] && continue; top=$included ;;
		*) top="(not written from the root)" ;;
		esac
		case " $allowed " in
		*" $top "*) ;;
		*)
			echo "$file:$number: $folder/ may not include $included (allowed: $allowed)" >&2
			bad=1
			;;
		esac
	done
}

only() { # header pattern, extended regex of the files that may include it
	for file in $(grep -lE "^[[:space:]]*#[[:space:]]*include[[:space:]]+<($1)" -r base fabric backends actions archive tui views app 2>/dev/null); do
		echo "$file" | grep -Eq "^($2)\$" || {
			echo "$file: may not include <$1> (only $2 may)" >&2
			bad=1
		}
	done
}

may base
may fabric base
may diagnosis base fabric
may backends base fabric
may actions base fabric backends
may archive base fabric diagnosis
may tui base
may views base tui fabric diagnosis
may app base fabric diagnosis backends actions archive tui views
may emulator base fabric
for file in $(grep -lE '"fabric/' -r emulator --include='*.[ch]' 2>/dev/null); do
	if grep -E '"fabric/' "$file" | grep -Evq '"fabric/(plan/sizing|vocabulary/types)\.h"'; then
		echo "$file: the emulator may know sizing and types only, so that it cannot repeat our mistakes" >&2
		bad=1
	fi
done

# Rooms of a folder, the lowest first: a room may include itself and those before it. Rooms joined by
# '+' are one idea in several folders and may include each other. '.' is the folder itself.
rooms() { # folder, rooms
	folder=$1
	shift
	find "$folder" -name '*.[ch]' -o -name '*.def' | xargs awk -v folder="$folder" -v order="$*" '
	function room(path) {
		sub(/\/[^\/]*$/, "", path)
		if (path == folder) return "."
		return substr(path, length(folder) + 2)
	}
	BEGIN {
		n = split(order, group, " ")
		for (i = 1; i <= n; i++) { m = split(group[i], r, "+"); for (k = 1; k <= m; k++) rank[r[k]] = i }
	}
	/^[ \t]*#[ \t]*include[ \t]+"/ {
		split($0, part, "\"")
		if (index(part[2], folder "/") != 1) next
		own = room(FILENAME); other = room(part[2])
		if (!(own in rank)) { print FILENAME ": tools/layering.sh does not know this room"; bad = 1; nextfile }
		if (own != other && (!(other in rank) || rank[other] > rank[own])) {
			print FILENAME ":" FNR ": " folder "/" own " may not include " part[2] " (order: " order ")"; bad = 1
		}
	}
	END { exit bad }' >&2 || bad=1
}
rooms fabric vocabulary plan model+history+jobs state health placement query .
rooms backends contract parse syslog jobs+jobs/log incremental transport ssh https collector prometheus dialects \
	dialects/cumulus dialects/eos dialects/linux dialects/nxos dialects/sonic dialects/ufm .
rooms diagnosis window pause_graph engine evidence straggler lint acceptance trace difference detectors
rooms actions kinds ledger plan guards manager
rooms archive codec redact recording replay export acceptance openmetrics snapshot_file notice handover
rooms views . columns panels chart runbook panes console noc
rooms app options inventory config sandbox notify discover import session headless output mcp export push acceptance console subcommands .
rooms emulator shell sim+sim/faults+sim/jobs \
	device+device/sonic+device/linux+device/eos+device/nxos+device/cumulus serve .
# What shells and the simulation know of each other is nothing.
grep -rnE '"emulator/(sim|device|serve)/' emulator/shell --include='*.[ch]' >&2 && bad=1
grep -rnE '"emulator/shell/' emulator/sim --include='*.[ch]' >&2 && bad=1

# No folder is so full that its files have to be searched.
git ls-files | sed 's#/[^/]*$##' | sort | uniq -c | awk '$1 > 40 { print $2 ": " $1 " files (40 at most)"; bad = 1 } END { exit bad }' >&2 || bad=1

# A rule about files that are not there any more holds nothing.
there() {
	for file in "$@"; do
		[ -e "$file" ] || { echo "tools/layering.sh: no $file: the rule about it is out of date" >&2; bad=1; }
	done
}

# The wall can do nothing: what it is made of must not know commands, actions or the console.
there app/console/noc_app.c app/console/term_loop.c views/noc/noc.c
for file in app/console/noc_app.[ch] app/console/term_loop.[ch] views/noc/*.[ch]; do
	grep -HnE '"(actions/.*|app/(session/act|console/(act|commands|console|cmd_|keymaps)|output/act)[a-z_]*\.h|views/(console/[a-z_]*|act_sheet)\.h|tui/command\.h)"' "$file" >&2 && {
		echo "$file: the wall may not include that" >&2
		bad=1
	}
done

# Nor can who answers scrapes: whatever a client sends, nothing that changes a device is behind it.
there app/export/http.c app/subcommands/export.c archive/openmetrics/metrics.c
for file in app/export/*.[ch] app/subcommands/export.c archive/openmetrics/*.[ch]; do
	grep -HnE '"(actions/.*|backends/.*|app/(session/act|console/|output/act)[a-z_]*\.h|views/.*)"' "$file" >&2 && {
		echo "$file: what answers scrapes may not include that" >&2
		bad=1
	}
done

# Nor can what answers an assistant.
there app/mcp/mcp.c app/mcp/tools.c app/subcommands/mcp.c
for file in app/mcp/*.[ch] app/subcommands/mcp.c; do
	grep -HnE '"(actions/.*|backends/.*|app/(session/act|console/|output/act)[a-z_]*\.h|views/(console/[a-z_]*|act_sheet)\.h)"' "$file" >&2 && {
		echo "$file: what answers an assistant may not include that" >&2
		bad=1
	}
done

only 'curses.h|ncurses.*|term.h' 'tui/.*'
only 'libssh/.*' 'backends/ssh/[a-z_]*\.[ch]'
only 'curl/.*' 'backends/(https/[a-z_]*|prometheus/http_client)\.[ch]'
only 'jansson.h' '(actions|backends|archive)/.*|app/[a-z]*/[a-z_]*json[a-z_]*\.[ch]|base/json_out\.h'
only 'gnutls/.*' 'actions/.*|app/notify/syslog_tls\.c|archive/.*|backends/(dialects/sonic/reads|ssh/(known_hosts|config_tokens|public_key))\.c'
only 'microhttpd.h' 'app/export/http\.c'
only 'sqlite3.h' 'archive/recording/[a-z_]*\.[ch]'
only 'zstd.h' 'archive/recording/[a-z_]*\.[ch]|app/export/compress\.c'
only 'zlib.h' 'app/export/compress\.c'
only 'yaml.h' 'app/(config|inventory)/[a-z_]*yaml[a-z_]*\.[ch]'

# NAN is no JSON, and jansson drops what it cannot make without a word: base/json_out.h writes null.
for file in $(grep -lE 'json_real\(|json_(object_set|array_append)_new\(' -r actions archive app backends --include='*.[ch]' 2>/dev/null) \
	$(grep -lE 'json_real\(' -r emulator base --include='*.[ch]' 2>/dev/null); do
	[ "$file" = base/json_out.h ] && continue
	echo "$file: writes JSON past base/json_out.h (json_number_or_null(), json_put(), json_append())" >&2
	bad=1
done
for file in $(grep -lE 'json_pack' -r actions archive app backends --include='*.[ch]' 2>/dev/null); do
	if tr '\n\t' '  ' <"$file" | grep -oE 'json_pack(_ex)?\([^"]*"[^"]*"' | sed 's/.*("/"/' | grep -q 'f'; then
		echo "$file: a real in json_pack() makes NULL of all of it when it is NAN (pack 'o' and json_number_or_null())" >&2
		bad=1
	fi
done

# Only actions change a device: nobody else may let a request pass that is not on the list of reads.
for file in $(grep -lE -- '(->|\.)permit\(' -r base fabric backends archive tui views app --include='*.[ch]' 2>/dev/null); do
	echo "$file: may not permit a link to change a device (only actions/ may)" >&2
	bad=1
done

# And nobody else makes the words of a change.
for file in $(grep -lE -- 'changes(->|\.)(command|taken)\(|struct dialect_changes \*' -r base fabric backends archive tui views app --include='*.[ch]' 2>/dev/null); do
	[ "$file" = backends/contract/backend.h ] && continue
	echo "$file: may not make a change's commands (only actions/ may)" >&2
	bad=1
done

# A number in a reference is worth nothing without a look at its kind, and may be of another model:
# ref_port() and its like look, and model_port_at() for the numbers that other records have.
grep -rnE '(ports|devices|jobs|comms)\.at\[[^]]*\.(port|device|job|comm)\]' app views actions diagnosis archive --include='*.[ch]' >&2 && {
	echo "a number is taken for what it may not be: ref_port(), ref_device(), model_port_at() say what is there" >&2
	bad=1
}

# A bench that cannot measure says why: bench_fail() and its like end it, and nothing else does.
for file in tests/bench/*.[ch]; do
	[ "$file" = tests/bench/load/fail.c ] && continue
	grep -HnE '(^|[^a-z_])(_exit|exit|_Exit|abort)\(' "$file" | grep -v '_exit(0)' >&2 && {
		echo "$file: ends without a word (bench_fail() says why)" >&2
		bad=1
	}
done

[ $bad = 0 ] && echo "layering: ok"
exit $bad

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The sandbox of railtop itself: what the kernel says of the process, what a command of a file may do
# within it, and the switch that turns it off. Each forbidden call is tried in
# tests/base/sandbox/test_sandbox.c.
set -u
cd "$(dirname "$0")/../../.." || exit 1
: "${BUILD:=build}"
railtop=$BUILD/railtop
count=0
failed=0
top=$(mktemp -d /tmp/railtop-sandbox-XXXXXX)
trap 'rm -rf "$top"' EXIT
mkdir "$top/out" "$top/elsewhere"

say() { # passed or not, what
	count=$((count + 1))
	[ "$1" = 0 ] && echo "ok $count - $2" || { echo "not ok $count - $2"; failed=1; }
}
skip() { # what, reason
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}
is_sanitized() {
	readelf -sW "$railtop" | grep -Eq '__(asan|tsan)_init'
}
has_places() {
	"$railtop" --version | grep -q 'can be limited (Landlock'
}

# A device that cannot be reached, with a command for its password and a question in ssh_config.
inventory() { # credentials, address
	cat <<-END
	fabric: t
	defaults: {ssh_config: $top/ssh_config}
	switches:
	  - {names: "leaf-1", address: $2, port: 1, dialect: sonic, tier: leaf}
	  - {names: "spine-1", address: $2, port: 1, dialect: eos, transport: https, tier: spine, credentials: "$1"}
	END
}
echo "Host none" >"$top/ssh_config"
inventory "env:RAILTOP_TEST_LOGIN" 127.0.0.1 >"$top/fabric.yaml"
export RAILTOP_TEST_LOGIN=noc:secret

# The last process that was started is up: it has made its file.
await() { # test, seconds
	turns=$((${2:-20} * 20))
	while [ $turns -gt 0 ]; do
		eval "$1" && return 0
		turns=$((turns - 1))
		sleep 0.05
	done
	return 1
}
field() { # process, name
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

# ---- the process says it ----
"$railtop" record -f "$top/fabric.yaml" -o "$top/out/a.rts" >/dev/null 2>&1 &
victim=$!
await '[ -s "$top/out/a.rts-wal" ]'
say $? "record begins in its sandbox"
[ "$(field $victim NoNewPrivs)" = 1 ]
say $? "it gains no privileges"
[ "$(field $victim Seccomp)" = 2 ]
say $? "its system calls are filtered"
grep -Eq '^Max core file size +0 +0 ' "/proc/$victim/limits"
say $? "it leaves no core"
bad=0
for task in /proc/$victim/task/*; do
	[ "$(sed -n 's/^Seccomp:[[:space:]]*//p' "$task/status")" = 2 ] || bad=1
done
say $bad "each of its threads is filtered"
child=$(cat /proc/$victim/task/$victim/children)
[ "$(cat "/proc/${child% }/comm")" = railtop-outside ] && [ "$(field "${child% }" Seccomp)" = 0 ]
say $? "one process is outside, for commands"
[ "$(readlink "/proc/${child% }/fd" | wc -l)" -le 1 ] && [ "$(ls "/proc/${child% }/fd" | wc -l)" = 4 ]
say $? "which has no file of railtop open"
kill -9 $victim
wait $victim 2>/dev/null
await '! [ -d "/proc/${child% }" ]'
say $? "and ends with railtop, also when that is killed"

mkfifo "$top/lines"
"$railtop" findings --observations "$top/lines" --for 60s --log "$top/log" >/dev/null 2>&1 &
victim=$!
await 'grep -q sandbox: "$top/log" 2>/dev/null'
say $? "lines of others are read in a sandbox"
[ "$(field $victim Seccomp)" = 2 ] && [ -z "$(cat /proc/$victim/task/$victim/children)" ]
say $? "without a process outside"
kill $victim
wait $victim 2>/dev/null

# ---- a command for a password works as in the shell, a question of ssh_config writes nothing ----
inventory "command:touch $top/elsewhere/password && echo noc:secret" 127.0.0.1 >"$top/command.yaml"
"$railtop" check -f "$top/command.yaml" --for 1s >"$top/said" 2>&1
[ -e "$top/elsewhere/password" ] && grep -q 'connection refused' "$top/said"
say $? "a command for a password writes into a directory of its own, as gpg does"

printf 'Match exec "touch %s/elsewhere/question; echo x >%s/elsewhere/question"\n\tPort 2\n' "$top" "$top" >"$top/ssh_config"
inventory "env:RAILTOP_TEST_LOGIN" localhost >"$top/match.yaml"
if has_places; then
	"$railtop" check -f "$top/match.yaml" --for 1s >"$top/said" 2>&1
	[ ! -e "$top/elsewhere/question" ]
	say $? "a question of ssh_config may not write there"
else
	skip "a question of ssh_config may not write there" "this kernel has no Landlock"
fi
rm -f "$top/elsewhere/question"
RAILTOP_SANDBOX=off "$railtop" check -f "$top/match.yaml" --for 1s >"$top/said" 2>&1
[ -e "$top/elsewhere/question" ]
say $? "which it does without the sandbox: so it was asked"
echo "Host none" >"$top/ssh_config"

# ---- outputs ----
( cd "$top/out" && "$OLDPWD/$railtop" snapshot --from a.rts -o s.rts --text t.txt --md m.md --json j.json --ticket k.json ) >"$top/said" 2>&1
[ -s "$top/out/s.rts" ] && [ -s "$top/out/t.txt" ] && [ -s "$top/out/m.md" ] && [ -s "$top/out/j.json" ] && [ -s "$top/out/k.json" ]
say $? "a snapshot of a recording writes what is named"
ln -s "$top/elsewhere/target" "$top/out/link.txt"
: >"$top/elsewhere/target"
"$railtop" snapshot --from "$top/out/a.rts" --text "$top/out/link.txt" >"$top/said" 2>&1
[ -s "$top/elsewhere/target" ] || [ -s "$top/out/link.txt" ]
say $? "and through a link that is named"
"$railtop" snapshot --from "$top/out/a.rts" --text /dev/stdout >"$top/said" 2>"$top/err"
grep -q 'leaf-1' "$top/said"
say $? "and to /dev/stdout"

# ---- a recording that was not closed is read to its end, and nothing is made beside it ----
mkdir "$top/read"
cp "$top/out/a.rts" "$top/read/"
cp "$top/out/a.rts-wal" "$top/read/" 2>/dev/null
"$railtop" findings --from "$top/read/a.rts" >"$top/said" 2>&1
! grep -q 'cannot be merged' "$top/said" && grep -q 'verdict' "$top/said"
say $? "a recording whose end is in another file is read"

# ---- nothing stays ----
[ -z "$(find "${TMPDIR:-/var/tmp}" -maxdepth 1 -name 'railtop-live-*' -newer "$top/fabric.yaml")" ] ||
	"$railtop" findings --from "$top/out/a.rts" >/dev/null 2>&1
[ -z "$(find "${TMPDIR:-/var/tmp}" -maxdepth 1 -name 'railtop-live-*' -newer "$top/fabric.yaml")" ]
say $? "the temporary directory goes, that of a killed one with the next start"

# ---- the switch ----
RAILTOP_SANDBOX=off "$railtop" findings --from "$top/out/a.rts" >/dev/null 2>"$top/err"
grep -q 'RAILTOP_SANDBOX=off: this run has no sandbox' "$top/err"
say $? "a run without it says so"
RAILTOP_SANDBOX=off "$railtop" -f "$top/fabric.yaml" --noc >/dev/null 2>"$top/err"
[ $? = 2 ] && grep -q 'unset RAILTOP_SANDBOX' "$top/err"
say $? "the wall does not run without it"
RAILTOP_SANDBOX=off "$railtop" -f "$top/fabric.yaml" --read-only >/dev/null 2>"$top/err"
[ $? = 2 ] && grep -q 'unset RAILTOP_SANDBOX' "$top/err"
say $? "nor the console that is read-only"
RAILTOP_SANDBOX=off "$railtop" act locate leaf-1:Ethernet0 -f "$top/fabric.yaml" --execute >/dev/null 2>"$top/err"
[ $? = 2 ] && grep -q 'unset RAILTOP_SANDBOX' "$top/err"
say $? "nor an action"
RAILTOP_SANDBOX=no "$railtop" findings --from "$top/out/a.rts" --log "$top/log2" >/dev/null 2>&1
grep -q 'sandbox: system calls: filtered' "$top/log2"
say $? "another value does not switch it off"

# ---- a core, of a run that is killed by a fault ----
read -r pattern </proc/sys/kernel/core_pattern
case $pattern in
"|"* | /*) skip "a fault leaves no core with a password" "cores are not files here" ;;
*)
	if is_sanitized || ! (ulimit -c unlimited) 2>/dev/null; then
		skip "a fault leaves no core with a password" "this build or this shell makes none"
	else
		core_of() { # sandbox or off
			mkdir -p "$top/core"
			made=$top/out/$1.rts-wal
			(
				ulimit -c unlimited
				here=$PWD
				cd "$top/core" || exit 1
				RAILTOP_SANDBOX=$1 RAILTOP_TEST_LOGIN=noc:planted-4711 exec "$here/$railtop" \
					record -f "$top/fabric.yaml" -o "$top/out/$1.rts" >/dev/null 2>&1
			) &
			victim=$!
			await '[ -s "$made" ]'
			kill -SEGV $victim
			wait $victim 2>/dev/null
			grep -qs planted-4711 "$top/core/"*
			found=$?
			rm -rf "$top/core"
			return $found
		}
		core_of off
		say $? "without the sandbox a fault leaves a core with the password"
		core_of on && code=1 || code=0
		say $code "with it a fault leaves none"
	fi
	;;
esac
echo "1..$count"
exit $failed

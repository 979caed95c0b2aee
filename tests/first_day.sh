#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first evening of a new user, played on an emulated fabric: help, doctor, demo, an inventory of
# one's own, discover, import, init, check, lint, topology, findings, trace, a storm, ticket, runbook,
# record, open, diff, rows, handover, an assistant, wall, export, a metrics engine, an action under
# four eyes, the ledger. Each step asserts what a person would look at, and that it took no longer
# than it says. Part of `make thorough`, prints TAP.
#   tests/first_day.sh                        on this machine, in a network of its own
#   FIRST_DAY_ROOT=/srv/bare tests/first_day.sh    in that Debian, to which only the programs are copied
#   STEPS="storm act" tests/first_day.sh      only these steps (and the range that they need)
# promtool and prometheus are used where they are installed; a step that lacks one says so.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
: "${BUILD:=$here/build}" "${FIRST_DAY_ROOT:=}" "${STEPS:=all}"

# ---- outside: a network without a way out, and perhaps another root ----
if [ "${FIRST_DAY_INSIDE:-}" = "" ]; then
	case $BUILD in /*) ;; *) BUILD=$here/$BUILD ;; esac
	if [ "$(id -u)" != 0 ]; then
		FIRST_DAY_INSIDE=yes BUILD=$BUILD STEPS=$STEPS exec sh "$0"
	fi
	if [ -n "$FIRST_DAY_ROOT" ]; then
		room=$(mktemp -d "$FIRST_DAY_ROOT/tmp/first-day-XXXXXX") || exit 2
		trap 'rm -rf "$room"' EXIT
		cp "$BUILD/railtop" "$BUILD/railtop-emulator" "$0" "$room/" && chmod 755 "$room" "$room"/*
		in=/tmp/$(basename "$room")
		# What runs there: the tools need the C library only, which may be another one.
		for tool in promtool prometheus; do
			path=$(command -v $tool) || continue
			cp "$path" "$room/" && chroot "$FIRST_DAY_ROOT" "$in/$tool" --version >/dev/null 2>&1 || rm -f "$room/$tool"
		done
		unshare -n -m --propagation private sh -c '
			ip link set lo up
			mount -t proc proc "$1/proc" && mount -t devtmpfs dev "$1/dev" 2>/dev/null || mount --bind /dev "$1/dev"
			mkdir -p "$1/dev/pts"; mount -t devpts -o ptmxmode=666,newinstance devpts "$1/dev/pts"
			exec chroot "$1" env -i PATH="$2:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" HOME=/root TERM=xterm-256color \
				LANG=C.UTF-8 FIRST_DAY_INSIDE=yes BUILD="$2" STEPS="$3" sh "$2/first_day.sh"
		' sh "$FIRST_DAY_ROOT" "$in" "$STEPS"
		exit $?
	fi
	exec unshare -n env FIRST_DAY_INSIDE=yes BUILD="$BUILD" STEPS="$STEPS" TERM="${TERM:-xterm-256color}" sh -c '
		ip link set lo up; exec sh "$0"' "$0"
fi

# ---- inside ----
top=$(mktemp -d)
export HOME="$top/home" XDG_STATE_HOME="$top/state" LC_ALL=C.UTF-8
unset RAILTOP_FABRIC XDG_CONFIG_HOME
mkdir -p "$HOME" "$XDG_STATE_HOME"
cd "$top" || exit 2
children=
end_all() {
	for child in $children; do kill "$child" 2>/dev/null; done
	wait
	rm -rf "$top"
}
trap end_all EXIT
trap 'exit 1' INT TERM
n=0 failed=0 took=0 code=0

now_ms() { date +%s%3N; }
# Runs railtop; keeps standard output, standard error, exit code, and the time in ms.
r() {
	begun=$(now_ms)
	timeout -k 5 180 "$BUILD/railtop" "$@" >"$top/out" 2>"$top/err" </dev/null
	code=$?
	took=$(($(now_ms) - begun))
}
# The same on a terminal of 50 lines and 160 columns: keys first. The screen is in $top/out.
on_terminal() { # seconds before the keys, keys, words...
	wait_s=$1 keys=$2
	shift 2
	begun=$(now_ms)
	(sleep "$wait_s"; printf '%b' "$keys"; sleep 2) |
		timeout -k 5 180 script -qefc "stty rows 50 cols 160; exec '$BUILD/railtop' $*" /dev/null >"$top/out" 2>"$top/err"
	code=$?
	took=$(($(now_ms) - begun))
}
says() { # text...; each of them on standard output or standard error
	for text in "$@"; do
		grep -qF -- "$text" "$top/out" "$top/err" || return 1
	done
}
within() { [ "$took" -le "$1" ]; } # ms
report() { # status, name
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2 ($took ms)"
		return
	fi
	echo "not ok $n - $2 (exit $code, $took ms)"
	head -n 30 "$top/out" | cut -c 1-160 | sed 's/^/# /'
	head -n 10 "$top/err" | sed 's/^/# stderr: /'
	# A machine without time for the range shows devices that do not answer.
	echo "# load of this machine: $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors"
	failed=1
}
skip() { # name, why
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
# Begins a part; at the end the time of each is printed.
parts= part= part_begun=0
end_part() {
	[ -z "$part" ] || parts="$parts$(printf '# %4d s  %s' $((($(now_ms) - part_begun + 500) / 1000)) "$part")
"
	part=
}
wanted() {
	end_part
	[ "$STEPS" = all ] || case " $STEPS " in *" $1 "*) true ;; *) false ;; esac || return 1
	part=$1 part_begun=$(now_ms)
}

# ---- before anything runs ----
if wanted help; then
	r help
	[ $code = 0 ] && says "railtop demo" "exit status" && within 1000
	report $? "railtop help lists the commands"
	for sub in $(sed -n 's/^  \([a-z]*\)   *[a-z].*/\1/p' "$top/out"); do
		r help "$sub"
		[ $code = 0 ] && says "railtop $sub" "--help" && within 1000
		report $? "railtop help $sub"
	done
	r --version
	[ $code = 0 ] && says sonic eos linux
	report $? "the version names the dialects"
	"$BUILD/railtop-emulator" --version >"$top/out" 2>"$top/err" && says railtop-emulator
	report $? "the emulator has a version"
	r check
	[ $code = 2 ] && says "no inventory is given" RAILTOP_FABRIC "railtop demo" && within 1000
	report $? "without an inventory the cure names three ways"
	r findngs
	[ $code = 2 ] && says findings && within 1000
	report $? "a misspelt command: the nearest"
	printf 'fabric: t\nswitches:\n\t- {names: a}\n' >tab.yaml
	r tab.yaml
	[ $code = 2 ] && says "railtop -f tab.yaml"
	report $? "a file where a command belongs"
	r check -f tab.yaml
	[ $code = 2 ] && says "tab.yaml:3" "spaces"
	report $? "a tab in YAML: line and cure"
fi

# ---- railtop demo ----
if wanted demo; then
	# Others on this machine may run a demo of their own.
	before=$(ls -d /tmp/railtop-demo-* 2>/dev/null)
	on_terminal 12 ':q\r' demo --asciicast "$top/demo.cast"
	[ $code = 0 ] && grep -q rail "$top/demo.cast" && within 40000
	report $? "railtop demo shows the rails and leaves nothing"
	left=
	for dir in /tmp/railtop-demo-*; do
		case "$before" in *"$dir"*) ;; *) [ ! -d "$dir" ] || left=$dir ;; esac
	done
	[ -z "$left" ]
	report $? "its directory is gone"
	on_terminal 1 '' demo --preset nosuch
	[ $code = 2 ] && says ref256 && within 5000
	report $? "an unknown preset is a mistake of the user"
fi

# ---- the range ----
mkfifo "$top/ready"
"$BUILD/railtop-emulator" --preset ref256 --dir "$top/r" --actions --interval 3s --die-with-parent </dev/null \
	>"$top/ready" 2>"$top/emulator.err" &
children="$children $!"
read -r _ <"$top/ready"
export RAILTOP_FABRIC="$top/r/fabric.yaml"
ctl() { "$BUILD/railtop-emulator" ctl "$top/r" "$@" >/dev/null; }

if wanted inventory; then
	sed 's/^fabric:.*/fabric: mine/' "$RAILTOP_FABRIC" >"$top/r/mine.yaml"
	r check -f "$top/r/mine.yaml"
	[ $code = 0 ] && says "44 devices: 44 fresh" && within 35000
	report $? "an inventory of one's own: check reaches all 44 devices"
	sed 's/tier: leaf/teir: leaf/' "$RAILTOP_FABRIC" >"$top/r/wrong.yaml"
	r check -f "$top/r/wrong.yaml"
	[ $code = 2 ] && says "wrong.yaml:" teir tier && within 1000
	report $? "a misspelt key: line, and the key that was meant"
fi
if wanted discover; then
	r discover --seed leaf-r0-00 --ssh-config "$top/r/ssh_config" --known-hosts "$top/r/known_hosts" -o "$top/found.yaml"
	{ [ $code = 0 ] || [ $code = 3 ]; } && [ -s "$top/found.yaml" ] && grep -q 'node\[000-031\]' "$top/found.yaml" && within 130000
	report $? "discover finds hosts from one leaf, by LLDP"
	r discover --seed leaf-r0-00 --ssh-config "$top/r/ssh_config" -o "$top/found.yaml"
	{ [ $code = 0 ] || [ $code = 3 ]; } && says "0 devices and 0 cables added, 44 known before" && within 130000
	report $? "and adds nothing to what it wrote, when it is asked again"
	echo 'hello: world' >"$top/mine.txt"
	r discover --seed leaf-r0-00 --ssh-config "$top/r/ssh_config" -o "$top/mine.txt"
	[ $code = 2 ] && says "not an inventory" && within 1000 && [ "$(cat "$top/mine.txt")" = 'hello: world' ]
	report $? "and does not touch a file of another program"
fi
if wanted import; then
	cat >"$top/hosts.yaml" <<-END
		all: {children: {leafs: {hosts: {leaf1: {ansible_network_os: arista.eos.eos, ansible_host: 10.0.0.1}}}}}
	END
	r import ansible "$top/hosts.yaml" -o "$top/imported.yaml"
	[ $code = 0 ] && says "1 switch" && grep -q 'dialect: eos' "$top/imported.yaml" && within 2000
	report $? "import makes an inventory of one of Ansible"
	r import ansible "$top/hosts.yaml" -o "$top/imported.yaml"
	[ $code = 0 ] && says "0 devices and 0 cables added, 1 known before" && within 2000
	report $? "and adds nothing to what it wrote, when it is asked again"
fi
if wanted init; then
	begun=$(now_ms)
	(
		sleep 2
		for answer in leaf-r0-00 '' '' ''; do
			printf '%s\r' "$answer"
			sleep 1
		done
		# The console follows the discovery: its keys are typed when the inventory is there.
		for _ in $(seq 120); do
			[ -s "$top/first.yaml" ] && break
			sleep 1
		done
		sleep 12
		printf ':q\r'
		sleep 2
	) | timeout -k 5 180 script -qefc "stty rows 24 cols 80; exec '$BUILD/railtop' init -o '$top/first.yaml' \
		--ssh-config '$top/r/ssh_config' --known-hosts '$top/r/known_hosts' --for 60s" /dev/null >"$top/out" 2>"$top/err"
	code=$?
	took=$(($(now_ms) - begun))
	[ $code = 0 ] && says "44 devices found" "discovered › " && grep -q 'node\[000-031\]' "$top/first.yaml" && within 150000
	report $? "init asks on a terminal, finds the fabric and opens the console on it"
fi
if wanted check; then
	r doctor
	[ $code -le 1 ] && says inventory known_hosts "open files" && within 10000
	report $? "doctor looks at this machine"
	r topology --slurm tree
	[ $code = 0 ] && says 'SwitchName=su-leaf-r0-00 Nodes=node[000-031]' && within 35000
	report $? "the topology for Slurm"
	r trace node000:mlx5_99
	[ $code = 2 ] && says mlx5_0 "node000 has answered" && within 15000
	report $? "a wrong NIC is refused when its host has answered"
	r trace --job nosuch
	[ $code = 2 ] && says "asked: nccl-ras on 32 hosts" && within 28000
	report $? "a wrong job is refused when each source of jobs has answered"
	r check --json
	[ $code = 0 ] && head -c 1 "$top/out" | grep -q '{' && within 35000
	report $? "check finds its inventory by RAILTOP_FABRIC, as JSON"
	r lint
	[ $code = 0 ] && says "0 differences" && within 35000
	report $? "lint has nothing to say about a clean range"
	r findings
	[ $code = 0 ] && says "0 findings" "the fabric is clean" && within 100000
	report $? "a healthy fabric has no finding"
	r trace --rank 3
	[ $code = 0 ] && says mlx5_ leaf-r && within 100000
	report $? "a rank leads to its NIC and leaf"
	r trace --host nosuch
	[ $code = 2 ] && says nosuch && within 2000
	report $? "an unknown host is refused at once"
	r rows leaf leaf-r9-00
	[ $code = 2 ] && says "leaf-r0-00" && within 2000
	report $? "an unknown leaf is refused at once, with the nearest"
	for book in $("$BUILD/railtop" runbook | cut -d ' ' -f 1); do
		case $book in new-node) place=node000 ;; *) place= ;; esac
		r runbook "$book" $place --for 8s
		[ $code != 1 ] && [ $code != 5 ] && ! says "FAIL:" && within 30000
		report $? "runbook $book fails nothing on a healthy fabric"
	done
fi

# ---- a storm at night ----
if wanted storm; then
	ctl inject pfc-storm:node003:mlx5_3,watchdog=no
	"$BUILD/railtop" record -o "$top/shift.rts" --for 60s 2>"$top/record.err" &
	recorder=$!
	sleep 20
	r findings
	[ $code = 1 ] && says node003:mlx5_3 pfc. && within 100000
	report $? "the storm is found, and the NIC named"
	r trace --host node003
	[ $code = 1 ] && says mlx5_3 && within 100000
	report $? "the trace of the host ends at the NIC"
	r snapshot --for 20s -o "$top/incident.rts" --ticket "$top/t.json" --md "$top/t.md" --reason "job stalled" --incident INC-1
	[ $code = 1 ] && grep -q INC-1 "$top/t.json" && grep -q node003 "$top/t.md" && within 50000
	report $? "the ticket has incident and culprit"
	r runbook pfc-storm leaf-r3-00:Ethernet12
	[ $code = 1 ] && says "FAIL:" "for the ticket:" && within 100000
	report $? "the runbook says what to do and why"
	r ports --where 'paused_rx>1%' --csv --from "$top/incident.rts"
	{ [ $code = 0 ] || { [ $code = 3 ] && says "did not report"; }; } && says "leaf-r3-00,Ethernet12" && within 3000
	report $? "the paused port is a row of the snapshot"
	r ports --where 'rx>900G' --from "$top/incident.rts"
	{ [ $code = 0 ] || { [ $code = 3 ] && says "did not report"; }; } && says "none of" "matches 'rx>900G'" && within 3000
	report $? "a filter without a match says so"
	wait $recorder
	# On a busy machine a device may not report: then its name is on standard error.
	for sub in findings lint check "runbook pfc-storm" "trace --host node003" "rows links" "export --once"; do
		r $sub --from "$top/shift.rts"
		{ [ $code -le 1 ] || { [ $code = 3 ] && says "did not report"; }; } && [ -s "$top/out" ] && within 5000
		report $? "railtop $sub --from a recording"
	done
	r handover --from "$top/shift.rts"
	[ $code -le 1 ] && says node003:mlx5_3 && within 5000
	report $? "the shift is handed over"
	begun=$(now_ms)
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_findings","arguments":{}}}' |
		timeout 60 "$BUILD/railtop" mcp --from "$top/shift.rts" >"$top/out" 2>"$top/err"
	code=$?
	took=$(($(now_ms) - begun))
	[ $code = 0 ] && says protocolVersion node003:mlx5_3 && within 10000
	report $? "an assistant reads the findings"
	r diff "$top/shift.rts@-30s" "$top/shift.rts"
	[ $code -le 1 ] && within 10000
	report $? "two moments are compared"
	on_terminal 4 ':q\r' open "$top/shift.rts" --asciicast "$top/open.cast"
	[ $code = 0 ] && grep -q node "$top/open.cast" && within 20000
	report $? "the recording opens in the console"
	ctl heal all
fi
if wanted wall; then
	on_terminal 8 'qq' --noc --rotate 2s
	[ $code = 0 ] && within 20000
	report $? "the wall shows pages and ends by q, typed twice"
fi

# ---- for other programs ----
if wanted export; then
	r export --once
	[ $code = 0 ] && says railtop_build_info && within 70000
	report $? "the metrics, once"
	if command -v promtool >/dev/null; then
		promtool check metrics <"$top/out" >"$top/lint" 2>&1
		cp "$top/lint" "$top/err"
		! grep -q "error" "$top/lint"
		report $? "promtool can read them"
	else
		skip "promtool can read them" "promtool is not installed here"
	fi
fi
if wanted engine; then
	if command -v prometheus >/dev/null; then
		"$BUILD/railtop" export --listen 127.0.0.1:9899 2>/dev/null &
		exporter=$!
		cat >"$top/prometheus.yml" <<-END
			global: {scrape_interval: 5s, scrape_timeout: 4s}
			scrape_configs: [{job_name: railtop, static_configs: [{targets: ["127.0.0.1:9899"]}]}]
		END
		prometheus --config.file="$top/prometheus.yml" --storage.tsdb.path="$top/tsdb" \
			--web.listen-address=127.0.0.1:9090 >/dev/null 2>&1 &
		engine=$!
		children="$children $exporter $engine"
		sleep 40
		cat >"$top/engine.yaml" <<-END
			fabric: mine
			engine: {url: "http://127.0.0.1:9090", mapping: railtop}
			switches:
			  - {names: "leaf-r[0-7]-00", tier: leaf, source: engine}
		END
		r check -f "$top/engine.yaml"
		says "data of 8 of 8 devices" && within 40000
		report $? "an engine tells about the devices"
		kill $exporter $engine
		wait $exporter $engine
	else
		skip "an engine tells about the devices" "prometheus is not installed here"
	fi
	cat >"$top/dead.yaml" <<-END
		fabric: mine
		engine: {url: "http://127.0.0.1:9", mapping: railtop}
		switches:
		  - {names: "leaf-r[0-7]-00", tier: leaf, source: engine}
	END
	r findings -f "$top/dead.yaml" --for 3s
	[ "$(grep -c 'Failed to connect' "$top/out")" -le 2 ] && says "8 of 8 devices"
	report $? "a dead engine is told once, with the number of devices that depend on it"
fi

# ---- four eyes ----
if wanted act; then
	sed '/^actions:/,$d' "$RAILTOP_FABRIC" >"$top/r/eyes.yaml"
	echo "actions: {ledger: eyes/actions.jsonl, four_eyes: yes, watchdog: {action: drop, detect: 200ms, restore: 400ms}}" >>"$top/r/eyes.yaml"
	export RAILTOP_FABRIC="$top/r/eyes.yaml"
	place=spine-003:Ethernet9/1
	r act locate leaf-r3-00:Ethernet12
	[ $code = 4 ] && says "cannot make a port blink" && within 2000
	report $? "an action that the dialect lacks is refused at once"
	r act port-bounce $place --for 30s --reason "link is stuck in training" --incident INC-1
	[ $code = 0 ] && says Commands Rollback && within 120000
	report $? "a plan shows commands and the way back"
	hash=$(basename "$top"/r/eyes/approvals/*.plan .plan)
	r approve "$hash"
	[ $code = 0 ] && says "Asked by" "link is stuck in training" INC-1 "Hits" "shutdown" "for ten minutes" "--execute" && within 2000
	report $? "the colleague reads the same sheet, and what approval means"
	r act port-bounce $place --for 30s --execute --reason "link is stuck in training" --incident INC-1
	[ $code = 4 ] && says four-eyes
	report $? "nobody acts alone"
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v script >/dev/null; then
		chmod 755 "$top" "$top/r" && chgrp -R nogroup "$top/r/eyes" && chmod -R g+rwX "$top/r/eyes" && chmod 3770 "$top/r/eyes/approvals"
		cp "$BUILD/railtop" "$top/railtop" && chmod 755 "$top/railtop"
		setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent "$top/railtop" approve "$hash" $place \
			--ledger "$top/r/eyes/actions.jsonl" --execute >"$top/out" 2>"$top/err"
		code=$?
		[ $code = 0 ] && says "approved for ten minutes"
		report $? "another account approves"
		# The operator is the account that logged in, as after sudo: root alone is nobody.
		printf '#!/bin/sh\nchown daemon "$(tty)" || exit 99\nexec "%s" act port-bounce %s --for 30s --execute --reason "link is stuck in training" --incident INC-1 --watch 0 >"%s" 2>"%s"\n' \
			"$BUILD/railtop" $place "$top/out" "$top/err" >"$top/session"
		chmod 700 "$top/session"
		script -qec "$top/session" /dev/null </dev/null >/dev/null 2>&1
		code=$?
		[ $code = 0 ]
		report $? "and the action is done"
		r ledger verify
		[ $code = 0 ] && says whole && within 2000
		report $? "the ledger is whole"
		r ledger show
		[ $code = 0 ] && says nobody port-bounce
		report $? "and names both"
	else
		skip "another account approves" "needs root for a second account"
	fi
fi
end_part
printf '# time of each part\n%s' "$parts"
echo "1..$n"
exit $failed

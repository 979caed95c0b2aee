#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The exit codes of railtop(1), walked: each row is a code, a text that standard output or standard
# error must have, and a command line. A mistake of the user is 2 wherever it is made, and never 5.
# Nothing is collected: each command ends within two seconds.
set -u
: "${BUILD:=build}"
railtop=$PWD/$BUILD/railtop
case $BUILD in /*) railtop=$BUILD/railtop ;; esac
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 2
export HOME="$top" XDG_STATE_HOME="$top/state"
unset RAILTOP_FABRIC XDG_CONFIG_HOME
n=0 failed=0

cat >f.yaml <<-END
	fabric: t
	switches:
	  - {names: "leaf-[00-01]", tier: leaf, dialect: sonic, transport: ssh, address: 127.0.0.1, port: 1}
	  - {names: spine-0, tier: spine, dialect: eos, transport: https, address: 127.0.0.1, port: 1}
END
sed 's/tier: spine/teir: spine/' f.yaml >wrong.yaml
{ cat f.yaml && echo 'jobs: {source: nccl-ras}'; } >jobs.yaml
{ cat f.yaml && echo 'actions: {allow: locate, devices: "leaf-00", ledger: l/a.jsonl}'; } >acts.yaml
printf 'fabric: t\nswitches:\n\t- {names: a}\n' >tab.yaml
cat >dead.yaml <<-END
	fabric: t
	engine: {url: "http://127.0.0.1:9", mapping: railtop}
	switches:
	  - {names: "leaf-[0-7]", tier: leaf, source: engine}
END
echo 'not an observation' >junk.jsonl
cat >quiet.jsonl <<-END
	{"t":1700000000,"device":"leaf","port":"e0","counters":{"rx_bytes":1},"state":{"oper":"up"}}
	{"t":1700000005,"device":"leaf","port":"e0","counters":{"rx_bytes":9},"state":{"oper":"up"}}
END
sed 's/"up"}}$/"up"}}/; 2s/"oper":"up"/"oper":"down"/' quiet.jsonl >down.jsonl
mkdir dir
hash=$(printf '%064d' 0)
copy="ledger n=3 hash=$hash event=done act=a user=u device=d port=p host=h file="
printf '%s\n' "Nov 22 01:02:03 h railtop[1]: ${copy}gone.jsonl" >copies.log
printf '%s\n' "${copy}a.jsonl" "${copy}b.jsonl" >others.log
# A snapshot to read: of observations, so that nothing is collected.
"$railtop" snapshot --observations quiet.jsonl -o s.rts >/dev/null 2>&1

walk() { # code, text, words...
	want=$1 text=$2
	shift 2
	begun=$(date +%s%3N)
	timeout 20 "$railtop" "$@" >out 2>err </dev/null
	code=$?
	took=$(($(date +%s%3N) - begun))
	n=$((n + 1))
	if [ "$code" = "$want" ] && grep -qF -- "$text" out err && [ "$took" -lt 4000 ]; then
		echo "ok $n - $want: railtop $*"
		return
	fi
	echo "not ok $n - $want: railtop $* (exit $code, $took ms)"
	sed 's/^/# /' err
	failed=1
}

# The same on a terminal, whose output is both streams.
program=$railtop
walk_terminal() { # code, text, words...
	printf '#!/bin/sh\nTERM=xterm exec script -qec "%s $*" /dev/null\n' "$program" >on_terminal
	chmod 700 on_terminal
	railtop=./on_terminal
	walk "$@"
	railtop=$program
}

# 0: fine
walk 0 "railtop demo" help
walk 0 "railtop trace" help trace
walk 0 dialects --version
walk 0 "railtop 0." version
walk 0 "railtop 0." -V
walk 0 nccl-hang runbook
walk 0 '"name": "nccl-hang"' runbook --json
walk 0 '"schema": 1' check --from s.rts --json -
walk 0 '"view":"ports"' ports --json - --from s.rts
walk 0 "0 findings" findings --observations quiet.jsonl
walk 0 "0 findings" findings --from s.rts
walk 0 "0 differences" lint --from s.rts
walk 0 "e0" rows ports --from s.rts
walk 0 "0 units" topology --from s.rts
walk 1 "no host has a known leaf" topology --slurm tree --from s.rts
walk 0 "none of 1 row matches 'rx>900G'" rows ports --from s.rts --where 'rx>900G'
walk 0 "1 device" check --from s.rts
walk 0 "HAND-OVER OF" handover --from s.rts
walk 0 "traceEvents" timeline --from s.rts
walk 0 '"schema": 1' handover --from s.rts --json -
walk 0 railtop_build_info export --once --from s.rts
walk 0 "no action was planned yet" ledger show -f acts.yaml
# 1: findings
walk 1 link. findings --observations down.jsonl
# One cause of many devices is one finding.
walk 1 "8 of 8 devices cannot be read for one cause" findings -f dead.yaml --for 1s
walk 1 "CUT OFF: copies.log has line 3, the ledger ends at line 0: 3 lines are lost" \
	ledger verify --ledger gone.jsonl --anchor copies.log
walk 1 "known_hosts" doctor -f f.yaml
# A time service that merely runs proves nothing.
[ -e /run/systemd/timesync/synchronized ] || walk 1 "unknown  clock" doctor -f f.yaml
# 2: a mistake of the user, on the command line
walk 2 "did you mean findings" findngs
walk 2 "railtop -f my.yaml" my.yaml
walk 2 "railtop open s.rts" s.rts
walk 2 "does not take" check --theme mono
walk 2 "is not a time" findings --for soon
walk 2 "the command stands first" -f f.yaml check
walk 2 "did you mean ports" rows prots -f f.yaml
walk 2 "columns:" rows ports --columns nosuch -f f.yaml
walk 2 "bad_field" rows ports --where 'bad_field>1' -f f.yaml
walk 2 "did you mean leaf-00" rows leaf leaf-0 -f f.yaml
walk 2 "there is no device" trace --host nosuch -f f.yaml
walk 2 "there is no device" trace leaf-09:Ethernet0 -f f.yaml
walk 2 "no source of jobs" trace --rank 3 -f f.yaml
walk 2 "no source of jobs" runbook nccl-hang "job x" -f f.yaml
walk 2 "there is no runbook" runbook nosuch
walk 2 "a place is missing" runbook new-node -f f.yaml
walk 2 "start of the trace is missing" trace -f f.yaml
walk 2 "did you mean locate" act locat leaf-00:Ethernet0 -f acts.yaml
walk 2 "there is no action" act nosuch -f acts.yaml
walk 2 "railtop act locate PLACE" act locate -f acts.yaml
walk 2 "a port stands behind a colon: leaf-00:Ethernet0" trace leaf-00/Ethernet0 -f f.yaml
walk 2 "a NIC is a place" trace --nic mlx5_0 -f f.yaml
echo 'fabric: t' >empty.yaml
walk 2 "railtop discover and railtop import write them" check -f empty.yaml
echo hello >words.txt
walk 2 "an inventory begins with" check -f words.txt
walk 2 "name a port" act locate leaf-00 -f acts.yaml
walk 2 "has no command" ledger nosuch -f acts.yaml
walk 2 "hash of the plan" approve -f acts.yaml
walk 2 "--seed" discover
walk 2 "--once" export --from s.rts
walk 2 "a file is missing" open
walk 2 "an output is missing" snapshot -f f.yaml
walk 2 "a file is missing" record -f f.yaml
walk 2 "has no receivers" watch -f f.yaml
walk 2 "has no receivers" watch -f f.yaml --test-notify
walk 2 "there is no recording" handover
# 2: as a person types who knows kubectl, ansible, promtool, k9s or htop
walk 2 "railtop devices" get nodes
walk 2 "railtop host node003" describe node003
walk 2 "railtop check" status
walk 2 "railtop events" logs
walk 2 "opens the console" top
walk 2 "railtop ports --json" ports -o json -f f.yaml
walk 2 "railtop ports --csv" ports --output=csv -f f.yaml
walk 2 "railtop check --json" check -o json -f f.yaml
walk 2 "the command stands first: railtop check" --output json check
walk 2 "--theme mono" check --no-color -f f.yaml
walk 2 "--log FILE" check -v -f f.yaml
walk 2 "--for TIME" findings --timeout 5 -f f.yaml
walk 2 "no option --nosuch" findings --nosuch -f f.yaml
walk 2 "an inventory is a file" check -f -
walk 2 "the name is empty" check -f ""
walk 2 "the name is empty" findings --from ""
walk 2 "the name is empty" snapshot -f f.yaml -o ""
walk 2 "railtop check -f f.yaml" check f.yaml
walk 2 "railtop findings --from s.rts" findings s.rts
walk 2 "railtop record -o x.rts" record x.rts
walk 2 "railtop snapshot -o x.rts" snapshot x.rts
walk 2 "a host or link is missing" accept -f f.yaml
walk 2 "neither a host nor a link" accept leaf -f f.yaml --for 1s
walk 2 "add --execute" accept leaf-00 -f f.yaml --store base.jsonl
walk 2 "nothing can be measured in a recording" accept leaf --from s.rts --execute
walk 2 "takes options only" lint leaf-00 -f f.yaml
walk 2 "not a form" topology --slurm ring -f f.yaml
walk 2 "more than one output" topology --slurm tree --topograph -f f.yaml
walk 2 "no source of jobs" topology --job pretrain -f f.yaml
walk 2 "railtop -f my.yml" my.yml
walk 2 "" "" -f f.yaml
walk 2 "" rows "" -f f.yaml
walk 2 "a place is missing" leaf "" -f f.yaml
# A name of another kind, and one that could be a job elsewhere.
walk 2 "there is no device" leaf nosuch -f jobs.yaml
walk 2 "does not show leaf-00" port leaf-00 -f jobs.yaml
walk 2 "has no rails" rail 9 -f jobs.yaml
walk 2 "is not the number of a rank" trace --rank x -f jobs.yaml
walk 2 "its name is missing" trace rank -f jobs.yaml
walk 2 "is not one place" runbook link-flap leaf-00:Ethernet12 extra -f jobs.yaml
walk 2 "two sources" ports --from s.rts -f f.yaml
walk 2 "two sources" findings --from s.rts --observations quiet.jsonl
walk 2 "--identity cannot be read" discover --seed leaf-00 --identity missing
walk 2 "--ssh-config cannot be read" discover --seed leaf-00 --ssh-config missing
walk 2 "secret cannot be read" export --token-file missing -f f.yaml
# Each option twice: the last one counts.
walk 2 "missing.yaml" check -f f.yaml -f missing.yaml
walk 0 "1 device" check --from missing.rts --from s.rts
# 2: in a file or a place that is named
walk 2 "no inventory is given" check
walk 2 "wrong.yaml:4" check -f wrong.yaml
walk 2 "tab.yaml:3" lint -f tab.yaml
walk 2 "is a directory" check -f dir
walk 2 "No such file" findings -f missing.yaml
walk 2 "No such file" findings --from missing.rts
walk 2 "not a railtop recording" findings --from f.yaml
walk 2 "is not a time between" findings --from s.rts@-9h
walk 2 "has no observation" findings --observations junk.jsonl
walk 2 "--from s.rts" findings --observations s.rts
walk 2 "No such file" runbook --check missing.yaml
walk 2 "" snapshot --from s.rts --text missing/t.txt
walk 2 "exists already" snapshot --from s.rts -o s.rts
walk 2 "missing/t.rts: cannot be created" snapshot -f f.yaml -o missing/t.rts
walk 2 "not a terminal" demo
walk 2 "" record -f f.yaml -o missing/r.rts --for 1s
walk_terminal 2 "ref256" demo --preset nosuch
walk_terminal 2 "No such file" demo --scenario missing
walk_terminal 2 "no fault class" demo --fault nosuch:leaf
walk 2 "is not for the view host: it is a leaf" rows host leaf-00 -f f.yaml
walk 2 "railtop rows leaf leaf-00" rows host leaf-00 -f f.yaml
walk 2 "" demo --dir f.yaml/x
walk 2 "No such file" check -f f.yaml --log missing/log
walk 2 "there is no ledger" ledger verify --ledger missing.jsonl
walk 2 "has no copy of a ledger line" ledger verify --ledger missing.jsonl --anchor junk.jsonl
walk 2 "No such file" ledger verify --ledger missing.jsonl --anchor nolog.txt
walk 2 "has no line of missing.jsonl" ledger verify --ledger missing.jsonl --anchor others.log
# 3: not reached
walk 1 "monitor.blind" findings -f f.yaml --for 1s
walk 3 "3 of 3 devices did not report" lint -f f.yaml
walk 3 "did not report" rows ports -f f.yaml --for 1s
walk 3 "nothing is known" rows jobs -f f.yaml --for 1s
walk 3 "unreachable" check -f f.yaml
walk 3 "NOT accepted yet" accept leaf-00 -f f.yaml --for 1s
walk 3 '"result": "unknown"' accept leaf-00 -f f.yaml --for 1s --json
walk 3 "it has not answered" trace leaf-00 -f f.yaml --for 1s
walk 3 "it has not listed its ports" trace leaf-00:Ethernet0 -f f.yaml --for 1s
walk 3 "it has not listed its ports" ports leaf-00:Ethernet0 -f f.yaml --for 1s
walk 3 "it has not listed its ports" runbook pfc-storm leaf-00:Ethernet0 -f f.yaml --for 1s
# 4: refused, before anything is collected
walk 4 "refused by grant" act locate leaf-00:Ethernet0 -f f.yaml
walk 4 "refused by grant" act port-drain leaf-00:Ethernet0 -f acts.yaml
walk 4 "refused by grant" act locate leaf-01:Ethernet0 -f acts.yaml
walk 4 "cannot make a port blink" act locate leaf-00:Ethernet0 -f acts.yaml
walk 4 '"stage": "refused"' act port-drain leaf-00:Ethernet0 -f acts.yaml --json
walk 4 "refused by mode" accept leaf-00 -f acts.yaml --execute --read-only
walk 4 "refused by mode" act locate leaf-00:Ethernet0 -f acts.yaml --read-only
# The default inventory: the variable, this directory, the user's.
cp f.yaml fabric.yaml
walk 3 unreachable check
rm fabric.yaml
mkdir -p .config/railtop && cp f.yaml .config/railtop/fabric.yaml
walk 3 unreachable check
RAILTOP_FABRIC=missing.yaml
export RAILTOP_FABRIC
walk 2 "missing.yaml" check
echo "1..$n"
exit $failed

#!/bin/sh
# "One new file and one line", and of a counter that SONiC reports and a view shows, three lines: adds a view, a counter, a command, a dialect, a finding with its
# detector, a source of jobs, an action and a guard to a copy of the tree in exactly that way, builds it, and looks
# whether the program has them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/slot.sh
: "${BUILD:=build}"
tree=$(mktemp -d)
started=
trap 'for p in $started; do kill "$p" 2>/dev/null; done; wait; rm -rf "$tree"' EXIT
n=0
failed=0
# It compiles most of the program: a minute and a half of a CPU.
if [ -z "${FULL:-}" ]; then
	echo "ok 1 - one line # SKIP takes FULL=1 (make thorough)"
	exit 0
fi

ok() { # condition result, description
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

echo 1..12
cp -r base fabric diagnosis tui views backends actions archive app keymaps runbooks tools Makefile "$tree"/
# Objects of this build are newer than the copied sources, so only what changed is compiled.
mkdir "$tree/build"
cp -rp "$BUILD"/base "$BUILD"/gen "$tree/build/" 2>/dev/null
cd "$tree" || exit 1

cat >views/panes/probe.c <<'C'
#include "views/view.h"
static const struct table_column columns[] = {{.id = "name", .title = "NAME", .width = 8, .help = "h"}};
static void rows(const struct view_ctx *ctx, row_vec *out) { (void)ctx; (void)out; }
static void cell(const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{ (void)ctx; (void)row; (void)col; cell_text(out, ROLE_NORMAL, "x"); }
const struct view_ops view_probe = {.name = "probe", .title = "Probe", .help = "A probe view.",
	.columns = columns, .ncolumns = 1, .rows = rows, .cell = cell};
C
echo 'VIEW(probe)' >>views/views.def

echo 'COUNTER(PROBE, "probe_counter", ONE, COUNT, EVENTS, PORT, 64, INFO, "probe", "A probe counter")' >>fabric/vocabulary/counters.def
before_undef() { # file, line: stands before the first #undef
	sed -i "0,/^#undef/s//$2\n&/" "$1"
}
before_undef backends/dialects/sonic/fields.def 'PORT_FAULT("IF_PROBE", PROBE)'
before_undef views/columns/columns.def 'SWITCH_COLUMN(PROBE, "probe", "probe\/s", 7, 3, RATE, PROBE, "Probes per second")'

cat >views/console/probe.c <<'C'
#include "views/console/console.h"
bool console_probe(struct console *c, struct err *err)
{ (void)c; (void)err; return true; }
C
sed -i 's/^bool console_copy(/bool console_probe(struct console *c, struct err *err);\n&/' views/console/console.h
echo 'COMMAND("probe", "console", "", SAFE, "A probe command", RUN_PLAIN(console_probe))' >>app/console/commands.def

cat >backends/dialects/probe.c <<'C'
#include "backends/contract/backend.h"
static bool plan(const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{ (void)t; (void)tier; (void)out; (void)err; return true; }
static bool parse(const struct target *t, const char *request, const char *bytes, size_t len, struct obs *out, struct err *err)
{ (void)t; (void)request; (void)bytes; (void)len; (void)out; (void)err; return true; }
const struct backend_ops backend_probe;
const struct backend_ops backend_probe = {.name = "probe", .title = "A probe dialect", .transports = 1u,
	.plan = plan, .parse = parse};
C
echo 'BACKEND(probe)' >>backends/backends.def

cat >diagnosis/detectors/probe.c <<'C'
#include "diagnosis/engine/detector.h"
static void run(struct diag_run *r)
{ finding_title(diag_claim(r, FIND_PROBE, (struct ref){.kind = REF_FABRIC}), "probed"); }
const struct detector detect_probe;
const struct detector detect_probe = {"probe", run, NULL};
C
echo 'DETECTOR(probe)' >>diagnosis/engine/detectors.def
echo 'FINDING(PROBE, "probe.found", MONITOR, WARN, FACT, 0, "", "cluster", "probe", "A probe finding")' >>diagnosis/engine/findings.def

cat >backends/jobs/source_probe.c <<'C'
#include "backends/jobs/source.h"
const struct job_source_ops job_source_probe;
const struct job_source_ops job_source_probe = {.name = "probe"};
C
echo 'JOB_SOURCE(probe, "probe")' >>backends/jobs/sources.def

cat >actions/kinds/probe.c <<'C'
#include "actions/kinds/action.h"
static bool wants(const struct place_of_action *at, struct order *look, struct err *err)
{ (void)at; (void)look; return err_set(err, ERR_UNSUPPORTED, "", "a probe"); }
static bool compose(const struct place_of_action *at, const struct condition *now, step_vec *out, struct err *err)
{ (void)at; (void)now; (void)out; return err_set(err, ERR_UNSUPPORTED, "", "a probe"); }
static void expect(const struct place_of_action *at, const struct condition *now, char *dst, size_t size)
{ (void)at; (void)now; (void)size; dst[0] = 0; }
const struct action_ops action_probe = {.name = "probe-act", .title = "a probe action", .help = "Nothing.",
	.wants = wants, .compose = compose, .expect = expect};
C
echo 'ACTION(probe)' >>actions/kinds/actions.def
cat >actions/guards/probe.c <<'C'
#include "actions/guards/guards.h"
bool guard_probe(const struct guard_context *x, struct refusal *out);
bool guard_probe(const struct guard_context *x, struct refusal *out)
{ (void)x; return refuse(out, "", "a probe"); }
C
echo 'GUARD(probe, "probe-guard", "nothing is probed")' >>actions/guards/guards.def

make -j2 BUILD=build CFLAGS=-O0 build/railtop >make.log 2>&1
ok $? "the tree builds with one more of each" || true
[ "$failed" = 0 ] || { tail -20 make.log | sed 's/^/# /'; }
build/railtop docs >docs.txt 2>/dev/null
grep -q '^\.SS probe' docs.txt
ok $? "view: one file and one line"
grep -q '^\.B probe_counter' docs.txt
ok $? "counter: one line"
[ "$(grep -c '^Columns: .* probe, ' docs.txt)" = 2 ]
ok $? "column of a counter: one line, in the lists of two views"
grep -A1 '^\.B probe ' docs.txt | grep -q 'A probe command'
ok $? "command: one function, its declaration and one line"
build/railtop --version | grep -q '^  probe  *A probe dialect'
ok $? "dialect: one file and one line"

cat >probe.yaml <<'Y'
fabric: probe
switches:
  - {names: "leaf-[0-1]", dialect: probe, transport: ssh, tier: leaf}
jobs: {source: probe}
Y
echo '{"t":1732130000,"device":"leaf-0","port":"Ethernet0","counters":{"probe_counter":1}}' >probe.jsonl
build/railtop findings -f probe.yaml --observations probe.jsonl --json >found.json 2>err.txt
grep -q '"id": *"probe.found"' found.json
ok $? "finding: one file and two lines"
grep -q '^\.B probe.found' docs.txt
ok $? "finding: it is in the manual"
! grep -q 'source' err.txt && sed 's/source: probe/source: nonsense/' probe.yaml >wrong.yaml &&
	build/railtop check -f wrong.yaml 2>&1 | grep -q 'probe'
ok $? "source of jobs: one file and one line"
grep -A1 '^\.B probe-act' docs.txt | grep -q 'a probe action' &&
	build/railtop act 2>&1 | grep -q 'probe-act .*a probe action'
ok $? "action: one file and one line"
grep -A1 '^\.B probe-guard' docs.txt | grep -q 'nothing is probed'
ok $? "guard: one file and one line"

# A switch out of real programs: OpenSSH and a Redis, in which the counter grows.
mkdir switch
cat >switch/sonic-db-cli <<C
#!/bin/sh
case \$1 in APPL_DB) n=0 ;; COUNTERS_DB) n=2 ;; CONFIG_DB) n=4 ;; STATE_DB) n=6 ;; *) exit 1 ;; esac
shift
exec redis-cli -e --raw -s '$tree/redis' -n \$n "\$@"
C
chmod +x switch/sonic-db-cli
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f user_key
printf '[127.0.0.1]:%s %s\n' "$slot_port" "$(cut -d' ' -f1,2 host_key.pub)" >known_hosts
cat >sshd_config <<C
ListenAddress 127.0.0.1
Port $slot_port
HostKey $tree/host_key
AuthorizedKeysFile $tree/user_key.pub
PidFile none
UsePAM no
StrictModes no
SetEnv SHLVL=2 "PATH=$tree/switch:/usr/bin:/bin"
C
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
redis-server --port 0 --unixsocket "$tree/redis" --save '' --appendonly no >redis.log 2>&1 &
started=$!
/usr/sbin/sshd -D -e -f "$tree/sshd_config" 2>sshd.log &
started="$started $!"
db() { # number, command...
	redis-cli -s redis -n "$@" >/dev/null 2>&1
}
tries=0
until db 2 HSET COUNTERS_PORT_NAME_MAP Ethernet0 oid:0x1 && grep -q listening sshd.log || [ $tries -ge 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
db 0 HSET PORT_TABLE:Ethernet0 oper_status up
while db 2 HINCRBY COUNTERS:oid:0x1 SAI_PORT_STAT_IF_PROBE 7; do sleep 0.1; done &
started="$started $!"
cat >switch.yaml <<Y
fabric: probe
defaults: {interval: 1s, user: $(id -un), identity: user_key, known_hosts: known_hosts}
switches:
  - {names: leaf-0, address: 127.0.0.1, port: $slot_port, dialect: sonic, transport: ssh, tier: leaf}
Y
build/railtop ports -f switch.yaml --for 8s --columns port,probe --json >seen.json 2>>err.txt
grep -q '"port":"Ethernet0","probe":[1-9]' seen.json
ok $? "a counter of SONiC in a column of a view: three lines"
[ "$failed" = 0 ] || cat seen.json >>err.txt
[ "$failed" = 0 ] || sed 's/^/# /' err.txt
exit $failed

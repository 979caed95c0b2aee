#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A real Slurm in a Debian of its own, without a network: slurmctld, slurmd and munged of that Debian. What
# railtop reads of its jobs, over SSH, and that the words of host-drain drain a node there. Part of
# `make thorough`; prints TAP.
#   tests/checkers/slurm.sh SUITE      bookworm (22.05), trixie (24.11)
. "$(dirname "$0")/../packages/lib.sh"
suite=${1:?the name of a suite}
: "${BUILD:=$here/build}"
case $BUILD in /*) ;; *) BUILD=$here/$BUILD ;; esac
room=${ROOM:-$top/room}
if [ -z "${ROOM:-}" ]; then
	make_base "$suite" || stop_here "Slurm of $suite" "the mirror of Debian is not reachable from here"
	make_room "$suite" "$room"
	installed_in "$room" slurmctld slurmd slurm-client munge openssh-server iproute2 procps ||
		stop_here "Slurm of $suite" "its packages cannot be installed: $(tail -n 1 "$out")"
fi

cat >"$room/etc/slurm/slurm.conf" <<'EOT'
ClusterName=c
SlurmctldHost=gpu1(192.0.2.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdLogFile=/var/log/slurmd.log
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=gpu1 NodeAddr=192.0.2.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
EOT
cat >"$room/root/services.sh" <<'EOT'
rm -rf /var/spool/slurmctld /var/spool/slurmd
mkdir -p /run/munge /run/sshd /var/spool/slurmctld /var/spool/slurmd
chown munge /run/munge
runuser -u munge -- munged --force
slurmctld
slurmd
/usr/sbin/sshd -D -p 2222 -o ListenAddress=127.0.0.1 -o PermitRootLogin=yes -o UsePAM=no -E /root/sshd.log
EOT
# Nothing is limited by cgroups, which a room has not.
case $suite in bookworm) plugin=cgroup/v1 ;; *) plugin=disabled ;; esac
echo "CgroupPlugin=$plugin" >"$room/etc/slurm/cgroup.conf"
printf '127.0.0.1 localhost\n192.0.2.1 gpu1\n' >"$room/etc/hosts"
mkdir -p "$room/root/.ssh" "$top/site"
chmod 700 "$room/root/.ssh"
ssh-keygen -q -t ed25519 -N '' -f "$top/site/key"
cp "$top/site/key.pub" "$room/root/.ssh/authorized_keys"
sed 's/^/[127.0.0.1]:2222 /' "$room"/etc/ssh/ssh_host_ed25519_key.pub >"$top/site/known_hosts"
: >"$top/site/ssh_config"
cat >"$top/site/fabric.yaml" <<EOT
fabric: slurm
lossless: {priorities: [3]}
defaults: {interval: 2s, user: root, identity: key, known_hosts: known_hosts, ssh_config: ssh_config}
hosts:
  - {names: gpu1, address: 127.0.0.1, port: 2222}
jobs: {source: slurm, hosts: gpu1, interval: 10s}
actions: {ledger: $top/site/actions.jsonl}
EOT

# ---- in a network of its own; each step leaves its output and its exit status ----
cat >"$top/range.sh" <<EOT
rooms=$rooms
. "\$rooms"
# The resolver finds no address, not even a number, on a machine with a loopback alone.
ip link set lo up
ip link add veth0 type veth peer name veth1 && ip addr add 192.0.2.1/24 dev veth0 && ip link set veth0 up && ip link set veth1 up
hostname gpu1
export HOME=$top/site
step() { # name, command...
	name=\$1
	shift
	"\$@" >"$top/\$name" 2>"$top/\$name.err"
	echo "\$name \$?" >>"$top/codes"
}
slurm() { inside "$room" "\$@"; }
inside "$room" sh /root/services.sh >"$top/services" 2>&1 &
i=0
until slurm sinfo -h -o %T 2>/dev/null | grep -q idle || [ \$i = 60 ]; do sleep 1; i=\$((i + 1)); done
step sinfo slurm sinfo
step version slurm squeue --version
for name in 'pre|train' 'pre|train' 'it is; \$(x)'; do step sbatch slurm sbatch -o /dev/null -J "\$name" --wrap 'sleep 900'; done
i=0
until [ "\$(slurm squeue -h -t RUNNING 2>/dev/null | wc -l)" = 3 ] || [ \$i = 60 ]; do sleep 1; i=\$((i + 1)); done
step squeue slurm squeue
step jobs "$BUILD/railtop" rows jobs --json -f "$top/site/fabric.yaml" --for 15s
step check "$BUILD/railtop" check -f "$top/site/fabric.yaml" --for 15s
# Without the plugin for JSON, as some builds are.
for f in "$room"/usr/lib/*/slurm-wlm/serializer_json.so; do mv "\$f" "\$f.away"; done
step lines "$BUILD/railtop" rows jobs --json -f "$top/site/fabric.yaml" --for 15s
for f in "$room"/usr/lib/*/slurm-wlm/serializer_json.so.away; do mv "\$f" "\${f%.away}"; done
step plan "$BUILD/railtop" act host-drain gpu1 -f "$top/site/fabric.yaml"
step before slurm scontrol show node gpu1
step drain "$BUILD/railtop" act host-drain gpu1 -f "$top/site/fabric.yaml" --execute --reason "its NIC flaps since 02:10" --incident INC-4711
step told slurm sh -c "\$(tail -n 1 "$top/drain")"
step after slurm scontrol show node gpu1
step runs slurm squeue -h -t RUNNING
step reasons slurm sinfo -R -h -o %E
step back slurm sh -c "\$(sed -n 's/^ *back  *//p' "$top/plan")"
step again slurm scontrol show node gpu1
EOT
# With its end all services end, whatever they became.
unshare --net --uts --pid --fork --kill-child sh "$top/range.sh"

code() { sed -n "s/^$1 //p" "$top/codes" | tail -n 1; }
show() { for f in "$@"; do echo "-- $f"; cat "$top/$f" "$top/$f.err" 2>/dev/null; done >"$out"; }
show services sinfo squeue
[ "$(grep -c . "$top/squeue")" = 4 ]
report $? "$suite: $(cat "$top/version") runs three jobs on its node"
show jobs check squeue
# Two of one name have their numbers. The status is that of a host without NICs.
grep -q 'pre|train-[0-9]' "$top/jobs" && grep -q 'it is; \$(x)' "$top/jobs" && [ "$(grep -c 'pre|train-' "$top/jobs")" -ge 2 ]
report $? "$suite: its jobs are read as JSON, with their names"
show check
grep -q '^gpu1 .* fresh ' "$top/check" && ! grep -q 'job source' "$top/check"
report $? "$suite: railtop check has no complaint of the source"
show lines
grep -q 'pre|train-[0-9]' "$top/lines" && grep -q 'it is; \$(x)' "$top/lines"
report $? "$suite: and as lines, where squeue has no JSON"
show plan
[ "$(code plan)" = 0 ] && grep -q 'you run them, railtop never does' "$top/plan" && grep -q '3 running jobs' "$top/plan"
report $? "$suite: host-drain plans words, and names the jobs"
show drain told before after
[ "$(code drain)" = 0 ] && [ "$(code told)" = 0 ] && ! grep -q DRAIN "$top/before" && grep -q 'State=[A-Z+]*DRAIN' "$top/after" &&
	grep -q 'Reason=railtop: INC-4711 \[' "$top/after"
report $? "$suite: Slurm takes the words: the node drains, with the reason"
show runs reasons
[ "$(grep -c . "$top/runs")" = 3 ]
report $? "$suite: its jobs go on"
show back again
[ "$(code back)" = 0 ] && ! grep -q DRAIN "$top/again"
report $? "$suite: and the way back returns it to service"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bundles over the real transports: SONiC and NX-OS over SSH, EOS over HTTPS, as the emulator's lag-pairs. A
# member that LACP keeps out, a bundle below its least members, a bond that one leaf of a pair serves.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/act.sh
export HOME="$top/home" XDG_STATE_HOME="$top/state"
unset RAILTOP_FABRIC XDG_CONFIG_HOME
mkdir -p "$HOME"

emulate --preset lag-pairs --interval 3s --fault "lacp-out:leaf-r0-00:Ethernet32" \
	--fault "link-down:leaf-r1-00:Ethernet48" --fault "link-down:leaf-r1-00:Ethernet52" \
	--fault "link-down:leaf-r1-00:Ethernet56" --fault "link-down:leaf-r2-01:Ethernet8"
fabric=$top/r/fabric.yaml

has() { # file, a text, name
	grep -qF -- "$2" "$top/$1"
	report $? "$3"
}

timeout 100 "$railtop" findings -f "$fabric" --for 20s >"$top/out" 2>"$top/err" </dev/null
[ $? = 1 ]
report $? "there are findings"
# The end that is heard first says it.
grep -qE "LACP keeps it out of Port-?Channel" "$top/out"
report $? "a member that LACP keeps out"
has out "spine-000:Ethernet1/1" "it is one finding with the other end, which EOS reports over HTTPS"
has out "has 1 of 4 members active and needs 2" "a bundle with fewer members than its least"
grep -qE "lag.down +spine-001:port-channel[0-9]" "$top/out"
report $? "NX-OS: its end of that bundle, whose least members stand in its configuration"
has out "should be served by two switches: mclag, peer's down" "a bond that one leaf of the pair serves"
grep -c "route.one_way\|ecmp.imbalance" "$top/out" | grep -qx 0
report $? "the links of a bundle are one member of ECMP"
timeout 60 "$railtop" snapshot -f "$fabric" --for 8s --json "$top/out" >"$top/err" 2>&1 </dev/null
has out "suspended: waiting for LACP response" "EOS: its end is suspended"
has out "kind=mclag state=ok" "SONiC: the pair of leaves"
timeout 60 "$railtop" check -f "$fabric" --json - >"$top/out" 2>"$top/err" </dev/null
has out '"bundles"' "check tells whether bundles can be read"
echo "1..$n"
[ "$failed" = 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `railtop import` of what the real programs write: ansible-inventory --list, and a topology in dot as
# libcgraph writes it anew (nop). Part of `make thorough`; prints TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${BUILD:=$here/build}"
case $BUILD in /*) ;; *) BUILD=$here/$BUILD ;; esac
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 2
export HOME="$top"
n=0 failed=0
report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		tail -n 20 out | sed 's/^/# /'
		failed=1
	fi
}
skip() { # what, why
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
for package in ansible-core graphviz; do
	dpkg-query -W -f '${db:Status-Status}' $package 2>/dev/null | grep -qx installed ||
		DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $package >out 2>&1
done

if command -v ansible-inventory >/dev/null; then
	cat >hosts.ini <<-'EOF'
		[leaf]
		leaf[1:2] ansible_network_os=arista.eos.eos
		[spine]
		spine1 ansible_host=10.0.0.9 ansible_network_os=arista.eos.eos
		[gpu_servers]
		node[1:2]
		[switches:children]
		leaf
		spine
	EOF
	ansible-inventory -i hosts.ini --list >list.json 2>out && "$BUILD/railtop" import ansible list.json -o ansible.yaml >out 2>&1
	report $? "a list of ansible-inventory is read"
	cp ansible.yaml out
	grep -q 'names: "leaf\[1-2\]".*dialect: eos.*tier: leaf' out && grep -q 'names: "spine1", address: "10.0.0.9".*tier: spine' out &&
		grep -q 'names: "node\[1-2\]"' out
	report $? "with its groups, systems and addresses"
else
	skip "ansible-inventory" "ansible-core cannot be installed here"
fi

if command -v nop >/dev/null; then
	cat >hand.dot <<-'EOF'
		graph "pod" {
		  "leaf1" [function="leaf" os="cumulus"]; "spine1" [function="spine"];
		  "leaf1":"swp1" -- "node1":"eth1" [speed=400]; "leaf2":"swp1" -- "node1":"eth2"
		  "leaf1":"swp31" -- "spine1":"swp1" }
	EOF
	nop hand.dot >whole.dot 2>out
	report $? "libcgraph takes the topology"
	for file in hand whole; do
		"$BUILD/railtop" import ptm $file.dot --dialect cumulus -o $file.yaml >out 2>&1 || echo "$file" >>wrong
		sort $file.wiring.csv >$file.sorted
	done
	[ ! -e wrong ]
	report $? "both are read: as written by hand, and by libcgraph"
	cmp hand.sorted whole.sorted >out 2>&1 && [ "$(wc -l <hand.sorted)" = 4 ]
	report $? "with the same cables"
else
	skip "libcgraph" "graphviz cannot be installed here"
fi
echo "1..$n"
exit $failed

#!/bin/sh
# Writes the wiring tables of topologies/ (write), or compares them with the files (check).
set -u
cd "$(dirname "$0")/.." || exit 2

table() { # name
	awk -v shape="$1" '
	function cable(low, port, high, to, speed) { print low "," port "," high "," to "," speed }
	function host(h) { return sprintf("node%03d", h) }
	function leaf(r, n) { return sprintf("leaf-r%d-%02d", r, n) }
	function spine(n) { return sprintf("spine-%03d", n) }
	function sonic(n) { return "Ethernet" 4 * n }
	function eos(n) { return "Ethernet" n + 1 "/1" }
	# hosts with a NIC a rail; `a_leaf` of them on each leaf of their rail
	function hosts(n, a_leaf,   h, r) {
		for (h = 0; h < n; h++)
			for (r = 0; r < 8; r++)
				cable(host(h), "mlx5_" r, leaf(r, int(h / a_leaf)), sonic(h % a_leaf), "400G")
	}
	# `up` uplinks of a leaf over `spines` of them, whose ports are taken in order
	function uplinks(l, first, up, from, spines,   u, s) {
		for (u = 0; u < up; u++) {
			s = from + int(u * spines / up)
			cable(l, sonic(first + u), spine(s), eos(taken[s]++), "400G")
		}
	}
	function two_leaf_rail(   r, n) {
		hosts(16, 8)
		for (r = 0; r < 8; r++)
			for (n = 0; n < 2; n++)
				uplinks(leaf(r, n), 8, 8, 0, 4)
	}
	function single_spine(   r) {
		hosts(16, 16)
		for (r = 0; r < 8; r++)
			uplinks(leaf(r, 0), 16, 16, 0, 1)
	}
	function three_tier(   r, n, s, u, super) {
		hosts(16, 8)
		for (r = 0; r < 8; r++)
			for (n = 0; n < 2; n++)
				for (u = 0; u < 8; u++) {
					s = 4 * n + int(u / 2)
					cable(leaf(r, n), sonic(8 + u), spine(s), "Ethernet1/" ++taken[s], "400G")
				}
		for (s = 0; s < 8; s++)
			for (u = 0; u < 16; u++) {
				super = int(u / 4)
				cable(spine(s), "Ethernet1/" ++taken[s], sprintf("superspine-%02d", super),
					eos(above[super]++), "400G")
			}
	}
	# port n of a leaf, half a port: two lanes of four
	function half(r, n) { return r < 4 ? "Ethernet" 2 * n : "swp" int(n / 2) + 1 "s" n % 2 }
	function whole(r, n) { return r < 4 ? sonic(n) : "swp" n + 1 }
	function breakout(   h, r, u, s) {
		for (h = 0; h < 16; h++)
			for (r = 0; r < 8; r++)
				cable(host(h), "mlx5_" r, leaf(r, 0), half(r, h), "200G")
		for (r = 0; r < 8; r++)
			for (u = 0; u < 8; u++) {
				s = int(u / 2)
				cable(leaf(r, 0), whole(r, 8 + u), spine(s),
					"Ethernet" int(taken[s] / 2) + 1 "/" (taken[s] % 2 ? 5 : 1), "400G")
				taken[s]++
			}
	}
	function dual_plane(   h, r, plane, u, s) {
		for (h = 0; h < 16; h++)
			for (r = 0; r < 8; r++)
				for (plane = 0; plane < 2; plane++)
					cable(host(h), "mlx5_" 2 * r + plane, leaf(r, plane), sonic(h), "200G")
		for (r = 0; r < 8; r++)
			for (plane = 0; plane < 2; plane++)
				uplinks(leaf(r, plane), 16, 8, 2 * plane, 2)
	}
	function mixed_hosts(   h, r, n) {
		for (h = 0; h < 16; h++)
			for (r = 0; r < 8; r++)
				if (h < 8)
					for (n = 0; n < 2; n++)
						cable(host(h), (h < 4 ? "eth" : "mlx5_") 2 * r + n,
							leaf(r, n), sonic(h), "200G")
				else
					cable(host(h), (h < 12 ? "ionic_" : "bnxt_re") r,
						leaf(r, h % 2), sonic(int(h / 2) + 4), "400G")
		for (h = 0; h < 4; h++)
			for (n = 0; n < 2; n++)
				cable(host(h), "eth" 16 + n, sprintf("front-%02d", n),
					"swp" h + 1, "100G")
		for (r = 0; r < 8; r++)
			for (n = 0; n < 2; n++)
				uplinks(leaf(r, n), 12, 8, 0, 4)
	}
	# bonds with a slave on each leaf of a pair, and bundles of four uplinks to each spine
	function lag_pairs(   h, r, n) {
		for (h = 0; h < 8; h++)
			for (r = 0; r < 4; r++)
				for (n = 0; n < 2; n++)
					cable(host(h), "eth" 2 * r + n, leaf(r, n), sonic(h), "200G")
		for (r = 0; r < 4; r++)
			for (n = 0; n < 2; n++)
				uplinks(leaf(r, n), 8, 8, 0, 2)
	}
	# the reference of 256 GPUs: two NICs a host, both on one leaf, two uplinks of 800G a leaf
	function two_nics(   h, n, l) {
		for (h = 0; h < 32; h++)
			for (n = 0; n < 2; n++)
				cable(host(h), "mlx5_" n, sprintf("leaf-%02d", int(h / 16)),
					sonic(2 * (h % 16) + n), "400G")
		for (l = 0; l < 2; l++)
			for (n = 0; n < 2; n++)
				cable(sprintf("leaf-%02d", l), sonic(32 + n), spine(n), eos(l), "800G")
	}
	BEGIN {
		print "device,port,device,port,speed"
		if (shape == "two-leaf-rail") two_leaf_rail()
		if (shape == "rail-only") hosts(32, 32)
		if (shape == "single-spine") single_spine()
		if (shape == "three-tier") three_tier()
		if (shape == "breakout") breakout()
		if (shape == "dual-plane") dual_plane()
		if (shape == "mixed-hosts") mixed_hosts()
		if (shape == "lag-pairs") lag_pairs()
		if (shape == "two-nics") two_nics()
	}'
}

bad=0
for shape in two-leaf-rail rail-only single-spine three-tier breakout dual-plane mixed-hosts lag-pairs two-nics; do
	file=topologies/$shape.csv
	if [ "${1:-}" = write ]; then
		table $shape >$file
	elif ! table $shape | cmp -s - $file; then
		echo "$file differs from what tools/topologies.sh write makes" >&2
		bad=1
	fi
done
exit $bad

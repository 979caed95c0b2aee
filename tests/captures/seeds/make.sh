#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Turns the captures that seeds/*.tsv name into answers as the device would give them:
#   tests/captures/seeds/make.sh OUTDIR   ->   OUTDIR/DIALECT/NNN-request
# A line is REQUEST <tab> FILE <tab> WRAP. REQUEST is a request's name, or "https:name", "ssh:name",
# "host:name", and facts behind it as " key=value". WRAP says what belongs around the file:
#   raw           nothing: the file is the whole answer
#   eos           one command's body in an eAPI envelope
#   eos-fast      "show version" before it in the same envelope
#   nxapi         one command's body in a JSON-RPC reply
#   section:NAME  one section of a script's output
#   host:NAME     one section about the port mlx5_3 of a host, netdev rdma3
#   block:PORT    what a loop over ports printed for this one
#   row:PORT      one port's object in a list of ports
# The first line of an answer says what was asked ("ssh fast"), as tests/support/asked.h reads it.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
captures=${RAILTOP_SHARED:-../shared}/captures
[ -d "$captures" ] || { echo "no captures in $captures" >&2; exit 77; }
tab=$(printf '\t')

wrap() { # FILE WRAP
	case $2 in
	raw) cat "$1" ;;
	eos) printf '{"jsonrpc":"2.0","id":"1","result":['; cat "$1"; printf ']}' ;;
	eos-fast)
		printf '{"jsonrpc":"2.0","id":"1","result":['
		cat "$captures/switches/eos/napalm/show_version.json"
		printf ','; cat "$1"; printf ']}' ;;
	nxapi) printf '{"jsonrpc":"2.0","result":{"body":'; cat "$1"; printf '},"id":1}' ;;
	section:*)
		printf '@@begin 1\n1763750000000000000\n@@%s\n' "${2#section:}"
		cat "$1"
		printf '\n@@end\n1763750000100000000\n' ;;
	row:*) printf '{"%s":' "${2#row:}"; cat "$1"; printf '}' ;;
	host:*)
		printf '@@begin 1\n1763750000000000000\n@@map\nmlx5_3/device/net/rdma3\n@@ports\n'
		printf 'mlx5_3/ports/1/state:4: ACTIVE\n@@%s rdma3\n' "${2#host:}"
		cat "$1"
		printf '\n@@end\n1763750000100000000\n' ;;
	block:*) printf "@%s\n" "${2#block:}"; cat "$1"; printf '\n@\n' ;;
	*) echo "unknown wrap $2" >&2; exit 1 ;;
	esac
}

for list in "$here"/*.tsv; do
	[ -e "$list" ] || continue
	name=$(basename "$list" .tsv)
	dialect=$name kind=ssh
	case $name in
	frr) dialect=linux ;;
	linux) kind=host ;;
	eos | cumulus | nxos) kind=https ;;
	esac
	mkdir -p "$out/$dialect"
	n=0
	while IFS=$tab read -r request file how; do
		case $request in '' | '#'*) continue ;; esac
		case $request in *:*) asked="${request%%:*} ${request#*:}" ;; *) asked="$kind $request" ;; esac
		n=$((n + 1))
		name_only=${request#*:}
		to=$(printf '%s/%s/%s-%03d-%s' "$out" "$dialect" "$name" $n "${name_only%% *}")
		[ -r "$captures/$file" ] || { echo "$list: no capture $file" >&2; exit 1; }
		{ printf '%s\n' "$asked"; wrap "$captures/$file" "$how"; } > "$to"
	done < "$list"
done

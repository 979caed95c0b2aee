#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion as a user of each shell has it: the script of `railtop completion SHELL` is loaded by the
# shell itself, and the line is completed by the shell's own means.
set -u
: "${BUILD:=build}"
railtop=$PWD/$BUILD/railtop
case $BUILD in /*) railtop=$BUILD/railtop ;; esac
fabric=$PWD/topologies/three-tier.yaml
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 2
export HOME="$top" RAILTOP_FABRIC="$fabric" PATH="${railtop%/*}:$PATH"
unset XDG_CONFIG_HOME
mkdir files && : >files/shift.rts
n=0 failed=0

report() { # status, what
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/# /' "$top/out" "$top/err" 2>/dev/null
		failed=1
	fi
}

# ---- the candidates themselves ----

offered() { # word...; the candidates in $top/out
	printf '%s\n' "$@" | railtop complete >"$top/out" 2>"$top/err"
}
has() { # candidate
	cut -f1 "$top/out" | grep -Fxq -e "$1"
}

# All that the help lists, and nothing else: both come from the same tables.
offered ""
cut -f1 "$top/out" | sort >"$top/all"
railtop --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | sort -u >"$top/help"
comm -13 "$top/all" "$top/help" >"$top/out"
[ -s "$top/help" ] && ! [ -s "$top/out" ]
report $? "each command of the help is offered"
bad=
for command in $(cat "$top/all"); do
	offered "$command" --
	cut -f1 "$top/out" | sort >"$top/mine"
	railtop "$command" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort -u >"$top/help"
	cmp -s "$top/mine" "$top/help" && [ -s "$top/help" ] || bad="$bad $command"
done
echo "$bad" >"$top/out"
[ -z "$bad" ]
report $? "the options of each command are those of its help"

offered trace --at leaf-r1 && has leaf-r1-00 && ! has leaf-r0-00
report $? "a place is one of the inventory"
offered trace --at leaf-r1-00: && has leaf-r1-00:Ethernet0
report $? "after the colon come the planned ports"
offered trace --host n && has node000 && ! has leaf-r1-00
report $? "a host is a host"
offered --view fi && has findings
report $? "a page is a view or a place"
offered runbook pfc && has pfc-storm
report $? "a runbook has its name"
offered act "" && has port-drain
report $? "an action, too"
offered ledger v && has verify && ! has show
report $? "a choice of words"
offered ports --columns port,spe && has port,speed
report $? "the columns of a view, after those that are there"
offered rows ports --sort -spe && has -speed
report $? "and after the sign of a sort order"
offered --theme=l && has --theme=light
report $? "an argument behind an equals sign"
offered check -f "$top/none.yaml" --json && ! has --inventory && offered trace -f none.yaml --at leaf && ! [ -s "$top/out" ]
report $? "what was given is not offered again, and a missing inventory has no places"
offered trace -f "$fabric" --at leaf-r1 && RAILTOP_FABRIC=none has leaf-r1-00
report $? "-f is heeded"
head -c 200000 /dev/urandom | timeout 20 railtop complete >"$top/out" 2>"$top/err"
report $? "any bytes are taken"
! railtop completion tcsh >"$top/out" 2>"$top/err" && grep -q 'bash, zsh or fish' "$top/err"
report $? "another shell is refused with the names of those that can"

# ---- the shells ----

railtop completion bash >bash.sh
in_bash() { # line; what bash would offer
	bash -c '
		source ./bash.sh
		COMP_LINE=$1 COMP_POINT=${#1}
		_railtop
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1" >"$top/out" 2>"$top/err"
}
bash -c 'source ./bash.sh && complete -p railtop' >"$top/out" 2>"$top/err" && grep -q -- '-F _railtop railtop' "$top/out"
report $? "bash loads it"
in_bash "railtop tr" && grep -Fxq trace "$top/out"
report $? "bash: a command"
in_bash "railtop trace --at leaf-r1-00:Ethernet1" && grep -Fxq Ethernet12 "$top/out" && ! grep -q leaf "$top/out"
report $? "bash: a port, whose device bash has already"
in_bash "railtop open files/sh" && grep -Fxq files/shift.rts "$top/out"
report $? "bash: a file"
in_bash "railtop check " && [ "$(cat "$top/out")" = "" ]
report $? "bash: nothing where nothing may stand"

if command -v fish >/dev/null; then
	mkdir -p .config/fish/completions
	railtop completion fish >.config/fish/completions/railtop.fish
	in_fish() {
		fish -c 'complete -C "$argv[1]"' "$1" >"$top/out" 2>"$top/err"
	}
	in_fish "railtop tr" && grep -q '^trace	collect, then trace' "$top/out"
	report $? "fish: a command, with its help"
	in_fish "railtop trace --at leaf-r1-00:Ethernet1" && grep -Fxq leaf-r1-00:Ethernet12 "$top/out"
	report $? "fish: a port"
	in_fish "railtop open files/sh" && grep -q '^files/shift.rts' "$top/out"
	report $? "fish: a file"
else
	n=$((n + 1))
	echo "ok $n - fish # SKIP the package fish is not installed"
fi

if command -v zsh >/dev/null; then
	mkdir functions
	railtop completion zsh >functions/_railtop
	cat >.zshrc <<-'END'
		fpath=(~/functions $fpath)
		PS1='ready> '
		autoload -Uz compinit && compinit -u
		zstyle ':completion:*' list-prompt ''
		LISTMAX=0
	END
	# The line is typed into a zsh on a terminal of its own, and Tab is pressed. Then the shell itself
	# says what the line has become: it is made an argument of print.
	cat >type.zsh <<-'END'
		zmodload zsh/zpty
		zpty -b z env HOME=$HOME TERM=xterm EDITOR=emacs zsh -i
		zpty -r -m z seen '*ready> *' || exit 1
		zpty -w -n z "$1"$'\t\x01print -r -- "\x05" >~/became; print -r >~/done\n'
		for ((tries = 0; tries < 300; tries++)); do
			[[ -e ~/done ]] && break
			zpty -r -t z seen || sleep 0.1
		done
		zpty -d z
	END
	in_zsh() {
		rm -f became "done"
		timeout 60 zsh -f type.zsh "$1" >"$top/out" 2>"$top/err"
		cp became "$top/out" 2>"$top/err"
	}
	in_zsh "railtop trac" && grep -q '^railtop trace$' "$top/out"
	report $? "zsh: a command"
	in_zsh "railtop trace --at leaf-r1-00:Ethernet6" && grep -q '^railtop trace --at leaf-r1-00:Ethernet60$' "$top/out"
	report $? "zsh: a port"
	in_zsh "railtop open files/sh" && grep -q '^railtop open files/shift.rts' "$top/out"
	report $? "zsh: a file"
else
	n=$((n + 1))
	echo "ok $n - zsh # SKIP the package zsh is not installed"
fi

echo "1..$n"
exit $failed

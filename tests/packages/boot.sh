# SPDX-License-Identifier: Apache-2.0
# The services of a room under its own systemd, in a container without a network. Sourced by debian.sh.

# Runs in the container as the last unit of its boot: prints "UNIT STATE RESTARTS STATUS" a line.
write_proof() { # room
	cat >"$1/root/proof.sh" <<-'EOF'
		exec >/root/units.new 2>&1
		railtop-emulator --preset two-leaf-rail --dir /etc/railtop/e --for 600s >/root/ready &
		i=0
		until grep -q ready /root/ready || [ $i = 600 ]; do sleep 0.2; i=$((i + 1)); done
		printf 'notify: {to: [{kind: command, argv: [/bin/true]}]}\n' >>/etc/railtop/e/fabric.yaml
		chown -R railtop /etc/railtop/e
		printf 'RAILTOP_FABRIC=/etc/railtop/e/fabric.yaml\nRAILTOP_EXPORT_OPTS="--listen 127.0.0.1:9899 --log /var/log/railtop/export.log"\n' >/etc/default/railtop
		for unit in railtop-export railtop-record railtop-watch railtop-noc@console; do
			timeout 100 systemctl start $unit || { echo "$unit does not start"; systemctl status --no-pager $unit; continue; }
		done
		# Each says on its own what it sees: wait until all do.
		i=0
		until [ "$(systemctl show -P StatusText railtop-export railtop-record railtop-watch | grep -c "36 of 36 devices fresh")" -ge 3 ] || [ $i = 240 ]; do
			sleep 0.5
			i=$((i + 1))
		done
		for unit in railtop-export railtop-record railtop-watch railtop-noc@console; do
			printf '%s %s %s %s %s\n' $unit "$(systemctl is-active $unit)" "$(systemctl show -P NRestarts $unit)" \
				"$(systemctl show -P WatchdogUSec $unit)" "$(systemctl show -P StatusText $unit)"
		done
		grep sandbox /var/log/railtop/export.log
		journalctl --no-pager -u 'railtop-*' 2>&1 | tail -n 40
		ps -eo user:20,args | grep '[r]ailtop '
		mv /root/units.new /root/units
		systemctl stop railtop-export railtop-record railtop-watch
		systemctl --no-block halt
	EOF
	cat >"$1/etc/systemd/system/proof.service" <<-'EOF'
		[Unit]
		After=multi-user.target
		[Service]
		Type=oneshot
		TimeoutStartSec=300
		ExecStart=/bin/sh /root/proof.sh
		[Install]
		WantedBy=default.target
	EOF
	mkdir -p "$1/etc/systemd/system/default.target.wants"
	ln -sf ../proof.service "$1/etc/systemd/system/default.target.wants/proof.service"
	ln -sf /dev/null "$1/etc/systemd/system/console-getty.service"
}

start_units() { # uses $bare and $suite
	need systemd-container || { skip "$suite: the units start" "systemd-container cannot be installed here"; return; }
	installed_in "$bare" systemd dbus procps
	write_proof "$bare"
	rm -f "$bare/root/units"
	# The console of the container is the terminal of the wall.
	cat >"$top/boot.sh" <<-EOF
		UNIFIED_CGROUP_HIERARCHY=1 systemd-nspawn -q -D "$bare" --register=no --keep-unit --private-network \\
			--system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" \\
			--console=interactive --boot systemd.show_status=no 2>"$top/boot.err"
	EOF
	tmux -S "$top/boot" -f /dev/null new-session -d -x 120 -y 40 "sh $top/boot.sh"
	deadline=$(($(date +%s) + 400)) wall=1
	while [ "$(date +%s)" -lt "$deadline" ] && tmux -S "$top/boot" capture-pane -p >"$top/wall.new" 2>/dev/null; do
		# The last screen that shows the fabric.
		grep -q two-leaf-rail "$top/wall.new" && mv "$top/wall.new" "$top/wall" && wall=0
		sleep 0.5
	done
	tmux -S "$top/boot" kill-server 2>/dev/null
	if [ ! -e "$bare/root/units" ] && ! grep -q . "$bare/root/units.new" 2>/dev/null; then
		skip "$suite: the units start" "no container with a systemd runs here: $(head -n 1 "$top/boot.err" | cut -c 1-120)"
		return
	fi
	cat "$bare"/root/units* >"$out"
	for unit in railtop-export railtop-record railtop-watch railtop-noc@console; do
		grep -qE "^$unit active 0 1min " "$out"
		report $? "$suite: $unit starts, is supervised by its watchdog, and stays"
	done
	[ "$(grep -cE '^railtop-(export|record|watch) .*36 of 36 devices fresh' "$out")" = 3 ]
	report $? "$suite: systemctl status says what a service sees"
	grep -q 'writes: its own places' "$out"
	report $? "$suite: a service limits itself as well, and writes its log"
	[ "$(grep -c '^railtop  *.*/usr/bin/railtop ' "$out")" -ge 4 ]
	report $? "$suite: each as the account railtop"
	[ $wall = 0 ]
	report $? "$suite: the wall is on its terminal"
}

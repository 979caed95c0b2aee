# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that are scripts: what tests/support/slot.h is to programs.
slot=${TEST_SLOT:-$((100 + $$ % 100))}
slot_net=127.$((50 + slot)) # its own addresses: $slot_net.0.1 and up
slot_port=$((2000 + slot * 150)) # the first of its 150 TCP ports

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_SIM_FAULT_EFFECTS_H
#define EMULATOR_SIM_FAULT_EFFECTS_H

#include "emulator/sim/faults/faults.h"

/*
 * One function per fault class: applies its effect (on) or takes it back (off). faults.def names
 * them.
 */

/* link.c */
void apply_link(struct sim *s, struct fault *f, bool on);
void apply_half(struct sim *s, struct fault *f, bool on);
void apply_corrupt(struct sim *s, struct fault *f, bool on);
void apply_optic(struct sim *s, struct fault *f, bool on);
void apply_miswire(struct sim *s, struct fault *f, bool on);
void apply_one_way(struct sim *s, struct fault *f, bool on);
void apply_lacp(struct sim *s, struct fault *f, bool on);
void apply_bgp(struct sim *s, struct fault *f, bool on);

/* traffic.c */
void apply_incast(struct sim *s, struct fault *f, bool on);
void apply_mixed(struct sim *s, struct fault *f, bool on);
void apply_heavy(struct sim *s, struct fault *f, bool on);
void apply_deaf(struct sim *s, struct fault *f, bool on);
void apply_polarised(struct sim *s, struct fault *f, bool on);
void apply_low_entropy(struct sim *s, struct fault *f, bool on);
void apply_wrong_dscp(struct sim *s, struct fault *f, bool on);
/*
 * Adds an incast to sink: fanin= senders besides the ports of the fault itself. fanin=0 adds
 * none.
 */
void fault_press(struct sim *s, struct fault *f, struct sim_port *sink, bool on);

/* pause.c */
void apply_slow_receiver(struct sim *s, struct fault *f, bool on);
void apply_pcie(struct sim *s, struct fault *f, bool on);
void apply_storm(struct sim *s, struct fault *f, bool on);
void apply_no_watchdog(struct sim *s, struct fault *f, bool on);
void apply_misfire(struct sim *s, struct fault *f, bool on);
void apply_stuck(struct sim *s, struct fault *f, bool on);
void apply_deadlock(struct sim *s, struct fault *f, bool on);
void apply_ecn_off(struct sim *s, struct fault *f, bool on);
void apply_cc_off(struct sim *s, struct fault *f, bool on);
void apply_cnp_off(struct sim *s, struct fault *f, bool on);
void apply_starved(struct sim *s, struct fault *f, bool on);
void apply_pfc_off(struct sim *s, struct fault *f, bool on);

/* device.c */
void apply_straggler(struct sim *s, struct fault *f, bool on);
void apply_frozen(struct sim *s, struct fault *f, bool on);
void apply_dead(struct sim *s, struct fault *f, bool on);
void apply_gpu_error(struct sim *s, struct fault *f, bool on);
void apply_clear(struct sim *s, struct fault *f, bool on);
void apply_reboot(struct sim *s, struct fault *f, bool on);
void apply_hang(struct sim *s, struct fault *f, bool on);
void apply_unreachable(struct sim *s, struct fault *f, bool on);
void apply_refuse(struct sim *s, struct fault *f, bool on);
void apply_wrong_key(struct sim *s, struct fault *f, bool on);
void apply_wrong_cert(struct sim *s, struct fault *f, bool on);
void apply_password_expired(struct sim *s, struct fault *f, bool on);
void apply_flood(struct sim *s, struct fault *f, bool on);
void apply_nvlink_down(struct sim *s, struct fault *f, bool on);
void apply_nvlink_errors(struct sim *s, struct fault *f, bool on);
void apply_garbage(struct sim *s, struct fault *f, bool on);
void apply_slow(struct sim *s, struct fault *f, bool on);
void apply_skew(struct sim *s, struct fault *f, bool on);
void apply_commands_fail(struct sim *s, struct fault *f, bool on);

/* write.c: sim_write() finds the effect on a request by these functions. */
void apply_write_cut(struct sim *s, struct fault *f, bool on);
void apply_write_hang(struct sim *s, struct fault *f, bool on);
void apply_write_noop(struct sim *s, struct fault *f, bool on);
void apply_write_denied(struct sim *s, struct fault *f, bool on);
void apply_session_expired(struct sim *s, struct fault *f, bool on);

#endif

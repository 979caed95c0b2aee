/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/faults/fault_effects.h"

/* Faults of devices as a console polls them, and of the processes on hosts. */

void apply_straggler(struct sim *s, struct fault *f, bool on)
{
	sim_device_knobs(s, f->device)->late += on ? 1U : -1U;
	f->part.late_us = on ? f->k.delay : 0;
	fault_settle(s, f);
}

void apply_frozen(struct sim *s, struct fault *f, bool on)
{
	sim_device_knobs(s, f->device)->frozen += on ? 1U : -1U;
}

void apply_dead(struct sim *s, struct fault *f, bool on)
{
	sim_device_knobs(s, f->device)->dead += on ? 1U : -1U;
}

void apply_gpu_error(struct sim *s, struct fault *f, bool on)
{
	/* Xid 79 in NVIDIA's list: the GPU does not answer on PCIe any more. */
	if (on)
		sim_log_add(s, f->device, NULL, SIM_LOG_XID, 0, "79, GPU has fallen off the bus.");
	apply_dead(s, f, on);
}

/* NVLink is not modelled: collectives within a host have no time of their own. */
void apply_nvlink_down(struct sim *s, struct fault *f, bool on)
{
	f->part.nvlinks_down = on ? (unsigned)f->k.count : 0;
	if (on)
		sim_log_add(s, f->device, NULL, SIM_LOG_XID, 0,
			"149, NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x00000000)");
	fault_settle(s, f);
}

void apply_nvlink_errors(struct sim *s, struct fault *f, bool on)
{
	f->part.nvlink_errors_us = on ? s->now + 1 : 0; /* 0 is none, and a run may begin at 0 */
	fault_settle(s, f);
}

static void zero_device(struct sim *s, struct sim_device *d)
{
	for (unsigned i = 0; i < d->nports; i++) {
		sim_zero(s, &d->ports[i]);
		d->ports[i].carrier_up = d->ports[i].carrier_down = 0;
	}
}

void apply_clear(struct sim *s, struct fault *f, bool on)
{
	if (on)
		zero_device(s, f->device);
}

void apply_reboot(struct sim *s, struct fault *f, bool on)
{
	struct sim_device *d = f->device;

	d->unreachable += on ? 1U : -1U;
	for (unsigned i = 0; i < d->nports; i++)
		fault_count(s, &d->ports[i], offsetof(struct knobs, down), on);
	if (on)
		return;
	zero_device(s, d);
	sim_boot(s, d, s->now, (unsigned)(s->generation & 0xffff) + 1);
	sim_log_add(s, d, NULL, SIM_LOG_BOOT, 0, NULL);
}

void apply_hang(struct sim *s, struct fault *f, bool on)
{
	f->part.hung = on;
	fault_settle(s, f);
}

void apply_unreachable(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->unreachable += on ? 1U : -1U;
}

void apply_refuse(struct sim *s, struct fault *f, bool on)
{
	f->part.refuses_key = on;
	fault_settle(s, f);
}

void apply_wrong_key(struct sim *s, struct fault *f, bool on)
{
	f->part.wrong_key = on;
	fault_settle(s, f);
}

void apply_wrong_cert(struct sim *s, struct fault *f, bool on)
{
	f->part.wrong_cert = on;
	fault_settle(s, f);
}

void apply_password_expired(struct sim *s, struct fault *f, bool on)
{
	f->part.password_expired = on;
	fault_settle(s, f);
}

void apply_flood(struct sim *s, struct fault *f, bool on)
{
	f->part.flood_bytes = on ? f->k.size : 0;
	fault_settle(s, f);
}

void apply_garbage(struct sim *s, struct fault *f, bool on)
{
	f->part.garbage = on;
	fault_settle(s, f);
}

void apply_slow(struct sim *s, struct fault *f, bool on)
{
	f->part.answer_delay_us = on ? f->k.delay : 0;
	fault_settle(s, f);
}

void apply_skew(struct sim *s, struct fault *f, bool on)
{
	(void)s;
	f->device->clock_skew_us += on ? f->k.by : -f->k.by;
}

void apply_commands_fail(struct sim *s, struct fault *f, bool on)
{
	f->part.commands_fail = on;
	fault_settle(s, f);
}

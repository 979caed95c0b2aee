/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/capture_targets.h"

#include "base/mem.h"

struct capture_targets {
	uint32_t kept[RAW_WANTED_MAX]; /* device ids */
	bool needed[RAW_WANTED_MAX];
	size_t n;
	uint64_t generation; /* of the diagnosis at the last update */
	bool looked;
};

struct capture_targets *capture_targets_new(void)
{
	return mem_calloc(1, sizeof(struct capture_targets));
}

void capture_targets_free(struct capture_targets *w)
{
	free(w);
}

static uint32_t device_of(const struct model *m, struct ref r)
{
	const struct device *d = ref_device(m, r);

	return d ? d->id : UINT32_MAX;
}

/* Slot of the device, else one that is no longer needed, else a new one. RAW_WANTED_MAX: full. */
static size_t place_for(const struct capture_targets *w, uint32_t device, bool *is_there)
{
	size_t spare = w->n;

	*is_there = false;
	for (size_t i = 0; i < w->n; i++) {
		if (w->kept[i] == device) {
			*is_there = true;
			return i;
		}
		if (!w->needed[i] && spare == w->n)
			spare = i;
	}
	return spare;
}

static bool is_kept(const struct capture_targets *w, uint32_t device)
{
	bool is_there;

	(void)place_for(w, device, &is_there);
	return is_there;
}

static void keep_device(struct capture_targets *w, const struct model *m, uint32_t device,
	void (*keep)(void *ctx, const char *device, bool on), void *ctx)
{
	bool is_there;
	size_t at;

	if (device >= m->devices.n)
		return;
	at = place_for(w, device, &is_there);
	if (at == RAW_WANTED_MAX)
		return;
	w->needed[at] = true;
	if (is_there)
		return;
	if (at < w->n)
		keep(ctx, m->devices.at[w->kept[at]]->name, false);
	else
		w->n++;
	w->kept[at] = device;
	keep(ctx, m->devices.at[device]->name, true);
}

void capture_targets_update(struct capture_targets *w, const struct diag *d, const struct model *m,
	void (*keep)(void *ctx, const char *device, bool on), void *ctx)
{
	size_t n;
	const struct finding *const *f = diag_findings(d, &n);
	uint32_t devices[2 * RAW_WANTED_MAX];
	size_t wanted = 0;

	if (w->looked && w->generation == diag_generation(d))
		return;
	w->looked = true;
	w->generation = diag_generation(d);
	for (size_t i = 0; i < n && wanted + 2 <= sizeof(devices) / sizeof(devices[0]); i++) {
		devices[wanted++] = device_of(m, f[i]->at);
		devices[wanted++] = device_of(m, f[i]->peer);
	}
	/* First mark the devices to keep, so that none is replaced by a new one. */
	for (size_t i = 0; i < w->n; i++)
		w->needed[i] = false;
	for (size_t i = 0; i < wanted; i++)
		if (devices[i] != UINT32_MAX && is_kept(w, devices[i]))
			keep_device(w, m, devices[i], keep, ctx);
	for (size_t i = 0; i < wanted; i++)
		keep_device(w, m, devices[i], keep, ctx);
}

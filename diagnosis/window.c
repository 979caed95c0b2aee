/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/window.h"

#include <math.h>

#include "base/mem.h"

struct windows {
	VEC(uint32_t) samples; /* of each device */
};

struct windows *windows_new(void)
{
	return mem_calloc(1, sizeof(struct windows));
}

void windows_free(struct windows *w)
{
	if (w)
		vec_free(&w->samples);
	free(w);
}

unsigned windows_note(struct windows *w, const struct model *m, uint32_t device, int64_t now_us)
{
	(void)m, (void)now_us;
	while (w->samples.n <= device)
		vec_push(&w->samples, 0);
	w->samples.at[device]++;
	return 0;
}

const struct sample *window_last(const struct windows *w, uint32_t port)
{
	(void)w, (void)port;
	return NULL;
}

const struct sample *window_ago(const struct windows *w, uint32_t port, unsigned k)
{
	(void)w, (void)port, (void)k;
	return NULL;
}

uint32_t window_device_samples(const struct windows *w, uint32_t device)
{
	return device < w->samples.n ? w->samples.at[device] : 0;
}

struct window_load window_load(const struct windows *w, uint32_t port)
{
	(void)w, (void)port;
	return (struct window_load){(double)NAN, (double)NAN, 0};
}

void windows_at(struct windows *w, const struct model *m, int64_t now_us)
{
	(void)w, (void)m, (void)now_us;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/optics.h"
#include "backends/contract/needs.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#include <math.h>
#include <string.h>

const enum need_id optics_needs[] = {
	NEED_OPTICS_RX,
	NEED_OPTICS_TX,
	NEED_OPTICS_BIAS,
	NEED_OPTICS_TEMPERATURE,
};
const size_t optics_needs_count = sizeof(optics_needs) / sizeof(optics_needs[0]);

static bool is_dark(enum number has, double dbm)
{
	return has == NUMBER_NONE || has == NUMBER_MINUS_INF || dbm <= DARK_DBM;
}

/*
 * A receiver on a connected lane still measures some noise. So exactly -inf everywhere identifies
 * an unused lane; a lit lane that lost its peer shows other values.
 */
static bool is_unused(const struct optics_lane *l)
{
	return l->has_rx != NUMBER_OK && is_dark(l->has_tx, l->tx_dbm) &&
	       (l->has_bias != NUMBER_OK || l->bias_ma == 0);
}

static void emit_power(struct obs *o, uint32_t port, enum counter_id id, unsigned lane,
	enum number has, double dbm)
{
	if (has == NUMBER_MINUS_INF || (has == NUMBER_OK && dbm < DARK_DBM))
		obs_gauge(o, port, id, lane, DARK_DBM);
	else if (has == NUMBER_OK)
		obs_gauge(o, port, id, lane, dbm);
}

static void emit_lane(const struct optics_lane *l, struct obs *o, uint32_t port, unsigned lane)
{
	emit_power(o, port, CTR_RX_POWER_DBM, lane, l->has_rx, l->rx_dbm);
	emit_power(o, port, CTR_TX_POWER_DBM, lane, l->has_tx, l->tx_dbm);
	if (l->has_bias == NUMBER_OK)
		obs_gauge(o, port, CTR_TX_BIAS_MA, lane, l->bias_ma);
}

static void emit_lanes(const struct optics *x, struct obs *o, uint32_t port)
{
	unsigned used = 0;
	bool rx = false, tx = false, bias = false;

	for (unsigned i = 0; i < LANES; i++) {
		const struct optics_lane *l = &x->lane[i];

		used |= (unsigned)!is_unused(l) << i;
		rx |= l->has_rx != NUMBER_NONE;
		tx |= l->has_tx != NUMBER_NONE;
		bias |= l->has_bias != NUMBER_NONE;
	}
	for (unsigned i = 0; i < LANES; i++)
		if (!used || used >> i & 1)
			emit_lane(&x->lane[i], o, port, i);
	if (!rx)
		obs_invalid(o, port, CTR_RX_POWER_DBM, 0, VALID_UNSUPPORTED, "");
	if (!tx)
		obs_invalid(o, port, CTR_TX_POWER_DBM, 0, VALID_UNSUPPORTED, "");
	if (!bias)
		obs_invalid(o, port, CTR_TX_BIAS_MA, 0, VALID_UNSUPPORTED, "");
}

void optics_emit(const struct optics *x, struct obs *o, uint32_t port)
{
	static const struct optics nothing;

	/* A running module has a supply voltage: copper cables print 0 V for "not measured". */
	if (x->has_voltage && x->voltage == 0)
		x = &nothing;
	if (x->has_temperature)
		obs_gauge(o, port, CTR_TEMPERATURE_C, 0, x->temperature);
	else
		obs_invalid(o, port, CTR_TEMPERATURE_C, 0, VALID_UNSUPPORTED, "");
	if (x->has_voltage)
		obs_gauge(o, port, CTR_VOLTAGE_V, 0, x->voltage);
	else
		obs_invalid(o, port, CTR_VOLTAGE_V, 0, VALID_UNSUPPORTED, "");
	emit_lanes(x, o, port);
}

void optics_media(struct obs *o, uint32_t port, const char *kind, const char *part)
{
	char text[200];

	kind += strspn(kind, " ");
	part += strspn(part, " ");
	str_printf(text, sizeof(text), "%.100s%s%.60s", kind, *kind && *part ? " " : "", part);
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	if (*text)
		obs_word(o, port, ATTR_MEDIA, 0, text);
}

/* ---- limits ---- */

static bool is_within(const double limit[LIMIT_COUNT], double v)
{
	/* A comparison with NAN is false. */
	return !(v < limit[LIMIT_LOW_ALARM]) && !(v > limit[LIMIT_HIGH_ALARM]);
}

bool optics_limits(
	struct obs *o, uint32_t port, enum obs_attr attr, const double limit[LIMIT_COUNT])
{
	double low = limit[LIMIT_LOW_WARN], high = limit[LIMIT_HIGH_WARN];
	bool any = false;

	if (limit[LIMIT_LOW_ALARM] >= limit[LIMIT_HIGH_ALARM])
		return false;
	for (unsigned i = 0; i < LIMIT_COUNT; i++) {
		bool warns = i == LIMIT_LOW_WARN || i == LIMIT_HIGH_WARN;

		if (!isfinite(limit[i]) || (warns && (!is_within(limit, limit[i]) || low >= high)))
			continue;
		obs_number(o, port, attr, i, limit[i]);
		any = true;
	}
	return any;
}

/* ---- the application ---- */

/* A word such as 400GBASE-DR4, 400G-FR4, 100G-FR1, 800GBASE-DR8-2, 100G CWDM4, 400G-BR4. */
static size_t application_length(const char *s)
{
	size_t digits = strspn(s, "0123456789"), n = digits;

	if (!digits || (s[n] != 'G' && s[n] != 'T'))
		return 0;
	n++;
	if (str_starts(s + n, "BASE"))
		n += 4;
	/* "100G CWDM4" of a compliance code, and "400GAUI-8", which is the electrical side. */
	if (s[n] == ' ' && (str_starts(s + n, " CWDM4") || str_starts(s + n, " PSM4")))
		return n + strcspn(s + n + 1, " ,'") + 1;
	if (s[n] != '-')
		return 0;
	return n +
	       strspn(s + n, "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

static bool is_electrical(const char *word, size_t n)
{
	return memmem(word, n, "AUI", 3) || memmem(word, n, "C2M", 3) || memmem(word, n, "-KR", 3);
}

/* "'host_lane_assignment_options': 17": the application starts at so many lanes. */
static unsigned instances_of(const char *text)
{
	const char *at = strstr(text, "'host_lane_assignment_options': ");
	double v = 0;
	unsigned n = 0;

	if (!at)
		return 1;
	at += strlen("'host_lane_assignment_options': ");
	if (parse_real(at, strspn(at, "0123456789"), &v) != NUMBER_OK || v < 1 || v > 255)
		return 1;
	for (unsigned bits = (unsigned)v; bits; bits >>= 1)
		n += bits & 1;
	return n;
}

bool optics_application(const char *text, char *dst, size_t size)
{
	const char *media = strstr(text, "media_interface_id': '"), *best = NULL;
	unsigned times = media ? instances_of(text) : 1;
	size_t n, best_n = 0;

	dst[0] = '\0';
	for (const char *at = media ? media : text; *at && size > 4; at++) {
		if (at > text && strchr("0123456789", at[-1]))
			continue;
		n = application_length(at);
		/* "400G-FR4/400GBASE-FR4": the first one. */
		if (!n || is_electrical(at, n))
			continue;
		best = at;
		best_n = n < size - 4 ? n : size - 4;
		break;
	}
	/* "400ZR, DWDM, amplified", "ZR400-OFEC-16QAM": coherent, with limits of its own. */
	if (!best && strstr(media ? media : text, "ZR"))
		return str_copy(dst, size, "ZR");
	if (!best)
		return false;
	(void)str_copyn(dst, size, best, best_n);
	for (char *c = dst; *c; c++)
		if (*c == ' ')
			*c = '-';
	if (times > 1) {
		memmove(dst + 2, dst, strlen(dst) + 1);
		dst[0] = (char)('0' + times % 10);
		dst[1] = 'x';
	}
	return true;
}

void optics_report_vdm(struct obs *o, const char *why)
{
	static const enum counter_id ids[] = {CTR_LASER_TEMPERATURE_C, CTR_ESNR_MEDIA_DB,
		CTR_PRE_FEC_BER_MEDIA, CTR_PRE_FEC_BER_HOST};
	bool any = false;

	for (size_t i = 0; i < o->items.n && !any; i++)
		for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++)
			any |= o->items.at[i].kind == OBS_GAUGE &&
			       cell_info[o->items.at[i].cell].id == ids[k];
	need_say(o, NEED_OPTICS_VDM, any ? VALID_OK : VALID_UNSUPPORTED, any ? "" : why);
}

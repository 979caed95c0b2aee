/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_MODEL_INTERNAL_H
#define FABRIC_MODEL_MODEL_INTERNAL_H

#include "base/state.h"
#include "fabric/model/model.h"
#include "fabric/model/rate.h"

/* What the model_*.c files share and nobody else may use. */

#define DEVICE_CAPS_MAX     128
#define DEVICE_SESSIONS_MAX 4096 /* of BGP */

/* What one batch says about one of its ports, beside what is stored in struct port. */
struct batch_port {
	struct port *port; /* NULL: refused */
	int64_t sample_us; /* the device's sample time of this port's counters, 0: none */
	enum oper was;     /* state before the batch */
	bool oper_given, change_given;
	bool noted;            /* changes.c: what it was set to */
	int64_t change_was;    /* last_change_us before the batch, where that gives one */
	unsigned carried;      /* bit g: the batch has something of group g */
	unsigned changed;      /* bit g: a counter of group g moved */
	unsigned reset;        /* bit g: one went backwards */
	unsigned read_again;   /* bit g: its sample time says that the group was read again */
	uint64_t downs, moves; /* growth of link_down_events, carrier_changes */
	bool lldp_same;        /* the known neighbour was reported again */
	size_t lldp_item;      /* 1 + index of the first that was not, 0: none */
	size_t lldp_none;      /* 1 + index of the item that says that there is nobody, 0: none */
};

/* What a port's settings were before the batch told of them. */
struct settings_before {
	uint32_t port;
	uint16_t pfc, ecn;
	bool has_qos;
	uint8_t admin, wd_known, wd_on;
	struct watchdog wd[PRIORITIES];
	struct qos_prio prio[PRIORITIES]; /* of the thresholds; with has_qos */
};

/* One batch on its way into the model. */
struct batch {
	struct model *m;
	struct device *d;
	const struct obs *o;
	int64_t now;      /* wall */
	int64_t received; /* wall */
	int64_t sample;   /* device clock when device_time, else received */
	bool device_time;
	unsigned kinds;            /* bit k: there are items of enum obs_kind k */
	bool changed;              /* something that can be seen is different now */
	bool rebooted;             /* this batch told of it */
	unsigned group_changed;    /* bit g: a counter of group g moved on some port */
	unsigned group_carried;    /* bit g: there was one to compare */
	unsigned group_passed;     /* bit g: none moved, though the device did refresh the group */
	struct refresh_look *look; /* of this request; NULL: it has none */
	uint8_t look_no;           /* 1 + its index, 0 */
	bool rest;                 /* what it does not name stands still, see struct obs */
	double grown[GROUP_COUNT], expected[GROUP_COUNT]; /* sums: differences, rates so far */
	int64_t moved_before[GROUP_COUNT]; /* sample time that saw the group move before this one */
	int64_t elapsed[GROUP_COUNT];      /* between these two refreshes, 0: as the clocks say */
	struct batch_port *ports;
	unsigned resets, wraps;
	struct port *reset_port, *wrap_port;
	enum counter_id reset_counter, wrap_counter;
	unsigned events; /* taken over from the device */
	VEC(struct settings_before) settings;
};

/* What of a census follows from the wiring; of: that generation and 1, 0: never. */
struct census_kept {
	uint64_t of;
	size_t ports;
	struct census links;
};

/* model.c */
struct device *model_add_device(struct model *m, const char *name, enum tier tier);
/* NULL when the device has DEVICE_PORTS_MAX ports already. */
struct port *model_add_port(struct model *m, struct device *d, const char *name);
/* Its ports, and that they are to be connected: of what is planned. */
void model_plan_link(struct model *m, const struct plan_link *l);
/* A port of which nothing is known. */
void port_init(struct model *m, struct port *p);
/* The word at p->more becomes that text. */
void port_word_set(struct model *m, struct port *p, const char *const *at, const char *text);
/* Something was told of its watchdogs. */
bool port_has_watchdogs(const struct port *p);
/* p turned out to be the planned port q under another name: it inherits q's plan, q is hidden. */
void model_merge_port(struct model *m, struct port *p, struct port *q);

/* unnamed.c */
void unnamed_add(struct model *m, const struct plan_link *l);
void unnamed_free(struct model *m);
/* Ports of the device were added: what is planned for it may have names now. */
void unnamed_told(struct model *m, const struct device *d);

/* age.c */
/* It has told nothing, or nothing for so long that its data is not of now. */
bool device_is_mute(const struct device *d, int64_t now_us);

/* apply.c */
bool batch_set_text(struct batch *b, char *dst, size_t size, const char *text);
/* The same of a text of a port; size: PORT_TEXT_*. */
bool batch_port_text(struct batch *b, const char **at, size_t size, const char *text);
/* And of a word of what more there is: at p->more. */
bool batch_port_word(
	struct batch *b, struct port *p, const char *const *at, size_t size, const char *text);
uint32_t text_hash(const char *s); /* never 0 */
/* One event for each different complaint of a device. */
void batch_complain(struct batch *b, const char *text);
/* The answer to a followed log says nothing about how current the rest is. */
bool batch_is_log(const struct batch *b);

/* source.c */
/* A metrics engine tells about the device, not the device itself. */
bool batch_is_engine(const struct batch *b);
/* Before its counters are applied: whether they are of another source than those before. */
void batch_source(struct batch *b);
/* The device itself failed, but an engine tells about it: true, and noted. */
bool batch_not_asked(struct batch *b, const struct err *e);
/* The value of the cell is what the other source said: this one has not told yet. */
bool cell_is_others(const struct batch *b, const struct port *p, const struct cell *c);
/* A value that is behind what the other source said last is late, not cleared. */
bool batch_behind(
	const struct batch *b, const struct port *p, const struct cell *c, enum step step);
/* Likewise of an uptime, seconds: the device has not been started anew. */
bool batch_uptime_behind(const struct batch *b, double uptime);
/* Samples of the engine's past: not data of now. */
bool batch_is_history(const struct obs *o);

/* fill.c */
void history_stage(struct model *m, const struct obs *o);

/* attrs.c */
void batch_port_attr(struct batch *b, struct batch_port *bp, const struct obs_item *it);
void batch_device_attrs(struct batch *b);
void batch_clock(struct batch *b);
void batch_capability(struct batch *b, const char *need, enum validity v, const char *cure);

/* counters.c */
void batch_counters(struct batch *b);
/* Every count of the device starts anew, except those that did since wall time `since`. */
void device_rebase(struct model *m, struct device *d, int64_t since);

/* ticks.c */
/* How long lies between the refreshes of each group, after it is known which of them moved. */
void batch_ticks(struct batch *b);
/* Which groups were refreshed without a movement here, and the count of refreshes after that. */
void batch_looks(struct batch *b);
void batch_looked(struct batch *b, unsigned refreshed);

/* flaps.c */
void batch_link_events(struct batch *b, struct batch_port *bp);
void batch_device_event(struct batch *b, const struct obs_item *it);

/* record.c */
struct history_store *history_store_new(void);
void history_store_free(struct history_store *h);
void history_free(struct port *p);
/* What a counter did since it was read before: its rate (NAN: not known), and of what that is. */
struct sample {
	float rate;
	uint64_t growth;
	int64_t took_us; /* > 0 where there is a rate */
};
/* Of a charted cell; keeps nothing for cells that never moved. */
void history_push(struct batch *b, const struct batch_port *bp, struct cell *c, uint16_t cell,
	const struct sample *v);
/* After all of a batch. */
void history_close(struct batch *b);
/* Saved and loaded: what belongs to no port. */
void history_store_state(struct state *s, struct model *m);

/* qos.c */
/* Settings of a port: QoS, optics limits, PCIe, congestion control. False: it is none of these. */
bool batch_port_setting(struct batch *b, struct port *p, const struct obs_item *it);
void maps_free(struct model *m);
/* Saved and loaded (see fabric/state/state.h): all maps, then what each port has. */
void maps_state(struct state *s, struct model *m);
void qos_state(struct state *s, const struct model *m, struct port *p);
void limits_state(struct state *s, struct port *p);

/* changes.c */
/* Before each attribute of a port: keeps what its settings were, when it is one of those. */
void batch_settings_note(struct batch *b, struct batch_port *bp, enum obs_attr attr);
/* After all of them: one event for each setting that is another than was known. */
void batch_settings_events(struct batch *b);

/* bgp.c */
void batch_bgp(struct batch *b);
/* The device restarted: what sessions counted before says nothing about what they count now. */
void bgp_rebase(struct device *d);
/* In their order again, after they were renamed. */
void bgp_sort(struct device *d);

/* log.c */
bool is_log_item(const struct obs_item *it);
/* The log lines among the batch's items become events, each only once. */
void batch_log(struct batch *b);
void log_state(struct state *s, struct device *d);

/* marks.c */
/* The counter in that slot of the port grew. */
void marks_grow(const struct model *m, struct port *p, uint8_t slot, uint64_t delta);
/* The port's cells are about to be where another layout says, which has all of them. */
void marks_moved(struct port *p, const struct cell_layout *to);
void marks_free(struct port *p);
void since_state(struct state *s, struct port *p);

/* daily_counts.c: all at wall time now_us */
/* The kind is watched from now on, if it was not. */
void tally_watch(struct model *m, enum tally_kind kind, int64_t now_us);
/* n more, at the port if there is one. */
void tally_add(
	struct model *m, enum tally_kind kind, const struct port *p, uint64_t n, int64_t now_us);
/* Of model_add_event(): counts what no counter counts. */
void tally_event(struct model *m, enum event_kind kind, const struct device *d,
	const struct port *p, int64_t now_us);
/* A counter of the port grew by delta. */
void tally_growth(struct model *m, const struct port *p, enum counter_id id, unsigned sub,
	uint64_t delta, int64_t now_us);
/* Which kinds the batch tells of. */
void tally_batch(const struct batch *b);

/* links.c */
/* Follows the port's LLDP names to a port of the model, and lets a silent peer know. */
void lldp_resolve(struct model *m, struct port *p);
void lldp_apply(struct batch *b, struct batch_port *bp, const struct obs_item *it);
/* The lower tier first; by id within a tier. */
bool port_before(const struct model *m, const struct port *a, const struct port *b);

#endif

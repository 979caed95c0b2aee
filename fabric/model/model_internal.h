/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_MODEL_INTERNAL_H
#define FABRIC_MODEL_MODEL_INTERNAL_H

#include "base/state.h"
#include "fabric/model/model.h"
#include "fabric/model/rate.h"

/* Shared by the files of fabric/model and those that save it, not by others. */

#define DEVICE_CAPS_MAX     128
#define DEVICE_SESSIONS_MAX 4096 /* of BGP */

/* Data of the current batch about one of its ports, besides struct port. */
struct batch_port {
	struct port *port; /* NULL: refused */
	int64_t sample_us; /* the device's sample time of this port's counters, 0: not sent */
	enum oper was;     /* state before the batch */
	bool oper_given, change_given;
	bool noted;            /* changes.c has saved the settings of the port */
	int64_t change_was;    /* last_change_us before the batch, if the batch sets it */
	unsigned carried;      /* bit g: the batch has an item of group g */
	unsigned changed;      /* bit g: a counter of group g moved */
	unsigned reset;        /* bit g: a counter of group g went backwards */
	unsigned read_again;   /* bit g: the sample time shows that group g was read again */
	uint64_t downs, moves; /* growth of link_down_events, carrier_changes */
	size_t lldp_item;      /* 1 + index of the neighbour that counts, or of "none"; 0: none */
	uint8_t lldp_rank;     /* of that neighbour, see neighbour.c */
	size_t lldp_last;      /* 1 + index of the last neighbour so far, while words are read */
	bool heard;            /* the batch has stations of this port */
};

/* A port's settings before the batch. */
struct settings_before {
	uint32_t port;
	uint16_t pfc, ecn;
	bool has_qos;
	uint8_t admin, wd_known, wd_on;
	struct watchdog wd[PRIORITIES];
	struct qos_prio prio[PRIORITIES]; /* of the thresholds; with has_qos */
};

/* The batch that is being applied. */
struct batch {
	struct model *m;
	struct device *d;
	const struct obs *o;
	int64_t now;      /* wall */
	int64_t received; /* wall */
	int64_t sample;   /* device clock when device_time, else received */
	bool device_time;
	unsigned kinds;            /* bit k: there are items of enum obs_kind k */
	bool changed;              /* a visible change was made */
	bool rebooted;             /* this batch shows a restart */
	unsigned group_changed;    /* bit g: a counter of group g moved on some port */
	unsigned group_carried;    /* bit g: the batch has a comparable counter of group g */
	unsigned group_passed;     /* bit g: no counter moved, but the device refreshed the group */
	struct refresh_look *look; /* of this request; NULL: no slot */
	uint8_t look_no;           /* 1 + its index, 0 */
	bool rest;                 /* cells that are not named stand still, see struct obs */
	double grown[GROUP_COUNT], expected[GROUP_COUNT]; /* sums: differences, and rates so far */
	int64_t moved_before[GROUP_COUNT]; /* sample time that saw the group move before this one */
	int64_t elapsed[GROUP_COUNT];      /* time between these two refreshes, 0: use the clocks */
	struct batch_port *ports;
	unsigned resets, wraps;
	struct port *reset_port, *wrap_port;
	counter_id reset_counter, wrap_counter;
	unsigned events;      /* copied from the device */
	bool neighbour_words; /* there are words about neighbours */
	bool stations;        /* the batch has all stations that the device hears */
	VEC(struct settings_before) settings;
};

/* The part of a census that follows from the wiring. of: 1 + its wiring generation, 0: never. */
struct census_kept {
	uint64_t of;
	size_t ports;
	struct census links;
};

/* model.c */
struct device *model_add_device(struct model *m, const char *name, enum tier tier);
/* NULL when the device has DEVICE_PORTS_MAX ports already. */
struct port *model_add_port(struct model *m, struct device *d, const char *name);
/* Adds the ports of a planned link and connects them. */
void model_plan_link(struct model *m, const struct plan_link *l);
/* Initialises a port of which nothing is known. */
void port_init(struct model *m, struct port *p);
/* Sets the word at `at` in p->more. */
void port_word_set(struct model *m, struct port *p, const char *const *at, const char *text);
/* Whether its watchdogs were ever reported. */
bool port_has_watchdogs(const struct port *p);
/* p is the planned port q under another name: p inherits q's plan, q is hidden. */
void model_merge_port(struct model *m, struct port *p, struct port *q);

/* unnamed.c */
void unnamed_add(struct model *m, const struct plan_link *l);
void unnamed_free(struct model *m);
/* Ports of the device were added: planned links may now have names. */
void unnamed_told(struct model *m, const struct device *d);

/* age.c */
/* Whether the device has reported no data, or none recently. */
bool device_is_mute(const struct device *d, int64_t now_us);

/* apply.c */
bool batch_set_text(struct batch *b, char *dst, size_t size, const char *text);
/* The same for a text of a port; size: PORT_TEXT_*. */
bool batch_port_text(struct batch *b, const char **at, size_t size, const char *text);
/* The same for a word in p->more. */
bool batch_port_word(
	struct batch *b, struct port *p, const char *const *at, size_t size, const char *text);
uint32_t text_hash(const char *s); /* never 0 */
/* Adds one event for each different complaint of a device. */
void batch_complain(struct batch *b, const char *text);
/* Whether it comes from a followed log: that tells nothing about how current other data is. */
bool batch_is_log(const struct batch *b);

/* source.c */
/* Whether a metrics engine reports about the device, not the device itself. */
bool batch_is_engine(const struct batch *b);
/* Before its counters are applied: detects a change of source. */
void batch_source(struct batch *b);
/* True: the device itself failed, but an engine reports about it. Records the failure. */
bool batch_not_asked(struct batch *b, const struct err *e);
/* Whether the cell has the other source's value: this one has not reported it yet. */
bool cell_is_others(const struct batch *b, const struct port *p, const struct cell *c);
/* Whether a value is behind the other source's last one: it is late, not cleared. */
bool batch_behind(
	const struct batch *b, const struct port *p, const struct cell *c, enum step step);
/* The same for an uptime in seconds: the device has not restarted. */
bool batch_uptime_behind(const struct batch *b, double uptime);
/* Whether it holds past samples of the engine, not current data. */
bool batch_is_history(const struct obs *o);

/* fill.c */
void history_stage(struct model *m, const struct obs *o);

/* attrs.c */
void batch_port_attr(struct batch *b, struct batch_port *bp, const struct obs_item *it);
void batch_device_attrs(struct batch *b);
void batch_clock(struct batch *b);
void batch_capability(struct batch *b, const char *need, enum validity v, const char *cure);
/* Takes what a batch without a device says of sources of jobs. Returns true if that is new. */
bool model_sources_apply(struct model *m, const struct obs *o);

/* counters.c */
void batch_counters(struct batch *b);
/* Re-baselines every count of the device, except those re-baselined since wall time `since`. */
void device_rebase(struct model *m, struct device *d, int64_t since);

/* ticks.c */
/* Finds the time between the refreshes of each group; the groups that moved are known. */
void batch_ticks(struct batch *b);
/* Finds groups that were refreshed without a movement in this batch, then counts the refreshes. */
void batch_looks(struct batch *b);
void batch_looked(struct batch *b, unsigned refreshed);

/* flaps.c */
void batch_link_events(struct batch *b, struct batch_port *bp);
void batch_device_event(struct batch *b, const struct obs_item *it);

/* record.c */
struct history_store *history_store_new(void);
void history_store_free(struct history_store *h);
void history_free(struct port *p);
/* Change of a counter since its last reading: rate (NAN: unknown), and its growth and time. */
struct sample {
	float rate;
	uint64_t growth;
	int64_t took_us; /* > 0 where there is a rate */
};
/* For a charted cell. Cells that never moved get no history. */
void history_push(struct batch *b, const struct batch_port *bp, struct cell *c, uint16_t cell,
	const struct sample *v);
/* After all items of a batch. */
void history_close(struct batch *b);
/* Saves or loads the data that belongs to no port. */
void history_store_state(struct state *s, struct model *m);

/* qos.c */
/* Applies a setting of a port: QoS, optics limits, PCIe, congestion control. False: it is none. */
bool batch_port_setting(struct batch *b, struct port *p, const struct obs_item *it);
void maps_free(struct model *m);
/* Save and load (see fabric/state/state.h): all maps, then those of each port. */
void maps_state(struct state *s, struct model *m);
void qos_state(struct state *s, const struct model *m, struct port *p);
void limits_state(struct state *s, struct port *p);

/* changes.c */
/* Before each attribute of a port: keeps the old settings if it changes one. */
/* age.c: of a batch that nobody asked for. */
void device_learn_interval(struct device *d, int64_t now_us);
void batch_settings_note(struct batch *b, struct batch_port *bp, enum obs_attr attr);
/* After all attributes: adds one event for each changed setting. */
void batch_settings_events(struct batch *b);

/* bgp.c */
void batch_bgp(struct batch *b);
/* The device restarted: old session counts are not comparable with new ones. */
void bgp_rebase(struct device *d);
/* Sorts them again after a rename. */
void bgp_sort(struct device *d);

/* log.c */
bool is_log_item(const struct obs_item *it);
/* Turns the log lines of the batch into events, each only once. */
void batch_log(struct batch *b);
void log_state(struct state *s, struct device *d);

/* marks.c */
/* Records growth of the counter in that slot of the port. */
void marks_grow(const struct model *m, struct port *p, uint8_t slot, uint64_t delta);
/* Before the port's cells move to another layout, which has all of them. */
void marks_moved(struct port *p, const struct cell_layout *to);
void marks_free(struct port *p);
void since_state(struct state *s, struct port *p);

/* daily_counts.c: all at wall time now_us */
/* Starts watching the kind, if it was not watched. */
void tally_watch(struct model *m, enum tally_kind kind, int64_t now_us);
/* Counts n more, for the port if there is one. */
void daily_counts_add(
	struct model *m, enum tally_kind kind, const struct port *p, uint64_t n, int64_t now_us);
/* For model_add_event(): counts events that no counter counts. */
void tally_event(struct model *m, enum event_kind kind, const struct device *d,
	const struct port *p, int64_t now_us);
/* A counter of the port grew by delta. */
void tally_growth(struct model *m, const struct port *p, counter_id id, unsigned sub,
	uint64_t delta, int64_t now_us);
/* Starts watching the kinds that the batch reports. */
void tally_batch(const struct batch *b);

/* links.c */
/* Resolves the port's LLDP names to a port of the model, and updates a silent peer. */
void lldp_resolve(struct model *m, struct port *p);
void lldp_apply(struct batch *b, struct batch_port *bp, const struct obs_item *it);

/* macs.c */
/* The port's MAC was another one, or "". */
void macs_changed(struct model *m, const struct port *p, const char *was);
void macs_rebuild(struct model *m); /* after loading */
/* Finds the peers that only MACs tell. Notes and returns whether any changed. */
bool macs_pair(struct model *m);
/* The device with a port of that MAC, "b8:ce:f6:aa:00:01"; NULL. */
struct device *macs_find(const struct model *m, const char *mac);

/* neighbour.c */
/* Notes a neighbour of a port: of several, the planned or named one counts. */
void neighbour_note(struct batch *b, struct batch_port *bp, size_t item);
/* Applies the neighbours that count, and the words about them. */
void neighbours_apply(struct batch *b);
/* Sets the stations that a port has heard. */
void macs_apply(struct batch *b, struct batch_port *bp, const char *text);
/* Whether the attribute is about an LLDP neighbour. */
bool neighbour_attr(enum obs_attr attr);

/* gone.c */
/* Ports that the device no longer lists are gone; listed ones are back. */
void batch_port_list(struct batch *b);
/* Order: the lower tier first; by id within a tier. */
bool port_before(const struct model *m, const struct port *a, const struct port *b);

#endif

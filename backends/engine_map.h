/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_ENGINE_MAP_H
#define BACKENDS_ENGINE_MAP_H

/*
 * Which series of a metrics engine is which canonical counter: rules read from mapping files.
 */
struct engine_map;

#endif

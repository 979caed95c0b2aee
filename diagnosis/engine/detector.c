/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/detector.h"

#define DETECTOR(name) extern const struct detector detect_##name;
#include "diagnosis/engine/detectors.def"
#undef DETECTOR

const struct detector *const detector_table[] = {
#define DETECTOR(name) &detect_##name,
#include "diagnosis/engine/detectors.def"
#undef DETECTOR
};
const size_t detector_count = sizeof(detector_table) / sizeof(detector_table[0]);

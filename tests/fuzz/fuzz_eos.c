/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/decoder.h"

DECODER_TARGET(eos);

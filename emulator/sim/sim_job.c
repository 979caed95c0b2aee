/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/sim_internal.h"

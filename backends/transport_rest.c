/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport.h"

const struct transport transport_rest = {0};

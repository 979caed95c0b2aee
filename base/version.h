/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* Of railtop and railtop-emulator, which are built and released together. */
#define RAILTOP_VERSION "0.1.0"

#endif

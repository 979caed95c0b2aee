/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESS_LOCALE_TAKE_H
#define BASE_PROCESS_LOCALE_TAKE_H

/*
 * Takes the locale of the environment for all categories, but numbers keep their decimal point.
 * SSH brings the name of a locale that the machine at the other end lacks: if it is one of UTF-8,
 * characters are those of C.UTF-8, of the machine or of the archive (packaging/tarball). Before
 * threads start.
 */
void locale_take(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PROCESS_FAULT_WORDS_H
#define BASE_PROCESS_FAULT_WORDS_H

/*
 * A line on standard error when a fault ends the program: a shell prints none for a program of a
 * script. Libraries may fault too: libssh 0.10 follows NULL where it got no memory. Sanitizers'
 * own handlers stay. The console has handlers of its own (tui/term_crash.c), and calls
 * fault_words_forget() first.
 */
void fault_words_begin(void);
void fault_words_forget(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_STRING_POOL_H
#define FABRIC_VOCABULARY_STRING_POOL_H

/*
 * The texts of a model's ports, each once however many ports have it: of 600,000 ports most share
 * their names, their module types and their neighbours' descriptions. A text lives as long as some
 * port has it.
 */
struct texts;

struct texts *texts_new(void);
void texts_free(struct texts *t); /* the texts too */
/*
 * *at becomes that text. *at is a text of t or "", and is given back; the new text is the one
 * that all others have who asked for the same.
 */
void text_set(struct texts *t, const char **at, const char *text);

#endif

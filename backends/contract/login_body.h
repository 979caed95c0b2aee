/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_LOGIN_BODY_H
#define BACKENDS_CONTRACT_LOGIN_BODY_H

/*
 * BEFORE"user"BETWEEN"password"AFTER, user and password quoted as JSON strings: what login.body of
 * a dialect returns. Built by hand, because a JSON library keeps copies of the password that nobody
 * wipes. The caller wipes and frees it.
 */
char *login_body_json(const char *before, const char *user, const char *between,
	const char *password, const char *after);

#endif

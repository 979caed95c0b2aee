/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_LOGIN_BODY_H
#define BACKENDS_CONTRACT_LOGIN_BODY_H

/*
 * Returns BEFORE"user"BETWEEN"password"AFTER with user and password quoted as JSON strings: for
 * login.body of a dialect. It does not use a JSON library, because that keeps copies of the
 * password that are not wiped. The caller releases it
 * with secret_free().
 */
char *login_body_json(const char *before, const char *user, const char *between,
	const char *password, const char *after);

#endif

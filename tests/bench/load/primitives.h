/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_LOAD_PRIMITIVES_H
#define TESTS_BENCH_LOAD_PRIMITIVES_H

/*
 * The least cost of the client's public-key cryptography of one SSH connection, by the library that
 * libssh uses. That is an X25519 key pair and the secret, the signature of the host's Ed25519 key
 * verified, and one made with the user's key. ms of processor time of this thread; the least of
 * some rounds. NAN: the library does not do it.
 */
double primitives_ms(void);

#endif

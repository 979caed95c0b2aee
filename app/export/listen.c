/* SPDX-License-Identifier: Apache-2.0 */
#include "app/export/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secret.h"
#include "base/str.h"

#define FILE_MOST    ((size_t)64 << 10)
#define BACKLOG      SOMAXCONN /* many may wait while places are freed */
#define ADDRESS_MOST 128

/* Splits "[::1]:9899" into "::1" and "9899". An empty host means all addresses. */
static bool split_address(const char *address, char *host, char *port, struct err *err)
{
	const char *colon = strrchr(address, ':');
	size_t n = colon ? (size_t)(colon - address) : 0;
	uint64_t number;

	if (!colon || n >= ADDRESS_MOST || !str_to_u64(colon + 1, &number) || number > 65535) {
		err_set(err, ERR_USAGE, "", "--listen: \"%s\" is not ADDRESS:PORT", address);
		return err_cure(err, "for example " EXPORT_ADDRESS " or [::1]:9899");
	}
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	(void)str_copyn(host, ADDRESS_MOST, address, n);
	if (str_eq(host, "*"))
		host[0] = '\0';
	if (str_eq(host, "localhost"))
		(void)str_copy(host, ADDRESS_MOST, "127.0.0.1");
	(void)str_printf(port, 8, "%u", (unsigned)number);
	return true;
}

static struct addrinfo *resolve_address(
	const char *address, const char *host, const char *port, struct err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV},
			*found = NULL;
	int rc = getaddrinfo(*host ? host : "::", port, &hints, &found);

	if (rc == 0)
		return found;
	err_set(err, ERR_USAGE, "", "--listen: \"%s\": %s", address, gai_strerror(rc));
	(void)err_cure(err, "give a number, for example " EXPORT_ADDRESS " or [::1]:9899");
	return NULL;
}

static bool is_loopback(const struct sockaddr *a)
{
	struct sockaddr_in6 six;
	struct sockaddr_in four;

	if (a->sa_family == AF_INET) {
		memcpy(&four, a, sizeof(four));
		return (ntohl(four.sin_addr.s_addr) >> 24) == 127;
	}
	if (a->sa_family != AF_INET6)
		return false;
	memcpy(&six, a, sizeof(six));
	return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) && six.sin6_addr.s6_addr[12] == 127);
}

static int open_at(const struct addrinfo *a, bool every)
{
	int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* All addresses include those of IPv4. */
	if (every && a->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	on = errno;
	(void)close(fd);
	errno = on;
	return -1;
}

static void name_of(int fd, char *name, size_t size)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	char host[ADDRESS_MOST] = "?", port[8] = "?";

	if (getsockname(fd, (struct sockaddr *)&at, &len) == 0)
		(void)getnameinfo((struct sockaddr *)&at, len, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	(void)str_printf(name, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

int export_listen(const char *address, bool *loopback, char *name, size_t size, struct err *err)
{
	char host[ADDRESS_MOST] = "", port[8] = "";
	struct addrinfo *a;
	int fd;

	if (!split_address(address, host, port, err) ||
		!(a = resolve_address(address, host, port, err)))
		return -1;
	*loopback = is_loopback(a->ai_addr);
	fd = open_at(a, !*host);
	/* The machine has no IPv6. */
	if (fd < 0 && !*host && errno == EAFNOSUPPORT) {
		freeaddrinfo(a);
		if (!(a = resolve_address(address, "0.0.0.0", port, err)))
			return -1;
		fd = open_at(a, true);
	}
	if (fd < 0) {
		err_system(err, ERR_IO, address, "cannot listen there", errno);
		(void)err_cure(err, "choose another one with --listen ADDRESS:PORT");
	} else {
		name_of(fd, name, size);
	}
	freeaddrinfo(a);
	return fd;
}

/* Only regular files: reading a pipe could block. */
static bool may_be_read(int fd, const char *path, bool secret, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_system(err, ERR_IO, path, "", errno);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_CONFIG, path, "it is not a regular file");
	if (!secret || !(st.st_mode & S_IRWXO))
		return true;
	err_set(err, ERR_CONFIG, path, "it is a secret, and other users may read or change it");
	return err_cure(err, "chmod 600 %s", path);
}

char *export_file(const char *path, bool secret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text;
	size_t n = 0;
	ssize_t got = 0;

	if (fd < 0) {
		(void)err_system(err, ERR_IO, path,
			secret ? "the secret cannot be read" : "the certificate cannot be read",
			errno);
		return NULL;
	}
	if (!may_be_read(fd, path, secret, err)) {
		(void)close(fd);
		return NULL;
	}
	text = secret_new(FILE_MOST + 1);
	while (n < FILE_MOST && (got = read(fd, text + n, FILE_MOST - n)) > 0)
		n += (size_t)got;
	(void)close(fd);
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	if (got >= 0 && n && n < FILE_MOST && !memchr(text, '\0', n))
		return text;
	(void)err_set(err, ERR_CONFIG, path, "%s",
		got < 0 ? strerror(errno)
		: !n    ? "it is empty"
			: "it is not text of at most 64 KiB");
	export_forget(text);
	return NULL;
}

void export_forget(char *secret)
{
	secret_free(secret);
}

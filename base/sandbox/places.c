/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places that may be written: linux/Documentation/userspace-api/landlock.rst. Debian 12 has
 * neither functions for its calls nor the rights of newer kernels, so both are here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sandbox/newer_calls.h"
#include "base/sandbox/sandbox_private.h"
#include "base/str.h"

/* linux/include/uapi/linux/landlock.h. The second number is the version that brought the right. */
#define RIGHT(bit) ((uint64_t)1 << (bit))
enum {
	RIGHT_EXECUTE = 0,
	RIGHT_WRITE_FILE = 1,
	RIGHT_REMOVE_DIR = 4,
	RIGHT_REMOVE_FILE = 5,
	RIGHT_MAKE_CHAR = 6,
	RIGHT_MAKE_DIR = 7,
	RIGHT_MAKE_REG = 8,
	RIGHT_MAKE_SOCK = 9,
	RIGHT_MAKE_FIFO = 10,
	RIGHT_MAKE_BLOCK = 11,
	RIGHT_MAKE_SYM = 12,
	RIGHT_REFER = 13,     /* 2: rename to another directory */
	RIGHT_TRUNCATE = 14,  /* 3 */
	RIGHT_IOCTL_DEV = 15, /* 5 */
};
#define NET_BIND_TCP    RIGHT(0) /* 4 */
#define NET_CONNECT_TCP RIGHT(1)

#define RIGHTS_FIRST                                                                               \
	(RIGHT(RIGHT_EXECUTE) | RIGHT(RIGHT_WRITE_FILE) | RIGHT(RIGHT_REMOVE_DIR) |                \
		RIGHT(RIGHT_REMOVE_FILE) | RIGHT(RIGHT_MAKE_CHAR) | RIGHT(RIGHT_MAKE_DIR) |        \
		RIGHT(RIGHT_MAKE_REG) | RIGHT(RIGHT_MAKE_SOCK) | RIGHT(RIGHT_MAKE_FIFO) |          \
		RIGHT(RIGHT_MAKE_BLOCK) | RIGHT(RIGHT_MAKE_SYM))
#define RIGHTS_WRITE (RIGHT(RIGHT_WRITE_FILE) | RIGHT(RIGHT_TRUNCATE) | RIGHT(RIGHT_IOCTL_DEV))
#define RIGHTS_MAKE                                                                                \
	(RIGHTS_WRITE | RIGHT(RIGHT_REMOVE_DIR) | RIGHT(RIGHT_REMOVE_FILE) |                       \
		RIGHT(RIGHT_MAKE_DIR) | RIGHT(RIGHT_MAKE_REG))
/* Those that a rule about a file, and not a directory, may have. */
#define RIGHTS_FILE (RIGHT(RIGHT_EXECUTE) | RIGHTS_WRITE)

struct ruleset {
	uint64_t files, net; /* a kernel before 4 takes the first alone */
};

struct rule {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));

enum { CREATE_RULESET, ADD_RULE, RESTRICT_SELF };
#define VERSION_FLAG 1u
#define RULE_BELOW   1

static struct sandbox_status status;

struct sandbox_status *sandbox_own_status(void)
{
	return &status;
}

struct sandbox_status sandbox_status(void)
{
	return status;
}

unsigned sandbox_kernel_places(void)
{
	long version = syscall(CALL_LANDLOCK_FIRST + CREATE_RULESET, NULL, 0, VERSION_FLAG);

	return version > 0 ? (unsigned)version : 0;
}

/* The rights that this kernel can take away. */
static uint64_t known_rights(unsigned version)
{
	return RIGHTS_FIRST | (version >= 2 ? RIGHT(RIGHT_REFER) : 0) |
	       (version >= 3 ? RIGHT(RIGHT_TRUNCATE) : 0) |
	       (version >= 5 ? RIGHT(RIGHT_IOCTL_DEV) : 0);
}

static void add_place(int ruleset, const struct sandbox_place *place, uint64_t known)
{
	struct rule rule = {.parent = open(place->path, O_PATH | O_CLOEXEC)};
	struct stat st;

	if (rule.parent < 0)
		return;
	if (place->may & SANDBOX_WRITE)
		rule.rights |= RIGHTS_WRITE;
	if (place->may & SANDBOX_MAKE)
		rule.rights |= RIGHTS_MAKE;
	if (place->may & SANDBOX_REMOVE_DIR)
		rule.rights |= RIGHT(RIGHT_REMOVE_DIR);
	if (fstat(rule.parent, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.rights &= RIGHTS_FILE;
	rule.rights &= known;
	if (rule.rights)
		(void)syscall(CALL_LANDLOCK_FIRST + ADD_RULE, ruleset, RULE_BELOW, &rule, 0);
	(void)close(rule.parent);
}

static int restrict_to(uint64_t files, uint64_t net, unsigned version,
	const struct sandbox_place *places, size_t n)
{
	struct ruleset all = {files, version >= 4 ? net : 0};
	int error = 0, fd = (int)syscall(CALL_LANDLOCK_FIRST + CREATE_RULESET, &all,
			       version >= 4 ? sizeof(all) : sizeof(all.files), 0);

	if (fd < 0)
		return errno;
	for (size_t i = 0; i < n; i++)
		add_place(fd, &places[i], files);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		syscall(CALL_LANDLOCK_FIRST + RESTRICT_SELF, fd, 0) != 0)
		error = errno;
	(void)close(fd);
	return error;
}

bool sandbox_limit_places(
	enum sandbox_profile profile, const struct sandbox_place *places, size_t n)
{
	unsigned version = sandbox_kernel_places();
	uint64_t net = profile == SANDBOX_DEVICES ? 0 : NET_BIND_TCP | NET_CONNECT_TCP;

	status.kernel_places = version;
	status.places_error =
		version ? restrict_to(known_rights(version), net, version, places, n) : ENOSYS;
	status.places = status.places_error == 0;
	return status.places;
}

bool sandbox_limit_program(const struct sandbox_place *places, size_t n)
{
	unsigned version = sandbox_kernel_places();
	uint64_t files = known_rights(version) & ~RIGHT(RIGHT_EXECUTE);

	return version && restrict_to(files, 0, version, places, n) == 0;
}

void sandbox_kernel_text(char *dst, size_t size)
{
	unsigned version = sandbox_kernel_places();
	const char *why = sandbox_no_filter();
	char places[80] = "writes are NOT limited (this kernel has no Landlock)";

	if (version)
		(void)str_printf(
			places, sizeof(places), "writes can be limited (Landlock %u)", version);
	if (why)
		(void)str_printf(dst, size, "system calls are NOT filtered (%s); %s", why, places);
	else
		(void)str_printf(dst, size, "system calls can be filtered; %s", places);
}

static const char *calls_reason(void)
{
	const char *why = status.calls_error ? sandbox_no_filter() : "not asked for";

	return why ? why : strerror(status.calls_error);
}

static const char *places_reason(void)
{
	if (status.places_error == ENOSYS || status.places_error == EOPNOTSUPP)
		return "this kernel has no Landlock";
	return status.places_error ? strerror(status.places_error) : "not asked for";
}

void sandbox_switched_off(void)
{
	status.off = true;
}

/* The rights that an older Landlock cannot take: landlock(7), the table of versions. */
static void places_missing(char *dst, size_t size)
{
	if (!status.places)
		(void)str_printf(dst, size, "writes are not limited (%s)", places_reason());
	else if (status.kernel_places < 3)
		(void)str_printf(dst, size,
			"files elsewhere can be truncated (this kernel has Landlock %u, 3 is "
			"needed)",
			status.kernel_places);
	else if (status.kernel_places < 5)
		(void)str_printf(dst, size,
			"devices can be controlled by ioctl (this kernel has Landlock %u, 5 is "
			"needed)",
			status.kernel_places);
}

bool sandbox_missing(char *dst, size_t size)
{
	char calls[120] = "", places[120] = "";

	dst[0] = '\0';
	if (status.off)
		return str_copy(dst, size, "switched off by RAILTOP_SANDBOX");
	if (status.profile == SANDBOX_NONE)
		return false;
	if (!status.calls)
		(void)str_printf(
			calls, sizeof(calls), "system calls are not filtered (%s)", calls_reason());
	places_missing(places, sizeof(places));
	(void)str_printf(dst, size, "%s%s%s", calls, calls[0] && places[0] ? "; " : "", places);
	return dst[0] != '\0';
}

void sandbox_status_text(char *dst, size_t size)
{
	char calls[80] = "filtered", places[80] = "its own places only";

	if (!status.calls)
		(void)str_printf(calls, sizeof(calls), "NOT filtered (%s)", calls_reason());
	if (!status.places)
		(void)str_printf(places, sizeof(places), "NOT limited (%s)", places_reason());
	else if (status.kernel_places < 5)
		(void)str_printf(places, sizeof(places),
			"its own places only, as far as Landlock %u can", status.kernel_places);
	(void)str_printf(dst, size, "system calls: %s; writes: %s; core dumps: %s", calls, places,
		status.no_core ? "none" : "as the shell says");
}

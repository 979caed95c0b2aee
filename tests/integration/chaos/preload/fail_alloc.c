/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before a program (LD_PRELOAD): one allocation fails, the FAIL_ALLOC-th of those that the
 * object makes whose path has FAIL_ALLOC_OF ("" is the program itself). A line is then written to
 * the file FAIL_ALLOC_NOTE. libcurl allocates by functions of the program: "libcurl" means those.
 * Works with the allocator of a sanitizer, which must be told that it is not the first
 * (verify_asan_link_order=0).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What dlsym() needs before we know the real allocator. It is never given back. */
static _Alignas(16) char early[65536];
static size_t early_used;

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	bool looking, ready;
} next;

static struct {
	uintptr_t from, to; /* the code of the object; 0: none */
	unsigned long at;
	int note;
	_Atomic unsigned long seen;
} plan;

static void *early_alloc(size_t size)
{
	size_t n = (size + 15) & ~(size_t)15;
	void *p = early + early_used;

	if (n > sizeof(early) - early_used)
		abort();
	early_used += n;
	return p;
}

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

static void *symbol(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void look_up(void)
{
	void *p;

	if (next.ready || next.looking)
		return;
	next.looking = true;
	p = symbol("malloc");
	memcpy(&next.malloc, &p, sizeof(p));
	p = symbol("calloc");
	memcpy(&next.calloc, &p, sizeof(p));
	p = symbol("realloc");
	memcpy(&next.realloc, &p, sizeof(p));
	p = symbol("free");
	memcpy(&next.free, &p, sizeof(p));
	next.ready = true;
	next.looking = false;
}

static int find_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = arg;

	(void)size;
	if (*name ? !strstr(info->dlpi_name, name) : *info->dlpi_name)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		plan.from = info->dlpi_addr + h->p_vaddr;
		plan.to = plan.from + h->p_memsz;
	}
	return 1;
}

/*
 * High, so that no descriptor of the program has another number for it. By plain system calls: a
 * sanitizer has functions in the place of open() and fcntl(), and has not begun yet.
 */
static int open_note(const char *path)
{
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path,
				 O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
		       : -1;
	long high = fd < 0 ? -1 : syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 200);

	if (fd >= 0)
		(void)syscall(SYS_close, fd);
	return (int)high;
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_ALLOC"), *of = getenv("FAIL_ALLOC_OF");
	char name[128] = "";

	look_up();
	if (!at || !of || strlen(of) >= sizeof(name))
		return;
	memcpy(name, of, strlen(of) + 1);
	/* Now: later a sandbox would not let us. */
	plan.note = open_note(getenv("FAIL_ALLOC_NOTE"));
	plan.at = strtoul(at, NULL, 10);
	/* What the program starts is none of ours. */
	(void)unsetenv("LD_PRELOAD");
	(void)dl_iterate_phdr(find_object, name);
}

static void note(void)
{
	if (plan.note >= 0)
		(void)syscall(SYS_write, plan.note, "failed\n", 7UL);
}

static bool is_due(void)
{
	if (++plan.seen != plan.at)
		return false;
	note();
	errno = ENOMEM;
	return true;
}

/* Of a function that libcurl was given. In the first memory of a thread: other kinds call malloc().
 */
static _Thread_local bool next_fails __attribute__((tls_model("initial-exec")));

/* Whether this allocation is the one. */
static bool fails(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	bool now = next_fails;

	next_fails = false;
	return now || (at >= plan.from && at < plan.to && is_due());
}

void *malloc(size_t size)
{
	look_up();
	if (!next.ready)
		return early_alloc(size);
	return fails(__builtin_return_address(0)) ? NULL : next.malloc(size);
}

void *calloc(size_t n, size_t size)
{
	look_up();
	if (!next.ready)
		return early_alloc(n * size);
	return fails(__builtin_return_address(0)) ? NULL : next.calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	look_up();
	if (!next.ready || is_early(p)) {
		void *copy = next.ready ? next.malloc(size) : early_alloc(size);
		size_t most = is_early(p) ? (size_t)(early + sizeof(early) - (char *)p) : 0;

		if (copy && p)
			memcpy(copy, p, size < most ? size : most);
		return copy;
	}
	return fails(__builtin_return_address(0)) ? NULL : next.realloc(p, size);
}

void free(void *p)
{
	if (p && !is_early(p) && next.ready)
		next.free(p);
}

/* ---- libcurl, which is given its functions: curl_global_init_mem(3) ---- */

static struct {
	void *(*malloc)(size_t);
	void (*free)(void *);
	void *(*realloc)(void *, size_t);
	char *(*strdup)(const char *);
	void *(*calloc)(size_t, size_t);
} given;

static void *curl_malloc(size_t size)
{
	next_fails = is_due();
	return given.malloc(size);
}

static void *curl_realloc(void *p, size_t size)
{
	next_fails = is_due();
	return given.realloc(p, size);
}

static char *curl_strdup(const char *text)
{
	next_fails = is_due();
	return given.strdup(text);
}

static void *curl_calloc(size_t n, size_t size)
{
	next_fails = is_due();
	return given.calloc(n, size);
}

int curl_global_init_mem(long flags, void *(*m)(size_t), void (*f)(void *),
	void *(*r)(void *, size_t), char *(*s)(const char *), void *(*c)(size_t, size_t));

int curl_global_init_mem(long flags, void *(*m)(size_t), void (*f)(void *),
	void *(*r)(void *, size_t), char *(*s)(const char *), void *(*c)(size_t, size_t))
{
	int (*real)(long, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t),
		char *(*)(const char *), void *(*)(size_t, size_t));
	const char *of = getenv("FAIL_ALLOC_OF");
	void *p = symbol("curl_global_init_mem");

	memcpy(&real, &p, sizeof(p));
	given.malloc = m;
	given.free = f;
	given.realloc = r;
	given.strdup = s;
	given.calloc = c;
	if (!of || strcmp(of, "libcurl") != 0)
		return real(flags, m, f, r, s, c);
	return real(flags, curl_malloc, f, curl_realloc, curl_strdup, curl_calloc);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bin/railtop and bin/railtop-emulator of the archive (tools/tarball.sh). The program is in
 * libexec/, and its libraries and their loader in lib/. The kernel takes an absolute path of a
 * loader only, and nobody knows where an archive is unpacked: so this program, which is linked
 * statically, starts the loader beside it. It needs no shell.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LOADER
#define LOADER "ld-linux-x86-64.so.2" /* the name of its file */
#endif

enum { OWN_WORDS = 6 };

static void refuse_for(const char *what, const char *why, const char *cure)
{
	(void)fprintf(stderr, "railtop: %s: %s\n  cure: %s\n", what, why, cure);
	exit(5);
}

static void refuse(const char *what, const char *why)
{
	refuse_for(what, why, "unpack the archive anew");
}

/* DIR/bin/NAME: cut behind DIR. Returns NAME. Links to it are resolved by the kernel. */
static const char *find_folder(char *self, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", self, size);
	char *name, *bin;

	if (n < 0 || (size_t)n >= size)
		refuse("/proc/self/exe", n < 0 ? strerror(errno) : "the path is too long");
	self[n] = '\0';
	name = strrchr(self, '/');
	*name++ = '\0';
	bin = strrchr(self, '/');
	if (!bin || strcmp(bin, "/bin") != 0)
		refuse(self, "the program is not in the folder bin of its archive");
	*bin = '\0';
	/*
	 * The loader would take these for more folders, one of them below the working directory, or
	 * for words of its own: libraries of others would run.
	 */
	if (strpbrk(self, ":;$"))
		refuse_for(self, "the folder's name has a character that is special to the loader",
			"move the archive to a folder without : ; $");
	return name;
}

static char *path_in(const char *folder, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		refuse(name, strerror(ENOMEM));
	return path;
}

static void set_environment(const char *folder, const char *self)
{
	char *terminals = path_in(folder, "share/terminfo");
	char *list = NULL, *modules;

	/* Terminals that the machine does not describe. */
	if (asprintf(&list, "/etc/terminfo:/lib/terminfo:/usr/share/terminfo:%s", terminals) < 0)
		refuse(terminals, strerror(ENOMEM));
	(void)setenv("TERMINFO_DIRS", list, 0);
	(void)setenv("RAILTOP_PROGRAM", self, 1);
	/* ";;" is the list that is built in. */
	modules = path_in(folder, "lib/lua/5.1/?.so;;");
	(void)setenv("LUA_CPATH", modules, 0);
	free(modules);
	free(list);
	free(terminals);
}

int main(int argc, char **argv)
{
	static char folder[PATH_MAX];
	const char *name = find_folder(folder, sizeof(folder));
	const char **words = calloc((size_t)argc + OWN_WORDS + 1, sizeof(*words));
	char *loader = path_in(folder, "lib/" LOADER), *bin, *libexec, *self, *inner;
	size_t n = 0;

	if (!words)
		refuse(name, strerror(ENOMEM));
	bin = path_in(folder, "bin");
	libexec = path_in(folder, "libexec");
	self = path_in(bin, name);
	inner = path_in(libexec, name);
	set_environment(folder, self);
	words[n++] = loader;
	words[n++] = "--argv0";
	words[n++] = argc ? argv[0] : name;
	words[n++] = "--library-path";
	words[n++] = path_in(folder, "lib");
	words[n++] = inner;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	(void)execv(loader, (char **)(void *)words);
	refuse(loader, strerror(errno));
}

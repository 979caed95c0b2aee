/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_VFS_H
#define EMULATOR_VFS_H

#include "emulator/shell/shell.h"

/*
 * A read-only tree of virtual files (/sys, /proc). It is built once for a kind of device and read
 * for any device of that kind. Names and contents are copied.
 */
struct vfs;

/*
 * Appends the content for this device. Returns 0 or an errno value. port and item are as given to
 * vfs_file.
 */
typedef int (*vfs_read_fn)(void *device, unsigned port, unsigned item, struct buf *out);

struct vfs *vfs_new(void);
void vfs_free(struct vfs *v);

/* Creates missing parent directories. Paths are absolute and free of "." and "..". */
void vfs_dir(struct vfs *v, const char *path);
void vfs_file(struct vfs *v, const char *path, vfs_read_fn read, unsigned port, unsigned item);
void vfs_text(struct vfs *v, const char *path, const char *text);
/* A symbolic link to a path that exists already. */
void vfs_link(struct vfs *v, const char *path, const char *target);

/* A shell_machine's ctx must begin with this struct if its fs is vfs_shell_fs. */
struct vfs_view {
	const struct vfs *tree;
	void *device; /* passed to the read functions */
};
extern const struct shell_fs vfs_shell_fs;

#endif

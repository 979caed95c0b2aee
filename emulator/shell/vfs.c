/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/shell/vfs.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

struct vnode {
	char *name;
	struct vnode *parent, *target; /* target: a link's */
	VEC(struct vnode *) children;  /* sorted by name */
	bool file;
	vfs_read_fn read;
	unsigned port, item;
	char *text;
};

struct vfs {
	struct vnode *root;
};

static void node_free(struct vnode *n)
{
	size_t i;

	for (i = 0; i < n->children.n; i++)
		node_free(n->children.at[i]);
	vec_free(&n->children);
	free(n->name);
	free(n->text);
	free(n);
}

struct vfs *vfs_new(void)
{
	struct vfs *v = mem_calloc(1, sizeof(*v));

	v->root = mem_calloc(1, sizeof(*v->root));
	v->root->name = mem_strdup("");
	v->root->parent = v->root;
	return v;
}

void vfs_free(struct vfs *v)
{
	if (!v)
		return;
	node_free(v->root);
	free(v);
}

static int name_compare(const char *a, const char *b, size_t len)
{
	int d = strncmp(a, b, len);

	return d ? d : a[len] != '\0';
}

/* The index of a name among the children, or the index to insert it at. */
static size_t child_place(const struct vnode *n, const char *name, size_t len)
{
	size_t low = 0, high = n->children.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (name_compare(n->children.at[mid]->name, name, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct vnode *find_child(const struct vnode *n, const char *name, size_t len)
{
	size_t i = child_place(n, name, len);

	if (i < n->children.n && !name_compare(n->children.at[i]->name, name, len))
		return n->children.at[i];
	return NULL;
}

static struct vnode *child_add(struct vnode *n, const char *name, size_t len)
{
	size_t i = child_place(n, name, len);
	struct vnode *c = mem_calloc(1, sizeof(*c));

	c->name = mem_strndup(name, len);
	c->parent = n;
	vec_push(&n->children, c);
	memmove(n->children.at + i + 1, n->children.at + i,
		(n->children.n - 1 - i) * sizeof(*n->children.at));
	n->children.at[i] = c;
	return c;
}

static struct vnode *follow_link(struct vnode *n)
{
	return n && n->target ? n->target : n;
}

/* last: also resolve a link in the last component. */
static struct vnode *find_node(const struct vfs *v, const char *path, bool last)
{
	struct vnode *n = v->root, *raw = n;

	while (n) {
		size_t len;

		while (*path == '/')
			path++;
		len = strcspn(path, "/");
		if (!len)
			break;
		if (n->file)
			return NULL;
		if (len == 2 && path[0] == '.' && path[1] == '.')
			raw = n->parent;
		else if (!(len == 1 && path[0] == '.'))
			raw = find_child(n, path, len);
		n = follow_link(raw);
		path += len;
	}
	return last ? n : raw;
}

static struct vnode *make_node(struct vfs *v, const char *path)
{
	struct vnode *n = v->root;

	for (;;) {
		struct vnode *next;
		size_t len;

		while (*path == '/')
			path++;
		len = strcspn(path, "/");
		if (!len)
			return n;
		next = find_child(n, path, len);
		n = follow_link(next ? next : child_add(n, path, len));
		path += len;
	}
}

void vfs_dir(struct vfs *v, const char *path)
{
	(void)make_node(v, path);
}

void vfs_file(struct vfs *v, const char *path, vfs_read_fn read, unsigned port, unsigned item)
{
	struct vnode *n = make_node(v, path);

	n->file = true;
	n->read = read;
	n->port = port;
	n->item = item;
}

void vfs_text(struct vfs *v, const char *path, const char *text)
{
	struct vnode *n = make_node(v, path);

	n->file = true;
	n->read = NULL; /* the last definition of a path is valid */
	free(n->text);
	n->text = mem_strdup(text);
}

void vfs_link(struct vfs *v, const char *path, const char *target)
{
	struct vnode *to = find_node(v, target, true);

	if (to)
		make_node(v, path)->target = to;
}

static enum shell_kind fs_stat(void *ctx, const char *path)
{
	const struct vfs_view *view = ctx;
	const struct vnode *n = find_node(view->tree, path, true);

	return !n ? SHELL_NONE : n->file ? SHELL_FILE : SHELL_DIR;
}

static int fs_read(void *ctx, const char *path, struct buf *out)
{
	const struct vfs_view *view = ctx;
	const struct vnode *n = find_node(view->tree, path, true);

	if (!n)
		return ENOENT;
	if (!n->file)
		return EISDIR;
	if (n->read)
		return n->read(view->device, n->port, n->item, out);
	(void)buf_adds(out, n->text);
	return 0;
}

static bool fs_list(void *ctx, const char *path, shell_name_fn each, void *arg)
{
	const struct vfs_view *view = ctx;
	const struct vnode *n = find_node(view->tree, path, true);
	size_t i;

	if (!n || n->file)
		return false;
	for (i = 0; i < n->children.n; i++)
		each(arg, n->children.at[i]->name);
	return true;
}

static void add_path(const struct vnode *n, struct buf *out)
{
	if (n->parent == n)
		return;
	add_path(n->parent, out);
	(void)buf_adds(out, "/");
	(void)buf_adds(out, n->name);
}

static bool fs_link(void *ctx, const char *path, bool final, struct buf *out)
{
	const struct vfs_view *view = ctx;
	const struct vnode *n = find_node(view->tree, path, final);

	if (!n || (!final && !n->target))
		return false;
	add_path(final ? n : n->target, out);
	return true;
}

const struct shell_fs vfs_shell_fs = {fs_stat, fs_read, fs_list, fs_link};

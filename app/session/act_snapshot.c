/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "app/session/acting.h"
#include "archive/export/snapshot.h"
#include "base/buf.h"
#include "base/private_file.h"
#include "base/str.h"

/* The port's device and the link partner's. */
static size_t affected_devices(const struct model *m, const struct act_plan *p, uint32_t ids[2])
{
	const struct device *d = model_device(m, p->device);
	const struct port *peer = NULL;
	size_t n = 0;

	if (!d)
		return 0;
	ids[n++] = d->id;
	for (size_t i = 0; i < d->ports.n && !peer; i++)
		if (str_eq(m->ports.at[d->ports.at[i]]->name, p->port))
			peer = port_peer(m, m->ports.at[d->ports.at[i]], NULL);
	if (peer)
		ids[n++] = peer->device;
	return n;
}

static bool io_error(struct err *err, const char *path, const char *what)
{
	err_set(err, ERR_IO, path, "the state before the action cannot be %s: %s", what,
		strerror(errno));
	return err_cure(err, "make room, or let actions.ledger name another directory");
}

/* Writes to memory first: the hash covers exactly the bytes of the file. */
static bool render_state(
	struct session *s, const struct act_plan *p, char **text, size_t *size, struct err *err)
{
	const struct model *m = session_model(s);
	uint32_t ids[2];
	struct snapshot_some some = {ids, affected_devices(m, p, ids)};
	FILE *f = open_memstream(text, size);
	bool ok;

	if (!f)
		return io_error(err, "memory", "written");
	ok = snapshot_json_some(m, session_diag(s), &some, session_now(s), f, err);
	if (fclose(f) != 0 && ok)
		ok = io_error(err, "memory", "written");
	return ok;
}

static bool store_file(const char *path, const char *text, size_t size, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		private_file_mode(path));
	bool ok = fd >= 0 && fd_write_all(fd, text, size) && fsync(fd) == 0;

	if (!ok)
		(void)io_error(err, path, "written");
	if (fd >= 0)
		(void)close(fd);
	if (!ok && fd >= 0)
		(void)unlink(path);
	return ok;
}

bool acting_snapshot(struct session *s, const struct act_plan *p, const char *ledger,
	const char *act, char *path, size_t size, char sha256[65], struct err *err)
{
	char *dir = ledger_beside(ledger, "snapshots"), *text = NULL;
	size_t n = 0;
	bool ok = str_printf(path, size, "%s/%s.json", dir, act);

	if (!ok)
		(void)err_set(err, ERR_LIMIT, dir, "the path is too long");
	ok = ok && ledger_directories(path, err) && render_state(s, p, &text, &n, err) &&
	     store_file(path, text, n, err);
	if (ok)
		sha256_hex(text, n, sha256);
	free(text);
	free(dir);
	return ok;
}

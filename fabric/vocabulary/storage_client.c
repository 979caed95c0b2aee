/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/storage_client.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* How the lines of a client begin. */
static const struct {
	const char *begin, *name;
	bool is_net;
} clients[] = {
	{"lustreerror: ", "Lustre", true},
	{"lustre: ", "Lustre", true},
	{"lneterror: ", "Lustre", true},
	{"lnet: ", "Lustre", true},
	{"nfs: ", "NFS", true},
	{"nfs4", "NFS", true},
	{"rpcrdma: ", "NFS over RDMA", true},
	{"svcrdma: ", "NFS over RDMA", true},
	{"xprtrdma: ", "NFS over RDMA", true},
	{"beegfs", "BeeGFS", true},
	{"libceph: ", "Ceph", true},
	{"ceph: ", "Ceph", true},
	{"cifs: ", "SMB", true},
	{"smb: ", "SMB", true},
	{"gpfs", "GPFS", true},
	{"wekafs", "WEKA", true},
	{"nvme nvme", "NVMe", true},
	{"block nvme", "NVMe", true},
	{"blk_update_request: ", "a disk", false},
	{"critical medium", "a disk", false},
	{"ext4-fs", "a file system", false},
	{"xfs (", "a file system", false},
	{"md/raid", "a RAID", false},
	{"md: ", "a RAID", false},
	{"device-mapper: multipath", "multipath", true},
	{"sd ", "a disk", false},
	{"ata", "a disk", false},
};
static const char *const errors[] = {"lustreerror: ", "lneterror: ", "failed", "failure", "error",
	"timed out", "timeout", "lost", "not responding", "has not responded", "refused",
	"unreachable", "closed", "rejected", " hung", "stale", "evicted", "expired", "aborting",
	"no usable path", "no available path", "read-only", "shut down", "i/o err", " down",
	"reconnecting", "removing controller", "frozen", "failing path"};
static const char *const stops[] = {"not responding", "has not responded", "evicted", " hung",
	"no usable path", "no available path", "read-only", "shut down", "i/o err",
	"removing controller"};
static const char *const ends[] = {" ok", "connection restored", "successfully reconnected",
	"session established", "recovery completed", "reconnect success", "session reconnected"};

static bool has_any(const char *line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

const char *storage_client(const char *line, bool *is_net)
{
	const char *at = strstr(line, "kernel: ");

	at = at ? at + strlen("kernel: ") : line;
	for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
		if (strncasecmp(at, clients[i].begin, strlen(clients[i].begin)) != 0)
			continue;
		if (is_net)
			*is_net = clients[i].is_net;
		return clients[i].name;
	}
	return NULL;
}

bool storage_client_error(const char *line)
{
	return storage_client(line, NULL) && has_any(line, errors, ARRAY_LEN(errors));
}

bool storage_client_stopped(const char *line)
{
	return storage_client_error(line) && has_any(line, stops, ARRAY_LEN(stops));
}

bool storage_client_over(const char *line)
{
	return storage_client(line, NULL) && has_any(line, ends, ARRAY_LEN(ends));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sonic_redis.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/run_command.h"

/* ---- programs ---- */

static const char client[] =
	"#!/bin/sh\n"
	"dir=${0%/*} sock=redis\n"
	"if [ \"$1\" = -n ]; then sock=$2; shift 2; fi\n"
	"for a; do case $a in -*) echo \"Command Line Error: Unknown argument:$a\" >&2;\n"
	"echo 'usage: sonic-db-cli [-h] [-s] [-n NAMESPACE] db_or_op [cmd [cmd ...]]'; exit 255;;\n"
	"esac; done\n"
	"if [ \"$*\" = PING ]; then echo PONG; exit 0; fi\n"
	"case $1 in APPL_DB) n=0;; COUNTERS_DB) n=2;; CONFIG_DB) n=4;; STATE_DB) n=6;;\n"
	"*) echo \"Invalid database name input : '$1'\" >&2; exit 1;; esac\n"
	/* The switch's questions, for the test to read. */
	"echo \"$sock $1 $2\" >> $dir/asked\n"
	"shift\n"
	"out=$(redis-cli -e --raw -s $dir/$sock.sock -n $n \"$@\" 2>&1) || {\n"
	"case $out in *onnect*) echo 'Could not connect to Redis at 127.0.0.1:6379: Connection "
	"refused' >&2;;\n"
	"*) echo \"$out: Input/output error\" >&2;; esac; exit 1; }\n"
	"printf '%s\\n' \"$out\"\n";

static const char sudo[] =
	"#!/bin/sh\n"
	"dir=${0%/*} list=\n"
	"while :; do case $1 in -n) shift;; -l) list=1; shift;; *) break;; esac; done\n"
	"while read -r words; do case \"$*\" in \"$words\"|\"$words \"*)\n"
	"[ $list ] && { echo \"/usr/bin/$*\"; exit 0; }\n"
	"exec \"$@\";; esac; done < $dir/sudoers\n"
	"echo 'sudo: a password is required' >&2\n"
	"exit 1\n";

static const char vtysh[] = "#!/bin/sh\n"
			    "dir=${0%/*}\n"
			    "if [ -r $dir/bgp.json ]; then cat $dir/bgp.json; exit 0; fi\n"
			    "echo 'Error response from daemon: No such container: bgp' >&2\n"
			    "exit 1\n";

/* A log of the test's own, from its beginning: lines written before tail runs must not be lost. */
static const char tail[] = "#!/bin/sh\n"
			   "dir=${0%/*}\n"
			   "exec /usr/bin/tail -n +1 -F $dir/syslog\n";

/* Files of SONiC's that this machine does not have. */
static const char cat[] =
	"#!/bin/sh\n"
	"dir=${0%/*}\n"
	"for f; do case $f in /usr/share/sonic/platform/asic.conf) f=$dir/asic.conf;;\n"
	"/etc/sonic/sonic_version.yml) f=$dir/version.yml;; esac; /bin/cat $f; done\n";

void sonic_redis_file(
	const struct sonic_redis *r, const char *name, const char *text, unsigned mode)
{
	char path[160];
	FILE *f;

	str_printf(path, sizeof(path), "%s/%s", r->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

void sonic_redis_grant(const struct sonic_redis *r, const char *words)
{
	char path[160];
	FILE *f;

	str_printf(path, sizeof(path), "%s/sudoers", r->dir);
	f = fopen(path, "a");
	assert_non_null(f);
	fprintf(f, "%s\n", words);
	fclose(f);
}

/* ---- servers ---- */

static void socket_path(const struct sonic_redis *r, int asic, char *dst, size_t size)
{
	if (asic < 0)
		str_printf(dst, size, "%s/redis.sock", r->dir);
	else
		str_printf(dst, size, "%s/asic%d.sock", r->dir, asic);
}

static pid_t start(const struct sonic_redis *r, int asic)
{
	char path[128];
	const char *argv[] = {"redis-server", "--port", "0", "--unixsocket", path, "--save", "",
		"--appendonly", "no", "--dir", r->dir, NULL};
	pid_t pid;

	socket_path(r, asic, path, sizeof(path));
	pid = start_program(argv, "eady to accept");
	assert_true(pid > 0);
	return pid;
}

bool sonic_redis_start(struct sonic_redis *r)
{
	const char *old = getenv("PATH");

	memset(r, 0, sizeof(*r));
	if (!has_program("redis-server") || !has_program("redis-cli"))
		return false;
	str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-redis-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	str_printf(r->path, sizeof(r->path), "PATH=%s:%s", r->dir, old ? old : "/usr/bin:/bin");
	sonic_redis_file(r, "sonic-db-cli", client, 0755);
	sonic_redis_file(r, "sudo", sudo, 0755);
	sonic_redis_file(r, "vtysh", vtysh, 0755);
	sonic_redis_file(r, "rvtysh", vtysh, 0755);
	sonic_redis_file(r, "tail", tail, 0755);
	sonic_redis_file(r, "cat", cat, 0755);
	sonic_redis_file(r, "asic.conf", "NUM_ASIC=1\n", 0644);
	sonic_redis_file(r, "version.yml", "build_version: 'SONiC.202411.9'\n", 0644);
	sonic_redis_file(r, "syslog", "", 0644);
	sonic_redis_file(r, "sudoers", "", 0644);
	sonic_redis_file(r, "asked", "", 0644);
	r->pid = start(r, -1);
	return true;
}

void sonic_redis_start_asic(struct sonic_redis *r, unsigned asic)
{
	assert_true(asic < SONIC_ASICS);
	r->asic[asic] = start(r, (int)asic);
}

void sonic_redis_stop(struct sonic_redis *r)
{
	DIR *d;
	struct dirent *e;
	char path[400];

	if (r->pid)
		stop_program(r->pid);
	for (unsigned i = 0; i < SONIC_ASICS; i++)
		if (r->asic[i])
			stop_program(r->asic[i]);
	d = opendir(r->dir);
	while (d && (e = readdir(d)) != NULL) {
		str_printf(path, sizeof(path), "%s/%s", r->dir, e->d_name);
		(void)unlink(path);
	}
	if (d)
		closedir(d);
	(void)rmdir(r->dir);
	memset(r, 0, sizeof(*r));
}

char *sonic_redis_cli(const struct sonic_redis *r, int asic, const char *command)
{
	char path[128], line[512];
	int status;

	socket_path(r, asic, path, sizeof(path));
	str_printf(line, sizeof(line), "redis-cli --raw -s %s %s", path, command);
	const char *argv[] = {"sh", "-c", line, NULL};
	return run_command(argv, NULL, NULL, NULL, &status);
}

/* ---- loading: the wire protocol, so that any byte may be in a value ---- */

static void resp_word(struct buf *b, const char *s)
{
	buf_addf(b, "$%zu\r\n%s\r\n", strlen(s), s);
}

static void resp_hash(struct buf *b, const char *key, const json_t *fields)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)fields, name, v)
	{
		if (!json_is_string(v))
			continue;
		buf_adds(b, "*4\r\n");
		resp_word(b, "HSET");
		resp_word(b, key);
		resp_word(b, name);
		resp_word(b, json_string_value(v));
	}
}

static void resp_select(struct buf *b, int db)
{
	char number[8];

	str_printf(number, sizeof(number), "%d", db);
	buf_adds(b, "*2\r\n");
	resp_word(b, "SELECT");
	resp_word(b, number);
}

static void send_all(const struct sonic_redis *r, int asic, struct buf *b)
{
	char path[128];
	const char *argv[] = {"redis-cli", "-s", path, "--pipe", NULL};
	int status = -1;
	char *out;

	socket_path(r, asic, path, sizeof(path));
	out = run_command(argv, NULL, b->data, NULL, &status);
	if (!out || !strstr(out, "errors: 0"))
		fail_msg("loading failed: %s", out ? out : "redis-cli did not run");
	free(out);
	buf_free(b);
}

void sonic_redis_load_hashes(const struct sonic_redis *r, int asic, int db, const json_t *dump)
{
	const char *key;
	struct buf b;
	json_t *v;

	buf_init(&b, 64u << 20);
	resp_select(&b, db);
	json_object_foreach((json_t *)dump, key, v)
	{
		const json_t *value = json_object_get(v, "value");

		if (json_is_object(value) && json_object_get(v, "type"))
			resp_hash(&b, key, value);
		else if (json_is_object(v))
			resp_hash(&b, key, v);
	}
	send_all(r, asic, &b);
}

void sonic_redis_load(const struct sonic_redis *r, int asic, int db, const char *file)
{
	json_error_t e;
	json_t *dump = json_load_file(file, 0, &e);

	if (!dump)
		fail_msg("%s: %s", file, e.text);
	sonic_redis_load_hashes(r, asic, db, dump);
	json_decref(dump);
}

void sonic_redis_load_tables(const struct sonic_redis *r, int asic, int db, const json_t *tables)
{
	const char *table, *name;
	json_t *rows, *row;
	struct buf b;
	char key[256];

	buf_init(&b, 64u << 20);
	resp_select(&b, db);
	json_object_foreach((json_t *)tables, table, rows)
	{
		json_object_foreach(rows, name, row)
		{
			str_printf(key, sizeof(key), "%s|%s", table, name);
			resp_hash(&b, key, row);
		}
	}
	send_all(r, asic, &b);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/https/nginx.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PROGRAM "/usr/sbin/nginx"

/*
 * The session is the number of the process that gave it, so that a reload forgets it. The body of a
 * request is known to a proxy only: the server behind has the files.
 */
static const char config[] =
	"daemon off; worker_processes 1; pid nginx.pid; error_log error.log; %s\n"
	"events { worker_connections 256; }\n"
	"http {\n"
	"client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4;\n"
	"scgi_temp_path t5; log_format asked '$request_method $uri $asked $status';\n"
	"log_format whole escape=json '{\"method\":\"$request_method\",\"path\":\"$request_uri\","
	"\"body\":\"$request_body\"}'; access_log whole.log whole;\n"
	"access_log access.log asked; client_body_buffer_size 64k; default_type application/json;\n"
	"map $request_body $asked { default -; '~railtop-(?<n>[a-z_0-9]+)' $n; }\n"
	"map $http_cookie $token { default -; '~APIC-cookie=(?<k>[0-9]+)' $k; }\n"
	"map $request_body $secret { default no; '~sec:ret' yes; }\n"
	"proxy_http_version 1.1; proxy_method GET; proxy_pass_request_body off;\n"
	"proxy_set_header Content-Length ''; proxy_set_header X-Asked $asked;\n"
	"proxy_set_header X-Secret $secret; proxy_buffering off;\n"
	"server {\n"
	"listen 127.0.0.1:%u ssl; ssl_certificate %s.pem; ssl_certificate_key %s.key; root "
	"bodies;\n"
	"location = /login { proxy_pass http://unix:%s/back:/eos-login; }\n"
	"location = /command-api { if ($cookie_session != $pid) { return 401; }\n"
	" proxy_pass http://unix:%s/back:/eos; }\n"
	"location = /api/aaaLogin.json { proxy_pass http://unix:%s/back:/nxos-login; }\n"
	"location /api/ { if ($token != $pid) { return 403; } error_page 404 =200 /empty; }\n"
	"location = /ins { if ($token != $pid) { return 403; }\n"
	" error_page 405 =200 $uri; }\n"
	"location /nvue_v1/ { auth_basic nvue; auth_basic_user_file users; }\n"
	"location /ufmRest/ { auth_basic ufm; auth_basic_user_file users; }\n"
	"}\n"
	"server {\n"
	"listen unix:%s/back; access_log off; root bodies; sub_filter_types *;\n"
	/* Rewriting takes the length away: these answers come in chunks. */
	"sub_filter '\"chunked\"' '\"chunks\"';\n"
	"location = /eos-login { if ($http_x_secret = no) { return 401; }\n"
	" add_header Set-Cookie \"Session=$pid; Path=/; Secure\"; return 200 '{}'; }\n"
	"location = /nxos-login { if ($http_x_secret = no) { return 401; }\n"
	" add_header Set-Cookie \"APIC-cookie=$pid; Path=/\"; return 200 '{\"imdata\":[]}'; }\n"
	"location = /eos/none.json { }\n"
	"location /eos { if ($http_x_asked = '%s') { set $limit_rate 1; }\n"
	" rewrite ^ /eos/$http_x_asked.json break; error_page 404 =200 /eos/none.json; }\n"
	"}\n}\n";

bool nginx_installed(void)
{
	return access(PROGRAM, X_OK) == 0;
}

static void write_config(const struct nginx *n, const char *certificate, const char *hangs)
{
	const char *dir = n->scratch->dir;
	char text[8192];

	(void)snprintf(text, sizeof(text), config, getuid() == 0 ? "user root;" : "", n->port,
		certificate, certificate, dir, dir, dir, dir, hangs);
	scratch_write(n->scratch, "nginx.conf", text);
	scratch_write(n->scratch, "users", "noc:{SHA}vTnxsudZSQl7ku4t5YgFj36lFSw=\n");
	scratch_write(n->scratch, "access.log", "");
	scratch_run(n->scratch, "mkdir -p bodies/eos");
}

static bool listens(unsigned port)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = connect(fd, (struct sockaddr *)&in, sizeof(in)) == 0;

	(void)close(fd);
	return ok;
}

void nginx_start(struct nginx *n, struct scratch *s, const char *certificate, const char *hangs)
{
	char prefix[80], path[300];
	char *argv[] = {"nginx", "-p", prefix, "-c", path, "-e", "error.log", NULL};
	int64_t until = now_ms() + 10000;
	posix_spawn_file_actions_t actions;

	n->scratch = s;
	n->port = slot_port();
	write_config(n, certificate, hangs);
	(void)snprintf(prefix, sizeof(prefix), "%s", s->dir);
	(void)snprintf(path, sizeof(path), "%s", scratch_path(s, "nginx.conf"));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&n->pid, PROGRAM, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	while (!listens(n->port)) {
		if (now_ms() > until || waitpid(n->pid, NULL, WNOHANG) != 0)
			fail_msg("nginx does not listen, see %s/error.log", s->dir);
		(void)poll(NULL, 0, 5);
	}
}

void nginx_reload(struct nginx *n)
{
	assert_int_equal(kill(n->pid, SIGHUP), 0);
}

void nginx_stop(struct nginx *n)
{
	if (n->pid <= 0)
		return;
	(void)kill(n->pid, SIGTERM);
	(void)waitpid(n->pid, NULL, 0);
	n->pid = 0;
}

unsigned nginx_requests(const struct nginx *n, const char *text)
{
	FILE *f = fopen(scratch_path(n->scratch, "access.log"), "re");
	char line[512];
	unsigned count = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		count += strstr(line, text) != NULL;
	(void)fclose(f);
	return count;
}

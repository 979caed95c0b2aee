/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs from the APIs of Kubernetes and Ray, as documents of the real schemas behind a real HTTPS
 * server that wants a bearer token: `railtop check` tells the state of the source, and a snapshot
 * has the jobs and their hosts.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/https/https.h"
#include "tests/integration/https/nginx.h"
#include "tests/integration/support/lab.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

extern char **environ;

struct fixture {
	struct scratch scratch;
	pid_t pid;
	unsigned port;
};

/* A path is a file; the next page of pods has a name of its own. */
static const char config[] =
	"daemon off; worker_processes 1; pid nginx.pid; error_log error.log; %s\n"
	"events { worker_connections 64; }\n"
	"http {\n"
	"client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4;\n"
	"scgi_temp_path t5; access_log access.log; default_type application/json;\n"
	"server {\n"
	"listen 127.0.0.1:%u ssl; ssl_certificate good.pem; ssl_certificate_key good.key; root "
	"api;\n"
	"if ($http_authorization != 'Bearer tok3n') { return 401; }\n"
	"error_page 401 @denied;\n"
	"location @denied { try_files /denied.json =500; }\n"
	"location = /api/v1/pods { try_files /pods$arg_continue.json =404; }\n"
	"location /apis/resource.k8s.io/v1/ { try_files /claims.json =404; }\n"
	"location = /api/v0/nodes { try_files /nodes.json =404; }\n"
	"location = /api/v0/actors { try_files /actors.json =404; }\n"
	"location = /api/jobs/ { try_files /jobs.json =404; }\n"
	"}\n}\n";

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

static void start_server(struct fixture *f)
{
	char text[4096], prefix[80], path[300];
	char *argv[] = {"nginx", "-p", prefix, "-c", path, "-e", "error.log", NULL};
	int64_t until = now_ms() + 10000;
	posix_spawn_file_actions_t actions;

	f->port = slot_port();
	(void)str_printf(text, sizeof(text), config, getuid() == 0 ? "user root;" : "", f->port);
	scratch_write(&f->scratch, "nginx.conf", text);
	(void)str_copy(prefix, sizeof(prefix), f->scratch.dir);
	(void)str_copy(path, sizeof(path), scratch_path(&f->scratch, "nginx.conf"));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&f->pid, "/usr/sbin/nginx", &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	while (!listens(f->port)) {
		if (now_ms() > until || waitpid(f->pid, NULL, WNOHANG) != 0)
			fail_msg("nginx does not listen, see %s/error.log", f->scratch.dir);
		(void)poll(NULL, 0, 5);
	}
}

/* ---- documents ---- */

/* v1 PodList, as the API server of 1.31 writes it, without what no reader needs. */
static const char pods_first[] =
	"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"771\","
	"\"continue\":\"two\",\"remainingItemCount\":3},\"items\":["
	"{\"metadata\":{\"name\":\"llm-worker-0\",\"namespace\":\"team-a\",\"uid\":\"u1\","
	"\"labels\":{"
	"\"training.kubeflow.org/job-name\":\"llm\",\"training.kubeflow.org/replica-index\":\"0\"},"
	"\"annotations\":{\"k8s.v1.cni.cncf.io/network-status\":\"[{\\n    \\\"name\\\": "
	"\\\"cbr0\\\","
	"\\n    \\\"interface\\\": \\\"eth0\\\",\\n    \\\"ips\\\": [\\\"10.244.1.7\\\"],\\n    "
	"\\\"default\\\": true\\n},{\\n    \\\"name\\\": \\\"team-a/rail0\\\",\\n    "
	"\\\"interface\\\": "
	"\\\"net1\\\",\\n    \\\"ips\\\": [\\\"192.168.0.17\\\"],\\n    \\\"mac\\\": "
	"\\\"b8:3f:d2:00:00:01\\\"\\n}]\"},\"ownerReferences\":[{\"apiVersion\":\"kubeflow.org/"
	"v1\","
	"\"kind\":\"PyTorchJob\",\"name\":\"llm\",\"uid\":\"u0\",\"controller\":true}]},"
	"\"spec\":{\"nodeName\":\"node-a\",\"containers\":[{\"name\":\"pytorch\",\"image\":\"x\","
	"\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"8\",\"rdma/hca_shared\":\"1\"}}}]},"
	"\"status\":{\"phase\":\"Running\",\"hostIP\":\"10.0.0.1\",\"podIP\":\"10.244.1.7\","
	"\"podIPs\":[{\"ip\":\"10.244.1.7\"}]}},"
	"{\"metadata\":{\"name\":\"exporter-x\",\"namespace\":\"mon\",\"ownerReferences\":[{"
	"\"kind\":"
	"\"DaemonSet\",\"name\":\"exporter\"}]},\"spec\":{\"nodeName\":\"node-a\",\"containers\":[{"
	"\"resources\":{\"limits\":{\"nvidia.com/"
	"gpu\":\"1\"}}}]},\"status\":{\"phase\":\"Running\"}},"
	"{\"metadata\":{\"name\":\"web\",\"namespace\":\"team-a\"},\"spec\":{\"nodeName\":\"node-"
	"b\","
	"\"containers\":[{\"resources\":{}}]},\"status\":{\"phase\":\"Running\"}}]}";
static const char pods_second[] =
	"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"771\"},"
	"\"items\":[{\"metadata\":{\"name\":\"llm-worker-1\",\"namespace\":\"team-a\",\"labels\":{"
	"\"training.kubeflow.org/"
	"job-name\":\"llm\"}},\"spec\":{\"nodeName\":\"node-b\",\"containers\":"
	"[{\"resources\":{\"limits\":{\"nvidia.com/"
	"gpu\":\"8\"}}}]},\"status\":{\"phase\":\"Running\","
	"\"podIP\":\"10.244.2.9\"}},"
	"{\"metadata\":{\"name\":\"dra-0\",\"namespace\":\"team-b\",\"ownerReferences\":[{\"kind\":"
	"\"Job\",\"name\":\"bench\"}]},\"spec\":{\"nodeName\":\"node-b\",\"resourceClaims\":[{"
	"\"name\":"
	"\"nic\",\"resourceClaimTemplateName\":\"nics\"}],\"containers\":[{\"resources\":{"
	"\"claims\":[{"
	"\"name\":\"nic\"}]}}]},\"status\":{\"phase\":\"Running\",\"resourceClaimStatuses\":[{"
	"\"name\":"
	"\"nic\",\"resourceClaimName\":\"dra-0-nic-x1\"}]}},"
	"{\"metadata\":{\"name\":\"old\",\"namespace\":\"team-b\"},\"spec\":{\"nodeName\":\"node-"
	"b\","
	"\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"8\"}}}]},\"status\":{"
	"\"phase\":\"Succeeded\"}}]}";
/* resource.k8s.io/v1 ResourceClaimList with the status of a network driver. */
static const char claims[] =
	"{\"kind\":\"ResourceClaimList\",\"apiVersion\":\"resource.k8s.io/v1\",\"metadata\":{},"
	"\"items\":[{\"metadata\":{\"name\":\"dra-0-nic-x1\",\"namespace\":\"team-b\"},\"spec\":{"
	"\"devices\":{\"requests\":[{\"name\":\"nic\",\"exactly\":{\"deviceClassName\":\"rdma\","
	"\"allocationMode\":\"ExactCount\",\"count\":1}}]}},\"status\":{\"allocation\":{"
	"\"devices\":{"
	"\"results\":[{\"request\":\"nic\",\"driver\":\"dra.net\",\"pool\":\"node-b\",\"device\":"
	"\"pci-0000-5d-00-0\"}]}},\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"dra-0\","
	"\"uid\":"
	"\"u9\"}],\"devices\":[{\"driver\":\"dra.net\",\"pool\":\"node-b\",\"device\":"
	"\"pci-0000-5d-00-0\",\"networkData\":{\"interfaceName\":\"net1\",\"ips\":[\"192.168.3.4/"
	"24\"],"
	"\"hardwareAddress\":\"b8:3f:d2:00:00:02\"}}]}}]}";
static const char denied[] =
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
	"\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}";

/* Ray 2.9 and later: the state API and the list of submitted jobs. */
#define RAY(rows, total)                                                                           \
	"{\"result\":true,\"msg\":\"\",\"data\":{\"result\":{\"total\":" total                     \
	",\"num_after_truncation\":" total ",\"num_filtered\":" total ",\"result\":[" rows         \
	"],\"partial_failure_warning\":\"\",\"warnings\":null}}}"
static const char nodes[] = RAY(
	"{\"node_id\":\"n1\",\"node_ip\":\"10.0.0.1\",\"is_head_node\":true,\"state\":\"ALIVE\","
	"\"node_name\":\"node-a\",\"resources_total\":{\"GPU\":8.0,\"CPU\":96.0}},"
	"{\"node_id\":\"n2\",\"node_ip\":\"node-b\",\"is_head_node\":false,\"state\":\"ALIVE\","
	"\"node_name\":\"node-b\",\"resources_total\":{\"GPU\":8.0}}",
	"2");
static const char actors[] =
	RAY("{\"actor_id\":\"a1\",\"class_name\":\"RayTrainWorker\",\"state\":\"ALIVE\",\"job_id\":"
	    "\"02000000\",\"name\":\"\",\"node_id\":\"n1\",\"pid\":771,\"required_resources\":{"
	    "\"GPU_group_0_8f1\":1.0,\"CPU_group_8f1\":1.0}},"
	    "{\"actor_id\":\"a2\",\"class_name\":\"RayTrainWorker\",\"state\":\"ALIVE\",\"job_id\":"
	    "\"02000000\",\"node_id\":\"n2\",\"pid\":772,\"required_resources\":{\"GPU\":1.0}},"
	    "{\"actor_id\":\"a3\",\"class_name\":\"Stats\",\"state\":\"ALIVE\",\"job_id\":"
	    "\"03000000\",\"node_id\":\"n2\",\"pid\":773,\"required_resources\":{\"CPU\":1.0}}",
		"3");
static const char jobs[] =
	"[{\"type\":\"SUBMISSION\",\"job_id\":\"02000000\",\"submission_id\":\"raysubmit_Xy1\","
	"\"driver_info\":{\"id\":\"02000000\",\"node_ip_address\":\"10.0.0.1\",\"pid\":\"700\"},"
	"\"status\":\"RUNNING\",\"entrypoint\":\"python train.py\",\"message\":\"\",\"error_type\":"
	"null,\"start_time\":1795206010123,\"end_time\":null,\"metadata\":{\"job_name\":\"rl-run\"}"
	","
	"\"runtime_env\":{}}]";

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	scratch_open(&f->scratch);
	if (!nginx_installed())
		return 0;
	https_certificates(&f->scratch);
	scratch_run(&f->scratch, "mkdir api");
	scratch_write(&f->scratch, "api/pods.json", pods_first);
	scratch_write(&f->scratch, "api/podstwo.json", pods_second);
	scratch_write(&f->scratch, "api/claims.json", claims);
	scratch_write(&f->scratch, "api/denied.json", denied);
	scratch_write(&f->scratch, "api/nodes.json", nodes);
	scratch_write(&f->scratch, "api/actors.json", actors);
	scratch_write(&f->scratch, "api/jobs.json", jobs);
	scratch_write(&f->scratch, "token", "tok3n\n");
	scratch_write(&f->scratch, "other_token", "wrong\n");
	scratch_run(&f->scratch, "chmod 600 token other_token");
	start_server(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->pid > 0) {
		(void)kill(f->pid, SIGTERM);
		(void)waitpid(f->pid, NULL, 0);
	}
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static json_t *run(const struct fixture *f, const char *command, const char *source,
	const char *token, const char *ca)
{
	char text[1024], inventory[160];
	const char *const check[] = {"check", "-f", inventory, "--for", "8s", "--json", NULL};
	const char *const snapshot[] = {
		"snapshot", "-f", inventory, "--for", "4s", "--json", "-", NULL};
	struct lab_output o;
	json_t *root;

	/* Nobody listens where the hosts are: jobs are known all the same. */
	(void)str_printf(text, sizeof(text),
		"fabric: t\nhosts:\n  - {names: \"node-a,node-b\", address: 127.0.0.1, port: 9}\n"
		"jobs: {source: %s, url: \"https://127.0.0.1:%u\", token: \"file:%s/%s\", "
		"tls_ca: %s/%s.pem}\n",
		source, f->port, f->scratch.dir, token, f->scratch.dir, ca);
	scratch_write(&f->scratch, "fabric.yaml", text);
	(void)str_copy(inventory, sizeof(inventory), scratch_path(&f->scratch, "fabric.yaml"));
	o = lab_railtop(str_eq(command, "check") ? check : snapshot, 120);
	root = o.out[0] == '{' ? lab_json(o.out) : NULL;
	if (!root)
		fail_msg("exit %d: %s%s", o.code, o.out, o.err);
	lab_output_free(&o);
	return root;
}

static void expect_source(json_t *root, const char *need, const char *valid, const char *words)
{
	json_t *c, *all = json_object_get(root, "job_sources");
	size_t i;

	json_array_foreach(all, i, c)
	{
		const char *name = json_string_value(json_object_get(c, "need"));
		const char *text = json_string_value(json_object_get(c, "cure"));

		if (!str_starts(name, need))
			continue;
		if (!str_eq(json_string_value(json_object_get(c, "valid")), valid) ||
			!strstr(text, words))
			fail_msg("%s: %s: %s", name, json_string_value(json_object_get(c, "valid")),
				text);
		return;
	}
	fail_msg("no %s", need);
}

static void expect_jobs(json_t *root, const char *want)
{
	char all[512] = "";
	json_t *j, *h;
	size_t i, k;

	json_array_foreach(json_object_get(root, "jobs"), i, j)
	{
		(void)str_printf(all + strlen(all), sizeof(all) - strlen(all),
			"%s%s:", i ? "; " : "", json_string_value(json_object_get(j, "name")));
		json_array_foreach(json_object_get(j, "hosts"), k, h)(void) str_printf(
			all + strlen(all), sizeof(all) - strlen(all), " %s", json_string_value(h));
	}
	assert_string_equal(all, want);
}

CASE_WITH(kubernetes_pods_and_claims_are_jobs, setup, teardown)
{
	struct fixture *f = *state;
	json_t *root;

	if (!nginx_installed())
		skip();
	root = run(f, "check", "kubernetes", "token", "ca");
	expect_source(root, "job source kubernetes 127.0.0.1:", "ok", "");
	json_decref(root);
	root = run(f, "snapshot", "kubernetes", "token", "ca");
	expect_jobs(root, "team-a/llm: node-a node-b; team-b/bench: node-b");
	json_decref(root);
}

CASE_WITH(ray_actors_are_jobs, setup, teardown)
{
	struct fixture *f = *state;
	json_t *root;

	if (!nginx_installed())
		skip();
	root = run(f, "check", "ray", "token", "ca");
	expect_source(root, "job source ray 127.0.0.1:", "ok", "");
	json_decref(root);
	root = run(f, "snapshot", "ray", "token", "ca");
	expect_jobs(root, "rl-run: node-a node-b");
	json_decref(root);
}

CASE_WITH(what_keeps_an_api_from_us_is_said, setup, teardown)
{
	struct fixture *f = *state;
	json_t *root;

	if (!nginx_installed())
		skip();
	root = run(f, "check", "kubernetes", "other_token", "ca");
	expect_source(
		root, "job source kubernetes", "unsupported", "HTTP 401: Unauthorized; token:");
	json_decref(root);
	root = run(f, "check", "kubernetes", "token", "other_ca");
	expect_source(root, "job source kubernetes", "unsupported", "tls_ca:");
	json_decref(root);
	scratch_run(&f->scratch, "rm api/actors.json");
	root = run(f, "check", "ray", "token", "ca");
	expect_source(root, "job source ray", "unsupported", "HTTP 404");
	json_decref(root);
	scratch_write(&f->scratch, "api/pods.json",
		"{\"kind\":\"PodList\",\"metadata\":{},\"items\":[]}");
	root = run(f, "check", "kubernetes", "token", "ca");
	expect_source(root, "job source kubernetes", "unknown", "no running job");
	json_decref(root);
}

CASES_MAIN(NULL, NULL)

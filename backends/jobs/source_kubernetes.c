/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/jobs/source.h"
#include "backends/parse/json_select.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Kubernetes: the running pods with GPUs, RDMA devices or resource claims, and the addresses of
 * pods. Formats: v1 PodList; resource.k8s.io ResourceClaimList (v1 since 1.34, v1beta1 since 1.32);
 * the annotation network-status of Multus. The token needs "list" on pods, and may lack the rest.
 */

static const char pods_path[] = "/api/v1/pods?fieldSelector=status.phase%3DRunning&limit=500";
static const char claims_path[] = "/apis/resource.k8s.io/v1/resourceclaims?limit=500";
static const char claims_old_path[] = "/apis/resource.k8s.io/v1beta1/resourceclaims?limit=500";
static const char *const paths[] = {pods_path, claims_path, claims_old_path, NULL};

/* ---- pages ---- */

/* The token of the next page is base64, or any text: it is encoded. */
static bool kubernetes_next(const struct job_document *d, char *dst, size_t size)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	struct err err = {0};
	struct json_value *doc =
		d->status == 200 ? json_value_parse(d->bytes, d->len, "", &err) : NULL;
	const char *at =
		json_value_text_or(json_value_get(json_value_get(doc, "metadata"), "continue"), "");
	const char *end = strstr(d->path, "&continue=");
	bool more = *at != '\0';
	size_t n;

	more = more && str_printf(dst, size,
			       "%.*s&continue=", end ? (int)(end - d->path) : (int)strlen(d->path),
			       d->path);
	for (n = more ? strlen(dst) : 0; more && *at; at++) {
		bool bare = strchr(plain, *at) != NULL;

		more = str_printf(dst + n, size - n, bare ? "%c" : "%%%02X", (unsigned char)*at);
		n = strlen(dst);
	}
	free(doc);
	return more;
}

/* ---- pods ---- */

/* Resources of devices: nvidia.com/gpu, amd.com/gpu, rdma/hca_a, nvidia.com/mlnxnics. */
static bool is_device_resource(const char *name)
{
	return strstr(name, "/gpu") || strstr(name, "gpu.") || str_starts(name, "rdma/") ||
	       strstr(name, "nics") || strstr(name, "/mig-") || strstr(name, "roce") ||
	       strstr(name, "vpc.amazonaws.com/efa") || strstr(name, "/hca");
}

static bool has_devices(const struct json_value *spec)
{
	if (json_value_is(json_value_get(spec, "resourceClaims"), DV_ARRAY) &&
		json_value_get(spec, "resourceClaims")->n)
		return true;
	for (json_value_items(c, json_value_get(spec, "containers")))
		for (json_value_members(
			     r, json_value_get(json_value_get(c, "resources"), "limits")))
			if (is_device_resource(json_value_name(r)))
				return true;
	return false;
}

/* The label that names the job, by the operator that started it. */
static const char *job_label(const struct json_value *labels)
{
	static const char *const known[] = {"training.kubeflow.org/job-name",
		"jobset.sigs.k8s.io/jobset-name", "leaderworkerset.sigs.k8s.io/name",
		"volcano.sh/job-name", "ray.io/cluster", "kueue.x-k8s.io/pod-group-name",
		"pytorch-job-name", "mpi-job-name", "batch.kubernetes.io/job-name", "job-name",
		"app.kubernetes.io/instance"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *name = json_value_text(json_value_get(labels, known[i]));

		if (name && *name)
			return name;
	}
	return NULL;
}

/* The owner of a pod: a ReplicaSet's name has a hash at its end. */
static const char *owner_name(const struct json_value *metadata)
{
	for (json_value_items(o, json_value_get(metadata, "ownerReferences"))) {
		const char *kind = json_value_text_or(json_value_get(o, "kind"), "");
		const char *name = json_value_text(json_value_get(o, "name"));

		if (name && !str_eq(kind, "Node") && !str_eq(kind, "DaemonSet"))
			return name;
	}
	return NULL;
}

/* Pods of a DaemonSet are there on every node: plugins, exporters. */
static bool is_daemon(const struct json_value *metadata)
{
	for (json_value_items(o, json_value_get(metadata, "ownerReferences")))
		if (str_eq(json_value_text(json_value_get(o, "kind")), "DaemonSet"))
			return true;
	return false;
}

/* nic: the host's name of the NIC that has it, or its PCI address; NULL: not known. */
static void add_address(struct obs *out, const char *node, const char *text, const char *nic)
{
	struct obs_nccl *r;
	char address[NAME_MAX_LEN];

	if (!text || !*text)
		return;
	/* "10.0.0.7/24" of a claim. */
	if (!str_copyn(address, sizeof(address), text, strcspn(text, "/")))
		return;
	r = nccl_add(out, NCCL_ADDRESS, SOURCE_KUBERNETES);
	if (!r)
		return;
	r->host = obs_string(out, node);
	r->text = obs_string(out, address);
	r->text2 = obs_string(out, nic);
}

/*
 * The annotation is JSON in a text: [{"interface": "net1", "ips": ["10.56.217.171"], "device-info":
 * {"type": "pci", "pci": {"pci-address": "0000:03:00.3", "rdma-device": "mlx5_4"}}, ...}].
 */
static void read_networks(struct obs *out, const char *node, const struct json_value *annotations)
{
	const struct json_value *now =
		json_value_get(annotations, "k8s.v1.cni.cncf.io/network-status");
	const struct json_value *before_3_7 =
		json_value_get(annotations, "k8s.v1.cni.cncf.io/networks-status");
	const char *text = json_value_text(now ? now : before_3_7);
	struct err ignored = {0};
	struct json_value *doc =
		text ? nccl_json_list(text, strlen(text), out->device, &ignored) : NULL;

	for (json_value_items(net, json_value_get(doc, "list"))) {
		const struct json_value *pci =
			json_value_get(json_value_get(net, "device-info"), "pci");
		const char *rdma = json_value_text(json_value_get(pci, "rdma-device"));
		const char *bdf = json_value_text(json_value_get(pci, "pci-address"));

		for (json_value_items(ip, json_value_get(net, "ips")))
			add_address(out, node, json_value_text(ip), rdma ? rdma : bdf);
	}
	free(doc);
}

/* Returns whether the pod belongs to a job. */
static bool read_pod(const struct json_value *pod, struct obs *out)
{
	const struct json_value *metadata = json_value_get(pod, "metadata"),
				*spec = json_value_get(pod, "spec"),
				*status = json_value_get(pod, "status");
	const char *node = json_value_text(json_value_get(spec, "nodeName"));
	const char *name = json_value_text_or(json_value_get(metadata, "name"), "");
	const char *space = json_value_text_or(json_value_get(metadata, "namespace"), "");
	const char *job = job_label(json_value_get(metadata, "labels"));
	struct obs_nccl *r;
	char text[NAME_MAX_LEN];

	if (!node || !*node || !str_eq(json_value_text(json_value_get(status, "phase")), "Running"))
		return false;
	if (is_daemon(metadata) || !has_devices(spec))
		return false;
	job = job ? job : owner_name(metadata);
	(void)str_printf(text, sizeof(text), "%.60s/%.120s", space, job ? job : name);
	r = nccl_add(out, NCCL_JOB, SOURCE_KUBERNETES);
	if (!r)
		return false;
	r->job = obs_string(out, text);
	r->host = obs_string(out, node);
	/* A process in a pod prints the pod's name or address for its host. */
	add_address(out, node, name, NULL);
	for (json_value_items(ip, json_value_get(status, "podIPs")))
		add_address(out, node, json_value_text(json_value_get(ip, "ip")), NULL);
	if (!json_value_get(status, "podIPs"))
		add_address(out, node, json_value_text(json_value_get(status, "podIP")), NULL);
	read_networks(out, node, json_value_get(metadata, "annotations"));
	return true;
}

/* ---- claims ---- */

/*
 * The NIC of a device in a claim. dranet names it as the host does ("gpu0rdma0"), or by its PCI
 * address ("pci-0000-a3-00-0"); other drivers by names of their own, which no host knows.
 */
static const char *device_nic(const char *device, char *dst, size_t size)
{
	unsigned domain, bus, slot, function;

	if (sscanf(device, "pci-%4x-%2x-%2x-%1x", &domain, &bus, &slot, &function) != 4)
		return device;
	(void)str_printf(dst, size, "%04x:%02x:%02x.%x", domain, bus, slot, function);
	return dst;
}

/* The addresses of allocated network devices. The pool of a device is its node by convention. */
static void read_claim(const struct json_value *claim, struct obs *out)
{
	const struct json_value *status = json_value_get(claim, "status");
	char bdf[24];

	for (json_value_items(d, json_value_get(status, "devices"))) {
		const char *pool = json_value_text(json_value_get(d, "pool"));
		const char *device = json_value_text_or(json_value_get(d, "device"), "");

		for (json_value_items(ip, json_value_get(json_value_get(d, "networkData"), "ips")))
			if (pool)
				add_address(out, pool, json_value_text(ip),
					device_nic(device, bdf, sizeof(bdf)));
	}
}

/* ---- documents ---- */

static bool refuse(const struct job_document *d, struct err *err)
{
	struct err ignored = {0};
	struct json_value *doc = json_value_parse(d->bytes, d->len, "", &ignored);
	const char *why = json_value_text_or(json_value_get(doc, "message"), "");

	err_set(err, d->status == 401 || d->status == 403 ? ERR_UNAUTHORISED : ERR_PROTOCOL,
		"kubernetes", "HTTP %ld: %.120s", d->status, why);
	free(doc);
	return err_cure(err, "token: needs the right to list pods in all namespaces");
}

static bool read_list(
	const struct job_document *d, bool pods, struct obs *out, unsigned *jobs, struct err *err)
{
	struct json_value *doc = json_value_parse(d->bytes, d->len, "kubernetes", err);
	const struct json_value *items = json_value_get(doc, "items");

	if (!doc)
		return false;
	if (!json_value_is(items, DV_ARRAY) && !json_value_is(items, DV_NULL)) {
		free(doc);
		return err_set(
			err, ERR_PROTOCOL, "kubernetes", "the answer has no list of \"items\"");
	}
	for (json_value_items(v, items)) {
		if (pods)
			*jobs += read_pod(v, out);
		else
			read_claim(v, out);
	}
	free(doc);
	return true;
}

static bool kubernetes_read(
	const struct job_document *docs, size_t n, struct obs *out, struct err *err)
{
	unsigned jobs = 0;

	for (size_t i = 0; i < n; i++) {
		bool pods = str_starts(docs[i].path, "/api/v1/pods");

		if (pods && docs[i].status != 200)
			return refuse(&docs[i], err);
		/* A cluster without claims, or a token without the right to read them. */
		if (docs[i].status != 200)
			continue;
		if (!read_list(&docs[i], pods, out, &jobs, err))
			return false;
	}
	if (out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_KUBERNETES);
	return true;
}

const struct job_source_ops job_source_kubernetes = {
	.name = "kubernetes",
	.interval_us = 30 * CLOCK_SEC,
	.least_us = 5 * CLOCK_SEC,
	.paths = paths,
	.next = kubernetes_next,
	.read = kubernetes_read,
};

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_KERNEL_LOG_H
#define DIAGNOSIS_EVIDENCE_KERNEL_LOG_H

#include <stdbool.h>

/*
 * Meaning of lines of a host's kernel log that name a failed part: NICs by the messages of their
 * drivers, GPUs by the numbers of NVIDIA's catalogues of Xid and SXid errors, and the storage that
 * the host waits for.
 */
enum kernel_part { KERNEL_NONE, KERNEL_NIC, KERNEL_GPU, KERNEL_NVSWITCH, KERNEL_STORAGE };

/* What an error of a GPU or switch says about its cause. */
enum kernel_cause {
	KERNEL_APPLICATION, /* a faulty program */
	KERNEL_ECHO,        /* follows from an error elsewhere: cleanup, a remote GPU */
	KERNEL_NVLINK,      /* seen at both ends of a link, and behind a failed GPU */
	KERNEL_HARDWARE,    /* this part */
};

struct kernel_error {
	enum kernel_part part;
	enum kernel_cause cause;
	bool is_fatal;       /* the part works no longer until it is reset or replaced */
	bool is_of_link;     /* only that a port has no link: what its finding says as well */
	unsigned code;       /* Xid or SXid; 0: none */
	char bus[16];        /* "0000:5d:00" as printed with the code; "" */
	const char *storage; /* "NFS"; NULL: none, or not known */
	const char *meaning; /* "its firmware does not answer"; never NULL */
};

/* text: a line without its time stamp. False: no such error. */
bool kernel_error_read(const char *text, struct kernel_error *out);
/* Above zero: a says more about the cause than b. */
int kernel_error_compare(const struct kernel_error *a, const struct kernel_error *b);

#endif

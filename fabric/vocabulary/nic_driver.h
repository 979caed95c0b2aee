/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_VOCABULARY_NIC_DRIVER_H
#define FABRIC_VOCABULARY_NIC_DRIVER_H

#include <stdbool.h>

/*
 * Lines of a kernel log from drivers of RDMA NICs. Their messages are many and change with each
 * release, so beyond the known ones the words of an error decide. The case does not matter.
 */
/* True: the line begins with such a driver, or names one as its origin. */
bool nic_driver_line(const char *line);
/* True: it is such a line, and reports an error rather than a success or a recovery. */
bool nic_driver_error(const char *line);
/* True: it is such a line, and the NIC is begun anew, by its driver or its firmware. */
bool nic_driver_reset(const char *line);
/*
 * The same of a driver that is not known, "ixgbe 0000:01:00.1: ...": it names a PCI device. What
 * the bus itself says of its devices is another matter.
 */
bool pci_driver_error(const char *line);
/* The same of a driver of GPUs. */
bool gpu_driver_error(const char *line);

#endif

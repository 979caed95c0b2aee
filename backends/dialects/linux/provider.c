/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"

/*
 * The cloud that a host is a machine of, by the words that its firmware has for it (DMI, files that
 * anybody may read). A new cloud is one line. A machine of a cloud without such words, and bare
 * metal of any vendor, have no provider: nothing is guessed from a vendor's name alone.
 *
 * Sources: cloud-init (Azure), Oracle's and Google's own guides, ansible's and foreman's facts, and
 * tests of detectors with real values.
 */
static const struct {
	const char *file, *text; /* the value of the file has the text */
	const char *provider;
} marks[] = {
	{"sys_vendor", "Amazon EC2", "AWS EC2"},
	{"bios_vendor", "Amazon EC2", "AWS EC2"},
	{"bios_version", ".amazon", "AWS EC2"}, /* on Xen */
	{"product_name", "Google Compute Engine", "Google Cloud"},
	/* ASCII of "MSFT AZURE VM". Hyper-V elsewhere has the same vendor, and another tag. */
	{"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "Azure"},
	{"chassis_asset_tag", "OracleCloud.com", "OCI"}, /* bare metal, too */
	{"sys_vendor", "Alibaba Cloud", "Alibaba Cloud"},
	{"sys_vendor", "Tencent Cloud", "Tencent Cloud"},
	{"sys_vendor", "DigitalOcean", "DigitalOcean"},
	{"sys_vendor", "Scaleway", "Scaleway"},
	{"product_name", "OpenStack", "OpenStack"},
};

bool host_provider_line(struct host *h, const char *file, const char *value)
{
	if (!str_starts(file, "dmi/id/"))
		return false;
	file += strlen("dmi/id/");
	h->has_dmi = true;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !h->provider; i++)
		if (str_eq(marks[i].file, file) && strstr(value, marks[i].text))
			h->provider = marks[i].provider;
	if (str_eq(file, "product_name"))
		obs_word(h->o, OBS_NO_PORT, ATTR_MODEL, 0, value);
	else if (str_eq(file, "product_serial"))
		obs_word(h->o, OBS_NO_PORT, ATTR_SERIAL, 0, value);
	return true;
}

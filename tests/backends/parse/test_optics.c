/* SPDX-License-Identifier: Apache-2.0 */
/* The application of a module: texts as public reports have them (tests/cases/switches.md). */
#include <string.h>

#include "backends/parse/optics.h"
#include "tests/support/cases.h"

static void expect(const char *text, const char *wanted)
{
	char use[40];
	bool found = optics_application(text, use, sizeof(use));

	assert_string_equal(use, wanted);
	assert_int_equal(found, *wanted != '\0');
}

CASE(the_media_side_of_an_application_counts)
{
	expect("'host_electrical_interface_id': '400GAUI-8 C2M (Annex 120E)', "
	       "'module_media_interface_id': '400GBASE-DR4 (Cl 124)', 'host_lane_count': 8, "
	       "'host_lane_assignment_options': 1, 'media_lane_assignment_options': None",
		"400GBASE-DR4");
	expect("'module_media_interface_id': '100G-FR/100GBASE-FR1 (Cl 140)', "
	       "'host_lane_assignment_options': 85",
		"4x100G-FR");
	expect("'module_media_interface_id': '400G-FR4/400GBASE-FR4 (Cl 151)', "
	       "'host_lane_assignment_options': 17",
		"2x400G-FR4");
	expect("'host_electrical_interface_id': 'XLAUI C2M (Annex 83B)', "
	       "'module_media_interface_id': '40GBASE-LR4 (Cl 87)', "
	       "'host_lane_assignment_options': 1",
		"40GBASE-LR4");
}

CASE(other_texts_name_it_too)
{
	expect("400GAUI-8 C2M (Annex 120E) - Host Assign (0x1) - 400GBASE-DR4 (Cl 124) - Media "
	       "Assign (0x1)",
		"400GBASE-DR4");
	expect("{'Extended Specification Compliance': '100GBASE-LR4 or 25GBASE-LR'}",
		"100GBASE-LR4");
	expect("{'Extended Specification Compliance': '100G CWDM4'}", "100G-CWDM4");
	expect("QSFP-DD-400G-DR4", "400G-DR4");
	expect("800GBASE-DR8 (placeholder)", "800GBASE-DR8");
}

CASE(texts_of_reports_that_were_not_tuned_on)
{
	expect("{'10/40G Ethernet Compliance Code': 'Unknown', 'Extended Specification "
	       "Compliance': "
	       "'25GBASE-CR CA-25G-N or 50GBASE-CR2 with no FEC'}",
		"25GBASE-CR");
	expect("{'10/40G Ethernet Compliance Code': '40GBASE-CR4', 'Extended Specification "
	       "Compliance': '100GBASE-CR4, 25GBASE-CR CA-25G-L or 50GBASE-CR2 with RS'}",
		"40GBASE-CR4");
	expect("{'10G Ethernet Compliance': '10GBASE-SR', 'Ethernet Compliance': 'Unknown'}",
		"10GBASE-SR");
	expect("400GBASE-DR4 (Cl 124)", "400GBASE-DR4");
	expect("{'10/40G Ethernet Compliance Code': '40GBASE-CR4'}", "40GBASE-CR4");
	expect("{'Fibre Channel link length/Transmitter Technology': 'Short distance (S)'}", "");
	expect("400GAUI-8 C2M (Annex 120E) - Host Assign (0x1) - Active Cable assembly with BER < "
	       "5x10^-5 - Media Assign (0x1)",
		"");
	expect("400GAUI-8 C2M (Annex 120E) - Host Assign (0x1) - 400ZR, DWDM, amplified - Media "
	       "Assign (0x1)",
		"ZR");
}

/* Cables and rubbish have none; coherent optics have a word for all. */
CASE(what_has_no_application_has_none)
{
	expect("", "");
	expect("sm_media_interface", "");
	expect("N/A", "");
	expect("'host_electrical_interface_id': 'CAUI-4 C2M (Annex 83E)', "
	       "'module_media_interface_id': 'Active Cable assembly with BER < 5x10^-5', "
	       "'host_lane_assignment_options': 1",
		"");
	expect("'host_electrical_interface_id': '400G CR8', 'module_media_interface_id': 'Copper "
	       "cable'",
		"");
	expect("'module_media_interface_id': '400ZR, DWDM, amplified'", "ZR");
	expect("'host_lane_assignment_options': 999999999999999999999", "");
	expect("9999999999999999999999999G-DR4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"9999999999999999999999999G-DR4AAAAAA");
}

CASES_MAIN(NULL, NULL)

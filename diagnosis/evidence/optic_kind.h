/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_EVIDENCE_OPTIC_KIND_H
#define DIAGNOSIS_EVIDENCE_OPTIC_KIND_H

/*
 * The kind of light of a module, by the words that devices have for it: "400GBASE-DR4",
 * "2x400G-FR4", "QSFP-100G-CWDM4", "100G-SR2". Two ends of a link need the same kind.
 */
enum optic_kind {
	OPTIC_UNKNOWN, /* also active cables: their ends are one piece */
	OPTIC_COPPER,
	OPTIC_MULTIMODE, /* SR, VR */
	OPTIC_PARALLEL,  /* single mode, one wavelength a fibre: DR, PSM4, FR1, LR1 */
	OPTIC_WDM,       /* single mode, several wavelengths a fibre: FR4, LR4, CWDM4 */
	OPTIC_KINDS
};

/* application: copies the word, such as "DR4"; "" if unknown. May be NULL with size 0. */
enum optic_kind optic_kind_of(const char *media, char *application, unsigned long size);
/* "single mode, one wavelength a fibre" */
const char *optic_kind_name(enum optic_kind k);

#endif

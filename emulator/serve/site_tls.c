/* SPDX-License-Identifier: Apache-2.0 */
#include <gnutls/gnutls.h>
#include <gnutls/x509-ext.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"
#include "emulator/serve/site.h"

#define LIFE_S     (30L * 86400)
#define NAMES_MOST 3000U

struct identity {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt;
};

static void identity_free(struct identity *id)
{
	if (id->crt)
		gnutls_x509_crt_deinit(id->crt);
	if (id->key)
		gnutls_x509_privkey_deinit(id->key);
}

/*
 * Makes the key and the common parts of every certificate; returns a negative code of GnuTLS on
 * failure.
 */
static int identity_new(struct identity *id, const char *name)
{
	unsigned char serial[12];
	time_t now = time(NULL);
	int rc;

	*id = (struct identity){0};
	if (getrandom(serial, sizeof(serial), 0) != (ssize_t)sizeof(serial))
		return GNUTLS_E_RANDOM_FAILED;
	serial[0] &= 0x7f; /* a serial number must be positive */
	if ((rc = gnutls_x509_privkey_init(&id->key)) < 0 ||
		(rc = gnutls_x509_privkey_generate(id->key, GNUTLS_PK_ECDSA,
			 GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0)) < 0 ||
		(rc = gnutls_x509_crt_init(&id->crt)) < 0 ||
		(rc = gnutls_x509_crt_set_version(id->crt, 3)) < 0 ||
		(rc = gnutls_x509_crt_set_serial(id->crt, serial, sizeof(serial))) < 0 ||
		/* The console's clock may be a little behind. */
		(rc = gnutls_x509_crt_set_activation_time(id->crt, now - 3600)) < 0 ||
		(rc = gnutls_x509_crt_set_expiration_time(id->crt, now + LIFE_S)) < 0 ||
		(rc = gnutls_x509_crt_set_key(id->crt, id->key)) < 0)
		return rc;
	return gnutls_x509_crt_set_dn_by_oid(
		id->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name, (unsigned)strlen(name));
}

static int make_ca(struct identity *ca)
{
	unsigned char id[32];
	size_t size = sizeof(id);
	int rc = identity_new(ca, "Fabric Operations CA");

	if (rc < 0 || (rc = gnutls_x509_crt_set_basic_constraints(ca->crt, 1, 0)) < 0 ||
		(rc = gnutls_x509_crt_set_key_usage(
			 ca->crt, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN)) < 0 ||
		(rc = gnutls_x509_crt_get_key_id(ca->crt, 0, id, &size)) < 0 ||
		(rc = gnutls_x509_crt_set_subject_key_id(ca->crt, id, size)) < 0)
		return rc;
	return gnutls_x509_crt_sign2(ca->crt, ca->crt, ca->key, GNUTLS_DIG_SHA256, 0);
}

static int put_name(gnutls_subject_alt_names_t names, unsigned type, const void *data, size_t size)
{
	gnutls_datum_t d = {mem_alloc(size), (unsigned)size};
	int rc;

	memcpy(d.data, data, size);
	rc = gnutls_subject_alt_names_set(names, type, &d, NULL);
	free(d.data);
	return rc;
}

static size_t count_devices(const struct site *s)
{
	size_t n = 0;

	for (size_t i = 0; i < sim_device_count(s->sim); i++)
		n += site_password_file(sim_device(s->sim, i)->dialect) != NULL;
	return n;
}

/*
 * One certificate for all devices that speak HTTPS. It lists addresses, and names too while it
 * stays below OpenSSL's limit of 100 KB.
 */
static int put_devices(const struct site *s, gnutls_subject_alt_names_t names)
{
	bool by_name = count_devices(s) <= NAMES_MOST;

	for (size_t i = 0; i < sim_device_count(s->sim); i++) {
		const struct sim_device *d = sim_device(s->sim, i);
		struct in_addr a = site_address(s, d);
		int rc;

		if (!site_password_file(d->dialect))
			continue;
		if ((by_name && (rc = put_name(names, GNUTLS_SAN_DNSNAME, d->name,
					 strlen(d->name))) < 0) ||
			(rc = put_name(names, GNUTLS_SAN_IPADDRESS, &a, sizeof(a))) < 0)
			return rc;
	}
	return 0;
}

/*
 * Puts all names in one extension. Appending them to the certificate one by one encodes all of them
 * anew each time: 50 s for the 1,500 switches of 24k.
 */
static int add_names(const struct site *s, struct identity *id, const char *only)
{
	gnutls_subject_alt_names_t names;
	gnutls_datum_t der = {NULL, 0};
	int rc = gnutls_subject_alt_names_init(&names);

	if (rc < 0)
		return rc;
	rc = only ? put_name(names, GNUTLS_SAN_DNSNAME, only, strlen(only)) : put_devices(s, names);
	if (rc >= 0)
		rc = gnutls_x509_ext_export_subject_alt_names(names, &der);
	if (rc >= 0)
		rc = gnutls_x509_crt_set_extension_by_oid(
			id->crt, GNUTLS_X509EXT_OID_SAN, der.data, der.size, 0);
	gnutls_free(der.data);
	gnutls_subject_alt_names_deinit(names);
	return rc;
}

static int sign_server(struct identity *id, const struct identity *ca)
{
	int rc = gnutls_x509_crt_set_key_usage(id->crt, GNUTLS_KEY_DIGITAL_SIGNATURE);

	if (rc < 0 || (rc = gnutls_x509_crt_set_basic_constraints(id->crt, 0, -1)) < 0 ||
		(rc = gnutls_x509_crt_set_key_purpose_oid(id->crt, GNUTLS_KP_TLS_WWW_SERVER, 0)) <
			0)
		return rc;
	return gnutls_x509_crt_sign2(id->crt, ca->crt, ca->key, GNUTLS_DIG_SHA256, 0);
}

static char *take_text(gnutls_datum_t *d)
{
	char *text = mem_strndup((const char *)d->data, d->size);

	gnutls_free(d->data);
	return text;
}

static int export_pem(const struct identity *id, char **cert, char **key)
{
	gnutls_datum_t d;
	int rc = gnutls_x509_crt_export2(id->crt, GNUTLS_X509_FMT_PEM, &d);

	if (rc < 0)
		return rc;
	*cert = take_text(&d);
	if (!key)
		return 0;
	rc = gnutls_x509_privkey_export2(id->key, GNUTLS_X509_FMT_PEM, &d);
	if (rc >= 0)
		*key = take_text(&d);
	return rc;
}

static int make_all(struct site *s, struct identity *ca, struct identity *good,
	struct identity *wrong, char **out)
{
	int rc;

	if ((rc = make_ca(ca)) < 0 || (rc = identity_new(good, "spine")) < 0 ||
		(rc = add_names(s, good, NULL)) < 0 || (rc = sign_server(good, ca)) < 0 ||
		(rc = identity_new(wrong, "elsewhere.invalid")) < 0 ||
		(rc = add_names(s, wrong, "elsewhere.invalid")) < 0 ||
		(rc = sign_server(wrong, ca)) < 0 || (rc = export_pem(ca, out, NULL)) < 0 ||
		(rc = export_pem(good, &s->cert, &s->key)) < 0)
		return rc;
	return export_pem(wrong, &s->wrong_cert, &s->wrong_cert_key);
}

bool site_make_tls(struct site *s, char **ca_pem, struct err *err)
{
	struct identity ca = {0}, good = {0}, wrong = {0};
	int rc = make_all(s, &ca, &good, &wrong, ca_pem);

	identity_free(&ca);
	identity_free(&good);
	identity_free(&wrong);
	if (rc < 0)
		return err_set(err, ERR_INTERNAL, "gnutls", "cannot make certificates: %s",
			gnutls_strerror(rc));
	return true;
}

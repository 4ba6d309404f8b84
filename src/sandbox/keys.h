/* The merchant and the platform: numbers and keys, made once in the folder, and the file that frontdesk reads. */
#ifndef FD_SANDBOX_KEYS_H
#define FD_SANDBOX_KEYS_H
#include "base/error.h"
#include "outside/crypto.h"

#define CHANNELS_FILE "channels.conf"

struct keys {
    /* WeChat Pay */
    char mchid[33], appid[33], serial[SERIAL_BYTES] /* of the merchant's API certificate */;
    char apiv3_key[AES_KEY_BYTES + 1];
    char public_key_id[SERIAL_BYTES], certificate_id[SERIAL_BYTES];
    struct crypto_key *merchant;  /* the merchant's private key: we verify with it, and forge */
    struct crypto_key *platform;  /* behind public_key_id */
    struct crypto_key *certified; /* behind certificate_id */
    char *certificate;            /* PEM */
    /* Alipay */
    char app_id[33], seller_id[33];
    struct crypto_key *app, *alipay; /* the application's, the platform's */
};

/* Reads them from the current folder, or makes what is missing (files 0600). FD_IO. */
enum fd_code keys_open(struct keys *keys, struct fd_error *err);
void keys_release(struct keys *keys);

struct channels_file {
    int port;
    const char *notify; /* where frontdesk notify listens: "http://127.0.0.1:8787" */
    bool certificate;   /* WeChat's platform certificate instead of the public key */
};
/* Writes channels.conf (0600) where it differs. FD_IO. */
enum fd_code keys_write_channels(const struct keys *keys, const struct channels_file *file, struct fd_error *err);
#endif

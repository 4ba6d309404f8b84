/* crypt(3) with its scratch memory wiped. */
#include "core/password.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/token.h"

#define METHOD "$y$"
#define COST   6 /* 4 MiB and about 60 ms; the library's own default is 5. Source: threats row 4 */
/* Salt of a hash that nobody has, made with the same cost. */
#define NOBODY "$y$jAT$ixaMjFKSUUKMn/0RcZqQi."

static bool same_text(const char *a, const char *b)
{
    size_t length = strlen(a);
    if (length != strlen(b))
        return false;
    unsigned char differs = 0;
    for (size_t i = 0; i < length; i++)
        differs = (unsigned char)(differs | (a[i] ^ b[i]));
    return differs == 0;
}

/* crypt_rn needs 32 KiB of scratch that ends up with the password in it. */
static bool run_crypt(const char *password, const char *setting, char out[PASSWORD_HASH_BYTES])
{
    struct crypt_data *data = xcalloc(1, sizeof *data);
    const char *made = crypt_rn(password, setting, data, (int)sizeof *data);
    bool usable = made && made[0] != '*' && strlen(made) < PASSWORD_HASH_BYTES;
    if (usable)
        memcpy(out, made, strlen(made) + 1);
    explicit_bzero(data, sizeof *data);
    free(data);
    return usable;
}

enum fd_code password_hash(const char *password, char hash[PASSWORD_HASH_BYTES], struct fd_error *err)
{
    char salt[32], setting[CRYPT_GENSALT_OUTPUT_SIZE];
    random_bytes(salt, sizeof salt);
    bool made = crypt_gensalt_rn(METHOD, COST, salt, (int)sizeof salt, setting, (int)sizeof setting) != NULL;
    bool hashed = made && run_crypt(password, setting, hash);
    explicit_bzero(salt, sizeof salt);
    if (hashed)
        return FD_OK;
    /* The method is known, so what was missing is its 4 MiB; the library itself says EINVAL. */
    if (made)
        return fd_fail(err, FD_NO_MEMORY, NULL);
    fd_fail(err, FD_INTERNAL, NULL);
    fd_detail(err, "crypt(3) of this system does not know %s", METHOD);
    return FD_INTERNAL;
}

enum fd_code password_check(const char *password, const char *hash, bool *right, struct fd_error *err)
{
    char made[PASSWORD_HASH_BYTES] = "";
    bool real = hash && hash[0] && strlen(hash) < PASSWORD_HASH_BYTES;
    *right = real && run_crypt(password, hash, made) && same_text(made, hash);
    /* A hash that cannot be used fails at once, and so does a good one without memory: the one that is known to be
     * good takes the time in the first case and tells the second. */
    bool starved = !made[0] && !run_crypt(password, NOBODY, made);
    explicit_bzero(made, sizeof made);
    return starved ? fd_fail(err, FD_NO_MEMORY, NULL) : FD_OK;
}

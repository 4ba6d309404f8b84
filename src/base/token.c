#include "base/token.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/mem.h"

#define NUMBER_RANDOM_CHARS 8
#define KEY_CHARS           26 /* 31^26 is more than 2^128 */

/* Without 0 O 1 I L, which people mix up on the phone. */
static const char alphabet[] = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

void random_bytes(void *out, size_t bytes)
{
    char *to = out;
    while (bytes) {
        ssize_t got = getrandom(to, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            FD_BUG("getrandom: errno %d", errno);
        to += got;
        bytes -= (size_t)got;
    }
}

uint32_t random_below(uint32_t limit)
{
    FD_ASSERT(limit > 0);
    /* Values below the remainder of 2^32 by the limit would favour small results. */
    uint32_t least = -limit % limit;
    uint32_t value;
    do
        random_bytes(&value, sizeof value);
    while (value < least);
    return value % limit;
}

/* All characters out of one call into the kernel, which is dearer than the rest of a number: a byte that would favour
 * the first characters of the alphabet is left out. */
static void random_text(char *out, size_t count)
{
    enum { CHARS = sizeof alphabet - 1, FAIR = 256 / CHARS * CHARS };
    unsigned char bytes[48];
    size_t made = 0;
    while (made < count) {
        random_bytes(bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes && made < count; i++)
            if (bytes[i] < FAIR)
                out[made++] = alphabet[bytes[i] % CHARS];
    }
    out[count] = '\0';
}

void number_new(char out[NUMBER_BYTES], day_t day, const char *tag)
{
    char random[NUMBER_RANDOM_CHARS + 1];
    int year, month, dom;
    random_text(random, NUMBER_RANDOM_CHARS);
    day_split(day, &year, &month, &dom);
    fit_printf_at(out, NUMBER_BYTES, "%04d%02d%02d%s%s", year, month, dom, tag, random);
}

void key_new(char out[KEY_BYTES])
{
    random_text(out, KEY_CHARS);
}

void sha256_hex(const void *bytes, size_t count, char out[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    errno = 0;
    bool made = EVP_Digest(bytes, count, digest, &length, EVP_sha256(), NULL) == 1 && length == 32;
    if (!made && errno == ENOMEM)
        mem_exhausted();
    if (!made)
        FD_BUG("SHA-256 is not available");
    for (unsigned int i = 0; i < length; i++) {
        out[2 * i] = digits[digest[i] >> 4];
        out[2 * i + 1] = digits[digest[i] & 15];
    }
    out[64] = '\0';
}

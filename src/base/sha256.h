/*
 * SHA-256 digests (FIPS 180-4), used to recognise equations and damaged files.
 */
#ifndef CMB_BASE_SHA256_H
#define CMB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CMB_DIGEST_SIZE = 32, CMB_DIGEST_TEXT = 2 * CMB_DIGEST_SIZE + 1 };

typedef struct cmb_sha256 {
  uint32_t state[8]; /* hash value H of the complete blocks */
  uint64_t length;   /* number of bytes added so far */
  uint8_t block[64]; /* the bytes after the last complete block */
} cmb_sha256;

/* Compute a digest: begin, add bytes in any number of calls, and end, which writes the digest. */
cmb_sha256 cmb_sha256_begin(void);
void cmb_sha256_add(cmb_sha256 *s, const void *bytes, size_t length);
void cmb_sha256_end(cmb_sha256 *s, uint8_t digest[CMB_DIGEST_SIZE]);

/* Adds the length of a text and then the text, so that ("ab", "c") and ("a", "bc") give different digests. */
void cmb_sha256_add_text(cmb_sha256 *s, const char *text);

/* Writes the digest as 64 hexadecimal digits and a final 0. */
void cmb_digest_print(const uint8_t digest[CMB_DIGEST_SIZE], char text[CMB_DIGEST_TEXT]);

#endif

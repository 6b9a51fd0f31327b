/*
 * Computes SHA-256 digests (FIPS 180-4: functions of section 4.1.2, constants of 4.2.2, padding of 5.1.1, compression of a block of 6.2.2).
 * The letters a..h, H, W, K, T1 and T2 are those of the standard.
 */
#include "base/sha256.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 64, LENGTH_AT = 56 };

/* clang-format off */
static const uint32_t K[ROUNDS] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
/* clang-format on */

static uint32_t rotate_right(uint32_t x, int n)
{
  return (x >> n) | (x << (32 - n));
}

static uint32_t word_at(const uint8_t *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Updates the hash value H with one block of 64 bytes of the message (FIPS 180-4, section 6.2.2). */
static void add_block(uint32_t H[8], const uint8_t *block)
{
  uint32_t W[ROUNDS];
  for (int t = 0; t < 16; t++) W[t] = word_at(block + 4 * t);
  for (int t = 16; t < ROUNDS; t++) {
    uint32_t s0 = rotate_right(W[t - 15], 7) ^ rotate_right(W[t - 15], 18) ^ (W[t - 15] >> 3);
    uint32_t s1 = rotate_right(W[t - 2], 17) ^ rotate_right(W[t - 2], 19) ^ (W[t - 2] >> 10);
    W[t] = s1 + W[t - 7] + s0 + W[t - 16];
  }
  uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
  for (int t = 0; t < ROUNDS; t++) {
    uint32_t S1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25),
             choose = (e & f) ^ (~e & g);
    uint32_t S0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22),
             majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t T1 = h + S1 + choose + K[t] + W[t], T2 = S0 + majority;
    h = g, g = f, f = e, e = d + T1;
    d = c, c = b, b = a, a = T1 + T2;
  }
  H[0] += a, H[1] += b, H[2] += c, H[3] += d;
  H[4] += e, H[5] += f, H[6] += g, H[7] += h;
}

cmb_sha256 cmb_sha256_begin(void)
{
  return (cmb_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void cmb_sha256_add(cmb_sha256 *s, const void *bytes, size_t length)
{
  const uint8_t *from = bytes;
  size_t held = (size_t)(s->length % BLOCK);
  s->length += length;
  while (length > 0) {
    if (held == 0 && length >= BLOCK) {
      add_block(s->state, from);
      from += BLOCK, length -= BLOCK;
      continue;
    }
    size_t piece = length < BLOCK - held ? length : BLOCK - held;
    memcpy(s->block + held, from, piece);
    from += piece, length -= piece, held += piece;
    if (held == BLOCK) {
      add_block(s->state, s->block);
      held = 0;
    }
  }
}

void cmb_sha256_add_text(cmb_sha256 *s, const char *text)
{
  size_t length = strlen(text);
  uint8_t size[8];
  for (int i = 0; i < 8; i++) size[i] = (uint8_t)((uint64_t)length >> (8 * i));
  cmb_sha256_add(s, size, sizeof size);
  cmb_sha256_add(s, text, length);
}

void cmb_sha256_end(cmb_sha256 *s, uint8_t digest[CMB_DIGEST_SIZE])
{
  uint64_t bits = 8 * s->length;
  uint8_t one = 0x80, zero = 0, size[8];
  for (int i = 0; i < 8; i++) size[i] = (uint8_t)(bits >> (56 - 8 * i));
  cmb_sha256_add(s, &one, 1);
  while (s->length % BLOCK != LENGTH_AT) cmb_sha256_add(s, &zero, 1);
  cmb_sha256_add(s, size, sizeof size);
  for (int i = 0; i < CMB_DIGEST_SIZE; i++)
    digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void cmb_digest_print(const uint8_t digest[CMB_DIGEST_SIZE], char text[CMB_DIGEST_TEXT])
{
  for (int i = 0; i < CMB_DIGEST_SIZE; i++) {
    text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  text[CMB_DIGEST_TEXT - 1] = '\0';
}

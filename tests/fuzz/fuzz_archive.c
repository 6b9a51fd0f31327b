/*
 * Fuzz target: reading of saved states (base/archive.h). The first byte of the input is the number of expected numbers, the rest is the
 * text between the first line and the checksum; a valid checksum is computed for it.
 *
 * For every text, reading returns either an error whose message contains the file's name, or numbers that are read back unchanged after
 * writing them. Without the first line or the checksum it returns an error.
 */
#include "base/archive.h"
#include "base/context.h"
#include "base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 8 };

struct numbers {
  double d[MOST];
  long l[MOST];
  int i[MOST];
  bool b[MOST];
};

static void require(bool holds)
{
  if (!holds) abort();
}

static void visit(cmb_archive *a, int n, struct numbers *x)
{
  cmb_archive_expect(a, "method", "mdop5", NULL);
  cmb_archive_doubles(a, "q", n, x->d);
  cmb_archive_longs(a, "steps", n, x->l);
  cmb_archive_ints(a, "mode", n, x->i);
  cmb_archive_bools(a, "rests", n, x->b);
  if (!a->writing) cmb_archive_finish(a);
}

/* Writes the numbers that were read, and checks that reading them again gives the same numbers. */
static void read_back(cmb_context *ctx, int n, struct numbers *x)
{
  struct numbers again = {.d = {0}};
  cmb_archive w = cmb_archive_write(ctx);
  visit(&w, n, x);
  require(cmb_archive_close(&w) == CMB_OK);
  cmb_archive r = cmb_archive_read(ctx, "fuzz.state", w.text.text, w.text.length);
  visit(&r, n, &again);
  require(r.status == CMB_OK && memcmp(x->d, again.d, sizeof x->d) == 0);
  for (int i = 0; i < n; i++) {
    require(x->l[i] == again.l[i] && x->i[i] == again.i[i] && x->b[i] == again.b[i]);
  }
  cmb_buffer_release(&w.text);
}

static void read_text(cmb_context *ctx, int n, const char *text, size_t length)
{
  struct numbers x = {.d = {0}};
  char *exact = malloc(
      length + 1); /* of the exact length, so that the sanitizer detects reading beyond the end */
  require(exact != NULL);
  memcpy(exact, text, length);
  exact[length] = '\0';
  cmb_archive a = cmb_archive_read(ctx, "fuzz.state", exact, length);
  visit(&a, n, &x);
  if (a.status == CMB_OK) read_back(ctx, n, &x);
  if (a.status != CMB_OK) require(strncmp(cmb_last_error(ctx), "fuzz.state", 10) == 0);
  free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0) return 0;
  const int n = data[0] % (MOST + 1);
  char digest[CMB_DIGEST_TEXT];
  uint8_t bytes[CMB_DIGEST_SIZE];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_buffer text = cmb_buffer_begin(ctx);
  cmb_sha256 sum = cmb_sha256_begin();
  cmb_buffer_put(&text, "camber-state 1\n");
  cmb_buffer_add(&text, data + 1, size - 1);
  cmb_sha256_add(&sum, text.text, text.length);
  cmb_sha256_end(&sum, bytes);
  cmb_digest_print(bytes, digest);
  cmb_buffer_print(&text, "sha256 %s\n", digest);
  require(!text.failed);
  read_text(ctx, n, text.text, text.length);
  read_text(ctx, n, (const char *)data + 1, size - 1);
  cmb_buffer_release(&text);
  cmb_context_destroy(ctx);
  return 0;
}

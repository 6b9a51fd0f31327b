/*
 * SHA-256 against the examples of FIPS 180-4 (as published by NIST), whole and in pieces.
 */
#include "check.h"

#include "base/sha256.h"

#include <string.h>

static void digest(const char *text, size_t length, size_t piece, char result[CMB_DIGEST_TEXT])
{
  uint8_t bytes[CMB_DIGEST_SIZE];
  cmb_sha256 s = cmb_sha256_begin();
  for (size_t i = 0; i < length; i += piece)
    cmb_sha256_add(&s, text + i, piece < length - i ? piece : length - i);
  cmb_sha256_end(&s, bytes);
  cmb_digest_print(bytes, result);
}

static void test_examples(void **state)
{
  (void)state;
  static const struct {
    const char *text, *digest;
  } cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmn"
       "opq"
       "rsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t piece = 1; piece < 130; piece++) {
      char result[CMB_DIGEST_TEXT];
      digest(cases[i].text, strlen(cases[i].text), piece, result);
      assert_string_equal(result, cases[i].digest);
    }
  }
}

static void test_a_million_letters(void **state)
{
  (void)state;
  static char text[1000000];
  char result[CMB_DIGEST_TEXT];
  memset(text, 'a', sizeof text);
  digest(text, sizeof text, 999, result);
  assert_string_equal(result, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_a_million_letters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Fuzz target: models made by calls of the library. Each line of the input is a call: a letter for the function, a key or name, and after '='
 * the value, with ',' between the entries of lists.
 *
 *     t  a text       n  a number      T  texts      N  numbers      r  rows of two numbers
 *     b  a body       j  a joint       l  a loop     o  an output
 *
 * After any calls there is either no model and an error whose message is one line that begins with the name; its status is that of the
 * context and stays. Or there is a model, whose elements all have keys as positions, and the same model can be made a second time.
 */
#include "model/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 1500, MOST_ENTRIES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

/* Splits the text at its commas, in place. Returns the number of parts. */
static int cut(char *text, const char *part[MOST_ENTRIES])
{
  int count = 0;
  while (text && count < MOST_ENTRIES) {
    part[count++] = text;
    text = strchr(text, ',');
    if (text) *text++ = '\0';
  }
  return count;
}

static cmb_status call(cmb_draft *d, char *line)
{
  const char *part[MOST_ENTRIES] = {NULL}, *key = line + 1;
  char *value = strchr(line, '=');
  double x[MOST_ENTRIES] = {0};
  if (value) *value++ = '\0';
  if (line[0] == 't') return cmb_draft_text(d, key, value);
  const int n = cut(value, part);
  for (int i = 0; i < n; i++) x[i] = strtod(part[i], NULL);
  switch (line[0]) {
  case 'n': return cmb_draft_number(d, key, x[0]);
  case 'T': return cmb_draft_texts(d, key, n, part);
  case 'N': return cmb_draft_numbers(d, key, n, x);
  case 'r': return cmb_draft_rows(d, key, n / 2, 2, x);
  case 'b': return cmb_draft_body(d, key, x[0], x + 1, n > 4 ? x + 2 : NULL);
  case 'j': return cmb_draft_joint(d, key, part[0], part[1], part[2], part[3], part[4]);
  case 'l': return cmb_draft_loop(d, key, part[0], part[1], part[2], part[3]);
  default: return cmb_draft_output(d, key, part[0], part[1]);
  }
}

static void require_failure(const cmb_context *ctx, cmb_status status)
{
  const char *sentence = cmb_last_error(ctx);
  require(status == CMB_ERROR_INPUT || status == CMB_ERROR_ARGUMENT);
  require(cmb_error_of(ctx)->status == status);
  require(strncmp(sentence, "fuzz: ", 6) == 0 && !strchr(sentence, '\n'));
}

static cmb_status make_calls(cmb_context *ctx, cmb_draft *d, const uint8_t *data, size_t size)
{
  cmb_status first = CMB_OK;
  while (size > 0) {
    char line[MOST_LINE + 1];
    const uint8_t *end = memchr(data, '\n', size);
    const size_t length = end ? (size_t)(end - data) : size;
    const size_t kept = length < MOST_LINE ? length : MOST_LINE;
    memcpy(line, data, kept);
    line[kept] = '\0';
    data += length + (end ? 1 : 0);
    size -= length + (end ? 1 : 0);
    if (!line[0]) continue;
    const cmb_status status = call(d, line);
    if (status != CMB_OK) require_failure(ctx, status);
    require(first == CMB_OK || status == first);
    first = status;
  }
  return first;
}

static void require_model(const cmb_model *m)
{
  for (int i = 0; i < m->body_count; i++) require(m->bodies[i].place.key && m->bodies[i].name);
  for (int i = 0; i < m->joint_count; i++) require(m->joints[i].place.key && m->joints[i].name);
  for (int i = 0; i < m->output_count; i++) require(m->outputs[i].formula.place.key != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *draft = NULL;
  cmb_model *model, *again;
  require(ctx && cmb_draft_create(ctx, "fuzz", &draft) == CMB_OK);
  const cmb_status calls = make_calls(ctx, draft, data, size);
  const cmb_status status = cmb_draft_model(draft, NULL, &model);
  require(calls == CMB_OK || calls == status);
  if (status == CMB_OK) {
    require_model(model);
    require(cmb_draft_model(draft, NULL, &again) == CMB_OK);
    cmb_draft_destroy(draft);
    require_model(again);
    cmb_model_destroy(again);
    cmb_model_destroy(model);
  } else {
    require_failure(ctx, status);
    require(!model);
    cmb_draft_destroy(draft);
  }
  cmb_context_destroy(ctx);
  return 0;
}

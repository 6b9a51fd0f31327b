/*
 * Models from text for tests: read, or fail with the reader's words; and files in the test's scratch folder.
 */
#ifndef CMBT_MODEL_CASE_H
#define CMBT_MODEL_CASE_H

#include "model/model.h"

/* The model in the text, called "test.yaml" in messages. The test fails if it is refused. */
cmb_model *cmbt_model_parse(cmb_context *ctx, const char *text);

/* The same for a text that includes bundled parts. */
cmb_model *cmbt_model_of_parts(cmb_context *ctx, const char *text);

/* The text must be refused with a message that begins with "PLACE: " and has the fragment in it. */
void cmbt_model_refused(cmb_context *ctx, const char *text, const char *place,
                        const char *fragment);

/* Objects by their full names; the test fails if there is none. */
const cmb_model_body *cmbt_model_body(const cmb_model *m, const char *name);
const cmb_model_joint *cmbt_model_joint(const cmb_model *m, const char *name);
const cmb_model_loop *cmbt_model_loop(const cmb_model *m, const char *name);
const cmb_model_force *cmbt_model_force(const cmb_model *m, const char *name);
const cmb_model_marker *cmbt_model_marker(const cmb_model *m, const char *name);
double cmbt_model_parameter(const cmb_model *m, const char *name);

/* Writes a file, with the folder it stands in. */
void cmbt_write_file(const char *path, const void *bytes, size_t length);

#endif

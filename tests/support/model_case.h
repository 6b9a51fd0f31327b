/*
 * Reads models from text for tests, which fail with the reader's error message; writes files in the test's scratch folder.
 */
#ifndef CMBT_MODEL_CASE_H
#define CMBT_MODEL_CASE_H

#include "model/model.h"

/* Returns the model in the text, whose file name in messages is "test.yaml". The test fails if the text has an error. */
cmb_model *cmbt_model_parse(cmb_context *ctx, const char *text);

/* As cmbt_model_parse, for a text that includes bundled parts (SOURCE_DIR/models). */
cmb_model *cmbt_model_of_parts(cmb_context *ctx, const char *text);

/* Checks that reading the text fails with CMB_ERROR_INPUT and a message of one line that begins with "PLACE: " and contains the fragment. */
void cmbt_model_refused(cmb_context *ctx, const char *text, const char *place,
                        const char *fragment);

/* Return the object with this full name; the test fails if there is none. */
const cmb_model_body *cmbt_model_body(const cmb_model *m, const char *name);
const cmb_model_joint *cmbt_model_joint(const cmb_model *m, const char *name);
const cmb_model_loop *cmbt_model_loop(const cmb_model *m, const char *name);
const cmb_model_force *cmbt_model_force(const cmb_model *m, const char *name);
const cmb_model_marker *cmbt_model_marker(const cmb_model *m, const char *name);
double cmbt_model_parameter(const cmb_model *m, const char *name);

/* Writes a file, and makes the folders in its path. */
void cmbt_write_file(const char *path, const void *bytes, size_t length);

#endif

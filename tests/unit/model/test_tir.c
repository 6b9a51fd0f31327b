/*
 * Tests of reading tyre property files (model/tir.h): messages for wrong files with their places, keys without values, keys of other versions
 * of the formula, and units.
 */
#include "base/context.h"
#include "check.h"
#include "model/tir.h"

#include <stdio.h>
#include <string.h>

/* The lines of a correct file; each wrong file has another text in place of one of them. */
static const char *const correct[] = {
    "$ a tyre",
    "[MDI_HEADER]",
    "FILE_TYPE = 'tir'",
    "[UNITS]",
    "LENGTH = 'meter'",
    "FORCE = 'newton'",
    "[MODEL]",
    "FITTYP = 61 $ version",
    "LONGVL = 16.7",
    "[DIMENSION]",
    "UNLOADED_RADIUS = 0.3",
    "[VERTICAL]",
    "FNOMIN = 4000",
    "VERTICAL_STIFFNESS = 2e5",
    "[VERTICAL_FORCE_RANGE]",
    "FZMAX = 9000",
    "[LONGITUDINAL_COEFFICIENTS]",
    "PCX1 = 1.6",
    "PDX1 = 1",
    "PKX1 = 20",
    "[LATERAL_COEFFICIENTS]",
    "PCY1 = 1.3",
    "PDY1 = 1",
    "PKY1 = -15",
    "PKY2 = 2",
};
enum { LINES = sizeof correct / sizeof *correct };

/* Parses the correct file with `text` in place of line `line` (from 1); line 0 changes nothing. */
static cmb_status read_with(cmb_context *ctx, int line, const char *text, cmb_tir *tir)
{
  char file[4096];
  int length = 0;
  for (int i = 0; i < LINES; i++) {
    length += snprintf(file + length, sizeof file - (size_t)length, "%s\n",
                       i + 1 == line ? text : correct[i]);
  }
  return cmb_tir_parse(ctx, "t.tir", file, (size_t)length, tir);
}

static void test_wrong_files(void **unused)
{
  (void)unused;
  static const struct {
    int line;
    const char *text, *message;
  } cases[] = {
      {1, "no comment", "t.tir:1:1: 'no comment' is not KEY = value"},
      {2, "[MDI_HEADER", "t.tir:2:1: expected a section"},
      {2, "[MDI_HEADER] x", "t.tir:2:1: expected a section"},
      {2, "FILE_FORMAT = 'x'", "t.tir:2:1: expected a section, [NAME], before the first key"},
      {5, "LENGTH = 'furlong'", "t.tir:5:11: 'furlong' is no unit of LENGTH"},
      {5, "LENGTH = 'newton'", "t.tir:5:11: 'newton' is no unit of LENGTH"},
      {6, "LENGTH = 'mm'", "t.tir:6:1: LENGTH is given in line 5 already"},
      {6, "COLOUR = 'red'",
       "t.tir:6:1: 'COLOUR' is no key of [UNITS]; expected LENGTH, FORCE, ANGLE, MASS, TIME or "
       "PRESSURE"},
      {6, "FORCE = 'newton", "t.tir:6:9: the value begins with a quote; expected"},
      {8, "FITTYP = 5", "t.tir:8:1: FITTYP is 5; expected 6"},
      {8, "$",
       "t.tir:25:1: FITTYP is not given in any section that is read; expected it in [MODEL]"},
      {5, "LENGTH =", "t.tir:5:1: LENGTH has no value"},
      {9, "LONGVL =", "t.tir:9:1: LONGVL has no value"},
      {9, "LONGVL = fast", "t.tir:9:10: LONGVL is 'fast'; expected a number"},
      {9, "LONGVL = nan", "t.tir:9:10: LONGVL is 'nan'; expected a number"},
      {9, "LONGVL = 1e999", "t.tir:9:10: LONGVL is '1e999'; expected a number"},
      {9, "LONGVL = 0", "t.tir:9:1: LONGVL is 0; expected a number greater than 0"},
      {9, "= 3", "t.tir:9:1: expected a key before '='"},
      {9, "TYRESIDE = 'TOP'\nLONGVL = 16", "t.tir:9:13: TYRESIDE is 'TOP'; expected 'LEFT'"},
      {11, "unloaded_radius = -0.3",
       "t.tir:11:1: UNLOADED_RADIUS is -0.3; expected a number greater"},
      {11, "$", "t.tir:25:1: UNLOADED_RADIUS is not given in any section that is read"},
      {13, "FNOMIN = 1e13",
       "t.tir:13:1: FNOMIN is 10000000000000; expected a number from 1e-12 to 1e+12 in SI units"},
      {13, "$", "t.tir:25:1: FNOMIN is not given in any section that is read"},
      {14, "FNOMIN = 4000", "t.tir:14:1: FNOMIN is given in line 13 already"},
      {14, "VERTICAL_STIFFNESS = 2e5\nQ_FZ2 = 1e3",
       "t.tir:15:1: the square of Q_FZ1, (VERTICAL_STIFFNESS UNLOADED_RADIUS/FNOMIN)^2 - 4 Q_FZ2, "
       "is "},
      {14, "VERTICAL_STIFFNESS = 2e5\nQ_CAM = 2", "t.tir:15:1: [VERTICAL] has a key 'Q_CAM'"},
      {18, "PCX1 = 1.6\nPCX2 = 1", "t.tir:19:1: [LONGITUDINAL_COEFFICIENTS] has a key 'PCX2'"},
      {19, "PDX1 = 1\nPDX2 = -0.9",
       "t.tir:20:1: the least friction PDX1 + PDX2 df, with df = Fz/(LFZO FNOMIN) - 1 for loads Fz "
       "from 0 to FZMAX, is -0.125;"},
      {24, "PKY1 = 0", "t.tir:24:1: PKY1 is 0; expected a number that is not 0"},
      {25, "PKY2 = 2\n[LONG_SLIP_RANGE]\nKPUMIN = 0.1",
       "t.tir:27:1: slip ranges from KPUMIN = 0.1"},
      {25, "PKY2 = 2\n[SLIP_ANGLE_RANGE]\nALPMIN = -0.1\nALPMAX = -0.05",
       "t.tir:28:1: the slip angle ranges from ALPMIN = -0.1 rad to ALPMAX = -0.05 rad"},
      {8, "FITTYP = 62\n[VERTICAL]\nQ_FCY2 = -1\n[MODEL]",
       "t.tir:10:1: the exponent 1 + 2 Q_FCY2 is -1; expected a number greater than 0"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tir tir;
  cmbt_ok(ctx, read_with(ctx, 0, "", &tir));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(read_with(ctx, cases[i].line, cases[i].text, &tir), CMB_ERROR_INPUT);
    if (strncmp(cmb_last_error(ctx), cases[i].message, strlen(cases[i].message)) != 0) {
      fail_msg("'%s' gives '%s'; expected '%s'", cases[i].text, cmb_last_error(ctx),
               cases[i].message);
    }
  }
  cmb_context_destroy(ctx);
}

/* Checks on both sides of their limits the coefficients that depend on the load: the file's FZMAX / FNOMIN is 2.25, so that the relative
 * change df of the load is at most 1.25, and the least factor is 1 + 1.25 c. */
static void test_largest_load(void **unused)
{
  (void)unused;
  static const struct {
    int line;
    const char *text, *message;
  } cases[] = {
      {19, "PDX1 = 1\nPDX2 = -0.%d",
       "the least friction PDX1 + PDX2 df, with df = Fz/(LFZO FNOMIN) - 1 for loads Fz from 0 to "
       "FZMAX, is -0.0125"},
      {23, "PDY1 = 1\nPDY2 = -0.%d",
       "the least friction PDY1 + PDY2 df, with df = Fz/(LFZO FNOMIN) - 1 for loads Fz from 0 to "
       "FZMAX, is -0.0125"},
      {25, "PKY2 = 2\n[STRUCTURAL]\nPCFX1 = -0.%d",
       "the least factor (1 + PCFX1 df + PCFX2 df^2) (1 + PCFX3 dp), with df = Fz/(LFZO FNOMIN) - "
       "1 for loads Fz from 0 to FZMAX, is -0.0125"},
      {25, "PKY2 = 2\n[STRUCTURAL]\nPCFY1 = -0.%d",
       "the least factor (1 + PCFY1 df + PCFY2 df^2) (1 + PCFY3 dp), with df = Fz/(LFZO FNOMIN) - "
       "1 for loads Fz from 0 to FZMAX, is -0.0125"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tir tir;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    snprintf(text, sizeof text, cases[i].text, 79);
    cmbt_ok(ctx, read_with(ctx, cases[i].line, text, &tir));
    snprintf(text, sizeof text, cases[i].text, 81);
    assert_int_equal(read_with(ctx, cases[i].line, text, &tir), CMB_ERROR_INPUT);
    if (!strstr(cmb_last_error(ctx), cases[i].message))
      fail_msg("'%s' gives '%s'; expected '%s'", text, cmb_last_error(ctx), cases[i].message);
  }
  cmb_context_destroy(ctx);
}

static void keep_message(void *user, cmb_log_level level, const char *message)
{
  (void)level;
  snprintf(user, 200, "%s", message);
}

/* Checks that keys without a value count as not given, with a warning if Camber uses the key. */
static void test_keys_without_value(void **unused)
{
  (void)unused;
  char warning[200] = "";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tir t;
  cmb_context_set_log(ctx, keep_message, warning);
  cmbt_ok(ctx, read_with(ctx, 9, "LONGVL = 16.7\nROAD_INCREMENT =", &t));
  assert_string_equal(warning, "");
  cmbt_ok(ctx, read_with(ctx, 11, "UNLOADED_RADIUS = 0.3\nWIDTH =   $ not measured", &t));
  assert_string_equal(warning, "t.tir:12: WIDTH has no value and counts as not given");
  cmb_context_destroy(ctx);
}

/* Checks for the versions 5.2, 6.1 and 6.2 of the formula that keys which only other versions have are skipped with a warning, and keep their
 * default values. */
static void test_versions(void **unused)
{
  (void)unused;
  static const struct {
    int version;
    const char *text;
    bool read;
  } cases[] = {
      {6, "LGAX = 2", true},    {61, "LGAX = 2", false},   {62, "LGAX = 2", false},
      {6, "Q_V1 = 2", false},   {61, "Q_V1 = 2", true},    {62, "Q_V1 = 2", true},
      {6, "Q_FYS1 = 2", false}, {61, "Q_FYS1 = 2", false}, {62, "Q_FYS1 = 2", true},
      {6, "BREFF = 2", true},   {61, "BREFF = 2", true},   {62, "BREFF = 2", true},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  char warning[200];
  cmb_context_set_log(ctx, keep_message, warning);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    cmb_tir t;
    const bool scale = cases[i].text[0] == 'L';
    warning[0] = '\0';
    snprintf(text, sizeof text, "FITTYP = %d\n[%s]\n%s\n[MODEL]", cases[i].version,
             scale ? "SCALING_COEFFICIENTS" : "VERTICAL", cases[i].text);
    cmbt_ok(ctx, read_with(ctx, 8, text, &t));
    const double sum = t.LGAX - 1 + t.Q_V1 + t.Q_FYS1 + t.BREFF;
    cmbt_near(sum, cases[i].read ? (scale ? 1 : 2) : 0, 0);
    if (!strstr(warning, "no such number") != cases[i].read)
      fail_msg("%s: warning '%s'", text, warning);
  }
  cmb_context_destroy(ctx);
}

/* Checks the conversion to SI units of a tyre in mm, kN, degrees, grams, milliseconds and bar, and different spellings of sections and
 * keys. */
static void test_units(void **unused)
{
  (void)unused;
  static const char text[] =
      "[units]\r\nlength='mm'\nForce = \"kN\"\nANGLE='deg'\nMASS = "
      "'gram'\nTIME='ms'\nPRESSURE='bar'\n[model]\n"
      "fittyp=62 \nLONGVL = 16.7 $ mm in a ms\n[INERTIA]\nMASS = 9300 ! g\nIXX = "
      "391e6\n[DIMENSION]\nUNLOADED_RADIUS = 300\n"
      "[OPERATING_CONDITIONS]\nNOMPRES = 2.2\n[VERTICAL]\nFNOMIN = 4\nVERTICAL_STIFFNESS = "
      "0.2\nVERTICAL_DAMPING = 0.05\n"
      "Q_CAM2 = 1e-6\n[SHAPE]\n{radial width}\n 1.0 0.0\n 0.9 1.0\n[SLIP_ANGLE_RANGE]\nALPMAX = "
      "45\n"
      "[VERTICAL_FORCE_RANGE]\nFZMAX = 9\n[SCALING_COEFFICIENTS]\nLUNKNOWN = 1\nLMUX = "
      "0.8\n[LONGITUDINAL_COEFFICIENTS]\n"
      "PCX1 = 1.6\nPDX1 = 1\nPKX1 = 20\nPNEW1 = 0\n[LATERAL_COEFFICIENTS]\nPCY1 = 1.3\nPDY1 = "
      "1\nPKY1 = -15\nPKY2 = 2";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tir t;
  cmbt_ok(ctx, cmb_tir_parse(ctx, "t.tir", text, sizeof text - 1, &t));
  cmbt_near(t.UNLOADED_RADIUS, 0.3, 1e-16);
  cmbt_near(t.FNOMIN, 4000, 1e-12);
  cmbt_near(t.LONGVL, 16.7, 1e-14);
  cmbt_near(t.MASS, 9.3, 1e-14);
  cmbt_near(t.IXX, 0.391, 1e-15);
  cmbt_near(t.NOMPRES, 2.2e5, 1e-10);
  cmbt_near(t.VERTICAL_STIFFNESS, 2e5, 1e-10);
  cmbt_near(t.VERTICAL_DAMPING, 50, 1e-13);
  cmbt_near(t.Q_CAM2, 1, 1e-15);
  cmbt_near(t.ALPMAX, atan(1), 1e-15);
  cmbt_near(t.LMUX, 0.8, 0);
  cmbt_near(t.LMUY, 1, 0);
  cmbt_near(t.PKY4, 2, 0);
  assert_true(t.ALPMIN == -HUGE_VAL && cmb_tir_pressure(&t) == 0);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_files),
                                     cmocka_unit_test(test_largest_load),
                                     cmocka_unit_test(test_keys_without_value),
                                     cmocka_unit_test(test_versions), cmocka_unit_test(test_units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

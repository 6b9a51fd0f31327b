/*
 * The texts of the status codes, from the one list in include/camber/base.h.
 */
#include <camber/base.h>

const char *cmb_status_code(cmb_status status)
{
  switch (status) {
#define CODE_CASE(name, value, code, meaning)                                                      \
  case name: return code;
    CMB_STATUS_LIST(CODE_CASE)
#undef CODE_CASE
  }
  return "unknown";
}

const char *cmb_status_meaning(cmb_status status)
{
  switch (status) {
#define MEANING_CASE(name, value, code, meaning)                                                   \
  case name: return meaning;
    CMB_STATUS_LIST(MEANING_CASE)
#undef MEANING_CASE
  }
  return "unknown";
}

const char *cmb_version(void)
{
  return CMB_VERSION;
}

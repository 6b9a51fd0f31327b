/*
 * Texts of the status codes, generated from the list in include/camber/base.h, and the version number of the library.
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

#define TEXT_OF(number)                   #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *cmb_version(void)
{
  return VERSION_TEXT(CAMBER_VERSION_MAJOR, CAMBER_VERSION_MINOR, CAMBER_VERSION_PATCH);
}

int cmb_version_number(void)
{
  return CAMBER_VERSION_NUMBER;
}

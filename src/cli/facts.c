/*
 * The names of what files of results say (facts.h).
 */
#include "cli/facts.h"

#include "base/text.h"

const char *const cli_text_names[CLI_TEXT_COUNT] = {
#define CLI_FACT_NAME(name) #name,
    CLI_TEXTS_LIST(CLI_FACT_NAME)};

const char *const cli_number_names[CLI_NUMBER_COUNT] = {CLI_NUMBERS_LIST(CLI_FACT_NAME)
#undef CLI_FACT_NAME
};

static const char *const kinds[] = {[CMB_KIND_SWITCH] = "switch",
                                    [CMB_KIND_CONDITION] = "condition",
                                    [CMB_KIND_IMPACT] = "impact",
                                    [CMB_KIND_REST] = "rest"};

const char *cli_event_kind_name(cmb_event_kind kind)
{
  return kinds[kind];
}

cmb_event_kind cli_event_kind_of(const char *name)
{
  const int k = cmb_find_name(name, kinds, sizeof kinds / sizeof kinds[0], sizeof kinds[0]);
  return k < 0 ? CMB_KIND_SWITCH : (cmb_event_kind)k;
}

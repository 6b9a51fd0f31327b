/*
 * The array that programs of a model read (layout.h).
 */
#include "dae/layout.h"

cmb_layout cmb_layout_make(const int count[CMB_BLOCKS])
{
  cmb_layout l;
  for (int k = 0, n = 0; k < CMB_BLOCKS; n += count[k++]) {
    l.count[k] = count[k];
    l.first[k] = n;
  }
  return l;
}

const char *cmb_block_name(cmb_block block)
{
  static const char *const names[CMB_BLOCKS] = {
      "t",      "q", "modes", "parameters", "v", "multipliers", "accelerations", "forces of rests",
      "inputs", "h"};
  return names[block];
}

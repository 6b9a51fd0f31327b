/*
 * The table of roads (road_types.h).
 */
#include "model/road_types.h"

const cmb_road_row cmb_road_rows[CMB_ROAD_TYPES] = {
    [CMB_ROAD_FLAT] = {.name = "flat",
                       .number_count = 1,
                       .numbers = {{"height", 0, CMB_ROAD_ANY, false}}},
    [CMB_ROAD_FORMULA] = {.name = "formula", .key_count = 1, .keys = {"height"}},
};

/*
 * Defines the table of road types (road_types.h).
 */
#include "model/road_types.h"

const cmb_road_row cmb_road_rows[CMB_ROAD_TYPES] = {
    [CMB_ROAD_FLAT] = {.name = "flat",
                       .number_count = 1,
                       .numbers = {{"height", 0, CMB_ROAD_ANY, false}}},
    [CMB_ROAD_FORMULA] = {.name = "formula", .key_count = 1, .keys = {"height"}},
    [CMB_ROAD_CYLINDER] = {.name = "half-cylinder",
                           .placed = true,
                           .number_count = 1,
                           .numbers = {{"radius", 0, CMB_ROAD_POSITIVE, true}}},
    [CMB_ROAD_BUMP] = {.name = "bump",
                       .placed = true,
                       .scaled = true,
                       .number_count = 2,
                       .numbers = {{"height", 0, CMB_ROAD_ANY, true},
                                   {"length", 0, CMB_ROAD_POSITIVE, true}}},
    [CMB_ROAD_STAIR] = {.name = "stair",
                        .placed = true,
                        .number_count = 2,
                        .numbers = {{"rise", 0, CMB_ROAD_POSITIVE, true},
                                    {"tread", 0, CMB_ROAD_POSITIVE, true}},
                        .key_count = 1,
                        .keys = {"count"}},
    [CMB_ROAD_SINE] = {.name = "sine",
                       .placed = true,
                       .scaled = true,
                       .number_count = 4,
                       .numbers = {{"amplitude", 0, CMB_ROAD_ANY, true},
                                   {"wavelength", 0, CMB_ROAD_POSITIVE, true},
                                   {"phase", 0, CMB_ROAD_ANY, false},
                                   {"fade", 0, CMB_ROAD_POSITIVE, false}}},
    [CMB_ROAD_RANDOM] = {.name = "random",
                         .placed = true,
                         .scaled = true,
                         .number_count = 1,
                         .numbers = {{"fade", 0, CMB_ROAD_POSITIVE, false}},
                         .key_count = 5,
                         .keys = {"class", "seed", "waves", "frequencies", "decay"}},
    [CMB_ROAD_PROFILE] =
        {.name = "profile", .placed = true, .scaled = true, .key_count = 1, .keys = {"table"}},
    [CMB_ROAD_CRG] =
        {.name = "crg", .placed = true, .scaled = true, .key_count = 1, .keys = {"file"}},
    [CMB_ROAD_SUM] = {.name = "sum", .key_count = 1, .keys = {"roads"}},
};

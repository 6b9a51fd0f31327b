/*
 * The table of forces (force_types.h).
 */
#include "model/force_types.h"

const cmb_force_row cmb_force_rows[CMB_FORCE_TYPES] = {
    [CMB_FORCE_SPRING] = {.name = "spring",
                          .results = CMB_RESULTS_PULL,
                          .key_count = 8,
                          .keys = {"between", "stiffness", "length", "preload", "damping", "spring",
                                   "damper", "force"}},
    [CMB_FORCE_COORDINATE] = {.name = "torsion",
                              .results = CMB_RESULTS_PULL,
                              .key_count = 8,
                              .keys = {"coordinate", "stiffness", "angle", "preload", "damping",
                                       "spring", "damper", "torque"}},
    [CMB_FORCE_BUSHING] = {.name = "bushing",
                           .several = true,
                           .key_count = 8,
                           .keys = {"between", "bodies", "at", "stiffness", "rotational-stiffness",
                                    "damping", "rotational-damping", "axes"}},
    [CMB_FORCE_LOAD] = {.name = "load",
                        .results = CMB_RESULTS_PARTS,
                        .key_count = 5,
                        .keys = {"on", "force", "torque", "frame", "reaction"}},
    [CMB_FORCE_CONTACT] = {.name = "contact",
                           .results = CMB_RESULTS_PARTS,
                           .key_count = 9,
                           .keys = {"on", "radius", "surface", "stiffness", "exponent", "damping",
                                    "friction", "friction-velocity", "restitution"}},
    [CMB_FORCE_SPHERES] = {.name = "hunt-crossley",
                           .results = CMB_RESULTS_PUSH,
                           .key_count = 5,
                           .keys = {"between", "radii", "stiffness", "exponent", "dissipation"}},
};

/*
 * Defines the table of joint types (joint_types.h).
 */
#include "model/joint_types.h"

#define SHIFT(n)                                                                                   \
  {                                                                                                \
    CMB_MOTION_SHIFT, n, false                                                                     \
  }
#define TURN(n)                                                                                    \
  {                                                                                                \
    CMB_MOTION_TURN, n, false                                                                      \
  }
#define GLOBAL(n)                                                                                  \
  {                                                                                                \
    CMB_MOTION_SHIFT, n, true                                                                      \
  }
#define BALL                                                                                       \
  {                                                                                                \
    CMB_MOTION_BALL, 0, false                                                                      \
  }

const cmb_joint_row cmb_joint_rows[CMB_JOINT_TYPES] = {
    [CMB_JOINT_FIXED] = {.name = "fixed",
                         .loop = true,
                         .hold = {{CMB_HOLD_POINT, 0}, {CMB_HOLD_FRAMES, 0}}},
    [CMB_JOINT_REVOLUTE] = {.name = "revolute",
                            .directions = CMB_AXES_ONE,
                            .point = true,
                            .loop = true,
                            .stage_count = 1,
                            .stage = {TURN(0)},
                            .suffix = {""},
                            .hold = {{CMB_HOLD_POINT, 0}, {CMB_HOLD_PARALLEL, 0}}},
    [CMB_JOINT_PRISMATIC] = {.name = "prismatic",
                             .directions = CMB_AXES_ONE,
                             .loop = true,
                             .stage_count = 1,
                             .stage = {SHIFT(0)},
                             .suffix = {""},
                             .hold = {{CMB_HOLD_LINE, 0}, {CMB_HOLD_FRAMES, 0}}},
    [CMB_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                               .directions = CMB_AXES_ONE,
                               .point = true,
                               .loop = true,
                               .stage_count = 2,
                               .stage = {SHIFT(0), TURN(0)},
                               .suffix = {".x", ".angle"},
                               .hold = {{CMB_HOLD_LINE, 0}, {CMB_HOLD_PARALLEL, 0}}},
    [CMB_JOINT_UNIVERSAL] = {.name = "universal",
                             .directions = CMB_AXES_TWO,
                             .point = true,
                             .loop = true,
                             .stage_count = 2,
                             .stage = {TURN(0), TURN(1)},
                             .suffix = {".a", ".b"},
                             .hold = {{CMB_HOLD_POINT, 0}, {CMB_HOLD_ACROSS, 0}}},
    [CMB_JOINT_SPHERICAL] = {.name = "spherical",
                             .directions = CMB_AXES_THREE,
                             .point = true,
                             .orients = true,
                             .loop = true,
                             .stage_count = 3,
                             .stage = {TURN(0), TURN(1), TURN(2)},
                             .suffix = {".a", ".b", ".c"},
                             .more = "orientation",
                             .hold = {{CMB_HOLD_POINT, 0}}},
    [CMB_JOINT_TRANSLATION] = {.name = "translation",
                               .directions = CMB_AXES_FRAME,
                               .loop = true,
                               .stage_count = 3,
                               .stage = {SHIFT(0), SHIFT(1), SHIFT(2)},
                               .suffix = {".x", ".y", ".z"},
                               .hold = {{CMB_HOLD_FRAMES, 0}}},
    [CMB_JOINT_PLANAR] = {.name = "planar",
                          .directions = CMB_AXES_PLANE,
                          .point = true,
                          .loop = true,
                          .stage_count = 3,
                          .stage = {SHIFT(0), SHIFT(1), TURN(2)},
                          .suffix = {".x", ".y", ".angle"},
                          .hold = {{CMB_HOLD_PLANE, 2}, {CMB_HOLD_PARALLEL, 2}}},
    [CMB_JOINT_SCREW] = {.name = "screw",
                         .directions = CMB_AXES_ONE,
                         .point = true,
                         .stage_count = 2,
                         .stage = {SHIFT(0), TURN(0)},
                         .suffix = {".x", ".angle"},
                         .hold = {{CMB_HOLD_LINE, 0}, {CMB_HOLD_PARALLEL, 0}},
                         .own = CMB_OWN_PITCH,
                         .more = "pitch"},
    [CMB_JOINT_CONSTANT_VELOCITY] = {.name = "constant-velocity",
                                     .directions = CMB_AXES_SHAFT,
                                     .point = true,
                                     .euler = true,
                                     .loop = true,
                                     .stage_count = 1,
                                     .stage = {BALL},
                                     .hold = {{CMB_HOLD_POINT, 0}, {CMB_HOLD_TWIST, 2}},
                                     .own = CMB_OWN_TWIST},
    [CMB_JOINT_FREE] = {.name = "free",
                        .euler = true,
                        .stage_count = 4,
                        .stage = {GLOBAL(0), GLOBAL(1), GLOBAL(2), BALL},
                        .suffix = {".x", ".y", ".z"}},
};

int cmb_joint_translations(cmb_joint_type type)
{
  const cmb_joint_row *row = &cmb_joint_rows[type];
  int count = 0;
  for (int i = 0; i < row->stage_count; i++) count += row->stage[i].motion == CMB_MOTION_SHIFT;
  return count;
}

int cmb_joint_velocities(cmb_joint_type type)
{
  const cmb_joint_row *row = &cmb_joint_rows[type];
  int count = 0;
  for (int i = 0; i < row->stage_count; i++) {
    count += row->stage[i].motion == CMB_MOTION_BALL ? 3 : 1;
  }
  return count;
}

int cmb_joint_coordinates(cmb_joint_type type, bool euler)
{
  return cmb_joint_velocities(type) + (euler ? 1 : 0);
}

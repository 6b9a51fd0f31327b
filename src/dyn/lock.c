/*
 * Where a spherical joint with angles loses a freedom (gimbal lock): with the axes a, b, c of the design position and the middle
 * angle q, the third axis is c cos q + b × c sin q, and the three axes span the volume
 *
 *     a · (b × c(q)) = a · (b × c) cos q − a · c sin q.
 *
 * Where it is 0 the first and the third axis are parallel: equal and opposite rates about them move nothing, M is singular, and
 * angles cannot say how the body goes on.
 */
#include "dyn/build.h"
#include "math/vec3.h"

#include <stdio.h>

cmb_status cmb_build_locks(cmb_build *b, cmb_expressions *x)
{
  const cmb_tree *tree = b->tree;
  x->locks = cmb_arena_take(b->arena, (size_t)b->model->joint_count + 1, sizeof *x->locks);
  if (!x->locks) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->model->joint_count; i++) {
    const cmb_model_joint *j = &b->model->joints[i];
    if (j->type != CMB_JOINT_SPHERICAL || j->euler || tree->joint_link[i] == CMB_GROUND) continue;
    double normal[3];
    char name[400];
    cmb_cross3(j->axes[1], j->axes[2], normal);
    snprintf(name, sizeof name, "%s:%d:%d: joint '%s'", j->place.file, j->place.line,
             j->place.column, j->name);
    x->locks[x->lock_count++] = (cmb_lock){.joint = cmb_arena_text(b->arena, name),
                                           .q = tree->links[tree->joint_link[i]].q - 1,
                                           .c = cmb_dot3(j->axes[0], normal),
                                           .s = -j->turn * cmb_dot3(j->axes[0], j->axes[2])};
  }
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

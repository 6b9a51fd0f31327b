/*
 * Computes frames and joint motions of links in the reference frame of their tree (reference.h). The mass matrix (composite.c) uses them
 * for links that are far from each other, the derivatives of the inertial forces (jacobian.c) for all.
 */
#include "dyn/reference.h"

int cmb_reference_link(const cmb_tree *tree, int link)
{
  while (tree->links[link].parent != CMB_GROUND) link = tree->links[link].parent;
  for (;;) {
    int children = 0;
    for (int i = link + 1; i < tree->link_count; i++) children += tree->links[i].parent == link;
    if (!cmb_is_zero(tree->links[link].mass) || children != 1) return link;
    link = cmb_tree_first_child(tree, link);
  }
}

bool cmb_reference_frame(cmb_kinematics *k, int i, cmb_frame *frame)
{
  cmb_graph *g = k->g;
  const int reference = cmb_reference_link(k->tree, i);
  /* on the only path from the ground to the reference: use the inverse of the transformation */
  const bool before = i < reference;
  const cmb_pose *p = before ? cmb_pose_of(k, reference, i) : cmb_pose_of(k, i, reference);
  if (!p) return false;
  *frame = (cmb_frame){p->R, p->r};
  if (before) {
    frame->A = cmb_matrix_transpose(p->R);
    frame->r = cmb_matrix_times(g, frame->A, p->r);
    for (int n = 0; n < 3; n++) frame->r.x[n] = cmb_neg(g, frame->r.x[n]);
  }
  return true;
}

cmb_motion cmb_reference_motion(cmb_kinematics *k, int link, int n, const cmb_frame *frame)
{
  const cmb_link_kind kind = k->tree->links[link].kind;
  const int axis = kind == CMB_LINK_BALL ? n : 2;
  const cmb_vector e = {{frame->A.a[axis], frame->A.a[3 + axis], frame->A.a[6 + axis]}};
  if (kind == CMB_LINK_SHIFT) return (cmb_motion){{{0, 0, 0}}, e};
  return (cmb_motion){e, cmb_vector_cross(k->g, frame->r, e)};
}

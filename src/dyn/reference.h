/*
 * The reference frame of a tree of links: the axes and the origin of its first link that has mass or does not have exactly one child.
 * Interactions of links that are far from each other are products of 6-vectors in this frame, where a transformation from link to link
 * takes three times the operations. And the distance of the mechanism from the ground's origin has no influence on rounding
 * errors.
 */
#ifndef CMB_DYN_REFERENCE_H
#define CMB_DYN_REFERENCE_H

#include "dyn/kinematics.h"

/* Returns the reference link of the tree that a link belongs to: the first link with mass on the path from the
 * ground, or the last link before the path branches or ends. */
int cmb_reference_link(const cmb_tree *tree, int link);

/* Computes the frame (rotation and origin) of link i relative to its reference link. Returns false if out of memory. */
bool cmb_reference_frame(cmb_kinematics *k, int i, cmb_frame *frame);

/* Returns the motion (angular, linear) that velocity n of a link causes, in the reference frame; `frame` is the
 * link's frame there. */
cmb_motion cmb_reference_motion(cmb_kinematics *k, int link, int n, const cmb_frame *frame);

#endif

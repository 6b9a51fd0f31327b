/*
 * Checks that the joints form a tree, and sorts them; called by joints.c (reader.h). Each body is the child of exactly one joint, and every
 * chain of parents ends at the ground. After sorting, parents come before children; otherwise the order of the file is kept.
 */
#include "base/context.h"
#include "model/reader.h"

#include <string.h>

struct tree {
  cmb_reader *r;
  int *joint_of; /* (bodies) the joint of which a body is the child, or -1 */
  int *chain;    /* (joints) the joints from one up towards the ground */
  bool *sorted;  /* (joints) */
  cmb_model_joint *joints;
  int count;
};

static cmb_status find_joints(struct tree *t)
{
  cmb_model *m = t->r->model;
  for (int i = 0; i < m->body_count; i++) t->joint_of[i] = -1;
  for (int i = 0; i < m->joint_count; i++) {
    const cmb_model_joint *j = &m->joints[i];
    int *joint = &t->joint_of[j->child];
    if (*joint >= 0) {
      cmb_reader_subject(t->r, "joint", "", j->name);
      return cmb_reader_fail(
          t->r, j->place,
          "the body '%s' is the child of joint '%s' already; expected a loop in place "
          "of one of them",
          m->bodies[j->child].name, m->joints[*joint].name);
    }
    *joint = i;
  }
  for (int i = 0; i < m->body_count; i++) {
    if (t->joint_of[i] >= 0) continue;
    cmb_reader_subject(t->r, "body", "", m->bodies[i].name);
    return cmb_reader_fail(
        t->r, m->bodies[i].place,
        "it is the child of no joint; expected a joint with this child, such as a free joint");
  }
  return CMB_OK;
}

/* Appends joint number i to the sorted joints, after those of the joints between it and the ground that are not sorted yet, so that parents
 * come before children. A cycle of joints is an error. Does nothing if joint i is sorted already. */
static cmb_status sort_from(struct tree *t, int i)
{
  cmb_model *m = t->r->model;
  int length = 0;
  while (i >= 0 && !t->sorted[i]) {
    if (length == m->joint_count) {
      const cmb_model_joint *j = &m->joints[i];
      cmb_reader_subject(t->r, "joint", "", j->name);
      return cmb_reader_fail(
          t->r, j->place,
          "its parent '%s' descends from its child '%s'; expected joints that form a tree from the "
          "ground, and a loop in place of the joint that closes the circle",
          m->bodies[j->parent].name, m->bodies[j->child].name);
    }
    t->chain[length++] = i;
    int parent = m->joints[i].parent;
    i = parent == CMB_GROUND ? -1 : t->joint_of[parent];
  }
  while (length > 0) {
    i = t->chain[--length];
    t->joints[t->count++] = m->joints[i];
    t->sorted[i] = true;
  }
  return CMB_OK;
}

cmb_status cmb_check_tree(cmb_reader *r)
{
  cmb_model *m = r->model;
  struct tree t = {.r = r};
  t.joint_of = cmb_arena_ints(r->scratch, m->body_count);
  t.chain = cmb_arena_ints(r->scratch, m->joint_count);
  t.sorted = cmb_arena_take(r->scratch, (size_t)m->joint_count, sizeof *t.sorted);
  t.joints = cmb_arena_take(m->arena, (size_t)m->joint_count, sizeof *t.joints);
  if (cmb_arena_failed(r->scratch) || !t.joints) return cmb_fail_memory(r->ctx);
  CMB_TRY(find_joints(&t));
  for (int i = 0; i < m->joint_count; i++) CMB_TRY(sort_from(&t, i));
  m->joints = t.joints;
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}

// Computes the layout of the picture: the size of the mechanism, the upward direction, the position of the camera, and the points that represent a body without
// shapes. Draws nothing.

import { Box3, Vector3 } from "three";

const FILLED = 0.9; // the part of the picture that the mechanism fills
const INSTANTS = 40; // intervals between the instants at which the extent of the motion is measured

// Returns all points { body, at } that are fixed to a body or to the ground.
export function attachments(scene) {
  const points = [];
  const add = (list, name) => list.forEach((item) => item.points.forEach((p) => points.push({ ...p, of: name, item })));
  for (const j of scene.joints) {
    if (j.type === "free") continue;
    points.push({ body: j.child, at: j.at, of: "joint", item: j }, { body: j.parent, at: j.at, of: "joint", item: j });
  }
  add(scene.loops, "loop");
  add(scene.markers, "marker");
  add(scene.forces, "force");
  add(scene.stops, "stop");
  add(scene.shapes, "shape");
  add(scene.bodies, "rod"); // its ends
  scene.bodies.forEach((b, i) => points.push({ body: i, at: b.com, of: "com", item: b }));
  return points;
}

// Returns the bounding boxes of the mechanism at the start (first) and of its whole motion (all).
export function extents(report, motion, points) {
  const first = new Box3();
  const all = new Box3();
  const x = new Vector3();
  const times = instants(report);
  times.forEach((t, k) => {
    motion.set(t);
    for (const p of points) {
      motion.point(p, x);
      all.expandByPoint(x);
      if (k === 0) first.expandByPoint(x);
    }
    grow(report.scene, motion, all, x);
    if (k === 0) grow(report.scene, motion, first, x);
  });
  motion.set(times[0]);
  return { first, all };
}

// Returns the times at which the extent of the motion is measured.
export function instants({ frames: { t } }) {
  return Array.from({ length: t.length > 0 ? INSTANTS + 1 : 1 }, (_, k) => (t.length > 0 ? t[Math.round(((t.length - 1) * k) / INSTANTS)] : 0));
}

// Returns the typical size of a part: the median of the bodies' extents, between 0.05 and 1 times the size of the mechanism.
export function detailOf(scene, points, size) {
  const boxes = scene.bodies.map(() => new Box3());
  for (const p of points) if (p.body >= 0) boxes[p.body].expandByPoint(new Vector3(...p.at));
  const sizes = boxes.map((b) => b.getSize(new Vector3()).length()).filter((s) => s > 1e-6 * size).sort((a, b) => a - b);
  const middle = sizes.length > 0 ? sizes[Math.floor(sizes.length / 2)] : 0.4 * size;
  return Math.min(Math.max(middle, 0.05 * size), size);
}

// Enlarges a bounding box of points by the boxes, spheres, cylinders and wheels around them.
function grow(scene, motion, box, x) {
  for (const s of scene.shapes) {
    const r = s.type === "box" || s.type === "line" ? 0 : s.size[0];
    for (const p of s.type === "box" ? corners(s) : s.points) box.union(around(motion.point(p, x), r));
  }
  for (const f of scene.forces) if (isWheel(f)) box.union(around(motion.point(f.points[0], x), f.radius));
}

function corners(s) {
  const [{ body, at }] = s.points;
  const signs = [-0.5, 0.5];
  const reach = (a, b, c, i) => at[i] + a * s.size[0] * s.axes[i] + b * s.size[1] * s.axes[3 + i] + c * s.size[2] * s.axes[6 + i];
  return signs.flatMap((a) => signs.flatMap((b) => signs.map((c) => ({ body, at: [0, 1, 2].map((i) => reach(a, b, c, i)) }))));
}

function around(x, r) {
  return new Box3(x.clone().subScalar(r), x.clone().addScalar(r));
}

export function isWheel(force) {
  return (force.type === "contact" || force.type === "tyre") && force.radius > 0 && force.points.length > 0;
}

// Returns the upward direction: along the axis that is most nearly opposite to gravity, or z without gravity.
export function upAxis(gravity) {
  const size = gravity.map(Math.abs);
  const k = size.indexOf(Math.max(...size));
  const up = new Vector3(0, 0, 0);
  if (!(size[k] > 0)) return up.set(0, 0, 1);
  return up.setComponent(k, -Math.sign(gravity[k]));
}

// Returns the direction from the mechanism to the camera. A planar mechanism is seen from the front and a little from above; another one obliquely from the front, the
// side and above, or from the front if its points are spread wider in that picture.
export function viewDirection(scene, box, up, places) {
  const across = commonAxis(scene);
  const level = [0, 1, 2].filter((i) => up.getComponent(i) === 0);
  const seen = across ? level.find((i) => Math.abs(across.getComponent(i)) > 0.9) : undefined;
  if (seen !== undefined) return frontal(seen, level, up);
  const size = box.getSize(new Vector3()).toArray();
  const most = Math.max(...size, 1e-12);
  const flat = level.filter((i) => size[i] < 0.25 * most).sort((i, j) => size[i] - size[j]);
  const usual = [0.72, -0.72].map((side) => up.clone().multiplyScalar(0.42).setComponent(level[0], 1).setComponent(level[1], side).normalize());
  const front = flat.slice(0, 1).map((axis) => frontal(axis, level, up));
  return [...front, ...usual].reduce((best, one) => (spread(places, one, up) > 1.1 * spread(places, best, up) ? one : best));
}

// Returns how widely points are spread in a picture: the determinant of the covariance of their two picture coordinates, times the squared number of points.
function spread(places, direction, up) {
  const right = up.clone().cross(direction).normalize();
  const over = direction.clone().cross(right);
  const centre = places.reduce((sum, x) => sum.add(x), new Vector3()).multiplyScalar(1 / Math.max(places.length, 1));
  const sums = places.map((x) => x.clone().sub(centre)).map((x) => [x.dot(right), x.dot(over)]);
  const sum = (i, j) => sums.reduce((all, x) => all + x[i] * x[j], 0);
  return sum(0, 0) * sum(1, 1) - sum(0, 1) ** 2;
}

// Returns the distance of a camera from the centre of a box at which all corners of the box are in the picture. `half`: half of the vertical angle of view; aspect:
// width of the picture divided by its height.
export function distanceFor(box, direction, up, half, aspect) {
  const centre = box.getCenter(new Vector3());
  const right = up.clone().cross(direction).normalize();
  const over = direction.clone().cross(right);
  const tangent = FILLED * Math.tan(half);
  let far = 0;
  for (let k = 0; k < 8; k++) {
    const x = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
    const wide = Math.abs(x.dot(right)) / (tangent * aspect);
    far = Math.max(far, x.dot(direction) + Math.max(wide, Math.abs(x.dot(over)) / tangent));
  }
  return far;
}

// Returns a direction along an axis, turned a little to the side and upwards.
function frontal(axis, level, up) {
  const other = level.find((i) => i !== axis);
  return up.clone().multiplyScalar(0.25).setComponent(axis, axis === level[1] ? -1 : 1).setComponent(other, 0.28).normalize();
}

// Returns the common direction of the axes of rotation of all joints, or null if there is none.
function commonAxis(scene) {
  const turning = scene.joints.filter((j) => j.type !== "prismatic" && j.type !== "fixed");
  const axes = turning.map((j) => new Vector3(j.axes[0], j.axes[1], j.axes[2]));
  const plane = turning.every((j, i) => ["revolute", "planar"].includes(j.type) && axes[i].clone().cross(axes[0]).length() < 0.01);
  return turning.length > 0 && plane ? axes[0] : null;
}

// Returns the points of wheels and discs, which could hide other parts.
export function wheelPlaces(scene) {
  const discs = scene.shapes.filter((s) => s.type === "cylinder" && s.size[0] > distance(...s.points));
  return [...scene.forces.filter(isWheel).map((f) => f.points[0]), ...discs.map((s) => s.points[0])];
}

function distance(p, q) {
  return new Vector3(...p.at).distanceTo(new Vector3(...q.at));
}

// Returns the view direction, reversed in horizontal components in which the wheels would hide the parts that carry them.
export function awayFrom(wheels, points, direction, up, far) {
  const centre = points.reduce((sum, x) => sum.add(x), new Vector3()).multiplyScalar(1 / Math.max(points.length, 1));
  const middle = wheels.reduce((sum, x) => sum.add(x), new Vector3()).multiplyScalar(1 / Math.max(wheels.length, 1)).sub(centre);
  const out = direction.clone();
  for (let i = 0; i < 3 && wheels.length > 0; i++) {
    if (up.getComponent(i) === 0 && Math.abs(middle.getComponent(i)) > far) out.setComponent(i, -Math.sign(middle.getComponent(i)) * Math.abs(direction.getComponent(i)));
  }
  return out;
}

// Returns the points of a body without shapes, each once; bars between them represent the body.
export function skeleton(scene, points, body, tolerance) {
  const places = [];
  for (const p of points) {
    if (p.body !== body || p.of === "com" || p.of === "shape") continue;
    const x = new Vector3(...p.at);
    if (!places.some((y) => y.distanceTo(x) < tolerance)) places.push(x);
  }
  return places;
}

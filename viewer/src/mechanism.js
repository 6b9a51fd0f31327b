// Draws the mechanism as meshes. Meshes that are fixed to a body are in the group of that body; meshes that connect two bodies are stretched between them at each time.

import { Group, Vector3 } from "three";
import { isWheel, skeleton } from "./layout.js";
import * as draw from "./shapes.js";

export class Mechanism {
  constructor(report, motion, points, size, detail) {
    this.scene = report.scene;
    this.motion = motion;
    this.points = points;
    this.size = size; // size of the mechanism
    this.detail = detail; // typical size of a part, to which radii of bars and balls are proportional
    this.node = new Group();
    this.moving = []; // functions that move or stretch meshes for the present time
    this.springs = {}; // meshes of springs by name, for tests
    this.wheelShapes = new Set();
    this.tyres = []; // [name of the force, mesh]
    this.bodies = this.scene.bodies.map(() => new Group());
    this.node.add(...this.bodies);
    this.addWheels();
    this.addShapes();
    this.addSkeletons();
    this.addJoints();
    this.addLoops();
    this.addForces();
  }

  update() {
    const { place, turn } = this.motion;
    this.bodies.forEach((g, i) => {
      g.position.copy(place[i]);
      g.quaternion.copy(turn[i]);
    });
    for (const put of this.moving) put();
  }

  // Enlarges the box so that it contains the mechanism as drawn in its present position.
  includeIn(box) {
    this.update();
    box.expandByObject(this.node);
  }

  // Returns a point, given in the design position, in the coordinates of its body's group.
  local({ body, at }) {
    const x = new Vector3(...at);
    return body < 0 ? x : x.sub(this.motion.com[body]);
  }

  addTo(body, object) {
    (body < 0 ? this.node : this.bodies[body]).add(object);
  }

  colour(body) {
    return body < 0 ? "#8a93a0" : draw.bodyColour(body);
  }

  // ---- shapes

  addShapes() {
    for (const s of this.scene.shapes) {
      if (this.wheelShapes.has(s) || s.points.length === 0 || this.isSpringLine(s)) continue;
      const paint = draw.material(draw.colourOr(s.colour, this.colour(s.points[0].body)));
      if (s.points.some((p) => p.body !== s.points[0].body)) this.addReaching(s, paint);
      else this.addTo(s.points[0].body, this.makeShape(s, paint));
    }
  }

  makeShape(s, paint) {
    const points = s.points.map((p) => this.local(p));
    if (s.type === "box") return draw.box(s.size, s.axes, points[0], paint, Math.max(...s.size) > 0.5 * this.size);
    if (s.type === "cylinder") return draw.cylinder(points[0], points[1], s.size[0], paint);
    if (s.type === "sphere") return draw.ball(points[0], s.size[0], paint);
    return draw.polyline(points, 0.018 * this.detail, paint);
  }

  // Returns whether a shape is a line between the ends of a spring, which is drawn as a spring anyway.
  isSpringLine(s) {
    if (s.type !== "line" || s.points.length !== 2) return false;
    const near = (p, q) => p.body === q.body && new Vector3(...p.at).distanceTo(new Vector3(...q.at)) < 1e-6 * this.size;
    const [p, q] = s.points;
    return this.scene.forces.some((f) => f.type === "spring" && ((near(p, f.points[0]) && near(q, f.points[1])) || (near(q, f.points[0]) && near(p, f.points[1]))));
  }

  // Draws a line or cylinder between different bodies.
  addReaching(s, paint) {
    const radius = s.type === "cylinder" ? s.size[0] : 0.018 * this.detail;
    for (let i = 1; i < s.points.length; i++) this.addBar(s.points[i - 1], s.points[i], radius, paint);
  }

  addBar(a, b, radius, paint) {
    const bar = draw.bar(this.motion.point(a), this.motion.point(b), radius, paint);
    this.node.add(bar);
    this.moving.push(() => draw.stretch(bar, this.motion.point(a), this.motion.point(b)));
    return bar;
  }

  // ---- bodies without shapes

  addSkeletons() {
    const drawn = new Set(this.scene.shapes.flatMap((s) => s.points.map((p) => p.body)));
    this.scene.bodies.forEach((b, i) => {
      if (drawn.has(i) || this.bodies[i].children.length > 0) return;
      const paint = draw.material(this.colour(i));
      const places = skeleton(this.scene, this.points, i, 1e-6 * this.size).map((x) => x.sub(this.motion.com[i]));
      this.addSkeleton(i, places, b.mass, paint);
    });
  }

  addSkeleton(body, places, mass, paint) {
    const radius = 0.022 * this.detail;
    const heavy = Math.max(...this.scene.bodies.map((b) => b.mass), 1e-12);
    const centre = new Vector3();
    if (places.length === 2) {
      this.addTo(body, draw.bar(places[0], places[1], radius, paint));
    } else {
      for (const x of places) if (x.length() > radius) this.addTo(body, draw.bar(centre, x, radius, paint));
      if (mass > 0) this.addTo(body, draw.ball(centre, this.detail * (0.03 + 0.06 * Math.cbrt(mass / heavy)), paint));
    }
    for (const x of places) this.addTo(body, draw.ball(x, radius, paint));
  }

  // ---- joints and loops

  addJoints() {
    const paint = draw.material("#5b6673", { metalness: 0.4 });
    const r = 0.028 * this.detail;
    for (const j of this.scene.joints) {
      const at = this.local({ body: j.child, at: j.at });
      const axis = new Vector3(j.axes[0], j.axes[1], j.axes[2]);
      const turning = ["revolute", "cylindrical", "screw"].includes(j.type) && axis.lengthSq() > 0;
      if (turning) this.addTo(j.child, draw.bar(at.clone().addScaledVector(axis, -1.5 * r), at.clone().addScaledVector(axis, 1.5 * r), r, paint));
      else if (["spherical", "universal", "constant-velocity"].includes(j.type)) this.addTo(j.child, draw.ball(at, r, paint));
      if (j.type === "prismatic" && axis.lengthSq() > 0) this.addRail(j, axis, paint);
      if (j.parent < 0 && (turning || j.type === "spherical" || j.type === "universal")) this.addFoot(j, r);
    }
  }

  // Draws a prismatic joint as a block on a rail of the parent; the rail reaches from the design position to the block.
  addRail(j, axis, paint) {
    const at = this.local({ body: j.child, at: j.at });
    const s = 0.045 * this.detail;
    const block = draw.box([2 * s, 2 * s, 2 * s], [0, 0, 0, 0, 0, 0, 0, 0, 0], at, paint, false);
    draw.turnTo(block, axis);
    this.addTo(j.child, block);
    const rail = draw.bar(new Vector3(), new Vector3(0, 0, 1), 0.3 * s, draw.material("#9aa3ae", { metalness: 0.4 }));
    this.node.add(rail);
    this.moving.push(() => {
      const here = this.motion.point({ body: j.child, at: j.at });
      const home = this.motion.point({ body: j.parent, at: j.at });
      const along = this.motion.direction(j.parent, axis.toArray());
      const slid = here.clone().sub(home).dot(along);
      const reach = 3 * s;
      draw.stretch(rail, home.clone().addScaledVector(along, Math.min(slid, 0) - reach), home.clone().addScaledVector(along, Math.max(slid, 0) + reach));
    });
  }

  // Draws a foot where a joint connects a body with the ground.
  addFoot(j, r) {
    const foot = draw.box([4 * r, 4 * r, 0.9 * r], [1, 0, 0, 0, 1, 0, 0, 0, 1], new Vector3(...j.at), draw.material("#aab2bd"), false);
    foot.scale.set(0.55, 0.55, 1);
    this.node.add(foot);
  }

  addLoops() {
    const paint = draw.material("#5b6673", { metalness: 0.4 });
    for (const l of this.scene.loops) {
      const [a, b] = l.points;
      if (l.type === "distance" && b && !this.hasLine(a, b)) this.addBar(a, b, 0.018 * this.detail, paint);
      else if (a && l.type !== "distance") this.addTo(a.body, draw.ball(this.local(a), 0.034 * this.detail, paint));
    }
  }

  hasLine(a, b) {
    const same = (p, q) => p.body === q.body && p.at.every((x, i) => Math.abs(x - q.at[i]) < 1e-9);
    return this.scene.shapes.some((s) => s.points.length === 2 && ((same(s.points[0], a) && same(s.points[1], b)) || (same(s.points[1], a) && same(s.points[0], b))));
  }

  // ---- forces

  addForces() {
    for (const f of this.scene.forces) {
      if (f.type === "spring") this.addSpring(f);
      if (f.type === "bushing") this.addTo(f.points[0].body, draw.ball(this.local(f.points[0]), 0.04 * this.detail, draw.material("#3d4147", { roughness: 0.95, metalness: 0 })));
    }
  }

  // Draws a force between two points: a coil if it has a stiffness, a damper if it has a damping, one inside the other if it has both.
  addSpring(f) {
    const [a, b] = f.points;
    const length = Math.max(this.motion.point(a).distanceTo(this.motion.point(b)), 1e-3 * this.size);
    const radius = Math.min(0.1 * this.detail, 0.16 * length);
    const parts = [];
    if (f.damped || !f.elastic) {
      const damper = draw.damper(0.5 * radius, length);
      parts.push((from, to) => damper.update(from, to));
      this.node.add(damper);
    }
    if (f.elastic) {
      const coil = draw.coil(radius, 0.17 * radius, length, draw.material("#d64545", { metalness: 0.3, roughness: 0.4 }));
      parts.push((from, to) => draw.stretch(coil, from, to));
      this.node.add(coil);
      this.springs[f.name] = coil;
    }
    this.moving.push(() => {
      const [from, to] = [this.motion.point(a), this.motion.point(b)];
      for (const put of parts) put(from, to);
    });
  }

  // ---- wheels

  // Draws wheels for contacts and tyres with a radius: at a cylinder of the model at that place, or else about the axis of the revolute joint there; without one, a ball.
  addWheels() {
    for (const f of this.scene.forces.filter(isWheel)) {
      const p = f.points[0];
      const at = new Vector3(...p.at);
      const shape = this.scene.shapes.find((s) => this.isRound(s, p, at, f.radius));
      if (shape && shape.type === "sphere") continue;
      if (shape) this.addWheelShape(f, shape);
      else this.addPlainWheel(f, p, at);
    }
  }

  isRound(s, p, at, radius) {
    if (s.type === "sphere") return s.points[0].body === p.body && new Vector3(...s.points[0].at).distanceTo(at) < 0.3 * radius;
    if (s.type !== "cylinder" || Math.abs(s.size[0] - radius) > 0.2 * radius) return false;
    const [a, b] = s.points.map((q) => new Vector3(...q.at));
    return a.clone().add(b).multiplyScalar(0.5).distanceTo(at) < a.distanceTo(b) && a.distanceTo(b) < 2 * radius;
  }

  addWheelShape(f, s) {
    const [a, b] = s.points.map((q) => this.local(q));
    const wheel = draw.wheel(s.size[0], a.distanceTo(b));
    wheel.position.copy(a).add(b).multiplyScalar(0.5);
    draw.turnTo(wheel, b.clone().sub(a));
    this.addTo(s.points[0].body, wheel);
    this.tyres.push([f.name, wheel.tyre]);
    this.wheelShapes.add(s);
  }

  addPlainWheel(f, p, at) {
    const here = (j) => new Vector3(...j.at).distanceTo(at) < 1e-6 * this.size + 1e-9;
    const bearing = this.scene.joints.find((j) => j.type === "revolute" && here(j) && (j.parent === p.body || j.child === p.body));
    const axis = f.type === "tyre" ? f.axis : bearing ? bearing.axes.slice(0, 3) : null;
    const body = f.type === "tyre" || !bearing ? p.body : bearing.child;
    const local = this.local({ body, at: p.at });
    if (!axis) {
      this.addTo(body, draw.ball(local, f.radius, draw.material(this.colour(body))));
      return;
    }
    const wheel = draw.wheel(f.radius, 0.58 * f.radius);
    wheel.position.copy(local);
    draw.turnTo(wheel, new Vector3(...axis));
    this.addTo(body, wheel);
    this.tyres.push([f.name, wheel.tyre]);
  }
}

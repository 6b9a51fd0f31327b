// Draws loops that are not closed: both ends and the line between them in red, with their distance. The program lists the violated constraints and their residuals.

import { Group, Vector3 } from "three";
import { element, shown } from "./dom.js";
import * as draw from "./shapes.js";

const RED = "#e02020";
const MEETING = ["fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "screw", "constant-velocity"]; // types of loops between two points
const POINTS = ["fixed", "revolute", "universal", "spherical", "constant-velocity"]; // types whose two points coincide when the loop is closed

// Returns the distance of the two points of a loop in the design position; null if they need not coincide.
export function apart(loop) {
  if (!POINTS.includes(loop.type) || loop.points.length !== 2) return null;
  return new Vector3(...loop.points[0].at).distanceTo(new Vector3(...loop.points[1].at));
}

export class Gaps {
  constructor(open, scene, motion, detail) {
    this.motion = motion;
    this.node = new Group();
    this.labels = element("div", { class: "labels gaps" });
    this.list = [];
    const names = [...new Set(open.map((o) => o.name))];
    for (const name of names) this.add(name, open.filter((o) => o.name === name), scene.loops.find((l) => l.name === name), detail);
  }

  add(name, rows, loop, detail) {
    const off = Math.hypot(...rows.map((r) => r.off));
    if (!loop || loop.points.length === 0) return;
    const places = loop.points.map((p) => this.motion.point(p));
    const paint = draw.material(RED, { roughness: 0.5 });
    for (const x of places) this.node.add(draw.ball(x, 0.05 * detail, paint));
    if (places.length === 2) this.node.add(draw.bar(places[0], places[1], 0.02 * detail, paint));
    const distance = places.length === 2 && MEETING.includes(loop.type) ? places[0].distanceTo(places[1]) : off;
    const middle = places.reduce((sum, x) => sum.add(x.clone()), new Vector3()).multiplyScalar(1 / places.length);
    const span = element("span", { class: "gap" }, `${name}: ${shown(1000 * distance, 4)} mm`);
    this.labels.append(span);
    this.list.push({ name, middle, span });
  }

  update(camera, width, height) {
    const x = new Vector3();
    for (const { middle, span } of this.list) {
      x.copy(middle).project(camera);
      span.hidden = x.z > 1;
      span.style.transform = `translate(${((x.x + 1) * width) / 2 + 8}px, ${((1 - x.y) * height) / 2 - 8}px)`;
    }
  }
}

// Draws forces as arrows: those of joints on the child body, of loops on the second body, of springs at both ends, of contacts and tyres on the body that they
// carry. All arrows have the same scale. A force is not drawn at instants where the report marks it as unknown.

import { Group, MeshBasicMaterial, Vector3 } from "three";
import { indexAt } from "./data.js";
import { element, shown } from "./dom.js";
import { arrow } from "./shapes.js";

const KINDS = [
  { name: "joints", colour: "#3b82f6", types: ["joint"] },
  { name: "loops", colour: "#9c5bd6", types: ["loop"] },
  { name: "springs", colour: "#d6336c", types: ["spring", "hunt-crossley"] },
  { name: "contacts, tyres", colour: "#2f9e44", types: ["contact", "tyre"] },
];
const LONGEST = 0.38; // length of the arrow of the largest force of the run, relative to the size of the mechanism
const UNKNOWN = -32768; // the stored integer of an unknown force
const FULL = 32767; // the stored integer of the largest magnitude of a force

export class Arrows {
  // touch(name, out) sets `out` to the contact point of the wheel of a force; returns false if the force has no wheel.
  constructor(report, motion, size, touch) {
    this.motion = motion;
    this.t = report.frames.t;
    this.touch = touch;
    this.size = size;
    this.factor = 1;
    this.node = new Group();
    this.list = [];
    this.missing = report.records_forces
      ? "No forces can be shown: they are indeterminate because of redundant constraints, or the run was in real time."
      : "Files of results have no forces; the report of a run (camber run --html) has them.";
    for (const kind of KINDS) {
      kind.paint = new MeshBasicMaterial({ color: kind.colour, depthTest: false, transparent: true, opacity: 0.9 }); // visible through bodies
      for (const f of report.forces.filter((x) => kind.types.includes(x.type) && x.most > 0)) this.add(f, kind);
    }
    this.most = this.list.reduce((most, a) => Math.max(most, a.f.most), 0);
    this.legend = element("div", { class: "legend", hidden: true });
    this.force = new Vector3();
    this.at = new Vector3();
    this.other = new Vector3();
    this.updateLegend();
  }

  add(f, kind) {
    const parts = f.values.length / this.t.length;
    const arrows = Array.from({ length: parts === 1 ? 2 : 1 }, () => arrow(0.006 * this.size, kind.paint));
    for (const a of arrows) for (const part of a.children) part.renderOrder = 10;
    this.node.add(...arrows);
    this.list.push({ f, kind, parts, arrows });
  }

  get scale() {
    return this.most > 0 ? (this.factor * LONGEST * this.size) / this.most : 0;
  }

  show(on) {
    this.node.visible = on;
    this.legend.hidden = !on;
  }

  enlarge(by) {
    this.factor = Math.min(Math.max(this.factor * by, 1e-3), 1e3);
    this.updateLegend();
  }

  // Writes the legend: the meaning of the colours, and the scale of the arrows.
  updateLegend() {
    const used = KINDS.filter((k) => this.list.some((a) => a.kind === k));
    const rows = used.map((k) => element("span", { class: "kind" }, dot(k.colour), k.name));
    const largest = this.list.find((a) => a.f.most === this.most);
    const words = largest
      ? `largest force of the run: ${shown(this.most, 4)} N at ${largest.f.name}, ${shown(this.scale * this.most, 3)} m long; keys [ ] scale`
      : this.missing;
    this.legend.replaceChildren(...rows, element("span", {}, words));
  }

  // Returns a component of a force, interpolated linearly between the instants k and next; null where it is unknown.
  value({ f, parts }, part, k, next, share) {
    const [a, b] = [f.values[k * parts + part], f.values[next * parts + part]];
    if (a === UNKNOWN || b === UNKNOWN) return null;
    return ((a + share * (b - a)) * f.most) / FULL;
  }

  update(time) {
    if (!this.node.visible) return;
    const { t } = this;
    const k = indexAt(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const share = next > k ? Math.min(Math.max((time - t[k]) / (t[next] - t[k]), 0), 1) : 0;
    for (const a of this.list) {
      const known = this.value(a, 0, k, next, share) !== null;
      if (!known) for (const drawn of a.arrows) drawn.visible = false;
      else if (a.parts === 1) this.pull(a, this.value(a, 0, k, next, share));
      else this.push(a, [0, 1, 2].map((part) => this.value(a, part, k, next, share)));
    }
  }

  // Draws the force of a spring as two opposite arrows at its ends.
  pull({ f, arrows }, force) {
    this.motion.point(f.points[0], this.at);
    this.motion.point(f.points[1], this.other);
    this.force.copy(this.other).sub(this.at).normalize().multiplyScalar(force * this.scale);
    arrows[0].update(this.at, this.force);
    arrows[1].update(this.other, this.force.negate());
  }

  // Draws a force vector at its point of application.
  push({ f, arrows }, force) {
    this.force.fromArray(force).multiplyScalar(this.scale);
    if (!this.touch(f.name, this.at)) this.motion.point(f.points[0], this.at);
    arrows[0].update(this.at, this.force);
  }
}

function dot(colour) {
  const mark = element("i");
  mark.style.background = colour;
  return mark;
}

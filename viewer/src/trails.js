// Draws trails: the paths of chosen points up to the time of the cursor, at first of the centre of mass of the heaviest body and of the centres of the wheels.

import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Vector3 } from "three";
import { indexAt } from "./data.js";
import { element } from "./dom.js";
import { isWheel } from "./layout.js";
import { bodyColour } from "./shapes.js";

const MOST = 200; // points that can be chosen

export class Trails {
  constructor(report, motion, heaviest) {
    this.motion = motion;
    this.t = report.frames.t;
    this.node = new Group();
    this.node.visible = false;
    this.points = candidates(report.scene, heaviest);
    this.legend = element("details", { class: "legend trails", hidden: true }, element("summary", {}, "Trails"), ...this.points.map((p) => this.makeBox(p)));
    this.x = new Vector3();
  }

  makeBox(p) {
    const box = element("input", { type: "checkbox", checked: p.chosen, onchange: () => this.choose(p, box.checked) });
    return element("label", {}, box, ` ${p.name}`);
  }

  choose(p, on) {
    p.chosen = on;
    if (this.node.visible) this.make();
    this.changed?.();
  }

  show(on) {
    this.node.visible = on;
    this.legend.hidden = !on;
    if (on) this.make();
  }

  // Computes the paths of newly chosen points. This is done only when they are shown, because it evaluates the motion at all instants.
  make() {
    const wanted = this.points.filter((p) => p.chosen && !p.line);
    for (const p of wanted) p.way = new Float32Array(3 * (this.t.length + 1));
    for (let k = 0; k < this.t.length && wanted.length > 0; k++) {
      this.motion.set(this.t[k]);
      for (const p of wanted) this.motion.point(p.point, this.x).toArray(p.way, 3 * k);
    }
    for (const p of wanted) {
      const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(p.way.slice(), 3));
      p.line = new Line(geometry, new LineBasicMaterial({ color: bodyColour(this.points.indexOf(p)), linewidth: 2 }));
      p.line.frustumCulled = false;
      p.last = 0;
      this.node.add(p.line);
    }
  }

  // Draws each path up to the last instant before the cursor, and from there to the present position of the point.
  update(time) {
    if (!this.node.visible) return;
    const k = indexAt(this.t, time);
    for (const p of this.points) {
      if (!p.line) continue;
      p.line.visible = p.chosen;
      const position = p.line.geometry.getAttribute("position");
      position.array.set(p.way.subarray(3 * p.last, 3 * p.last + 3), 3 * p.last);
      this.motion.point(p.point, this.x).toArray(position.array, 3 * (k + 1));
      p.last = k + 1;
      position.needsUpdate = true;
      p.line.geometry.setDrawRange(0, k + 2);
    }
  }
}

function candidates(scene, heaviest) {
  const wheels = scene.forces.filter(isWheel).map((f) => ({ name: f.name, point: f.points[0], chosen: true }));
  const bodies = scene.bodies.map((b, i) => ({ name: b.name, point: { body: i, at: b.com }, chosen: i === heaviest }));
  const markers = scene.markers.filter((m) => m.points[0].body >= 0).map((m) => ({ name: m.name, point: m.points[0], chosen: false }));
  const all = [bodies[heaviest], ...wheels, ...bodies.filter((b, i) => i !== heaviest), ...markers];
  return all.filter((p) => p).slice(0, MOST);
}

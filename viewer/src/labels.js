// Shows the names of bodies, points and joints as texts over the picture, which move with each frame. A name that would overlap another one is hidden until the view is
// nearer.

import { Vector3 } from "three";
import { element } from "./dom.js";

const MOST = 300;
const LETTER = 6; // approximate width of a letter in pixels
const LINE = 14; // height of a line in pixels

export class Labels {
  constructor(report, motion) {
    this.motion = motion;
    this.node = element("div", { class: "labels", hidden: true });
    const { scene } = report;
    const wanted = [
      ...scene.joints.filter((j) => j.type !== "free").map((j) => ["joint", j.name, { body: j.child, at: j.at }]),
      ...scene.loops.filter((l) => l.points.length > 0).map((l) => ["joint", l.name, l.points[0]]),
      ...scene.markers.map((m) => ["point", m.name, m.points[0]]),
      ...scene.bodies.map((b, i) => ["body", b.name, { body: i, at: b.com }]),
    ];
    this.list = wanted.slice(0, MOST).map(([kind, name, at]) => ({ at, span: element("span", { class: kind }, name) }));
    this.node.append(...this.list.map((l) => l.span));
    this.x = new Vector3();
  }

  update(camera, width, height) {
    if (this.node.hidden) return;
    const taken = [];
    for (const { at, span } of this.list) {
      this.motion.point(at, this.x).project(camera);
      const [left, top] = [((this.x.x + 1) * width) / 2 + 6, ((1 - this.x.y) * height) / 2 - 6];
      const right = left + LETTER * span.textContent.length + 8;
      span.hidden = this.x.z > 1 || taken.some((r) => left < r.right && right > r.left && Math.abs(top - r.top) < LINE);
      if (span.hidden) continue;
      taken.push({ left, right, top });
      span.style.transform = `translate(${left}px, ${top}px)`;
    }
  }
}

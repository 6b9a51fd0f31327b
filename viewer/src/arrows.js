// Forces as arrows: those that the model has as outputs, by themselves. `shock_force: shock.force` gives an arrow at each end of the spring, and
// `tyre_force: tyre.fz` one at the contact. All arrows have one scale: the largest force of the run is as long as `longest`.

import { Group, MeshBasicMaterial, Vector3 } from "three";
import { valueAt } from "./data.js";
import { arrow } from "./shapes.js";

const PARTS = { fx: 0, fy: 1, fz: 2 };

export class Arrows {
  constructor(report, motion, size) {
    this.report = report;
    this.motion = motion;
    this.node = new Group();
    this.list = [];
    const paint = { spring: new MeshBasicMaterial({ color: "#d6336c" }), other: new MeshBasicMaterial({ color: "#2f9e44" }) };
    for (const f of report.scene.forces) this.add(f, paint, size);
    const most = Math.max(...this.list.map((a) => a.most), 0);
    this.scale = most > 0 ? (0.38 * size) / most : 0;
  }

  // Columns with a part of the element's force: NAME.force, or NAME.fx, .fy, .fz.
  columnsOf(force) {
    const found = {};
    for (const o of this.report.scene.outputs) {
      const match = /^\s*([\w.-]+)\.(force|fx|fy|fz)\s*$/.exec(o.formula);
      if (!match || !isNamed(force.name, match[1], o.name)) continue;
      const column = this.report.series.columns.find((c) => c.kind === "output" && c.name === o.name);
      if (column) found[match[2]] = column;
    }
    return found;
  }

  add(f, paint, size) {
    const columns = this.columnsOf(f);
    const used = Object.values(columns);
    if (used.length === 0 || f.points.length === 0) return;
    const most = used.reduce((sum, c) => Math.max(sum, c.values.reduce((m, x) => (x === null ? m : Math.max(m, Math.abs(x))), 0)), 0);
    const ends = columns.force && f.points.length === 2 ? 2 : 1;
    const arrows = Array.from({ length: ends }, () => arrow(0.006 * size, f.type === "spring" ? paint.spring : paint.other));
    this.node.add(...arrows);
    this.list.push({ f, columns, arrows, most });
  }

  update(t) {
    if (!this.node.visible) return;
    for (const { f, columns, arrows } of this.list) {
      if (columns.force && arrows.length === 2) this.pull(f, valueAt(this.report.series, columns.force, t) ?? 0, arrows);
      else this.push(f, columns, t, arrows[0]);
    }
  }

  // A spring pulls its ends towards each other, or pushes them apart.
  pull(f, force, arrows) {
    const [a, b] = f.points.map((p) => this.motion.point(p));
    const along = b.clone().sub(a).normalize().multiplyScalar(force * this.scale);
    arrows[0].update(a, along);
    arrows[1].update(b, along.clone().negate());
  }

  push(f, columns, t, drawn) {
    const along = new Vector3();
    for (const [part, k] of Object.entries(PARTS)) if (columns[part]) along.setComponent(k, valueAt(this.report.series, columns[part], t) ?? 0);
    const at = this.motion.point(f.points[0]);
    const foot = along.clone().normalize().multiplyScalar(-(f.radius ?? 0));
    drawn.update(at.add(foot), along.multiplyScalar(this.scale));
  }
}

// Whether a name in a formula of an output means this element: as it is written, or inside of the instance that the output belongs to.
function isNamed(full, written, output) {
  const parts = output.split(".").slice(0, -1);
  for (let n = parts.length; n >= 0; n--) if ([...parts.slice(0, n), written].join(".") === full) return true;
  return false;
}

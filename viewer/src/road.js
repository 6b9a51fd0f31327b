// Computes the height of the road below a point, and deforms the meshes of tyres: vertices below the road are lifted to it.

import { Matrix4, Vector3 } from "three";
import { indexAt } from "./data.js";

export class Road {
  constructor(report, up) {
    this.frames = report.frames;
    this.level = up.z === 1 ? (report.surfaces ?? []) : []; // heights of surfaces are along z
    this.field = this.level.find((s) => !s.moves && s.z.some((z) => Number.isFinite(z)));
    this.tyres = [];
    this.inverse = new Matrix4();
    this.x = new Vector3();
  }

  // Returns the height of the moving surface below the wheel of a force, such as the plate of a test rig; null if there is none.
  plate(name, time) {
    const s = this.level.find((one) => one.moves && one.name === name);
    if (!s) return null;
    const { t } = this.frames;
    const k = indexAt(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = next > k ? Math.min(Math.max((time - t[k]) / (t[next] - t[k]), 0), 1) : 0;
    return s.z[k] + part * (s.z[next] - s.z[k]);
  }

  // Returns the height of the fixed surface, interpolated bilinearly in its grid; NaN outside of it.
  height(x, y) {
    const { x: xs, y: ys, z } = this.field;
    const i = Math.min(indexAt(xs, x), xs.length - 2);
    const j = Math.min(indexAt(ys, y), ys.length - 2);
    const [a, b] = [(x - xs[i]) / (xs[i + 1] - xs[i]), (y - ys[j]) / (ys[j + 1] - ys[j])];
    if (!(a >= 0 && a <= 1 && b >= 0 && b <= 1)) return NaN;
    const at = (p, q) => z[(i + p) * ys.length + j + q];
    return (1 - a) * ((1 - b) * at(0, 0) + b * at(0, 1)) + a * ((1 - b) * at(1, 0) + b * at(1, 1));
  }

  // Adds the mesh of a tyre with the name of its force.
  press(name, mesh) {
    const position = mesh.geometry.getAttribute("position");
    this.tyres.push({ name, mesh, position, round: position.array.slice(), pressed: false, depth: 0 });
  }

  update(time) {
    for (const tyre of this.tyres) {
      const plate = this.plate(tyre.name, time);
      if (plate !== null) this.flatten(tyre, () => plate);
      else if (this.field) this.flatten(tyre, (x, y) => this.height(x, y));
    }
  }

  // Lifts each vertex of a tyre that is below the road to the road.
  flatten(tyre, height) {
    const { mesh, position, round } = tyre;
    mesh.updateWorldMatrix(true, false);
    const e = mesh.matrixWorld.elements;
    const below = e[14] - 0.5 * radiusOf(tyre); // only the lower part of the tyre can touch the road
    if (tyre.pressed) position.array.set(round);
    tyre.pressed = false;
    tyre.depth = 0;
    for (let i = 0; i < round.length; i += 3) {
      const [a, b, c] = [round[i], round[i + 1], round[i + 2]];
      const z = e[2] * a + e[6] * b + e[10] * c + e[14];
      if (z > below) continue;
      const depth = height(e[0] * a + e[4] * b + e[8] * c + e[12], e[1] * a + e[5] * b + e[9] * c + e[13]) - z;
      if (!(depth > 0)) continue;
      position.array[i] = a + depth * e[2]; // the upward direction in the axes of the wheel, whose matrix is a rotation
      position.array[i + 1] = b + depth * e[6];
      position.array[i + 2] = c + depth * e[10];
      tyre.depth = Math.max(tyre.depth, depth);
      tyre.pressed = true;
    }
    if (tyre.pressed || tyre.changed) position.needsUpdate = true;
    tyre.changed = tyre.pressed;
  }

  // Sets `out` to the contact point of a wheel: below its centre in the plane of the wheel, at its radius minus its deflection. Returns false if there is no such wheel.
  touch(name, out) {
    const tyre = this.tyres.find((one) => one.name === name);
    if (!tyre) return false;
    const e = tyre.mesh.matrixWorld.elements;
    const axis = this.x.set(e[8], e[9], e[10]); // of the wheel
    out.set(0, 0, -1).addScaledVector(axis, axis.z).normalize();
    const down = (radiusOf(tyre) - tyre.depth);
    out.multiplyScalar(down);
    out.x += e[12];
    out.y += e[13];
    out.z += e[14];
    return true;
  }
}

function radiusOf(tyre) {
  tyre.radius ??= tyre.round.reduce((most, _, i, all) => (i % 3 === 0 ? Math.max(most, Math.hypot(all[i], all[i + 1])) : most), 0);
  return tyre.radius;
}

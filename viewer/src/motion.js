// Computes the positions and rotations of the bodies at a time, by linear and by spherical linear interpolation between the instants of the report.

import { Quaternion, Vector3 } from "three";
import { indexAt } from "./data.js";

const A_POSE = 7; // numbers of a pose: position of the centre of mass, quaternion

export class Motion {
  constructor(report) {
    this.frames = report.frames;
    this.com = report.scene.bodies.map((b) => new Vector3(...b.com));
    this.place = this.com.map((c) => c.clone());
    this.turn = this.com.map(() => new Quaternion());
    this.other = new Quaternion();
    this.set(this.frames.t.length > 0 ? this.frames.t[0] : 0);
  }

  set(time) {
    const { t, poses, bodies } = this.frames;
    if (t.length === 0) return;
    const k = indexAt(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = next > k ? Math.min(Math.max((time - t[k]) / (t[next] - t[k]), 0), 1) : 0;
    for (let b = 0; b < bodies; b++) {
      const i = A_POSE * (k * bodies + b);
      const j = A_POSE * (next * bodies + b);
      for (let c = 0; c < 3; c++) this.place[b].setComponent(c, poses[i + c] + part * (poses[j + c] - poses[i + c]));
      this.turn[b].fromArray(poses, i + 3);
      this.turn[b].slerp(this.other.fromArray(poses, j + 3), part);
    }
  }

  // Returns the present position of a point that is given in the design position; body -1 is the ground.
  point({ body, at }, out = new Vector3()) {
    out.fromArray(at);
    if (body < 0) return out;
    return out.sub(this.com[body]).applyQuaternion(this.turn[body]).add(this.place[body]);
  }

  direction(body, axis, out = new Vector3()) {
    out.fromArray(axis);
    return body < 0 ? out : out.applyQuaternion(this.turn[body]);
  }
}

// Reads and shows families of positions that the program has computed: along a free coordinate, or over the period of a mode. A mode can be shown with a part of its
// full amplitude: positions are then interpolated linearly between those at rest and those of the mode, and rotations on the shortest path.

import { bytesOf, readFrames } from "./data.js";
import { Motion } from "./motion.js";

export function readFamilies(page) {
  const bodies = page.reports[0].scene.bodies.length;
  const outputs = page.sliders?.outputs ?? [];
  const sliders = (page.sliders?.list ?? []).map((s) => ({ ...s, frames: readFrames(s.frames, bodies), outputs: readRows(s.outputs, outputs.length) }));
  const modes = (page.modes?.list ?? []).map((m) => ({ ...m, frames: m.frames ? readFrames(m.frames, bodies) : null }));
  return { sliders, modes, outputs };
}

function readRows(text, width) {
  const all = new Float32Array(bytesOf(text));
  return (k) => all.subarray(k * width, (k + 1) * width);
}

export class FamilyMotion extends Motion {
  constructor(report) {
    super(report);
    this.home = report.frames;
    this.amplitude = 1;
    this.rest = { place: this.place.map((x) => x.clone()), turn: this.turn.map((q) => q.clone()) };
  }

  show(frames, amplitude = 1) {
    this.frames = frames;
    this.amplitude = amplitude;
  }

  set(time) {
    super.set(time);
    if (!this.rest || this.amplitude === 1) return;
    this.place.forEach((x, b) => x.lerpVectors(this.rest.place[b], x.clone(), this.amplitude));
    this.turn.forEach((q, b) => q.copy(this.other.copy(this.rest.turn[b]).slerp(q, this.amplitude)));
  }
}

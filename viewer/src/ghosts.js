// Draws the other runs of a comparison in the animation: their mechanisms, translucent and each in one colour. A run that has ended stays in its last position, fainter.

import { Color, MeshStandardMaterial, Vector3 } from "three";
import { attachments, detailOf, extents } from "./layout.js";
import { Mechanism } from "./mechanism.js";
import { Motion } from "./motion.js";

const OPACITY = 0.34;
const ENDED = 0.14;
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 60 }; // where a ghost coincides with the solid mechanism, the solid one hides it

export class Ghost {
  constructor(report, size) {
    const points = attachments(report.scene);
    this.motion = new Motion(report);
    this.extents = extents(report, this.motion, points);
    this.mechanism = new Mechanism(report, this.motion, points, size, detailOf(report.scene, points, size));
    this.node = this.mechanism.node;
    this.end = report.frames.t[report.frames.t.length - 1];
    this.paintwork = new MeshStandardMaterial({ transparent: true, opacity: OPACITY, depthWrite: false, roughness: 0.7, metalness: 0, ...BEHIND });
    this.node.traverse((part) => this.cover(part));
  }

  // Gives a part the translucent material, without shadows. Hides the edges of boxes, which would be as dark as those of the solid mechanism.
  cover(part) {
    part.castShadow = part.receiveShadow = false;
    if (part.isMesh) part.material = this.paintwork;
    else if (part.isLine) part.visible = false;
    part.renderOrder = 1;
  }

  paint(colour) {
    this.paintwork.color = new Color(colour);
  }

  update(t) {
    if (!this.node.visible) return;
    this.paintwork.opacity = t > this.end ? ENDED : OPACITY;
    this.motion.set(t);
    this.mechanism.update();
  }
}

// Enlarges the view so that it contains the ghosts at all times, or at the start if the mechanism travels. Ghosts that are far away are left out.
export function makeRoom(view, ghosts) {
  for (const g of ghosts) {
    const box = view.travels ? g.extents.first : g.extents.all;
    const far = box.getCenter(new Vector3()).distanceTo(view.box.getCenter(new Vector3()));
    if (far < 3 * view.size) view.box.union(box);
  }
  view.reset();
}

// The other runs of a comparison in the animation: their mechanisms, translucent and in one colour each. A run that has ended stays where it was, fainter.

import { Color, MeshStandardMaterial, Vector3 } from "three";
import { attachments, detailOf, extents } from "./layout.js";
import { Mechanism } from "./mechanism.js";
import { Motion } from "./motion.js";

const OPACITY = 0.42;
const ENDED = 0.16;

export class Ghost {
  constructor(report, size) {
    const points = attachments(report.scene);
    this.motion = new Motion(report);
    this.box = extents(report, this.motion, points).all;
    this.mechanism = new Mechanism(report, this.motion, points, size, detailOf(report.scene, points, size));
    this.node = this.mechanism.node;
    this.end = report.frames.t[report.frames.t.length - 1];
    this.paintwork = new MeshStandardMaterial({ transparent: true, opacity: OPACITY, depthWrite: false, roughness: 0.7, metalness: 0 });
    this.node.traverse((part) => this.cover(part));
  }

  // Edges of boxes would be as dark as those of the solid one.
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

// What does not travel is looked at so that the ghosts are in the picture, too.
export function makeRoom(view, ghosts) {
  if (view.travels) return;
  for (const g of ghosts) {
    const far = g.box.getCenter(new Vector3()).distanceTo(view.box.getCenter(new Vector3()));
    if (far < 3 * view.size) view.box.union(g.box);
  }
  view.reset();
}

// Draws the ground: a grid with cells of a power of ten of a metre, a plane that receives the shadow, and the surfaces of the model.

import { BoxGeometry, BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, PlaneGeometry, Quaternion, ShadowMaterial, Vector3, DoubleSide } from "three";
import { indexAt } from "./data.js";

const CELLS = 40;

export class Ground {
  constructor(size, up, level, dark) {
    this.up = up;
    this.level = level;
    this.cell = 10 ** Math.round(Math.log10(size / 4));
    this.node = new Group();
    this.node.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up));
    this.shadow = new Mesh(new PlaneGeometry(40 * size, 40 * size).rotateX(-Math.PI / 2), new ShadowMaterial({ opacity: 0.25 }));
    this.shadow.receiveShadow = true;
    this.shadow.position.y = -0.002 * size;
    this.node.add(this.shadow);
    this.lines = gridLines(this.cell);
    this.paint(dark);
  }

  paint(dark) {
    if (this.grid) {
      this.node.remove(this.grid);
      this.grid.material.dispose();
    }
    this.grid = new LineSegments(this.lines, new LineBasicMaterial({ color: dark ? "#38434f" : "#c3ccd8", depthWrite: false }));
    this.node.add(this.grid);
    this.shadow.material.opacity = dark ? 0.45 : 0.22;
  }

  // Moves the grid with the target of the camera by whole cells, so that it appears infinite.
  follow(target) {
    const level = target.clone().addScaledVector(this.up, -target.dot(this.up));
    const x = level.toArray().map((c) => Math.round(c / this.cell) * this.cell);
    this.node.position.set(...x).addScaledVector(this.up, this.level - new Vector3(...x).dot(this.up));
  }
}

// Returns the lines of the grid. Each edge of a cell is a line of its own, because some renderers drop long lines with one end behind the camera.
function gridLines(cell) {
  const points = [];
  const at = (i) => (i - CELLS / 2) * cell;
  for (let i = 0; i <= CELLS; i++) {
    for (let k = 0; k < CELLS; k++) points.push(at(i), 0, at(k), at(i), 0, at(k + 1), at(k), 0, at(i), at(k + 1), 0, at(i));
  }
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}

// Draws the surfaces of the model: a fixed surface as a mesh, a moving one as a plate below the body that touches it.
export class Surfaces {
  constructor(report, motion, dark) {
    this.motion = motion;
    this.frames = report.frames;
    this.material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.node = new Group();
    this.plates = [];
    for (const s of report.surfaces) {
      if (s.moves) this.addPlate(report, s);
      else if (s.z.some((z) => Number.isFinite(z))) this.node.add(received(new Mesh(fieldGeometry(s), this.material)));
    }
    this.paint(dark);
  }

  paint(dark) {
    this.material.color.set(dark ? "#3c444e" : "#c9cfd7");
  }

  addPlate(report, s) {
    const radius = report.scene.forces.find((f) => f.name === s.name)?.radius || 0.1;
    const plate = received(new Mesh(new BoxGeometry(3 * radius, 1.4 * radius, 0.06 * radius).translate(0, 0, -0.03 * radius), this.material));
    this.node.add(plate);
    this.plates.push({ plate, s });
  }

  update(time) {
    const { t } = this.frames;
    const k = indexAt(t, time);
    const next = Math.min(k + 1, t.length - 1);
    const part = next > k ? Math.min(Math.max((time - t[k]) / (t[next] - t[k]), 0), 1) : 0;
    for (const { plate, s } of this.plates) {
      const z = s.z[k] + part * (s.z[next] - s.z[k]);
      plate.visible = Number.isFinite(z);
      this.motion.point(s, plate.position);
      plate.position.z = z;
    }
  }
}

function received(mesh) {
  mesh.receiveShadow = true;
  return mesh;
}

function fieldGeometry({ x, y, z }) {
  const positions = x.flatMap((xi, i) => y.flatMap((yj, j) => [xi, yj, z[i * y.length + j]]));
  const index = [];
  for (let i = 0; i + 1 < x.length; i++) {
    for (let j = 0; j + 1 < y.length; j++) {
      const a = i * y.length + j;
      const four = [a, a + y.length, a + y.length + 1, a + 1];
      if (four.every((k) => Number.isFinite(z[k]))) index.push(a, four[1], four[2], a, four[2], four[3]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions.map((p) => (Number.isFinite(p) ? p : 0)), 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

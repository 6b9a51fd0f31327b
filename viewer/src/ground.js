// What is below: a grid of whole metres (or a tenth, or ten), a plane that takes the shadow, and the surfaces that the model has.

import { BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, PlaneGeometry, Quaternion, ShadowMaterial, Vector3, DoubleSide } from "three";

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

  // The grid moves along in whole cells: it has no end.
  follow(target) {
    const level = target.clone().addScaledVector(this.up, -target.dot(this.up));
    const x = level.toArray().map((c) => Math.round(c / this.cell) * this.cell);
    this.node.position.set(...x).addScaledVector(this.up, this.level - new Vector3(...x).dot(this.up));
  }
}

// Each edge of a cell by itself: a long line with one end behind the camera is lost by some renderers.
function gridLines(cell) {
  const points = [];
  const at = (i) => (i - CELLS / 2) * cell;
  for (let i = 0; i <= CELLS; i++) {
    for (let k = 0; k < CELLS; k++) points.push(at(i), 0, at(k), at(i), 0, at(k + 1), at(k), 0, at(i), at(k + 1), 0, at(i));
  }
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}

// A surface of the model: heights over a grid of places, at rest.
export function surfaceMesh(surface, dark) {
  const { x, y, z } = surface;
  const positions = [];
  const index = [];
  x.forEach((xi, i) => y.forEach((yj, j) => positions.push(xi, yj, z[i * y.length + j] ?? NaN)));
  for (let i = 0; i + 1 < x.length; i++) {
    for (let j = 0; j + 1 < y.length; j++) {
      const a = i * y.length + j;
      const four = [a, a + y.length, a + y.length + 1, a + 1];
      if (four.every((k) => Number.isFinite(positions[3 * k + 2]))) index.push(a, four[1], four[2], a, four[2], four[3]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions.map((p) => (Number.isFinite(p) ? p : 0)), 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  const mesh = new Mesh(geometry, new MeshStandardMaterial({ color: dark ? "#4a525c" : "#b4bbc4", roughness: 0.95, metalness: 0, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
  mesh.receiveShadow = true;
  return mesh;
}

// Makes meshes: the shapes of a model, and bars, balls, springs, dampers, wheels and arrows, in the model's unit of length.

import {
  BoxGeometry, BufferGeometry, Color, CylinderGeometry, Curve, DoubleSide, EdgesGeometry, Float32BufferAttribute, Group, LatheGeometry, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, TubeGeometry, Vector2, Vector3,
} from "three";

const Z = new Vector3(0, 0, 1);
const COLOURS = ["#4c8dd6", "#e0803a", "#3fa678", "#a06cd5", "#c9a227", "#2d9cab", "#cf5c86", "#7d8a99"];

export function bodyColour(index) {
  return COLOURS[index % COLOURS.length];
}

export function material(colour, more = {}) {
  return new MeshStandardMaterial({ color: new Color(colour), roughness: 0.55, metalness: 0.15, ...more });
}

// Returns the colour that a model states if it is a valid one, otherwise `usual`.
export function colourOr(text, usual) {
  return text && CSS.supports("color", text) && !/var|url|current/i.test(text) ? text : usual;
}

export function solid(geometry, paint) {
  const mesh = new Mesh(geometry, paint);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

// Returns a cylinder along z from 0 to 1, for meshes that are stretched between two points.
function unitCylinder(radius, segments = 20) {
  return new CylinderGeometry(radius, radius, 1, segments).rotateX(Math.PI / 2).translate(0, 0, 0.5);
}

// Moves, turns and stretches an object that reaches from 0 to 1 along z so that it reaches from one point to another.
export function stretch(object, from, to) {
  const along = to.clone().sub(from);
  const length = along.length();
  object.position.copy(from);
  if (length > 0) object.quaternion.setFromUnitVectors(Z, along.multiplyScalar(1 / length));
  object.scale.set(1, 1, Math.max(length, 1e-9));
}

export function bar(from, to, radius, paint) {
  const mesh = solid(unitCylinder(radius), paint);
  stretch(mesh, from, to);
  return mesh;
}

export function ball(at, radius, paint) {
  const mesh = solid(new SphereGeometry(radius, 24, 16), paint);
  mesh.position.copy(at);
  return mesh;
}

export function polyline(points, radius, paint) {
  const group = new Group();
  points.forEach((p, i) => {
    if (i > 0 && p.distanceTo(points[i - 1]) > 1e-9) group.add(bar(points[i - 1], p, radius, paint));
    group.add(ball(p, radius * 1.02, paint));
  });
  const closed = points.length > 3 && points[0].distanceTo(points[points.length - 1]) < 1e-9;
  if (closed) group.add(plate(points.slice(0, -1), paint));
  return group;
}

// Returns the translucent area inside a closed polyline, which need not be planar: triangles about its centre.
function plate(points, paint) {
  const centre = points.reduce((sum, p) => sum.add(p), new Vector3()).multiplyScalar(1 / points.length);
  const triangles = points.flatMap((p, i) => [centre, p, points[(i + 1) % points.length]]).flatMap((p) => p.toArray());
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(triangles, 3));
  geometry.computeVertexNormals();
  return new Mesh(geometry, glass(paint.color, 0.3));
}

function glass(colour, opacity) {
  return new MeshStandardMaterial({ color: colour, transparent: true, opacity, side: DoubleSide, depthWrite: false, roughness: 0.8 });
}

// Returns a box with its edges. A large box is translucent, since it would hide the parts inside it.
export function box(size, axes, at, paint, large) {
  const geometry = new BoxGeometry(...size);
  const group = new Group();
  const mesh = large ? new Mesh(geometry, glass(paint.color, 0.22)) : solid(geometry, paint);
  mesh.castShadow = true;
  group.add(mesh, new LineSegments(new EdgesGeometry(geometry), new LineBasicMaterial({ color: paint.color })));
  const [x, y, z] = [0, 3, 6].map((i) => new Vector3(axes[i], axes[i + 1], axes[i + 2]));
  if (x.lengthSq() > 0) group.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(x, y, z.dot(x.clone().cross(y)) < 0 ? z.negate() : z));
  group.position.copy(at);
  return group;
}

// Returns a cylinder. A disc has a mark across its ends, which makes its rotation visible.
export function cylinder(from, to, radius, paint) {
  const group = new Group();
  group.add(solid(unitCylinder(radius, 48), paint));
  const length = from.distanceTo(to);
  if (radius > length) {
    const mark = solid(new BoxGeometry(1.7 * radius, 0.1 * radius, 1.04).translate(0, 0, 0.5), material("#30363f"));
    group.add(mark);
  }
  stretch(group, from, to);
  return group;
}

class Helix extends Curve {
  constructor(radius, turns) {
    super();
    this.radius = radius;
    this.turns = turns;
  }

  getPoint(s, out = new Vector3()) {
    const z = Math.min(Math.max((s - 0.04) / 0.92, 0), 1); // the ends lie flat
    const angle = 2 * Math.PI * this.turns * s;
    return out.set(this.radius * Math.cos(angle), this.radius * Math.sin(angle), z);
  }
}

// Returns a coil spring from 0 to 1 along z. The cross-section of its wire is round if the coil is stretched to this length, and nearly round at similar lengths.
export function coil(radius, wire, length, paint) {
  const turns = 7;
  const geometry = new TubeGeometry(new Helix(radius / length, turns), 24 * turns, wire / length, 8).scale(length, length, 1);
  return solid(geometry, paint);
}

// Returns a damper: a tube at one end and a rod at the other, which moves in the tube.
export function damper(radius, length) {
  const tube = solid(unitCylinder(radius), material("#59636f", { metalness: 0.5, roughness: 0.35 }));
  const rod = solid(unitCylinder(radius * 0.42), material("#c3cad3", { metalness: 0.8, roughness: 0.25 }));
  const group = new Group();
  group.add(tube, rod);
  group.update = (from, to) => {
    const along = to.clone().sub(from).normalize();
    stretch(tube, from, from.clone().addScaledVector(along, Math.min(0.55 * length, from.distanceTo(to))));
    stretch(rod, from.clone().addScaledVector(along, 0.06 * length), to);
  };
  return group;
}

// Returns a point (radius, half width) of a tyre's cross-section, a rounded rectangle from rim to tread; `angle` is measured from the tread.
function section(angle) {
  const round = (x) => Math.sign(x) * Math.sqrt(Math.abs(x));
  return [0.81 + 0.19 * round(Math.cos(angle)), round(Math.sin(angle))];
}

// Returns a wheel about the axis z with its centre at 0: tyre, rim, spokes, and a mark that makes its rotation visible.
export function wheel(radius, width) {
  const half = width / 2;
  const group = new Group();
  const profile = Array.from({ length: 25 }, (_, i) => section((Math.PI * (i - 12)) / 12 * 0.94));
  const lathe = (points, paint) => solid(new LatheGeometry(points.map(([r, z]) => new Vector2(r * radius, z * half)), 72).rotateX(Math.PI / 2), paint);
  const metal = material("#b9c0c9", { metalness: 0.55, roughness: 0.35, side: DoubleSide });
  group.tyre = lathe(profile, material("#2b2e33", { roughness: 0.9, metalness: 0 }));
  group.add(group.tyre, lathe([[0.63, -0.8], [0.58, -0.2], [0.58, 0.2], [0.63, 0.8]], metal));
  group.add(solid(new CylinderGeometry(0.16 * radius, 0.16 * radius, width * 0.5, 24).rotateX(Math.PI / 2), metal));
  for (let i = 0; i < 5; i++) {
    const spoke = solid(new BoxGeometry(0.5 * radius, 0.12 * radius, width * 0.16).translate(0.34 * radius, 0, 0), metal);
    spoke.rotation.z = (2 * Math.PI * i) / 5;
    group.add(spoke);
  }
  const mark = solid(new BoxGeometry(0.1 * radius, 0.06 * radius, width * 1.02).translate(0.8 * radius, 0, 0), material("#e8eaee"));
  group.add(mark);
  return group;
}

export function turnTo(object, axis) {
  object.quaternion.copy(new Quaternion().setFromUnitVectors(Z, axis.clone().normalize()));
}

// Returns an arrow; its method update(from, along) moves and stretches it. The head keeps its size unless the arrow is very short.
export function arrow(radius, paint) {
  const shaft = new Mesh(unitCylinder(radius, 12), paint);
  const head = new Mesh(new CylinderGeometry(0, 2.6 * radius, 7 * radius, 16).rotateX(Math.PI / 2).translate(0, 0, -3.5 * radius), paint);
  const group = new Group();
  group.add(shaft, head);
  group.update = (from, along) => {
    const length = along.length();
    group.visible = length > 1e-9;
    if (!group.visible) return;
    group.position.copy(from);
    group.quaternion.setFromUnitVectors(Z, along.clone().multiplyScalar(1 / length));
    const small = Math.min(length / (9 * radius), 1);
    head.scale.setScalar(small);
    head.position.z = length;
    shaft.scale.set(1, 1, Math.max(length - 6 * radius * small, 1e-9));
  };
  return group;
}

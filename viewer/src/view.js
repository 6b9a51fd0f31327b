// The animation: scene, light, camera, and what is shown at the time of the clock. It is drawn when something has changed, not otherwise.

import { AmbientLight, Color, DirectionalLight, HemisphereLight, PerspectiveCamera, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows } from "./arrows.js";
import { element } from "./dom.js";
import { Ground, Surfaces } from "./ground.js";
import { Labels } from "./labels.js";
import { attachments, awayFrom, detailOf, extents, isWheel, upAxis, viewDirection, wheelPlaces } from "./layout.js";
import { Mechanism } from "./mechanism.js";
import { Motion } from "./motion.js";

const BACKGROUND = { light: "#eef1f5", dark: "#161b22" };

export class View {
  constructor(report, clock, theme) {
    this.report = report;
    this.clock = clock;
    this.theme = theme;
    this.motion = new Motion(report);
    this.measure();
    this.makeScene();
    this.makeCamera();
    this.labels = new Labels(report, this.motion);
    this.node = element("div", { class: "picture" }, this.renderer.domElement, this.labels.node);
    this.follows = this.travels;
    this.last = this.motion.place[this.heaviest]?.clone();
    clock.listen(() => (this.stale = true));
    new ResizeObserver(() => this.resize()).observe(this.node);
    this.extras = []; // things that others put into the scene, with update(t)
    this.reset();
  }

  measure() {
    const { scene } = this.report;
    this.points = attachments(scene);
    const { first, all } = extents(this.report, this.motion, this.points);
    this.first = first;
    const whole = all.getSize(new Vector3()).length();
    this.size = first.getSize(new Vector3()).length();
    if (!(this.size > 1e-3 * whole)) this.size = whole > 0 ? 0.3 * whole : 1; // a body that is a point
    if (first.getSize(new Vector3()).length() < this.size) first.expandByScalar(0.3 * this.size);
    this.up = upAxis(scene.gravity);
    this.heaviest = scene.bodies.reduce((most, b, i) => (b.mass > scene.bodies[most].mass ? i : most), 0);
    const sizes = all.getSize(new Vector3()).toArray();
    const before = first.getSize(new Vector3()).toArray();
    this.travels = sizes.some((s, i) => s > before[i] + 1.2 * this.size);
    const lowest = Math.min(all.min.dot(this.up), all.max.dot(this.up));
    const touches = scene.forces.some(isWheel) || scene.stops.some((s) => s.type === "contact");
    this.level = touches && Math.abs(lowest) < 0.5 * this.size ? 0 : lowest - 0.04 * this.size;
    for (const s of this.report.surfaces) if (s.moves) this.level = s.z.reduce((low, z) => (z < low ? z : low), this.level);
    this.box = this.travels ? first : all;
  }

  makeScene() {
    this.scene = new Scene();
    this.mechanism = new Mechanism(this.report, this.motion, this.points, this.size, detailOf(this.report.scene, this.points, this.size));
    this.arrows = new Arrows(this.report, this.motion, this.size);
    this.arrows.node.visible = false;
    this.ground = new Ground(this.size, this.up, this.level, this.theme() === "dark");
    this.surfaces = new Surfaces(this.report, this.motion, this.theme() === "dark");
    this.sun = new DirectionalLight("#ffffff", 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const reach = 1.1 * this.size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * this.size, far: 8 * this.size });
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.sky = new HemisphereLight("#ffffff", "#8f8a80", 1.1);
    this.sky.position.copy(this.up);
    this.scene.add(this.mechanism.node, this.arrows.node, this.ground.node, this.surfaces.node, this.sun, this.sun.target, this.sky, new AmbientLight("#ffffff", 0.35));
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("aria-label", "animation of the bodies");
    this.paint();
  }

  makeCamera() {
    this.camera = new PerspectiveCamera(35, 1, 0.01 * this.size, 200 * this.size);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => (this.stale = true));
  }

  paint() {
    this.scene.background = new Color(BACKGROUND[this.theme()]);
    this.ground.paint(this.theme() === "dark");
    this.surfaces.paint(this.theme() === "dark");
    this.stale = true;
  }

  // ---- where from

  reset() {
    const direction = viewDirection(this.report.scene, this.first, this.up);
    const places = (list) => list.map((p) => this.motion.point(p));
    const from = awayFrom(places(wheelPlaces(this.report.scene)), places(this.points), direction, 0.08 * this.size);
    this.light = from.clone().addScaledVector(this.up, 1.3).addScaledVector(this.up.clone().cross(from), 0.7).normalize();
    this.look(from);
  }

  lookAlong(axis, against) {
    const direction = new Vector3().setComponent("xyz".indexOf(axis), against ? -1 : 1);
    if (Math.abs(direction.dot(this.up)) > 0.99) direction.add(new Vector3(1e-3, 1e-3, 1e-3));
    this.look(direction.normalize());
  }

  // From this side, so far away that all can be seen; what travels is looked at where it is.
  look(direction) {
    const centre = this.box.getCenter(new Vector3());
    const radius = 0.5 * this.box.getSize(new Vector3()).length();
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    if (this.travels && this.last) centre.add(this.motion.place[this.heaviest]).sub(this.start ?? (this.start = this.last.clone()));
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, (0.86 * radius) / Math.sin(narrow));
    this.controls.update();
    this.stale = true;
  }

  toggle(what) {
    if (what === "follow") this.follows = !this.follows;
    if (what === "labels") this.labels.node.hidden = !this.labels.node.hidden;
    if (what === "arrows") this.arrows.node.visible = !this.arrows.node.visible;
    this.clock.tell();
  }

  // Camera and target go along with the heaviest body.
  follow() {
    const now = this.motion.place[this.heaviest];
    if (!now) return;
    if (this.follows) {
      const moved = now.clone().sub(this.last);
      this.controls.target.add(moved);
      this.camera.position.add(moved);
      this.controls.update();
    }
    this.last.copy(now);
  }

  // ---- pictures

  resize() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (width === 0 || height === 0) return;
    const first = this.camera.aspect === 1;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.reset();
    this.stale = true;
  }

  draw() {
    if (!this.stale) return;
    this.stale = false;
    this.motion.set(this.clock.t);
    this.follow();
    this.mechanism.update();
    this.arrows.update(this.clock.t);
    this.surfaces.update(this.clock.t);
    for (const extra of this.extras) extra.update(this.clock.t);
    this.ground.follow(this.controls.target);
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).addScaledVector(this.light, 3 * this.size);
    this.renderer.render(this.scene, this.camera);
    this.labels.update(this.camera, this.node.clientWidth, this.node.clientHeight);
    this.stale = false;
  }
}

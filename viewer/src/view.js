// Shows the animation: scene, light, camera, and the mechanism at the time of the clock. A picture is drawn only after something has changed.

import { AmbientLight, Color, DirectionalLight, HemisphereLight, PerspectiveCamera, PCFShadowMap, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows } from "./arrows.js";
import { element } from "./dom.js";
import { Ground, Surfaces } from "./ground.js";
import { Labels } from "./labels.js";
import { attachments, awayFrom, detailOf, distanceFor, extents, instants, isWheel, upAxis, viewDirection, wheelPlaces } from "./layout.js";
import { Mechanism } from "./mechanism.js";
import { Motion } from "./motion.js";
import { Road } from "./road.js";
import { Trails } from "./trails.js";

const FAR = 4; // a mechanism whose motion extends over more than so many times its size travels: the camera follows it
const BACKGROUND = { light: "#eef1f5", dark: "#161b22" };

export class View {
  constructor(report, clock, theme) {
    this.report = report;
    this.clock = clock;
    this.theme = theme;
    this.motion = report.motion ?? new Motion(report); // the page of a model has a motion of its own (family.js)
    this.measure();
    this.makeScene();
    this.includeDrawn();
    this.makeCamera();
    this.labels = new Labels(report, this.motion);
    this.node = element("div", { class: "picture" }, this.renderer.domElement, this.labels.node, element("div", { class: "legends" }, this.arrows.legend, this.trails.legend));
    this.follows = this.travels;
    this.last = this.motion.place[this.heaviest]?.clone();
    this.start = this.last?.clone(); // position of the heaviest body in the first picture
    clock.listen(() => (this.stale = true));
    new ResizeObserver(() => this.resize()).observe(this.node);
    this.extras = []; // objects with a method update(t) that other modules have added to the scene
    this.reset();
  }

  measure() {
    const { scene } = this.report;
    this.points = attachments(scene);
    const { first, all } = extents(this.report, this.motion, this.points);
    this.first = first;
    const whole = all.getSize(new Vector3()).length();
    this.size = first.getSize(new Vector3()).length();
    if (!(this.size > 1e-3 * whole)) this.size = whole > 0 ? 0.3 * whole : 1; // the mechanism is a point
    if (first.getSize(new Vector3()).length() < this.size) first.expandByScalar(0.3 * this.size);
    this.up = upAxis(scene.gravity);
    this.heaviest = scene.bodies.reduce((most, b, i) => (b.mass > scene.bodies[most].mass ? i : most), 0);
    this.travels = whole > FAR * this.size;
    const lowest = Math.min(all.min.dot(this.up), all.max.dot(this.up));
    const touches = scene.forces.some(isWheel) || scene.stops.some((s) => s.type === "contact");
    this.level = touches && Math.abs(lowest) < 0.5 * this.size ? 0 : lowest - 0.04 * this.size;
    if (this.report.surfaces.some((s) => !s.moves)) this.level -= 0.004 * this.size; // a little below the road, not in the same plane
    for (const s of this.report.surfaces) if (s.moves) this.level = s.z.reduce((low, z) => (z < low ? z : low), this.level);
    this.box = this.travels ? first : all.union(first); // `first` keeps a point at rest from having an empty box
    this.reach = Math.max(1.1 * this.size, 0.7 * this.box.getSize(new Vector3()).length()); // radius of the region with shadows
  }

  makeScene() {
    this.scene = new Scene();
    this.mechanism = new Mechanism(this.report, this.motion, this.points, this.size, detailOf(this.report.scene, this.points, this.size));
    this.road = new Road(this.report, this.up);
    for (const [name, mesh] of this.mechanism.tyres) this.road.press(name, mesh);
    this.arrows = new Arrows(this.report, this.motion, this.size, (name, out) => this.road.touch(name, out));
    this.arrows.show(false);
    this.trails = new Trails(this.report, this.motion, this.heaviest);
    this.trails.changed = () => (this.stale = true);
    this.ground = new Ground(this.size, this.up, this.level, this.theme() === "dark");
    this.surfaces = new Surfaces(this.report, this.motion, this.theme() === "dark");
    this.sun = new DirectionalLight("#ffffff", 2.4);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const reach = this.reach;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * this.size, far: 8 * reach });
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.sky = new HemisphereLight("#ffffff", "#8f8a80", 1.1);
    this.sky.position.copy(this.up);
    this.scene.add(this.mechanism.node, this.arrows.node, this.trails.node, this.ground.node, this.surfaces.node, this.sun, this.sun.target, this.sky, new AmbientLight("#ffffff", 0.35));
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.debug.checkShaderErrors = false; // the check would wait for each shader to compile
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("aria-label", "animation of the bodies");
    this.paint();
  }

  // Enlarges the view so that it contains all meshes, such as balls, bars and feet of joints, which are larger than their points.
  includeDrawn() {
    const times = instants(this.report);
    for (const t of this.travels ? times.slice(0, 1) : times) {
      this.motion.set(t);
      this.mechanism.includeIn(this.box);
    }
    this.motion.set(times[0]);
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

  // ---- camera

  reset() {
    const places = (list) => list.map((p) => this.motion.point(p));
    const direction = viewDirection(this.report.scene, this.box, this.up, places(this.points));
    const from = awayFrom(places(wheelPlaces(this.report.scene)), places(this.points), direction, this.up, 0.08 * this.size);
    this.light = from.clone().addScaledVector(this.up, 1.3).addScaledVector(this.up.clone().cross(from), 0.7).normalize();
    this.look(from);
  }

  lookAlong(axis, against) {
    const direction = new Vector3().setComponent("xyz".indexOf(axis), against ? -1 : 1);
    if (Math.abs(direction.dot(this.up)) > 0.99) direction.add(new Vector3(1e-3, 1e-3, 1e-3));
    this.look(direction.normalize());
  }

  // Places the camera in this direction from the mechanism, at a distance at which the whole box is visible; a mechanism that travels is viewed at its present position.
  look(direction) {
    const centre = this.travels ? this.centre() : this.box.getCenter(new Vector3());
    const far = distanceFor(this.box, direction, this.up, (this.camera.fov * Math.PI) / 360, this.camera.aspect);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, far);
    this.controls.update();
    this.stale = true;
  }

  toggle(what) {
    if (what === "follow") this.followOrStay();
    if (what === "labels") this.labels.node.hidden = !this.labels.node.hidden;
    if (what === "arrows") this.arrows.show(!this.arrows.node.visible);
    if (what === "trails") this.trails.show(!this.trails.node.visible);
    this.clock.notify();
  }

  enlargeArrows(by) {
    this.arrows.enlarge(by);
    this.stale = true;
  }

  // Returns the centre of the mechanism at the start, displaced as the heaviest body has been since then.
  centre() {
    const middle = this.first.getCenter(new Vector3());
    return this.start ? middle.add(this.motion.place[this.heaviest]).sub(this.start) : middle;
  }

  // Switches following on or off. When it is switched on, the camera first moves so that the mechanism is in the middle of the picture.
  followOrStay() {
    this.follows = !this.follows;
    if (!this.follows) return;
    this.motion.set(this.clock.t);
    const moved = this.centre().sub(this.controls.target);
    this.controls.target.add(moved);
    this.camera.position.add(moved);
    this.controls.update();
    this.last?.copy(this.motion.place[this.heaviest]);
  }

  // Moves the camera and its target with the heaviest body.
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
    if (width > 0 && height > 0) this.fit(width, height, Math.min(devicePixelRatio, 2));
  }

  fit(width, height, ratio) {
    const first = this.camera.aspect === 1;
    this.renderer.setPixelRatio(ratio);
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
    this.road.update(this.clock.t);
    this.arrows.update(this.clock.t);
    this.trails.update(this.clock.t);
    this.surfaces.update(this.clock.t);
    for (const extra of this.extras) extra.update(this.clock.t);
    this.ground.follow(this.controls.target);
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).addScaledVector(this.light, 3 * this.reach);
    this.renderer.render(this.scene, this.camera);
    if (!this.drawn) performance.mark("camber: first picture");
    this.drawn = true;
    this.labels.update(this.camera, this.node.clientWidth, this.node.clientHeight);
    this.stale = false;
  }
}

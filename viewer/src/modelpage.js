// Makes the page of a model: the mechanism in the start position of a run, sliders for its free coordinates, its modes, and tables of its elements.

import { Box3, Vector3 } from "three";
import { Clock } from "./clock.js";
import { count, element, shown } from "./dom.js";
import { FamilyMotion, readFamilies } from "./family.js";
import { answer, requested } from "./film.js";
import { Gaps, apart } from "./gaps.js";
import { keyTable, listenToKeys, makeHelp } from "./keys.js";
import { Modes, playedPeriod } from "./modes.js";
import { Sliders } from "./sliders.js";
import { View } from "./view.js";

const STATES = {
  start: "assembled, at its start values",
  equilibrium: "assembled, in static equilibrium",
  steady: "assembled, in steady motion",
  given: "NOT assembled: shown with the given start values",
  design: "NOT assembled: shown in the design position",
};
const ROOM = 0.64; // the least radius of the view, relative to the longest edge of the box, for mechanisms that are nearly a line
const FEW = 3; // with at most so many sliders the picture has room for all their positions

class ModelPage {
  constructor(page, theme) {
    this.page = page;
    this.report = page.reports[0];
    this.families = readFamilies(page);
    this.report.motion = new FamilyMotion(this.report);
    this.clock = new Clock([0, 0]);
    this.makeView(theme);
    const { sliders, modes, outputs } = this.families;
    this.sliders = new Sliders(sliders, outputs, (s, value) => this.move(s, value));
    if (page.modes) this.modes = new Modes(page, modes, (m, amplitude) => this.play(m, amplitude));
  }

  makeView(theme) {
    try {
      this.view = new View(this.report, this.clock, theme);
    } catch (error) {
      this.reason = `This browser cannot show the mechanism: ${error.message}`;
      return;
    }
    this.gaps = new Gaps(this.page.model.open, this.report.scene, this.view.motion, this.view.mechanism.detail);
    this.view.scene.add(this.gaps.node);
    this.view.node.append(this.gaps.labels);
    this.widen(this.families.sliders.length <= FEW && !requested(location.hash) ? this.families.sliders : []);
  }

  // Enlarges the view so that it contains all positions of these sliders.
  widen(sliders) {
    const box = new Box3().copy(this.view.box);
    const { motion, mechanism } = this.view;
    const x = new Vector3();
    for (const { frames } of sliders) {
      motion.show(frames);
      for (let k = 0; k < frames.t.length; k += 4) {
        motion.set(frames.t[k]);
        mechanism.includeIn(box);
      }
    }
    motion.show(motion.home);
    motion.set(0);
    const size = box.getSize(x);
    this.view.box = box.expandByScalar(Math.max(ROOM * Math.max(...size.toArray()) - 0.5 * size.length(), 0));
    this.view.reset();
  }

  // ---- what is shown

  show(frames, [start, end], t, amplitude) {
    Object.assign(this.clock, { start, end });
    this.report.motion.show(frames, amplitude);
    this.clock.set(t);
  }

  move(slider, value) {
    if (slider) {
      this.modes?.row && this.modes.choose(null);
      this.clock.play(false);
      this.show(slider.frames, [slider.frames.t[0], slider.frames.t[slider.frames.t.length - 1]], value, 1);
    } else if (!this.modes?.row) {
      this.clock.play(false);
      this.show(this.report.motion.home, [0, 0], 0, 1);
    }
  }

  play(mode, amplitude) {
    if (!mode) {
      if (!this.sliders.row) this.move(null);
      return;
    }
    const going = this.report.motion.frames === mode.frames;
    this.clock.speed = 1 / playedPeriod(mode).period;
    this.show(mode.frames, [0, 1], going ? this.clock.t : 0, amplitude);
    if (this.sliders.row) this.sliders.choose(null);
    if (!going) this.clock.play(true);
  }

  rest() {
    this.modes?.choose(null);
    this.sliders.choose(null);
  }

  // ---- parts

  makeHead() {
    const { model } = this.page;
    const settings = Object.entries(this.report.settings).map(([name, value]) => `${name} = ${shown(value, 6)}`);
    const freedoms = model.degrees_of_freedom;
    const facts = [model.model + (settings.length > 0 ? ` with ${settings.join(", ")}` : ""), STATES[model.state]];
    if (freedoms !== undefined) facts.push(`${freedoms} ${freedoms === 1 ? "degree" : "degrees"} of freedom`);
    if (model.state === "steady" || model.t !== 0) facts.push(`t = ${shown(model.t, 6)} s`);
    return element("header", {}, element("h1", {}, this.report.title), element("p", { class: "facts" }, ...facts.map((f) => element("span", {}, f))), this.makeBanner(), ...this.warnings());
  }

  get assembled() {
    return this.page.model.state !== "given" && this.page.model.state !== "design";
  }

  // Returns the error that is written into pictures of a mechanism that is not assembled or not in the requested state, or null.
  get notice() {
    const { failure } = this.page.model;
    return failure === null ? null : `${this.assembled ? "Requested state not found, start values shown" : "Not assembled"}: ${failure}`;
  }

  // Makes the banner with this error and the violated constraints, or returns null.
  makeBanner() {
    const { model } = this.page;
    if (model.failure === null) return null;
    const title = this.assembled ? "The requested state was not found; the start values are shown" : "This mechanism is not assembled";
    const list = model.open.map((o) => element("li", {}, `${o.kind ?? "constraint"} ${o.constraint} has the residual ${shown(o.off, 4)}`));
    return element("div", { class: "banner", role: "alert" }, element("strong", {}, title), element("p", {}, model.failure), list.length > 0 ? element("ul", {}, ...list) : null);
  }

  warnings() {
    const { model } = this.page;
    const wide = this.report.scene.loops.map((l) => [l.name, apart(l)]).filter(([, d]) => d > 1e-6 * (model.size ?? 1));
    const moved = model.failure === null ? wide.map(([name, d]) => `the points of loop ${name} are ${shown(1000 * d, 4)} mm apart in the design position; the assembly has moved the mechanism to close the loop`) : [];
    return [...model.warnings, ...moved].map((w) => element("p", { class: "warning" }, `Warning: ${w}`));
  }

  makeStage(help) {
    const { view } = this;
    const button = (label, title, act) => element("button", { type: "button", title, onclick: act }, label);
    const labels = view ? button("labels", "names of bodies, points and joints (l)", () => view.toggle("labels")) : null;
    if (labels) this.clock.listen(() => labels.setAttribute("aria-pressed", String(!view.labels.node.hidden)));
    const play = button("▶", "play or pause (space)", () => this.clock.play(!this.clock.playing));
    this.clock.listen(() => {
      play.textContent = this.clock.playing ? "❚❚" : "▶";
      play.hidden = !this.modes?.row;
    });
    const bar = element("div", { class: "transport" }, button("start", "back to the start position (Home)", () => this.rest()), play, labels, view ? button("view", "restore the first view (r)", () => view.reset()) : null, button("help", "keys and mouse (?)", help));
    return element("div", { class: "card stage" }, view ? view.node : element("p", { class: "hint" }, this.reason), bar);
  }

  makeControls() {
    const { sliders } = this.page;
    const cards = [];
    if (sliders) cards.push(element("div", { class: "card" }, element("h2", {}, "Free coordinates"), ...this.aboutSliders(), this.sliders.node));
    if (this.families.outputs.length > 0 && this.families.sliders.length > 0) cards.push(element("div", { class: "card" }, element("h2", {}, "Outputs in this position"), element("div", { class: "scroll" }, this.sliders.table)));
    if (this.modes) cards.push(this.modes.node);
    if (cards.length === 0) return null;
    return element("div", { class: "plots controls" }, ...cards);
  }

  aboutSliders() {
    const { freedoms, shown: moved, list } = this.page.sliders;
    const texts = [];
    if (freedoms === 0) texts.push(list.length > 0 ? "The mechanism has none: its position is a given function of time." : "The mechanism has none: nothing can move.");
    else if (list.length > 1) texts.push("One coordinate moves at a time; the others return to their start values.");
    if (moved < freedoms) texts.push(`Only ${moved} of ${freedoms} coordinates have sliders: those nearest to the ground and to the beginning of the model.`);
    return texts.map((s) => element("p", {}, s));
  }

  makeTables() {
    const { model } = this.page;
    const { scene } = this.report;
    const body = (i) => (i < 0 ? "ground" : scene.bodies[i].name);
    const rows = [
      ["model", this.report.file],
      ["state", STATES[model.state]],
      ["degrees of freedom", model.degrees_of_freedom ?? null],
      ["coordinates", model.coordinates ?? null],
      ["constraints", model.constraints === undefined ? null : `${count(model.constraints)}, rank ${count(model.rank)}`],
      ["redundant", model.redundant?.length > 0 ? model.redundant.join(", ") : null],
      ["singular", model.singular ? `here the rank is ${model.rank_here}: the mechanism may branch` : null],
      ["residual |g|", model.residual === undefined ? null : shown(model.residual, 3)],
      ["mass", `${shown(scene.bodies.reduce((sum, b) => sum + b.mass, 0), 6)} kg`],
      ["Camber", model.camber],
    ];
    const facts = rows.filter((r) => r[1] !== null).map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, String(value))));
    const loops = scene.loops.map((l) => [l.name, l.type, l.points.map((p) => body(p.body)).join(", "), apart(l) > 0 ? `${shown(1000 * apart(l), 3)} mm apart in the design position` : ""]);
    return element(
      "section",
      { class: "summary" },
      element("div", { class: "card" }, element("h2", {}, "Mechanism"), element("table", {}, ...facts)),
      list(`Bodies (${count(scene.bodies.length)})`, scene.bodies.map((b) => [b.name, `${shown(b.mass, 5)} kg`])),
      list(`Joints (${count(scene.joints.length)})`, scene.joints.map((j) => [j.name, j.type, `${body(j.parent)}, ${body(j.child)}`])),
      loops.length > 0 ? list(`Loops and motions (${count(loops.length)})`, loops) : null,
    );
  }

  draw() {
    const { view } = this;
    if (!view?.stale) return;
    view.draw();
    this.gaps.update(view.camera, view.node.clientWidth, view.node.clientHeight);
  }
}

function list(title, rows) {
  return element("div", { class: "card" }, element("h2", {}, title), element("div", { class: "scroll" }, element("table", {}, ...rows.map((r) => element("tr", {}, ...r.map((c, i) => element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, c)))))));
}

function makeKeys(made, help) {
  const time = [" ", "ArrowLeft", "ArrowRight", "Home", "End", "+", "-", "f", "a"];
  const own = [
    { keys: [" "], shown: "space", meaning: "play or pause a mode", act: () => made.modes?.row && made.clock.play(!made.clock.playing) },
    { keys: ["Home"], shown: "Home", meaning: "the start position", act: () => made.rest() },
  ];
  return [...own, ...keyTable(made.clock, made.view, help).filter((r) => !r.keys.some((k) => time.includes(k)))];
}

export function startModel(page, theme, dark) {
  const made = new ModelPage(page, theme);
  const keys = makeKeys(made, () => help.showModal());
  const help = makeHelp(keys);
  const main = element("main", {}, made.makeStage(() => help.showModal()), made.makeTables(), made.makeControls());
  main.classList.toggle("bare", !page.sliders); // without sliders the tables are beside the picture
  document.body.prepend(made.makeHead(), main, element("footer", {}, `Made by Camber ${page.model.camber}.`), help);
  listenToKeys(keys);
  dark.addEventListener("change", () => made.view?.paint());
  made.clock.notify();
  const film = requested(location.hash);
  if (film) return answer(film, { view: made.view, clock: made.clock, title: made.report.title, notice: made.notice });
  let last = performance.now();
  const frame = (now) => {
    made.clock.advance(Math.min((now - last) / 1000, 0.1));
    last = now;
    made.draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.camber = { report: made.report, clock: made.clock, view: made.view, page, sliders: made.sliders, modes: made.modes, gaps: made.gaps, draw: () => made.draw() };
}

// Entry point of the viewer: reads the data of the page, makes its parts, and runs the clock.

import uplotStyle from "uplot/dist/uPlot.min.css";
import { Clock } from "./clock.js";
import { Comparison } from "./compare.js";
import { readPage, timeRange } from "./data.js";
import { element } from "./dom.js";
import { answer, requested } from "./film.js";
import { keyTable, listenToKeys, makeHelp } from "./keys.js";
import { startModel } from "./modelpage.js";
import { Plots } from "./plots.js";
import style from "./style.css";
import { makeHead, makeSummary } from "./summary.js";
import { Transport } from "./transport.js";
import { View } from "./view.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => (dark.matches ? "dark" : "light");

function makeView(report, clock) {
  if (!report.frames || report.frames.t.length === 0) return [null, report.no_motion ? `There is no motion to show: ${report.no_motion}.` : "This system has no bodies to show: it is a problem written in C, or its run has not begun."];
  try {
    return [new View(report, clock, theme), null];
  } catch (error) {
    return [null, `This browser cannot show the animation: ${error.message}`];
  }
}

function makeStage(view, reason, clock, help) {
  const switches = [{ label: "help", title: "keys and mouse (?)", toggle: help }];
  if (view) {
    switches.unshift(
      { label: "follow", title: "follow the heaviest body (f)", on: () => view.follows, toggle: () => view.toggle("follow") },
      { label: "labels", title: "names of bodies, points and joints (l)", on: () => !view.labels.node.hidden, toggle: () => view.toggle("labels") },
      { label: "forces", title: "forces as arrows (a)", on: () => view.arrows.node.visible, toggle: () => view.toggle("arrows") },
      { label: "trails", title: "paths of chosen points (t)", on: () => view.trails.node.visible, toggle: () => view.toggle("trails") },
      { label: "view", title: "restore the first view (r)", toggle: () => view.reset() },
    );
  }
  const transport = new Transport(clock, switches);
  return element("div", { class: "card stage" }, view ? view.node : element("p", { class: "hint" }, reason), transport.node);
}

function start() {
  document.head.append(element("style", {}, uplotStyle, style));
  const page = readPage(document);
  if (page.kind === "model") return startModel(page, theme, dark);
  if (page.reports.length > 1) return startComparison(page.reports);
  const [report] = page.reports;
  const clock = new Clock(timeRange(report));
  const [view, reason] = makeView(report, clock);
  const plots = new Plots(report, clock, theme);
  const keys = keyTable(clock, view, () => help.showModal());
  const help = makeHelp(keys);
  const stage = makeStage(view, reason, clock, () => help.showModal());
  const main = element("main", {}, stage, makeSummary(report, clock), plots.node);
  document.body.prepend(makeHead(report), main, element("footer", {}, report.run.camber ? `Made by Camber ${report.run.camber}.` : "Made by Camber."), help);
  plots.draw();
  listenToKeys(keys);
  dark.addEventListener("change", () => {
    plots.draw();
    if (view) view.paint();
  });
  clock.notify();
  window.camber = { report, clock, view, plots };
  go(clock, view, { title: report.title });
}

// Makes the page of several results: the first one with a motion is drawn solid, the others as translucent ghosts.
function startComparison(reports) {
  const comparison = new Comparison(reports, theme);
  const { clock } = comparison;
  const solid = reports.find((r) => r.frames && r.frames.t.length > 0) ?? reports[0];
  const [view, reason] = makeView(solid, clock);
  if (view) comparison.addGhosts(view, solid);
  const { plots } = comparison;
  const keys = keyTable(clock, view, () => help.showModal());
  const help = makeHelp(keys);
  const stage = makeStage(view, reason, clock, () => help.showModal());
  document.body.prepend(comparison.makeHead(), element("main", {}, stage, comparison.node, plots.node), element("footer", {}, "Made by Camber."), help);
  plots.draw();
  listenToKeys(keys);
  dark.addEventListener("change", () => {
    comparison.paint();
    if (view) view.paint();
  });
  clock.notify();
  window.camber = { reports, report: solid, clock, view, plots, comparison };
  go(clock, view, { title: comparison.title, legend: comparison.legend() });
}

// Makes the pictures that a program has requested (film.js), or starts the clock.
function go(clock, view, texts) {
  const film = requested(location.hash);
  if (film) return answer(film, { view, clock, ...texts });
  run(clock, view);
  if (view && !matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play(true);
}

function run(clock, view) {
  let last = performance.now();
  const frame = (now) => {
    clock.advance(Math.min((now - last) / 1000, 0.1));
    last = now;
    if (view) view.draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

start();

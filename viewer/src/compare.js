// Compares several results in one page: the choice of the runs that are shown, their tables, and plots with a curve for each of them. The first run is the reference.

import { Clock } from "./clock.js";
import { timeRange, valueAt } from "./data.js";
import { count, element, shown } from "./dom.js";
import { Ghost, makeRoom } from "./ghosts.js";
import { firstChoice } from "./panels.js";
import { axisLabel, COLOURS, Plots } from "./plots.js";
import { difference, mergeTimes, sameTimes, spread } from "./runs.js";
import { accuracy, eventCount, messages } from "./summary.js";

const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2], [12, 3, 2, 3, 2, 3], [1, 2]];
const MOST_PANELS = 8; // in the initial selection
const MOST_OUTPUTS = 40; // in the table of values at the end

// Returns the column of a run with the same quantity: with the same name, and the same unit if both have one. Prefers a column of the same kind.
function columnOf(report, quantity) {
  const same = (c) => c.name === quantity.name && (c.unit === quantity.unit || c.unit === "" || quantity.unit === "");
  return report.series.columns.find((c) => same(c) && c.kind === quantity.kind) ?? report.series.columns.find((c) => same(c) && (c.kind === "column" || quantity.kind === "column"));
}

// Returns the quantities of all runs, those of the reference first.
function quantitiesOf(reports) {
  const all = [];
  for (const r of reports) {
    const known = { series: { columns: all } };
    for (const c of r.series.columns) if (r === reports[0] || !columnOf(known, c)) all.push({ ...c });
  }
  return all;
}

class ComparedPlots extends Plots {
  constructor(comparison, theme) {
    const [reference] = comparison.runs;
    const series = { ...reference.report.series, columns: quantitiesOf(comparison.runs.map((r) => r.report)) };
    super({ ...reference.report, series, steps: { t: [], columns: [] } }, comparison.clock, theme);
    this.comparison = comparison;
    this.differences = false;
    const box = element("input", { type: "checkbox", onchange: () => this.showDifferences(box.checked) });
    const between = comparison.runs.some((r) => !sameTimes(reference.report.series, r.report.series));
    const note = element("p", { class: "hint", hidden: !between }, "The runs have points at different times: values at the cursor and differences are linear between points.");
    this.node.prepend(element("label", { class: "card" }, box, ` differences to the first run (${reference.label}), in panels of their own`), note);
  }

  usual() {
    const { columns } = this.report.series;
    const residuals = columns.filter((c) => c.kind === "residual");
    return [...firstChoice(columns).slice(0, MOST_PANELS - residuals.length), ...residuals];
  }

  showDifferences(on) {
    this.differences = on;
    this.draw();
  }

  draw() {
    this.clear();
    for (const quantity of this.report.series.columns.filter((c) => this.chosen.has(c))) {
      const runs = this.comparison.runs.filter((r) => r.shown && columnOf(r.report, quantity));
      if (runs.length > 0) this.plots.push(this.overlay(quantity, runs));
      if (runs.length > 0 && this.differences) this.addDifferences(quantity, runs);
    }
    this.follow();
  }

  curveOf(run, values, table, column) {
    const first = run.index === 0;
    return { label: run.label, colour: run.colour(), dash: DASHES[run.index], width: first ? 2.2 : 1.6, values, at: table ? (t) => this.valueOf(run, table, column, t) : undefined };
  }

  valueOf(run, table, column, t) {
    return t < table.t[0] || t > run.end ? null : valueAt(table, column, t);
  }

  overlay(quantity, runs) {
    const columns = runs.map((r) => columnOf(r.report, quantity));
    const { t, rows } = mergeTimes(runs.map((r) => r.report.series));
    const curves = runs.map((r, i) => this.curveOf(r, spread(columns[i], rows[i]), r.report.series, columns[i]));
    return this.addPanel(t, curves, { title: quantity.title || quantity.name, label: axisLabel([quantity], quantity.unit), logarithmic: this.isTiny(columns) });
  }

  addDifferences(quantity, runs) {
    const [first] = this.comparison.runs;
    const column = columnOf(first.report, quantity);
    const others = runs.filter((r) => r !== first);
    if (!column || others.length === 0) return;
    const table = first.report.series;
    const curves = others.map((r) => this.curveOf(r, difference(table, column, r.report.series, columnOf(r.report, quantity))));
    const between = others.some((r) => !sameTimes(table, r.report.series)) ? "; other times: linear between points" : "";
    const label = quantity.unit ? `difference in ${quantity.unit}` : "difference";
    this.plots.push(this.addPanel(table.t, curves, { title: `${quantity.name}: difference to ${first.label}${between}`, label, logarithmic: false }));
  }
}

export class Comparison {
  constructor(reports, theme) {
    this.theme = theme;
    this.runs = reports.map((report, index) => ({ report, index, label: report.label, shown: true, end: timeRange(report)[1], colour: () => COLOURS[theme()][index] }));
    const ranges = reports.map(timeRange);
    this.clock = new Clock([Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))]);
    this.plots = new ComparedPlots(this, theme);
    this.node = element("section", { class: "summary" }, this.makeRuns(), this.makeEnds());
    this.clock.listen(() => this.follow());
    this.paint();
  }

  get title() {
    const titles = new Set(this.runs.map((r) => r.report.title));
    return titles.size === 1 ? [...titles][0] : "Comparison";
  }

  makeHead() {
    return element(
      "header",
      {},
      element("h1", {}, this.title),
      element("p", { class: "facts" }, ...this.runs.map((r) => element("span", {}, r.label))),
      ...messages(this.runs),
    );
  }

  // ---- the animation

  addGhosts(view, solid) {
    for (const run of this.runs) {
      if (run.report === solid) run.solid = view.mechanism.node;
      else if (run.report.frames && run.report.frames.t.length > 0) run.ghost = new Ghost(run.report, view.size);
    }
    const ghosts = this.runs.filter((r) => r.ghost).map((r) => r.ghost);
    view.scene.add(...ghosts.map((g) => g.node));
    view.extras.push(...ghosts);
    makeRoom(view, ghosts);
    this.view = view;
    this.paint();
  }

  // Returns the legend of a picture: the runs in the animation. The solid one has the colours of its bodies and therefore none of its own.
  legend() {
    return this.runs.filter((r) => r.solid || r.ghost).map((r) => (r.solid ? { label: `${r.label} (solid)` } : { label: r.label, colour: r.colour() }));
  }

  paint() {
    for (const run of this.runs) {
      run.swatch.style.borderTopColor = run.colour();
      if (run.ghost) run.ghost.paint(run.colour());
    }
    if (document.body.contains(this.plots.node)) this.plots.draw();
  }

  show(run, on) {
    run.shown = on;
    for (const node of [run.solid, run.ghost?.node]) if (node) node.visible = on;
    this.plots.draw();
    this.clock.notify();
  }

  // ---- tables

  // Makes the table of the runs. It has a column for each run, because a row for each run would be too long to fit beside the plots.
  makeRuns() {
    const rows = [
      ["method", (r) => r.report.run.method ?? "–"],
      ["accuracy", (r) => accuracy(r.report.run)],
      ["formulation", (r) => r.report.formulation ?? "–"],
      ["steps", (r) => steps(r.report.run.stats)],
      ["right-hand sides", (r) => count(r.report.run.stats.f)],
      ["Jacobians", (r) => count(r.report.run.stats.jacobian)],
      ["seconds", (r) => shown(r.report.run.seconds.run, 3)],
      ["largest |g|", (r) => shown(r.report.run.worst.position, 3)],
      ["largest |G v + g_t|", (r) => shown(r.report.run.worst.velocity, 3)],
      ["events", (r) => count(eventCount(r.report.run))],
      ["file", (r) => r.report.result],
    ];
    const row = (title, cells) => element("tr", {}, element("th", { scope: "row" }, title), ...cells);
    const head = element("tr", {}, element("th", {}), ...this.runs.map((run) => element("th", { scope: "col" }, this.makeSwitch(run))));
    const ends = row("ends at", this.runs.map((run) => (run.cell = element("td", {}))));
    const body = rows.map(([title, text]) => row(title, this.runs.map((run) => element("td", {}, text(run)))));
    return element("div", { class: "card wide" }, element("h2", {}, "Runs: cost and accuracy"), element("div", { class: "scroll" }, element("table", { class: "grid runs" }, head, ends, ...body)));
  }

  makeSwitch(run) {
    const box = element("input", { type: "checkbox", checked: true, onchange: () => this.show(run, box.checked) });
    run.swatch = element("span", { class: "swatch" });
    run.swatch.style.borderTopStyle = run.index === 0 ? "solid" : "dashed";
    return element("label", {}, box, run.swatch, run.label);
  }

  // Makes the table of the outputs at the end time of the run that ends first. Values of a run that ends then are exact, others are interpolated.
  makeEnds() {
    const outputs = this.plots.report.series.columns.filter((c) => c.kind === "output" || c.kind === "column").slice(0, MOST_OUTPUTS);
    const time = Math.min(...this.runs.map((r) => r.end));
    const [first, ...others] = this.runs;
    const rows = outputs.filter((c) => columnOf(first.report, c)).map((c) => {
      const mine = this.valueAtEnd(first, c, time);
      const cells = others.map((r) => this.valueAtEnd(r, c, time)).map((x) => element("td", {}, x === null || mine === null ? "–" : shown(x - mine, 3)));
      return element("tr", {}, element("th", { scope: "row" }, c.unit ? `${c.name} in ${c.unit}` : c.name), element("td", {}, shown(mine, 8)), ...cells);
    });
    if (rows.length === 0) return null;
    const head = element("tr", {}, ...["", first.label, ...others.map((r) => `${r.label}: difference`)].map((text) => element("th", { scope: "col" }, text)));
    return element("div", { class: "card wide" }, element("h2", {}, `At t = ${shown(time, 9)} s`), element("div", { class: "scroll" }, element("table", { class: "grid" }, head, ...rows)));
  }

  valueAtEnd(run, quantity, time) {
    const { report } = run;
    const column = columnOf(report, quantity);
    if (!column) return null;
    return run.end === time ? report.last[report.series.columns.indexOf(column)] : valueAt(report.series, column, time);
  }

  follow() {
    for (const run of this.runs) {
      const ended = this.clock.t > run.end;
      run.cell.textContent = ended ? `ended at ${shown(run.end, 6)} s` : `${shown(run.end, 6)} s`;
      run.cell.classList.toggle("ended", ended);
    }
  }
}

function steps(s) {
  return s.accepted === null ? "–" : `${count(s.accepted)}${s.rejected > 0 ? ` + ${count(s.rejected)} rejected` : ""}`;
}

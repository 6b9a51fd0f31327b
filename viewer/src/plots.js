// Plots curves over time. All panels show the same time range and the time cursor of the clock; a click in a panel moves the cursor.

import uPlot from "uplot";
import { drawOffsets, inOneNotation, legendText, linearAxis, ofTime, withAir } from "./axis.js";
import { element, timeText } from "./dom.js";
import { indexAt, valueAt } from "./data.js";
import { firstChoice, panelsOf } from "./panels.js";
import { namedEvents } from "./summary.js";

export const COLOURS = {
  light: ["#1769c9", "#d9480f", "#2b8a3e", "#9c36b5", "#b08900", "#0b7285", "#c2255c", "#495057"],
  dark: ["#6db1ff", "#ff9b62", "#69db7c", "#da77f2", "#ffd43b", "#3bc9db", "#ff8fb1", "#ced4da"],
};
const HEIGHT = 190;
const LABEL_LENGTH = 24; // letters of a label beside a panel; a longer name is in the legend only
const FEW_EVENTS = 60; // up to so many events are lines across the whole panel
const KINDS = [["output", "Outputs"], ["coordinate", "Coordinates"], ["velocity", "Velocities"], ["state", "States"], ["multiplier", "Multipliers"], ["residual", "Residuals of the constraints"], ["column", "Columns"]];

export class Plots {
  constructor(report, clock, theme) {
    this.report = report;
    this.clock = clock;
    this.theme = theme;
    this.range = null; // the time range that is shown; null: the whole run
    this.plots = [];
    this.read = 0; // when the legends were last updated
    this.chosen = new Set(this.usual());
    this.panels = element("div", { class: "plots" });
    this.node = element("div", { class: "plots" }, this.makeChooser(), this.panels);
    clock.listen(() => this.follow());
    new ResizeObserver(() => this.resize()).observe(this.node);
  }

  // ---- selection of curves

  usual() {
    return firstChoice(this.report.series.columns);
  }

  makeChooser() {
    const list = element("div", { class: "list" });
    for (const [kind, title] of KINDS) {
      const columns = this.report.series.columns.filter((c) => c.kind === kind);
      if (columns.length > 0) list.append(element("h3", {}, title), ...columns.map((c) => this.makeBox(c)));
    }
    const filter = element("input", { type: "search", placeholder: "filter names", "aria-label": "filter names", oninput: () => this.filter(list, filter.value) });
    const none = element("button", { type: "button", onclick: () => this.choose([]) }, "none");
    const usual = element("button", { type: "button", onclick: () => this.choose(this.usual()) }, "default");
    const whole = element("button", { type: "button", onclick: () => this.zoom(null) }, "whole time range");
    return element("details", { class: "card choose" }, element("summary", {}, "Choose what is plotted"), element("div", { class: "tools" }, filter, usual, none, whole), list);
  }

  makeBox(column) {
    const box = element("input", { type: "checkbox", checked: this.chosen.has(column), onchange: () => this.change(column, box.checked) });
    column.box = box;
    const label = element("label", {}, box, ` ${column.name}${column.unit ? ` in ${column.unit}` : ""}`);
    label.dataset.name = column.name.toLowerCase();
    return label;
  }

  filter(list, text) {
    for (const label of list.querySelectorAll("label")) label.hidden = !label.dataset.name.includes(text.toLowerCase());
  }

  change(column, on) {
    if (on) this.chosen.add(column);
    else this.chosen.delete(column);
    this.draw();
  }

  choose(columns) {
    this.chosen = new Set(columns);
    for (const c of this.report.series.columns) c.box.checked = this.chosen.has(c);
    this.draw();
  }

  // ---- panels

  draw() {
    this.clear();
    const { series, steps } = this.report;
    const chosen = series.columns.filter((c) => this.chosen.has(c));
    this.plots = panelsOf(chosen).map((p) => this.makePanel(series, p.columns, p.unit, this.isTiny(p.columns)));
    const [size, order] = steps.columns;
    if (steps.t.length > 1) {
      this.plots.push(this.makePanel(steps, [size], "s", true));
      this.plots.push(this.makePanel(steps, [order], "", false));
    }
    this.follow();
  }

  clear() {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.panels.replaceChildren();
  }

  // Returns whether a panel has a logarithmic scale: all curves are residuals, and one of them is positive somewhere.
  isTiny(columns) {
    return columns.every((c) => c.kind === "residual") && columns.some((c) => c.values.some((x) => x > 0));
  }

  makePanel(table, columns, unit, logarithmic) {
    const colours = COLOURS[this.theme()];
    const curves = columns.map((c, i) => ({ label: c.name, colour: colours[i % colours.length], values: c.values, base: c.base, stepped: table === this.report.steps }));
    const title = columns.length === 1 && columns[0].title ? columns[0].title : undefined;
    return this.addPanel(table.t, curves, { title, label: axisLabel(columns, unit), logarithmic });
  }

  addPanel(t, curves, { title, label, logarithmic }) {
    const holder = element("div", { class: "card panel" });
    this.panels.append(holder);
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--faint");
    const line = getComputedStyle(document.documentElement).getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const bases = curves.map((c) => c.base).filter((b) => b !== undefined);
    const options = {
      width: this.width(),
      height: HEIGHT,
      title,
      cursor: { sync: { key: "camber" }, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => this.zoom(null) } },
      legend: { live: true },
      scales: { x: { time: false, range: () => this.range ?? ofTime(this.clock.start, this.clock.end) }, y: logarithmic ? { distr: 3, log: 10, range: inDecades } : { range: (u, low, high) => withAir(low, high, bases) } },
      series: [{ label: "t in s", value: (u, x, series, k) => (k === null || k === undefined ? "–" : timeText(this.timeOf(u, k), this.clock.end - this.clock.start)) }, ...curves.map((c) => this.curve(c))],
      axes: [{ ...axis, label: "t in s", labelSize: 18, size: 34, ...linearAxis("x") }, { ...axis, label, labelSize: 18, size: tickRoom, ...(logarithmic ? logarithmicAxis : linearAxis("y")) }],
      hooks: { setSelect: [(u) => this.select(u)], draw: [(u) => this.mark(u), (u) => drawOffsets(u, ink)], ready: [(u) => this.listen(u)] },
    };
    const values = curves.map((c) => (logarithmic ? c.values.map((x) => (x > 0 || x === undefined ? x : null)) : c.values));
    return new uPlot(options, [t, ...values], holder);
  }

  listen(u) {
    let from = 0;
    u.now = element("div", { class: "now" });
    u.over.append(u.now);
    setTimeout(() => this.follow());
    u.over.addEventListener("mousedown", (e) => (from = e.clientX));
    u.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - from) < 4) this.clock.set(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, "x"));
    });
  }

  select(u) {
    if (u.select.width < 4) return;
    const range = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.zoom(range);
  }

  zoom(range) {
    this.range = range;
    for (const u of this.plots) u.setData(u.data);
    this.follow();
  }

  // Draws events as thin lines.
  mark(u) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.strokeStyle = this.theme() === "dark" ? "#ffb08a99" : "#c2410c88";
    const visible = namedEvents(this.report.run).filter((e) => e.t >= u.scales.x.min && e.t <= u.scales.x.max);
    const part = visible.length > FEW_EVENTS ? 0.06 : 1; // many events become ticks at the upper edge
    for (const event of visible) vertical(u, event.t, part);
    ctx.restore();
  }

  // Moves the line of the time cursor, an element of its own, so that curves need not be drawn again. Updates the numbers in legends, at most ten times a second.
  follow() {
    const now = performance.now();
    const read = !this.clock.playing || now - this.read > 100;
    if (read) this.read = now;
    for (const u of this.plots.filter((one) => one.now)) {
      const x = u.valToPos(this.clock.t, "x");
      u.now.hidden = !(x >= 0 && x <= u.over.clientWidth);
      u.now.style.transform = `translateX(${x}px)`;
      if (read && !isPointedAt(u)) u.setLegend({ idx: indexAt(u.data[0], this.clock.t) });
    }
  }

  // Returns the time of the values in a panel's legend: that of the row under the mouse, or else that of the time cursor.
  timeOf(u, k) {
    return isPointedAt(u) ? u.data[0][k] : this.clock.t;
  }

  // Returns the options of a curve for uPlot. at(t), if given, returns the value for the legend; it is needed if the curve's points are at other times than the panel's.
  curve({ label, colour, dash, width, stepped, at }) {
    const value = (u, x, series, k) => {
      if (k === null || k === undefined) return legendText(u, "y", x);
      const t = this.timeOf(u, k);
      return legendText(u, "y", at ? at(t) : stepped || isPointedAt(u) ? x : valueAt({ t: u.data[0] }, { values: u.data[series] }, t));
    };
    return { label, stroke: colour, dash, width: width ?? 1.5, points: { show: false }, value, paths: stepped ? uPlot.paths.stepped({ align: -1 }) : undefined };
  }

  width() {
    return Math.max(this.node.clientWidth - 20, 200);
  }

  resize() {
    const width = this.width();
    for (const u of this.plots) if (u.width !== width) u.setSize({ width, height: HEIGHT });
    this.follow();
  }

  // Returns the texts of the events within `width` of a time.
  eventsNear(t, width) {
    return namedEvents(this.report.run).filter((e) => Math.abs(e.t - t) <= width).map((e) => e.text);
  }
}

const isPointedAt = (u) => Boolean(u.cursor.event) && u.cursor.left >= 0;

// Returns the width of the ordinate's labels in pixels.
function tickRoom(u, ticks) {
  return 34 + 7 * Math.max(3, ...(ticks ?? []).map((text) => text.length));
}

// Returns the label of an ordinate: for one curve its name and unit, such as "camber in deg"; for several curves the unit only.
export function axisLabel(columns, unit) {
  const [only] = columns;
  const whole = only.unit ? `${only.name} in ${only.unit}` : only.name;
  if (columns.length === 1) return whole.length <= LABEL_LENGTH ? whole : only.unit ? `in ${only.unit}` : "";
  return unit === "no unit" ? unit : `in ${unit}`;
}

function vertical(u, t, part = 1) {
  const x = Math.round(u.valToPos(t, "x", true));
  u.ctx.beginPath();
  u.ctx.moveTo(x, u.bbox.top);
  u.ctx.lineTo(x, u.bbox.top + part * u.bbox.height);
  u.ctx.stroke();
}

// Returns the range of a logarithmic axis in whole decades, about sixteen at most; smaller values are rounding errors.
function inDecades(u, low, high) {
  if (!(high > 0)) return [0.1, 1];
  const top = Math.ceil(Math.log10(high) + 1e-9);
  const bottom = Math.floor(Math.log10(Math.max(low, high * 1e-15)));
  return [decade(Math.min(bottom, top - 1)), decade(top)];
}

// Returns the number 1e<n>; 10 ** n can differ from it in the last bit, for example for n = -23.
function decade(n) {
  return Number(`1e${n}`);
}

// Returns the ticks of a logarithmic axis: all decades, or every second, third ... of them.
function decades(u, axis, low, high) {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const step = Math.ceil((last - first) / 6);
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => decade(first + i * step));
}

const logarithmicAxis = { splits: decades, filter: (u, ticks) => ticks, values: (u, ticks) => ticks.map(inOneNotation(ticks, Math.min(...ticks))) };

// Sliders for the free coordinates of a mechanism. One moves at a time, from the start position on; the others go back to their start values then.

import { valueAt } from "./data.js";
import { element, shown } from "./dom.js";

const RESOLUTION = 1000;
const DEGREES = 180 / Math.PI;
const NOTHING = 1e-9; // what rounding has left, in SI units

// A quantity for a reader: angles in degrees.
export function quantity(number, unit, digits = 4) {
  const x = Math.abs(number) < NOTHING ? 0 : number;
  if (unit === "rad") return `${shown(x * DEGREES, digits)}°`;
  return unit ? `${shown(x, digits)} ${unit}` : shown(x, digits);
}

export class Sliders {
  // `move(slider, value)` shows the position; slider null: that of the start.
  constructor(list, outputs, move) {
    this.outputs = outputs;
    this.move = move;
    this.rows = list.map((s) => this.makeRow(s));
    this.cells = outputs.map(() => element("td"));
    this.node = element("div", { class: "sliders" }, ...this.rows.map((r) => r.node));
    this.table = element("table", { class: "outputs" }, ...outputs.map((o, i) => element("tr", {}, element("th", { scope: "row" }, o.name), this.cells[i])));
    this.choose(null);
  }

  makeRow(s) {
    const t = s.frames.t;
    const row = { s, low: t[0], high: t[t.length - 1] };
    row.value = element("output", {});
    row.input = element("input", { type: "range", min: 0, max: RESOLUTION, step: 1, "aria-label": s.name, oninput: () => this.drag(row) });
    row.input.disabled = !(row.high > row.low);
    const ends = element("div", { class: "ends" }, end(row.low, s.unit, s.low), end(row.high, s.unit, s.high));
    row.node = element("div", { class: "slider" }, element("div", { class: "head" }, element("span", {}, s.name), row.value), row.input, ends);
    return row;
  }

  drag(row) {
    this.choose(row, row.low + ((row.high - row.low) * row.input.value) / RESOLUTION);
  }

  // Row null: all are at the start.
  choose(row, value) {
    this.row = row;
    for (const r of this.rows) {
      const at = r === row ? value : r.s.start;
      r.node.classList.toggle("moved", r === row);
      r.value.textContent = quantity(at, r.s.unit);
      if (r !== row) r.input.value = String(Math.round((RESOLUTION * (at - r.low)) / (r.high - r.low || 1)));
    }
    this.showOutputs(row ?? this.rows[0], row ? value : this.rows[0]?.s.start);
    this.move(row ? row.s : null, value);
  }

  showOutputs(row, value) {
    this.cells.forEach((cell, i) => {
      const column = { values: Array.from(row ? row.s.frames.t : [], (_, k) => finite(row.s.outputs(k)[i])) };
      cell.textContent = row ? quantity(valueAt(row.s.frames, column, value) ?? NaN, this.outputs[i].unit) : "–";
    });
  }
}

function finite(x) {
  return Number.isFinite(x) ? x : null;
}

// An end of the range, and why it is one.
function end(value, unit, { why, stop }) {
  const words = why === "loops" ? "the loops do not close further" : why === "stop" ? `the stop ${stop} closes` : "";
  return element("span", { title: words, class: why === "chosen" ? "" : "hard" }, quantity(value, unit, 3), words ? element("small", {}, ` ${words}`) : null);
}

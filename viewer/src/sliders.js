// Sliders for the free coordinates of a mechanism. One coordinate moves at a time, from the start position; the others return to their start values.

import { valueAt } from "./data.js";
import { element, shown } from "./dom.js";

const RESOLUTION = 1000;
const DEGREES = 180 / Math.PI;
const NOTHING = 1e-9; // in SI units: a smaller number is a rounding error and shown as 0

// Formats a quantity with its unit; angles in degrees.
export function quantity(number, unit, digits = 4) {
  const x = Math.abs(number) < NOTHING ? 0 : number;
  if (unit === "rad") return `${shown(x * DEGREES, digits)}°`;
  return unit ? `${shown(x, digits)} ${unit}` : shown(x, digits);
}

export class Sliders {
  // move(slider, value) shows a position, or the start position if slider is null.
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

  // Moves the slider of a row to a value and all others to their start values; row null: all to their start values.
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

// Returns the text for an end of a slider's range, with the reason why the range ends there.
function end(value, unit, { why, stop }) {
  const words = why === "loops" ? "beyond, the loops cannot be closed" : why === "stop" ? `the stop ${stop} closes` : "";
  return element("span", { title: words, class: why === "chosen" ? "" : "hard" }, quantity(value, unit, 3), words ? element("small", {}, ` ${words}`) : null);
}

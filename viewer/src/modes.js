// The modes of the linearised mechanism: a list to choose from, and how the chosen one is played.

import { element, shown } from "./dom.js";

const LEAST_PERIOD = 0.8; // seconds on the screen
const MOST_PERIOD = 4;
const NO_PERIOD = 3; // of a motion that does not oscillate

const STATES = { start: "the start values", equilibrium: "the static equilibrium", steady: "the steady motion" };
const REST = 1e-6; // a larger acceleration is no equilibrium
const ROUNDING = 1e-9; // of an eigenvalue: a smaller real part neither damps nor drives

const grows = (m) => m.re > ROUNDING * Math.hypot(m.re, m.im);

// How long a period is shown, and what part of its own speed that is.
export function playedPeriod(mode) {
  if (!(mode.im > 0) || mode.neutral) return { period: NO_PERIOD, slower: null };
  const own = (2 * Math.PI) / mode.im;
  const period = Math.min(Math.max(own, LEAST_PERIOD), MOST_PERIOD);
  return { period, slower: period / own };
}

export class Modes {
  // `play(mode, amplitude)`; mode null: none.
  constructor(page, list, play) {
    this.page = page;
    this.play = play;
    this.rows = list.map((m, i) => this.makeRow(m, i));
    this.amplitude = element("input", { type: "range", min: 0, max: 100, step: 1, value: 100, "aria-label": "amplitude", oninput: () => this.tell() });
    this.said = element("p", { class: "hint" });
    this.node = element("div", { class: "card modes" }, element("h2", {}, "Modes"), ...this.texts(), this.rows.length > 0 ? this.makeTable() : null);
    if (this.rows.length > 0) this.node.append(element("label", { class: "amplitude" }, "amplitude", this.amplitude), this.said);
    this.choose(null);
  }

  texts() {
    const { modes, model } = this.page;
    if (modes.refused) return [element("p", {}, `There are none: ${modes.refused}`)];
    if (modes.count === 0) return [element("p", {}, "Without degrees of freedom there are none.")];
    const texts = [element("p", {}, `About ${STATES[model.state]}. A click plays one.`)];
    if (Math.abs(modes.acceleration) > REST) {
      const words = `This is no equilibrium: ${modes.acceleration_of.replace(/'$/, "")} is accelerated (${shown(modes.acceleration, 3)}), and the equations are frozen at this instant. --equilibrium shows the modes at rest.`;
      texts.push(element("p", { class: "warning" }, words));
    }
    if (modes.list.length < modes.count) texts.push(element("p", {}, `The slowest ${modes.list.length} of ${modes.count} are here.`));
    return texts;
  }

  makeTable() {
    const head = ["", "Hz", "damping", "eigenvalue, 1/s", "moves"].map((h) => element("th", { scope: "col" }, h));
    return element("div", { class: "scroll" }, element("table", {}, element("tr", {}, ...head), ...this.rows.map((r) => r.node)));
  }

  makeRow(m, i) {
    const row = { m };
    row.button = element("button", { type: "button", "aria-label": `mode ${i + 1}`, onclick: () => this.choose(this.row === row ? null : row) }, String(i + 1));
    row.button.disabled = !m.frames;
    const mark = m.neutral ? "neutral" : grows(m) ? "unstable" : "";
    const cells = m.neutral || !(m.im > 0) ? ["–", "–"] : [shown(m.frequency, 4), shown(Math.abs(m.damping) < 1e-12 ? 0 : m.damping, 3)];
    const moves = element("td", {}, m.most, mark ? element("span", { class: `mark ${mark}` }, mark) : null, m.frames ? null : element("small", {}, " no body moves"));
    row.node = element("tr", {}, element("td", {}, row.button), ...cells.map((c) => element("td", {}, c)), element("td", {}, eigenvalue(m)), moves);
    return row;
  }

  choose(wanted) {
    const row = wanted?.m.frames ? wanted : null;
    this.row = row;
    for (const r of this.rows) r.button.setAttribute("aria-pressed", String(r === row));
    this.tell();
  }

  tell() {
    const mode = this.row?.m ?? null;
    this.said.textContent = mode ? description(mode) : "";
    this.play(mode, this.amplitude.value / 100);
  }
}

function eigenvalue(m) {
  if (m.neutral) return "0";
  const re = shown(Math.abs(m.re) < 1e-12 * m.im ? 0 : m.re, 4);
  return m.im > 0 ? `${re} ± ${shown(m.im, 4)} i` : re;
}

function description(m) {
  const { slower } = playedPeriod(m);
  if (m.neutral) return "Nothing restores this motion or drives it: it is shown to and fro.";
  if (slower === null) return `It ${m.re < 0 ? "dies away" : "grows"} without oscillating, by a factor of e in ${shown(1 / Math.abs(m.re), 3)} s.`;
  const speed = slower > 1.05 ? `, ${shown(slower, 3)} times slower than it is` : slower < 0.95 ? `, ${shown(1 / slower, 3)} times faster than it is` : "";
  return `${grows(m) ? "It grows. " : ""}Shown without its damping${speed}; the amplitude is made to be seen.`;
}

// Lists the modes of the linearised mechanism, and plays the chosen one.

import { element, shown } from "./dom.js";

const LEAST_PERIOD = 0.8; // seconds; least and greatest period on the screen
const MOST_PERIOD = 4;
const NO_PERIOD = 3; // seconds on the screen for a motion that does not oscillate

const STATES = { start: "the start values", equilibrium: "the static equilibrium", steady: "the steady motion" };
const REST = 1e-6; // with a larger acceleration a state is not an equilibrium
const ROUNDING = 1e-9; // a real part that is smaller, relative to the eigenvalue, is a rounding error: neither damped nor growing

const grows = (m) => m.re > ROUNDING * Math.hypot(m.re, m.im);

// Returns the period of a mode on the screen, and by what factor it is slower than the real motion (null if that does not oscillate).
export function playedPeriod(mode) {
  if (!(mode.im > 0) || mode.neutral) return { period: NO_PERIOD, slower: null };
  const own = (2 * Math.PI) / mode.im;
  const period = Math.min(Math.max(own, LEAST_PERIOD), MOST_PERIOD);
  return { period, slower: period / own };
}

export class Modes {
  // play(mode, amplitude) shows a mode, or none if mode is null.
  constructor(page, list, play) {
    this.page = page;
    this.play = play;
    this.rows = list.map((m, i) => this.makeRow(m, i));
    this.amplitude = element("input", { type: "range", min: 0, max: 100, step: 1, value: 100, "aria-label": "amplitude", oninput: () => this.update() });
    this.description = element("p", { class: "hint" });
    this.node = element("div", { class: "card modes" }, element("h2", {}, "Modes"), ...this.texts(), this.rows.length > 0 ? this.makeTable() : null);
    if (this.rows.length > 0) this.node.append(element("label", { class: "amplitude" }, "amplitude", this.amplitude), this.description);
    this.choose(null);
  }

  texts() {
    const { modes, model } = this.page;
    if (modes.refused) return [element("p", {}, `Modes cannot be computed: ${modes.refused}`)];
    if (modes.count === 0) return [element("p", {}, "A mechanism without degrees of freedom has no modes.")];
    const texts = [element("p", {}, `Linearised about ${STATES[model.state]}. Click on a number to play the mode.`)];
    if (Math.abs(modes.acceleration) > REST) {
      const words = `This state is not an equilibrium: the acceleration of ${modes.acceleration_of.replace(/'$/, "")} is ${shown(modes.acceleration, 3)}. The equations are linearised as if the state were constant. With --equilibrium, the page shows the modes about the equilibrium.`;
      texts.push(element("p", { class: "warning" }, words));
    }
    if (modes.list.length < modes.count) texts.push(element("p", {}, `Only the ${modes.list.length} slowest of ${modes.count} modes are listed.`));
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
    this.update();
  }

  update() {
    const mode = this.row?.m ?? null;
    this.description.textContent = mode ? describe(mode) : "";
    this.play(mode, this.amplitude.value / 100);
  }
}

function eigenvalue(m) {
  if (m.neutral) return "0";
  const re = shown(Math.abs(m.re) < 1e-12 * m.im ? 0 : m.re, 4);
  return m.im > 0 ? `${re} ± ${shown(m.im, 4)} i` : re;
}

function describe(m) {
  const { slower } = playedPeriod(m);
  if (m.neutral) return "No force restores or drives this motion; it is shown to and fro.";
  if (slower === null) return `It ${m.re < 0 ? "decays" : "grows"} without oscillating, by a factor of e in ${shown(1 / Math.abs(m.re), 3)} s.`;
  const speed = slower > 1.05 ? `, ${shown(slower, 3)} times slower than the real motion` : slower < 0.95 ? `, ${shown(1 / slower, 3)} times faster than the real motion` : "";
  return `${grows(m) ? "It grows. " : ""}Shown without its damping${speed}; the amplitude is chosen to be visible.`;
}

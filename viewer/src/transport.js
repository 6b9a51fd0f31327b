// Makes the bar below the animation: the play button, the time slider, the speed, and switches for what is shown.

import { Clock } from "./clock.js";
import { element, shown, timeText } from "./dom.js";

const RESOLUTION = 10000; // steps of the slider

export class Transport {
  constructor(clock, switches) {
    this.clock = clock;
    this.play = element("button", { type: "button", "aria-label": "play or pause", onclick: () => clock.play(!clock.playing) }, "▶");
    this.slider = element("input", { type: "range", min: 0, max: RESOLUTION, step: 1, "aria-label": "time", oninput: () => this.scrub() });
    this.time = element("span", { class: "time" });
    this.speed = element("select", { "aria-label": "speed", onchange: () => clock.setSpeed(Number(this.speed.value)) }, ...Clock.speeds.map((s) => element("option", { value: String(s) }, `${s}×`)));
    this.buttons = switches.map((s) => this.makeSwitch(s));
    this.node = element("div", { class: "transport" }, this.play, this.slider, this.time, this.speed, ...this.buttons);
    clock.listen(() => this.follow());
    this.follow();
  }

  makeSwitch({ label, title, on, toggle }) {
    const button = element("button", { type: "button", title, onclick: () => toggle() }, label);
    if (on) this.clock.listen(() => button.setAttribute("aria-pressed", String(on())));
    return button;
  }

  scrub() {
    const { start, end } = this.clock;
    const t = start + ((end - start) * this.slider.value) / RESOLUTION;
    this.clock.play(false);
    this.clock.set(t);
  }

  follow() {
    const { t, start, end, playing, speed } = this.clock;
    this.play.textContent = playing ? "❚❚" : "▶";
    if (document.activeElement !== this.slider || playing) this.slider.value = end > start ? Math.round((RESOLUTION * (t - start)) / (end - start)) : 0;
    this.time.textContent = `t = ${timeText(t, end - start)} s`;
    this.time.title = `from ${shown(start, 6)} s to ${shown(end, 6)} s`;
    this.speed.value = String(speed);
  }
}

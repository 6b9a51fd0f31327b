// The time cursor of the page. The animation and the plots show its time, and each of them may change it.

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const SHORTEST = 4; // the initial speed is chosen so that the motion lasts at least so many seconds

export class Clock {
  constructor([start, end]) {
    this.start = start;
    this.end = end;
    this.t = start;
    this.playing = false;
    this.speed = SPEEDS.filter((s) => (end - start) / s >= SHORTEST && s <= 1).pop() ?? SPEEDS[0];
    this.listeners = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // Calls all listeners.
  notify() {
    for (const listener of this.listeners) listener(this);
  }

  set(t) {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.notify();
  }

  play(on) {
    this.playing = on && this.end > this.start;
    if (this.playing && this.t >= this.end) this.t = this.start;
    this.notify();
  }

  // Advances the time by `seconds` of real time, times the speed. After the end the motion starts again.
  advance(seconds) {
    if (!this.playing) return;
    const t = this.t + seconds * this.speed;
    this.set(t > this.end ? this.start : t);
  }

  faster(by) {
    const k = SPEEDS.findIndex((s) => s >= this.speed * 0.999);
    this.setSpeed(SPEEDS[Math.min(Math.max(k + by, 0), SPEEDS.length - 1)]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.notify();
  }

  static get speeds() {
    return SPEEDS;
  }
}

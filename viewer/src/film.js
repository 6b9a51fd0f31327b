// Renders the animation to pictures for camber view -o FILE.png and --video FILE (src/cli/film.c). These open the page in Chromium with a request after the # of
// its address, and read the document, which then consists of one line for each picture.
//
// The request for a still picture has `at`, the time or "start". The request for a part of a film has `first` and `count`, the numbers of its pictures; `rate`, the
// pictures per second; and `speed`, the seconds of the motion per second of the film (0: the initial speed of the page).

import { element, shown } from "./dom.js";

const MOST_LINES = 3; // lines of a notice

export function requested(hash) {
  const wanted = new URLSearchParams(hash.slice(1));
  return wanted.has("camber-film") ? wanted : null;
}

// Replaces the page by the requested pictures, or by a line with the reason of a failure. `texts` are drawn in each picture: `title`; `notice`, which states an error of
// the mechanism that is shown; `legend`, the runs of a comparison as { label, colour } (without a colour: that of the title).
export function answer(wanted, { view, clock, ...texts }) {
  const lines = [];
  try {
    if (!view) throw new Error("this page has no animation");
    take(wanted, view, clock, texts, (line) => lines.push(line));
  } catch (error) {
    lines.push(`camber-failure ${error.message}`);
  }
  document.documentElement.replaceChildren(element("body", {}, element("pre", {}, `\n${lines.join("\n")}\n`)));
}

// Renders the pictures and passes a line for each of them to writeLine.
function take(wanted, view, clock, texts, writeLine) {
  const number = (key) => Number(wanted.get(key));
  const [width, height] = [number("width"), number("height")];
  const sheet = element("canvas", { width, height });
  view.fit(width, height, 1);
  clock.set(clock.start); // before the camera is set: it follows a body from its position at the start
  view.reset();
  const picture = (t, speed = 1) => {
    clock.set(t);
    view.draw();
    writeLine(`camber-picture ${paint(sheet, view, texts, timeText(clock, speed)).slice("data:image/png;base64,".length)}`);
  };
  if (wanted.has("at")) {
    picture(wanted.get("at") === "start" ? clock.start : inside(number("at"), clock));
    return;
  }
  const speed = number("speed") || clock.speed;
  const step = speed / number("rate");
  const total = 1 + Math.floor((clock.end - clock.start) / step + 1e-9);
  writeLine(`camber-total ${total}`);
  const last = Math.min(number("first") + number("count"), total);
  for (let k = 0; k < last; k++) {
    if (k >= number("first")) picture(clock.start + k * step, speed);
    else if (view.follows) skip(view, clock, clock.start + k * step);
  }
}

// Moves the camera, which follows a body from picture to picture, past a picture that was not requested.
function skip(view, clock, t) {
  clock.set(t);
  view.motion.set(t);
  view.follow();
}

function inside(t, clock) {
  if (t >= clock.start && t <= clock.end) return t;
  throw new Error(`the motion has no time ${shown(t)}; it goes from ${shown(clock.start)} to ${shown(clock.end)} s`);
}

function timeText(clock, speed) {
  if (!(clock.end > clock.start)) return "";
  return `t = ${clock.t.toFixed(3)} s${speed === 1 ? "" : `, ${shown(speed)} × real time`}`;
}

function paint(sheet, view, { title, notice = null, legend = [] }, time) {
  const context = sheet.getContext("2d");
  const { width, height } = sheet;
  const size = Math.max(11, Math.round(height / 36));
  context.drawImage(view.renderer.domElement, 0, 0, width, height);
  context.font = `${size}px system-ui, sans-serif`;
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink") || "#1b2026";
  const bad = style.getPropertyValue("--bad") || "#b42318";
  const room = width - 2 * size;
  const lines = [[title, ink], ...(notice === null ? [] : wrapped(context, notice, room).map((text) => [text, bad])), ...legend.map((r) => [r.label, r.colour ?? ink])];
  lines.forEach(([text, colour], i) => {
    context.fillStyle = colour;
    context.fillText(fitting(context, text, room), size, (1.6 + 1.3 * i) * size);
  });
  context.fillStyle = ink;
  context.fillText(time, size, height - size);
  return sheet.toDataURL("image/png");
}

// Breaks a text into at most MOST_LINES lines. The last line has the whole rest; it is shortened when it is drawn.
function wrapped(context, text, width) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (lines.at(-1) === "" || lines.length === MOST_LINES || context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// Shortens a text with an ellipsis to the width in pixels.
function fitting(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text;
  while (kept && context.measureText(`${kept}…`).width > width) kept = [...kept].slice(0, -1).join("");
  return `${kept}…`;
}

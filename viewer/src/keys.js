// The table of the keys and their actions, for the keyboard and for the help.

import { element } from "./dom.js";

export function keyTable(clock, view, help) {
  const step = (clock.end - clock.start) / 200;
  const table = [
    { keys: [" "], shown: "space", meaning: "play or pause", act: () => clock.play(!clock.playing) },
    { keys: ["ArrowLeft"], shown: "←", meaning: "back by 1/200 of the time; with shift by 1/20", act: (e) => move(clock, e.shiftKey ? -10 * step : -step) },
    { keys: ["ArrowRight"], shown: "→", meaning: "forward likewise", act: (e) => move(clock, e.shiftKey ? 10 * step : step) },
    { keys: ["Home"], shown: "Home", meaning: "to the start", act: () => move(clock, -Infinity) },
    { keys: ["End"], shown: "End", meaning: "to the end", act: () => move(clock, Infinity) },
    { keys: ["+", "="], shown: "+", meaning: "faster", act: () => clock.faster(1) },
    { keys: ["-"], shown: "−", meaning: "slower", act: () => clock.faster(-1) },
  ];
  if (view) {
    table.push(
      { keys: ["f"], shown: "f", meaning: "follow the heaviest body (on, off)", act: () => view.toggle("follow") },
      { keys: ["l"], shown: "l", meaning: "names of bodies, points and joints", act: () => view.toggle("labels") },
      { keys: ["a"], shown: "a", meaning: "forces as arrows", act: () => view.toggle("arrows") },
      { keys: ["[", "]"], shown: "[ ]", meaning: "arrows shorter, longer", act: (e) => view.enlargeArrows(e.key === "]" ? 1.5 : 1 / 1.5) },
      { keys: ["t"], shown: "t", meaning: "trails: paths of chosen points", act: () => view.toggle("trails") },
      { keys: ["r"], shown: "r", meaning: "restore the first view", act: () => view.reset() },
      { keys: ["x", "y", "z"], shown: "x y z", meaning: "look along an axis; with shift against it", act: (e) => view.lookAlong(e.key.toLowerCase(), e.shiftKey) },
    );
  }
  table.push({ keys: ["?", "h"], shown: "? or h", meaning: "this help", act: () => help() });
  return table;
}

function move(clock, by) {
  clock.play(false);
  clock.set(clock.t + by);
}

export function listenToKeys(table) {
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox" && e.target.type !== "range";
    if (typing || e.ctrlKey || e.altKey || e.metaKey) return;
    const row = table.find((r) => r.keys.includes(e.key) || r.keys.includes(e.key.toLowerCase()));
    if (!row) return;
    if (e.key === " " && e.target.tagName === "BUTTON") e.target.blur();
    e.preventDefault();
    row.act(e);
  });
}

export function makeHelp(table) {
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "close");
  const rows = table.map((r) => element("tr", {}, element("td", {}, element("kbd", {}, r.shown)), element("td", {}, r.meaning)));
  const mouse = [["drag", "turn the view"], ["right drag", "move the view"], ["wheel", "nearer or farther"], ["click in a plot", "go to that time"], ["drag in a plot", "zoom; double click: all"]];
  rows.push(...mouse.map(([what, meaning]) => element("tr", {}, element("td", {}, what), element("td", {}, meaning))));
  const dialog = element("dialog", {}, element("h2", {}, "Keys and mouse"), element("table", {}, ...rows), close);
  return dialog;
}

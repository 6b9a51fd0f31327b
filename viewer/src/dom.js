// Makes elements of the page. Texts of the report always become text nodes, so that no text of a model is interpreted as HTML.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((c) => c !== null && c !== undefined));
  return made;
}

// Formats a number with at most `digits` significant digits and without trailing zeros; "–" if it is not finite.
export function shown(x, digits = 4) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6)) return Number(x.toPrecision(digits)).toExponential();
  return String(Number(x.toPrecision(digits)));
}

// Formats a time with enough decimals to distinguish instants of a motion of this duration.
export function timeText(t, duration) {
  return t.toFixed(Math.min(Math.max(4 - Math.floor(Math.log10(Math.max(duration, 1e-9))), 1), 9));
}

// Formats a count with separators of thousands; "–" if it is unknown.
export function count(n) {
  return n === null || n === undefined ? "–" : n.toLocaleString("en");
}

// Distributes curves to panels: at most eight curves with the same unit share a panel, curves without a unit are grouped by their size. The rule is that of --plot.

const MOST_CURVES = 8;
const FAR_APART = 30; // curves without a unit whose sizes differ by a larger factor do not share a panel
const MANY = 24; // a model with more outputs shows only a selection at first
const A_UNIT = 4; // curves with the same unit in that selection

// Returns the columns that are plotted at first.
export function firstChoice(columns) {
  const outputs = columns.filter((c) => c.kind === "output");
  if (outputs.length === 0) return columns.filter((c) => ["coordinate", "velocity", "column"].includes(c.kind)).slice(0, MANY);
  if (outputs.length <= MANY) return outputs;
  const whole = outputs.filter((c) => !c.name.includes("."));
  const chosen = new Set(whole.slice(0, MANY));
  for (const unit of new Set(outputs.map((c) => c.unit))) {
    const parts = outputs.filter((c) => c.unit === unit && !whole.includes(c));
    for (const name of new Set(parts.map((c) => c.name.split(".").pop()))) {
      const alike = parts.filter((c) => c.name.endsWith(`.${name}`));
      const taken = outputs.filter((c) => chosen.has(c) && c.unit === unit).length;
      if (taken + alike.length <= A_UNIT) alike.forEach((c) => chosen.add(c));
    }
  }
  return outputs.filter((c) => chosen.has(c));
}

function sizeOf(column) {
  return column.values.reduce((most, x) => (x === null ? most : Math.max(most, Math.abs(x))), 0);
}

export function panelsOf(columns) {
  const panels = [];
  for (const unit of new Set(columns.map((c) => c.unit))) {
    if (unit !== "") cut(columns.filter((c) => c.unit === unit), unit, panels);
  }
  let rest = columns.filter((c) => c.unit === "").map((c) => ({ c, size: sizeOf(c) })).sort((a, b) => b.size - a.size);
  while (rest.length > 0) {
    const least = rest[0].size / FAR_APART;
    cut(rest.filter((r) => r.size >= least).map((r) => r.c), "no unit", panels);
    rest = rest.filter((r) => r.size < least);
  }
  return panels;
}

// Adds panels of about equal numbers of curves, MOST_CURVES at most.
function cut(columns, unit, panels) {
  const parts = Math.ceil(columns.length / MOST_CURVES);
  for (let i = 0; i < parts; i++) {
    const from = Math.floor((columns.length * i) / parts);
    panels.push({ unit, columns: columns.slice(from, Math.floor((columns.length * (i + 1)) / parts)) });
  }
}

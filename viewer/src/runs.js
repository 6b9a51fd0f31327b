// What tells the runs of a comparison apart, and numbers of several tables over one time.

import { indexAt, valueAt } from "./data.js";
import { shown } from "./dom.js";
import { accuracy } from "./summary.js";

const baseOf = (path) => path.split("/").pop();
const differ = (texts) => new Set(texts).size > 1;
const distinct = (texts) => new Set(texts).size === texts.length;

function settingsOf(report, all) {
  const names = new Set(all.flatMap((r) => Object.keys(r.settings)));
  const others = [...names].filter((n) => differ(all.map((r) => r.settings[n])));
  return others.filter((n) => n in report.settings).map((n) => `${n} = ${shown(report.settings[n], 6)}`).join(", ");
}

// "mdop5, rtol 1e-6": of model, method, accuracy, formulation and settings what differs, and the file where that does not tell them apart.
export function labelsOf(reports) {
  const parts = [
    reports.map((r) => r.run.model ?? ""),
    reports.map((r) => r.run.method ?? ""),
    reports.map((r) => (r.run.method ? accuracy(r.run).split(",")[0] : "")),
    reports.map((r) => r.formulation ?? ""),
    reports.map((r) => settingsOf(r, reports)),
  ].filter(differ);
  const files = reports.map((r) => baseOf(r.result));
  const labels = reports.map((r, i) => parts.map((p) => p[i]).filter((t) => t !== "").join(", ") || files[i]);
  if (parts.length > 0 && distinct(labels)) return labels;
  const names = distinct(files) ? files : reports.map((r) => r.result);
  if (distinct(names)) return names;
  return names.map((n, i) => `${n} (${i + 1})`);
}

// All times of some tables, each as often as the table that has it most often, and for each table the place of its row there: -1 where it has none.
export function mergeTimes(tables) {
  const next = tables.map(() => 0);
  const t = [];
  const rows = tables.map(() => []);
  for (;;) {
    const now = Math.min(...tables.map((table, i) => table.t[next[i]] ?? Infinity));
    if (now === Infinity) return { t, rows };
    t.push(now);
    tables.forEach((table, i) => rows[i].push(table.t[next[i]] === now ? next[i]++ : -1));
  }
}

// The values of a column at such times; undefined, which a curve runs through, where its table has no row.
export function spread(column, rows) {
  return rows.map((k) => (k < 0 ? undefined : column.values[k]));
}

// The value before a time at which the table has two: its first one there.
function valueBefore(table, column, time) {
  let k = indexAt(table.t, time);
  if (table.t[k] !== time) return valueAt(table, column, time);
  while (k > 0 && table.t[k - 1] === time) k--;
  return column.values[k];
}

// What another run has more than the reference, at the times of the reference; at jumps side for side. null where one of them has no value.
export function difference(reference, column, other, its) {
  const { t } = reference;
  const last = other.t[other.t.length - 1];
  return Array.from(t, (time, k) => {
    const [a, before] = [column.values[k], t[k + 1] === time];
    if (a === null || time < other.t[0] || time > last) return null;
    const b = before ? valueBefore(other, its, time) : valueAt(other, its, time);
    return b === null ? null : b - a;
  });
}

export function sameTimes(a, b) {
  return a.t.length === b.t.length && a.t.every((x, k) => x === b.t[k]);
}

// Brings the columns of several runs to common times.

import { indexAt, valueAt } from "./data.js";

// Merges the times of several tables. Returns t, all times, each as often as in the table that contains it most often, and for each table its row numbers at these
// times, -1 where it has no row.
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

// Returns the values of a column at merged times; undefined where its table has no row, where the curve continues without a gap.
export function spread(column, rows) {
  return rows.map((k) => (k < 0 ? undefined : column.values[k]));
}

// Returns the value at a time; if the table has several rows for this time, as at a jump, the first of them.
function valueBefore(table, column, time) {
  let k = indexAt(table.t, time);
  if (table.t[k] !== time) return valueAt(table, column, time);
  while (k > 0 && table.t[k - 1] === time) k--;
  return column.values[k];
}

// Returns the differences of another run minus the reference, at the times of the reference; at jumps the values before and after are compared separately. null where
// one of the runs has no value.
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

// Numbers of several runs over one time.

import { indexAt, valueAt } from "./data.js";

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

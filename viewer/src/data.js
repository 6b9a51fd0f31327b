// Reads the data that the program wrote into the page (docs/report.md), and decodes base64 texts to arrays.

const NO_TABLE = { t: "", columns: [], thinned: false }; // the table of a page without a run

export function readPage(document) {
  const page = JSON.parse(document.getElementById("camber-report").textContent);
  if (page.schema !== 2) throw new Error(`this viewer reads schema 2, the page has ${page.schema}`);
  page.reports = page.reports.map(readReport);
  return page;
}

function readReport(report) {
  report.series = readTable(report.series ?? NO_TABLE);
  report.steps = readTable(report.steps ?? NO_TABLE);
  for (const s of report.surfaces ?? []) s.z = new Float32Array(bytesOf(s.z));
  report.records_forces = report.forces !== undefined; // files of results have none
  report.forces = (report.forces ?? []).map((f) => ({ ...f, values: new Int16Array(bytesOf(f.data)) }));
  if (report.frames) report.frames = readFrames(report.frames, report.scene.bodies.length);
  return report;
}

export function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

function readTable(table) {
  const t = new Float64Array(bytesOf(table.t));
  const columns = table.columns.map((c) => ({ ...c, values: readColumn(c, table.exact || c.exact) }));
  return { t, columns, thinned: table.thinned };
}

// Returns the values of a column; null, which leaves a gap in the curve, for numbers that are not finite.
function readColumn(column, exact) {
  const more = exact ? new Float64Array(bytesOf(column.data)) : new Float32Array(bytesOf(column.data));
  const base = exact ? 0 : column.base;
  const values = new Array(more.length);
  for (let i = 0; i < more.length; i++) values[i] = Number.isFinite(more[i]) ? base + more[i] : null;
  return values;
}

export function readFrames(frames, bodies) {
  return { t: new Float64Array(bytesOf(frames.t)), poses: new Float32Array(bytesOf(frames.poses)), bodies };
}

// Returns the last k with t[k] <= time, or 0 if there is none.
export function indexAt(t, time) {
  let low = 0;
  let high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Returns the value of a column at a time, interpolated linearly between its points; null where it has none.
export function valueAt(table, column, time) {
  const k = indexAt(table.t, time);
  const next = Math.min(k + 1, table.t.length - 1);
  const [a, b] = [column.values[k], column.values[next]];
  const width = table.t[next] - table.t[k];
  if (a === null || b === null || !(width > 0) || time <= table.t[k]) return a;
  return a + (b - a) * Math.min((time - table.t[k]) / width, 1);
}

// Returns the first and the last time of a report.
export function timeRange(report) {
  const t = report.frames && report.frames.t.length > 0 ? report.frames.t : report.series.t;
  return t.length > 0 ? [t[0], t[t.length - 1]] : [0, 0];
}

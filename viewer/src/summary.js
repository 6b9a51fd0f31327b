// Makes the head of the page and the tables below the pictures: the run, its method, its cost, its constraints and events.

import { count, element, shown } from "./dom.js";

const MOST_EVENTS = 500; // in the list; the plots mark all events

export function makeHead(report) {
  const run = report.run;
  const settings = Object.entries(report.settings).map(([name, value]) => `${name} = ${shown(value, 6)}`);
  const facts = [
    (run.model ?? report.file) + (settings.length > 0 ? ` with ${settings.join(", ")}` : ""),
    run.method ? `${run.method}, ${accuracy(run)}` : null,
    `t = ${shown(run.t, 6)} s${run.stopped_by ? `, stopped by ${run.stopped_by}` : ""}`,
    run.stats.accepted === null ? null : `${count(run.stats.accepted)} steps in ${shown(run.seconds.run, 3)} s`,
  ].filter((f) => f !== null);
  return element(
    "header",
    {},
    element("h1", {}, report.title),
    element("p", { class: "facts" }, ...facts.map((f) => element("span", {}, f))),
    ...messages([{ report, label: "The run" }]),
  );
}

// Returns paragraphs with the errors of runs that ended early, and with the warnings, each once with the labels of its runs. The status is null if a file of results
// does not contain it.
export function messages(runs) {
  const failed = runs.filter((r) => r.report.run.status !== "ok" && r.report.run.status !== null);
  const warnings = new Map();
  for (const { report, label } of runs) {
    for (const text of [...report.run.warnings, ...(report.notes ?? [])]) warnings.set(text, (warnings.get(text) ?? new Set()).add(label));
  }
  const whose = (labels) => (runs.length === 1 ? "Warning" : labels.size === runs.length ? "Warning of all runs" : `Warning of ${[...labels].join("; ")}`);
  return [
    ...failed.map((r) => element("p", { class: "failure" }, `${r.label} ended early: ${r.report.run.message}`)),
    ...[...warnings].map(([text, labels]) => element("p", { class: "warning" }, `${whose(labels)}: ${text}`)),
  ];
}

export function accuracy(run) {
  if (run.step === null && run.rtol === null) return "–";
  return run.step === null ? `rtol ${shown(run.rtol)}, atol ${shown(run.atol)}` : `step ${shown(run.step)} s`;
}

export function makeSummary(report, clock) {
  return element("section", { class: "summary" }, runTable(report), costTable(report.run), constraintTable(report), eventList(report.run, clock));
}

export function table(title, rows, ...more) {
  const shownRows = rows.filter((r) => r[1] !== null);
  return element(
    "div",
    { class: "card" },
    element("h2", {}, title),
    element("table", {}, ...shownRows.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)))),
    ...more,
  );
}

function runTable(report) {
  const run = report.run;
  return table("Run", [
    ["model", report.file === report.result ? (run.model ?? "not known") : report.file],
    ["results", report.result ?? null],
    ["method", run.method ? `${run.method}: ${run.method_title}` : null],
    ["accuracy", run.method ? accuracy(run) : null],
    ["formulation", report.formulation ?? null],
    ["time", `${shown(report.series.t[0] ?? 0, 6)} s to ${shown(run.t, 9)} s${report.t_end === null ? "" : ` of ${shown(report.t_end, 9)} s`}`],
    ["start moved", startMoved(run)],
    ["stopped by", run.stopped_by ?? null],
    ["stiff since", run.stiff_since === undefined ? null : `t = ${shown(run.stiff_since)} s`],
    ["curves", report.series.thinned ? "minima and maxima of short intervals" : "all points"],
    ["Camber", run.camber],
  ]);
}

// Returns the number of singular positions of a run; a file of results contains only their number.
function singularities(run) {
  return run.singularity_count ?? (run.singularities ?? []).length;
}

function costTable(run) {
  const s = run.stats;
  if (s.accepted === null) return table("Cost", [["steps", "The file of results does not contain them."]]);
  return table("Cost", [
    ["steps", `${count(s.accepted)} accepted, ${count(s.rejected)} rejected`],
    ["right-hand sides", count(s.f)],
    ["Jacobians", s.jacobian > 0 ? count(s.jacobian) : null],
    ["factorisations", count(s.factor)],
    ["solves", count(s.solve)],
    ["Newton iterations", s.newton > 0 ? count(s.newton) : null],
    ["projections", count(s.projections)],
    ["time", `${shown(run.seconds.setup, 3)} s to set up, ${shown(run.seconds.run, 3)} s to run`],
  ]);
}

// Makes the table of the constraints. If a file of results has no names of coordinates, as a CSV file without its model, the number of constraints is not known.
function constraintTable({ run, result }) {
  const known = result === undefined || Object.values(run.names).some((list) => list.length > 0);
  if (run.names.lambda.length === 0) return table("Constraints", [["number", known ? "none" : "not known"]]);
  return table("Constraints", [
    ["number", count(run.names.lambda.length)],
    ["largest |g|", shown(run.worst.position, 3)],
    ["largest |G v + g_t|", shown(run.worst.velocity, 3)],
    ["at the end |g|", shown(run.residual.position, 3)],
    ["at the end |G v + g_t|", shown(run.residual.velocity, 3)],
    ["singular positions", singularities(run) > 0 ? count(singularities(run)) : null],
  ]);
}

// Returns by how much the initial values were changed to be consistent, or null if only by rounding errors.
function startMoved(run) {
  const moved = [["positions", run.q_moved], ["velocities", run.v_moved]].filter(([, by]) => by > 1e-12);
  return moved.length > 0 ? moved.map(([what, by]) => `${what} ${shown(by)}`).join(", ") : null;
}

// Returns the number of events of a run without corners in formulas; null if it is unknown, as for CSV files, which contain no events, and for files of killed runs.
export function eventCount(run) {
  const known = run.events.length > 0 || (run.status !== null && run.status !== "running");
  const all = run.event_count ?? (known ? run.events.length : null);
  return all === null ? null : all - run.events.length + namedEvents(run).length;
}

// Returns the events that have a name in the model; the others are corners in formulas, such as those of tables and limits.
export const namedEvents = (run) => run.events.filter((e) => e.kind !== "formula");

function eventItems(events, clock) {
  const items = events.slice(0, MOST_EVENTS).map((e) =>
    element("li", {}, element("button", { type: "button", onclick: () => clock.set(e.t) }, `t = ${shown(e.t, 7)} s`), ` ${e.text}`),
  );
  return element("ol", { class: "events" }, ...items);
}

// Makes the list of events. Corners in formulas are in a list of their own, which is closed at first.
function eventList(run, clock) {
  const named = namedEvents(run);
  const corners = run.events.filter((e) => e.kind === "formula");
  const total = eventCount(run);
  const listed = Math.min(named.length, MOST_EVENTS);
  const rest = total > listed ? element("p", {}, `and ${count(total - listed)} more`) : null;
  const inside = corners.length > 0 ? element("details", {}, element("summary", {}, `${count(corners.length)} in formulas, such as corners of tables`), eventItems(corners, clock)) : null;
  return table("Events", [["number", total === null ? "not known" : total === 0 ? "none" : count(total)]], eventItems(named, clock), rest, inside);
}

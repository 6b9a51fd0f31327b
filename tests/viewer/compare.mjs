// Tests pages that compare results in Chromium: node compare.mjs. The current folder must have methods.html (three runs of one model, the last one shorter), models.html
// (runs of two models and a table without a model), forms.html (three formulations, and tables without a model), eight.html, single.html and table.html. Screenshots go to
// the folder PICTURES. Prints the failed checks; exit code 1 if there is one.

import { check, filmTexts, finish, open, picture, pictures, scrub, testWidth } from "./browser.mjs";

const curves = (page) => page.evaluate(() => camber.plots.plots.map((u) => u.series.slice(1).map((s) => s.label)));
const box = (page, run) => page.locator(".grid input[type=checkbox]").nth(run);

// Each curve has the values of the column in its own file.
async function testCurves(page) {
  const wrong = await page.evaluate(() => {
    let count = 0;
    for (const u of camber.plots.plots) {
      const name = u.root.querySelector(".u-title").textContent;
      u.series.slice(1).forEach((s, i) => {
        const run = camber.comparison.runs.find((r) => r.label === s.label);
        const { t, columns } = run.report.series;
        const column = columns.find((c) => c.name === name);
        if (!column || column.kind === "residual") return;
        const drawn = u.data[i + 1].map((x, k) => [u.data[0][k], x]).filter(([, x]) => x !== undefined);
        if (drawn.length !== t.length || drawn.some(([time, x], k) => time !== t[k] || x !== column.values[k])) count++;
      });
    }
    return count;
  });
  check(`methods: ${wrong} curves are not those of their files`, wrong === 0);
}

// Differences equal those of a linear interpolation that is computed here, at every seventh time of the reference.
async function testDifferences(page) {
  const before = (await curves(page)).length;
  await page.locator(".plots label.card input").check();
  const after = await page.evaluate(() => camber.plots.plots.map((u) => u.root.querySelector(".u-title").textContent));
  check(`methods: ${before} panels become ${after.length}`, after.length === 2 * before && after.some((t) => t.startsWith("camber: difference to mdop5")));
  const far = await page.evaluate(() => {
    const u = camber.plots.plots.find((p) => p.root.querySelector(".u-title").textContent.startsWith("camber: difference"));
    const [a, b] = camber.reports.map((r) => ({ t: r.series.t, y: r.series.columns.find((c) => c.name === "camber").values }));
    let most = 0;
    for (let k = 1; k + 1 < a.t.length; k += 7) {
      if (a.t[k] === a.t[k + 1] || a.t[k] === a.t[k - 1]) continue;
      let i = 0;
      while (i + 2 < b.t.length && b.t[i + 1] <= a.t[k]) i++;
      const other = b.y[i] + ((b.y[i + 1] - b.y[i]) * (a.t[k] - b.t[i])) / (b.t[i + 1] - b.t[i]);
      most = Math.max(most, Math.abs(u.data[1][k] - (other - a.y[k])));
    }
    return most;
  });
  check(`methods: differences are off by ${far}`, far < 1e-12);
  await page.screenshot({ path: `${pictures}/compare-differences.png`, fullPage: true });
  await page.locator(".plots label.card input").uncheck();
}

async function testGhosts(page) {
  await scrub(page, 0.8);
  const all = await picture(page);
  const runs = await page.evaluate(() => camber.comparison.runs.map((r) => ({ ghost: Boolean(r.ghost), solid: Boolean(r.solid), colour: r.ghost ? `#${r.ghost.paintwork.color.getHexString()}` : null, curve: r.colour() })));
  check("methods: the first is solid, the others are ghosts", runs[0].solid && runs.slice(1).every((r) => r.ghost && r.colour === r.curve));
  check("methods: a run that has ended is marked", (await page.locator(".ended").textContent()) === "ended at 0.5 s");
  const [ended, lively] = await page.evaluate(() => [2, 1].map((i) => camber.comparison.runs[i].ghost.paintwork.opacity));
  check("methods: the ghost of a run that has ended is fainter", ended < lively);
  const places = await page.evaluate(() => camber.comparison.runs.slice(1).map(({ ghost, report }) => {
    const { t, poses, bodies } = report.frames;
    const k = t.findLastIndex((x) => x <= camber.clock.t);
    const at = Math.min(k, t.length - 1);
    return Math.abs(ghost.motion.place[bodies - 1].x - poses[7 * (at * bodies + bodies - 1)]);
  }));
  check(`methods: ghosts are ${places} m away from their positions`, places.every((x) => x < 1e-3));
  const before = (await curves(page))[0];
  await box(page, 1).uncheck();
  await box(page, 2).uncheck();
  check("methods: ghosts can be hidden", (await picture(page)).hash !== all.hash);
  check(`methods: curves of hidden runs: ${await curves(page)}`, before.length === 3 && (await curves(page)).every((c) => c.length === 1));
  await box(page, 1).check();
  await box(page, 2).check();
  check("methods: ghosts can be shown again", (await picture(page)).hash === all.hash);
}

const page = await open("methods", 1600, 900);
await testWidth("methods", page);
check(`methods: labels ${await curves(page)}`, (await curves(page))[0].join("; ") === "mdop5, rtol 1e-6; radau5, rtol 0.001; lie, step 0.002 s");
check("methods: a note on interpolated values", (await page.locator(".plots > .hint").textContent()).includes("linear between points"));
const line = (of, title) => of.locator(".runs tr", { has: of.locator(`th:text-is("${title}")`) }).locator("td").allTextContents();
check(`methods: the methods of the runs: ${await line(page, "method")}`, (await line(page, "method")).join() === "mdop5,radau5,lie");
check("methods: |g| has a panel with a logarithmic scale", await page.evaluate(() => camber.plots.plots.some((u) => u.root.querySelector(".u-title").textContent === "|g|" && u.scales.y.distr === 3)));
await testCurves(page);
await testGhosts(page);
await page.screenshot({ path: `${pictures}/compare-methods.png` });
await testDifferences(page);
await page.close();

for (const scheme of ["light", "dark"]) {
  const narrow = await open("methods", 400, 800, scheme);
  await testWidth(`methods, 400 px, ${scheme}`, narrow);
  await scrub(narrow, 0.3);
  check(`methods, 400 px, ${scheme}: the picture is not blank`, (await picture(narrow)).colours > 20);
  await narrow.screenshot({ path: `${pictures}/compare-methods-400-${scheme}.png`, fullPage: true });
  await narrow.close();
}

// The tables of the runs fit into the window, or scroll while the names of their rows stay visible.
async function testTables(name, width, fits) {
  const wide = await open(name, width, 900);
  await testWidth(`${name}, ${width} px`, wide);
  const tables = await wide.evaluate(() =>
    [...document.querySelectorAll(".grid")].map((table) => {
      const [outer, last] = [table.parentElement, table.rows[1].cells[table.rows[1].cells.length - 1]];
      outer.scrollLeft = 1e6;
      const [box, end, head] = [outer, last, table.rows[1].cells[0]].map((n) => n.getBoundingClientRect());
      return { fits: outer.scrollWidth <= outer.clientWidth, inside: box.right <= innerWidth && end.right <= box.right + 1, named: head.left >= box.left - 1 && head.width < 0.6 * box.width };
    }),
  );
  check(`${name}, ${width} px: tables inside the window, with the names of their rows: ${JSON.stringify(tables)}`, tables.length === 2 && tables.every((t) => t.inside && t.named));
  if (fits) check(`${name}, ${width} px: the table of the runs fits`, tables[0].fits);
  await wide.screenshot({ path: `${pictures}/compare-${name}-${width}.png`, fullPage: true });
  await wide.close();
}
for (const width of [400, 1400, 1600]) {
  await testTables("methods", width, width > 400);
  await testTables("eight", width, false);
}

const forms = await open("forms", 1400, 900);
check(`forms: labels ${(await curves(forms))[0]}`, (await curves(forms))[0].join("; ") === "explicit; residual; cartesian; plain.csv; short.csv");
check(`forms: formulations: ${await line(forms, "formulation")}`, (await line(forms, "formulation")).join() === "explicit,residual,cartesian,explicit,explicit");
const warnings = await forms.locator("header .warning").allTextContents();
check(`forms: each warning is given once: ${warnings.join("\n")}`, warnings.filter((w) => w.includes("redundant constraints are left out: 'joint_b.y'")).length === 1);
check("forms: a warning of all runs", warnings.some((w) => w.startsWith("Warning of all runs: 3 redundant")));
check("forms: a warning names its runs", warnings.some((w) => w.startsWith("Warning of plain.csv; short.csv: the model 'four-bar'") && w.includes("cannot be checked")));
await forms.close();

const still = await filmTexts("methods", "at=start");
check("methods: a legend in the picture", still.some((w) => w.text === "mdop5, rtol 1e-6 (solid)") && still.some((w) => w.text === "radau5, rtol 0.001" && w.colour === "#d9480f"));
check("methods: a still picture has the time without a speed", still.some((w) => w.text === "t = 0.000 s"));
check("methods: a film has the time with its speed", (await filmTexts("methods", "first=1&count=1&rate=25&speed=0.2")).some((w) => w.text === "t = 0.008 s, 0.2 × real time"));

const models = await open("models", 1400, 900, "dark");
await testWidth("models", models);
check("models: one ghost, and one run without a motion", await models.evaluate(() => camber.comparison.runs.filter((r) => r.ghost).length === 1 && camber.comparison.runs.filter((r) => r.solid).length === 1));
await scrub(models, 0.02);
await picture(models);
await models.screenshot({ path: `${pictures}/compare-models.png` });

const single = await open("single", 1200, 800);
await testWidth("single", single);
await single.keyboard.press("a");
check("single: the reason why there are no arrows", (await single.locator(".legends").textContent()).includes("Files of results have no forces"));
check("single: no plot of step sizes", await single.evaluate(() => camber.plots.plots.every((u) => u.series[1].label !== "step size")));
const card = async (page, title) => (await page.locator(".summary .card", { has: page.locator(`h2:text-is("${title}")`) }).textContent()).slice(title.length);
check("single: the file", (await card(single, "Run")).includes("a.h5"));
check(`single: the model: ${await card(single, "Run")}`, (await card(single, "Run")).startsWith("modelfivelink"));
check(`single: events: ${await card(single, "Events")}`, /^number[1-9]/.test(await card(single, "Events")));

const table = await open("table", 800, 600);
await testWidth("table", table);
check("table: the reason why there is no animation", (await table.locator(".hint").textContent()).includes("--model"));
check("table: has curves", (await curves(table)).length > 0);
for (const title of ["Events", "Constraints"]) check(`table: ${title}: ${await card(table, title)}`, (await card(table, title)) === "numbernot known");
check(`table: the model: ${await card(table, "Run")}`, (await card(table, "Run")).startsWith("modelnot known"));
check("table: no version in the footer, since it is unknown", (await table.locator("footer").textContent()) === "Made by Camber.");
await finish();

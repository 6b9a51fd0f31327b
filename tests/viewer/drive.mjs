// Tests reports in Chromium with mouse and keyboard: node drive.mjs MODEL... The current folder must have MODEL.html for each of them and for the models below, and the
// names of their springs in MODEL.springs. Screenshots go to the folder PICTURES. Prints the failed checks; exit code 1 if there is one.

import { check, finish, open, picture, pictures, scrub, testWidth, time } from "./browser.mjs";
import { testModels } from "./models.mjs";
import { testSpeed } from "./speed.mjs";

async function testPlot(name, page) {
  await page.keyboard.press("Home");
  const before = await picture(page);
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
  const [t, start, end] = await page.evaluate(() => [camber.clock.t, camber.clock.start, camber.clock.end]);
  check(`${name}: a click in a plot leads to t = ${t}`, Math.abs(t - (start + 0.6 * (end - start))) < 0.01 * (end - start));
  check(`${name}: a click in a plot moves the animation`, (await picture(page)).hash !== before.hash);
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.5 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height, { steps: 4 });
  await page.mouse.up();
  const range = await page.evaluate(() => camber.plots.plots.map((u) => [u.scales.x.min, u.scales.x.max]));
  const wanted = [0.3, 0.5].map((p) => start + p * (end - start));
  check(`${name}: a drag zooms to ${range[0]}`, range.every((r) => r.every((x, i) => Math.abs(x - wanted[i]) < 0.01 * (end - start))));
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  check(`${name}: a double click shows all`, await page.evaluate(() => camber.plots.plots[0].scales.x.max === camber.clock.end));
}

async function testKeys(name, page) {
  await page.keyboard.press("End");
  check(`${name}: the key End goes to the end`, (await time(page)) === (await page.evaluate(() => camber.clock.end)));
  await page.keyboard.press("Home");
  const start = await time(page);
  await page.keyboard.press("ArrowRight");
  const next = await time(page);
  await page.keyboard.press("Shift+ArrowRight");
  const far = await time(page);
  check(`${name}: arrows: ${start}, ${next}, ${far}`, next > start && Math.abs((far - next) / (next - start) - 10) < 1e-6);
  await page.keyboard.press("Space");
  await page.waitForFunction((t) => camber.clock.t > t, far, { timeout: 20000 });
  await page.keyboard.press("Space");
  check(`${name}: the space key pauses`, await page.evaluate(() => !camber.clock.playing));
  const speed = await page.evaluate(() => camber.clock.speed);
  await page.keyboard.press("-");
  check(`${name}: the minus key reduces the speed`, (await page.evaluate(() => camber.clock.speed)) < speed);
  check(`${name}: no labels at first`, !(await page.locator(".labels").isVisible()));
  await page.keyboard.press("l");
  check(`${name}: the key l shows labels`, await page.locator(".labels span").first().isVisible());
  await page.keyboard.press("l");
  await page.keyboard.press("?");
  check(`${name}: the key ? shows the help`, await page.locator("dialog").isVisible());
  await page.locator("dialog button").click();
}

async function testMouse(name, page) {
  const at = () => page.evaluate(() => camber.view.camera.position.toArray());
  const before = await at();
  const box = await page.locator(".picture").boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.8 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.7 * box.height, { steps: 4 });
  await page.mouse.up();
  check(`${name}: a drag turns the view`, Math.hypot(...(await at()).map((x, i) => x - before[i])) > 1e-3);
  await page.keyboard.press("r");
  check(`${name}: the key r restores the first view`, Math.hypot(...(await at()).map((x, i) => x - before[i])) < 1e-3 * Math.hypot(...before) + 1);
}

// The two arrows of a spring have the length of its force times the scale; the key ] makes them longer. Joints, loops and the contact have arrows, too.
async function testArrows(name, page) {
  await scrub(page, 0.22);
  const before = await picture(page);
  await page.keyboard.press("a");
  check(`${name}: the key a shows arrows`, (await picture(page)).hash !== before.hash);
  const seen = () =>
    page.evaluate(() => {
      const { arrows } = camber.view;
      const { f, arrows: two } = arrows.list.find((a) => a.f.name === "shock");
      const column = camber.report.series.columns.find((c) => c.name === "shock_force");
      const { t } = camber.report.series;
      const k = t.findLastIndex((x) => x <= camber.clock.t);
      const part = (camber.clock.t - t[k]) / (t[k + 1] - t[k]); // forces are linear between points
      const force = column.values[k] + part * (column.values[k + 1] - column.values[k]);
      const tips = two.map((a) => a.children[1].position.z);
      return { types: [...new Set(arrows.list.map((a) => a.f.type))].sort().join(), tips, wanted: Math.abs(force) * arrows.scale, longest: f.most * arrows.scale };
    });
  const { types, tips, wanted, longest } = await seen();
  check(`${name}: arrows of ${types}`, types === "contact,joint,loop,spring");
  check(`${name}: the arrows are ${tips} m long, expected ${wanted} m`, tips.every((z) => Math.abs(z - wanted) < 0.01 * longest));
  check(`${name}: the arrows have a legend`, (await page.locator(".legend").first().textContent()).includes("largest force of the run"));
  await page.keyboard.press("]");
  await picture(page);
  check(`${name}: the key ] scales the arrows`, Math.abs((await seen()).tips[0] / tips[0] - 1.5) < 1e-6);
  await page.keyboard.press("[");
  await page.screenshot({ path: `${pictures}/${name}-forces.png` });
  await page.keyboard.press("a");
  check(`${name}: the legend is hidden with the arrows`, !(await page.locator(".legend").first().isVisible()));
}

// The trail of the heaviest body ends at its present position; another point can be chosen.
async function testTrails(name, page) {
  await page.keyboard.press("t");
  await scrub(page, 0.5);
  await picture(page);
  const trail = () =>
    page.evaluate(() => {
      const { trails, motion } = camber.view;
      const [p] = trails.points;
      const { count } = p.line.geometry.drawRange;
      const end = p.line.geometry.getAttribute("position").array.slice(3 * count - 3, 3 * count);
      return { count, away: Math.hypot(...motion.point(p.point).toArray().map((x, i) => x - end[i])), lines: trails.node.children.length };
    });
  const half = await trail();
  check(`${name}: the trail ends ${half.away} m away from its point`, half.away < 1e-6);
  await page.locator(".legend.trails summary").click();
  await page.locator(".legend.trails input:not(:checked)").first().check();
  await scrub(page, 0.2);
  await picture(page);
  const fifth = await trail();
  check(`${name}: trails ${half.count}, ${fifth.count}; lines ${half.lines}, ${fifth.lines}`, fifth.count < half.count && fifth.count > 2 && fifth.away < 1e-6 && fifth.lines === half.lines + 1);
  await page.keyboard.press("t");
}

// The tyre touches the plate, and its deflection is its force divided by its stiffness; camber and the shape of the tread change it by less than 5 %.
async function testTyres(name, page) {
  await scrub(page, 0.05);
  await picture(page);
  const [lowest, level, depth, wanted] = await page.evaluate(() => {
    const { road, mechanism } = camber.view;
    const [tyre] = road.tyres;
    const force = camber.report.series.columns.find((c) => c.name === "tyre_force");
    const x = mechanism.tyres[0][1].position.clone();
    let low = Infinity;
    for (let i = 0; i < tyre.position.count; i++) low = Math.min(low, tyre.mesh.localToWorld(x.fromBufferAttribute(tyre.position, i)).z);
    return [low, road.plate(tyre.name, camber.clock.t), tyre.depth, force.values[0] / 209652];
  });
  check(`${name}: the tyre ends at ${lowest} m, the road is at ${level} m`, Math.abs(lowest - level) < 1e-5);
  check(`${name}: pressed by ${depth} m, not ${wanted} m`, Math.abs(depth - wanted) < 0.05 * wanted);
}

async function testChoice(name, page) {
  const count = () => page.evaluate(() => camber.plots.plots.flatMap((u) => u.series.slice(1)).length);
  const before = await count();
  await page.locator(".choose summary").click();
  await page.getByRole("button", { name: "none" }).click();
  const none = await count();
  await page.locator(".choose input[type=checkbox]").last().check();
  check(`${name}: curves: ${before}, ${none}, ${await count()}`, none === 2 && before > none && (await count()) === none + 1);
}

// One model in detail, in a wide window with light colours.
async function testDetail(name) {
  const page = await open(name, 1600, 900);
  await testWidth(`${name}, 1600 px`, page);
  await testPlot(name, page);
  await testKeys(name, page);
  await testMouse(name, page);
  await testArrows(name, page);
  await testTrails(name, page);
  await testTyres(name, page);
  await page.screenshot({ path: `${pictures}/${name}-1600.png` });
  await testChoice(name, page);
  await page.close();
}

// A report in the narrow window of a telephone with dark colours.
async function testNarrow(name) {
  const page = await open(name, 400, 800, "dark");
  await testWidth(`${name}, 400 px`, page);
  await scrub(page, 0.2);
  check(`${name}, 400 px: the picture is not blank`, (await picture(page)).colours > 20);
  check(`${name}: the background is dark`, await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((x) => x < 60)));
  await page.screenshot({ path: `${pictures}/${name}-400.png`, fullPage: true });
  await page.close();
}

// Curves beyond the range of single precision, and a small oscillation about a large value: their values are right, and all ticks have labels.
async function testOffsets() {
  const page = await open("offsets", 800, 1600);
  await page.waitForFunction(() => camber.plots.plots.length > 5);
  const panels = await page.evaluate(() =>
    Object.fromEntries(
      camber.plots.plots.map((u) => [u.series[1].label, { values: [...u.data[1]], ticks: u.axes[1]._values, low: u.scales.y.min, high: u.scales.y.max, legend: u.root.querySelector(".u-legend").textContent }]),
    ),
  );
  for (const [name, p] of Object.entries(panels)) check(`offsets: ticks of ${name}: ${p.ticks}`, p.ticks.length >= (name === "order" ? 1 : 3) && p.ticks.every((text) => text !== "" && text !== "–"));
  check(`offsets: ticks of a wave: ${panels.wave.ticks}`, panels.wave.ticks.join() === "-0.01,-0.005,0,0.005,0.01");
  check(`offsets: a wave from ${panels.wave.low} to ${panels.wave.high}`, panels.wave.high - panels.wave.low < 0.03);
  check(`offsets: a constant from ${panels.constant.low} to ${panels.constant.high}`, panels.constant.high - panels.constant.low > 0.1);
  const end = panels.vast.values.at(-1) / 1e300;
  for (const [name, size] of [["huge", 4e38], ["vast", 1e300], ["minute", 1e-42]]) {
    check(`offsets: ${name} ends at ${panels[name].values.at(-1)}`, Math.abs(panels[name].values.at(-1) / size / end - 1) < 1e-6 && panels[name].values.every(Number.isFinite));
  }
  await page.screenshot({ path: `${pictures}/offsets.png`, fullPage: true });
  await page.close();
}

// A rod without shapes is drawn from end to end, and all meshes are in the picture at all times without moving the camera.
async function testRod() {
  const page = await open("offsets", 800, 1600);
  const [reach, length] = await page.evaluate(() => {
    const { motion, mechanism } = camber.view;
    const [a, b] = camber.report.scene.bodies[0].points.map((p) => motion.point(p));
    const bars = mechanism.bodies[0].children.map((bar) => (bar.geometry.parameters.height ? bar.scale.z : 0));
    return [Math.max(...bars), a.distanceTo(b)];
  });
  check(`offsets: a rod of ${length} m is drawn ${reach} m long`, Math.abs(length - 0.1) < 1e-6 && Math.abs(reach - length) < 1e-3 * length);
  for (const part of [0, 0.1, 0.2, 0.3, 0.5, 0.8]) {
    await scrub(page, part);
    await picture(page);
    const far = await page.evaluate(() => {
      let most = 0;
      camber.view.mechanism.node.traverse((mesh) => {
        const places = mesh.geometry?.getAttribute("position");
        for (let i = 0; places && i < places.count; i++) {
          const x = camber.view.up.clone().fromBufferAttribute(places, i).applyMatrix4(mesh.matrixWorld).project(camber.view.camera);
          most = Math.max(most, Math.abs(x.x), Math.abs(x.y));
        }
      });
      return most;
    });
    check(`offsets: the picture is cut at ${part}: ${far}`, far > 0.2 && far <= 1);
  }
  await page.close();
}

// The numbers of one axis are in one notation; the legends have the time of the cursor and the values of the curves at this time.
async function testNumbers(name) {
  const page = await open(name, 1200, 900);
  await page.waitForFunction(() => camber.plots.plots.length > 1);
  await scrub(page, 0.2337);
  const panels = await page.evaluate(() =>
    camber.plots.plots.map((u) => ({
      ticks: u.axes[1]._values,
      legend: u.root.querySelector(".u-legend .u-value").textContent,
      between: u.series.slice(1).map((s, i) => {
        const k = u.data[0].findLastIndex((t) => t <= camber.clock.t);
        const [a, b] = [u.data[i + 1][k], u.data[i + 1][k + 1] ?? u.data[i + 1][k]];
        const shown = Number(u.root.querySelectorAll(".u-legend .u-value")[i + 1].textContent);
        return s.paths === u.series[1].paths && shown >= Math.min(a, b) - 1e-4 * Math.abs(a) - 1e-12 && shown <= Math.max(a, b) + 1e-4 * Math.abs(b) + 1e-12;
      }),
    })),
  );
  const player = await page.locator(".transport .time").textContent();
  for (const p of panels) {
    const exponents = p.ticks.filter((text) => Number(text) !== 0).map((text) => text.includes("e"));
    check(`${name}: ticks in two notations: ${p.ticks}`, new Set(exponents).size <= 1);
    check(`${name}: the legend has t = ${p.legend}, the player ${player}`, player === `t = ${p.legend} s`);
    check(`${name}: a legend has a value that its curve does not have`, p.between.every(Boolean));
  }
  await page.close();
}

// The camera is above the mechanism, also if a contact is higher than all other points.
async function testAbove() {
  const page = await open("hanging", 800, 600);
  const height = await page.evaluate(() => camber.view.camera.position.clone().sub(camber.view.controls.target).dot(camber.view.up));
  check(`hanging: the camera is ${height} m above what it looks at`, height > 0);
  await page.close();
}

// When following is switched on during the motion, the mechanism is in the middle of the picture, as at the start.
async function testFollow(name) {
  const page = await open(name, 800, 600);
  const away = () =>
    page.evaluate(() => {
      const { view, clock } = camber;
      view.motion.set(clock.t);
      const moved = view.motion.place[view.heaviest].clone().sub(view.start);
      return { away: view.controls.target.clone().sub(moved).distanceTo(view.first.getCenter(moved.clone())), gone: moved.length(), follows: view.follows };
    });
  if ((await away()).follows) await page.keyboard.press("f");
  await scrub(page, 0.07);
  await picture(page);
  const before = await away();
  await page.keyboard.press("f");
  await picture(page);
  const after = await away();
  check(`${name}: follows, ${after.away} m from the middle, after ${after.gone} m; ${before.away} m before`, after.follows && before.away > 0.5 && after.away < 1e-6 * after.gone);
  await scrub(page, 0.5);
  await picture(page);
  check(`${name}: the camera follows the mechanism`, (await away()).away < 1e-4);
  await page.screenshot({ path: `${pictures}/${name}-follows.png` });
  await page.close();
}

// Corners in formulas are not in the list of events, but in a list of their own.
async function testEvents(name) {
  const page = await open(name, 800, 600);
  const { named, listed, inside } = await page.evaluate(() => ({
    named: camber.report.run.events.filter((e) => e.kind !== "formula").map((e) => e.text),
    listed: [...document.querySelectorAll(".card > ol.events > li")].map((li) => li.lastChild.textContent.trim()),
    inside: [...document.querySelectorAll(".card details li")].map((li) => li.lastChild.textContent.trim()),
  }));
  check(`${name}: events: ${listed}`, listed.length > 2 && listed.join() === named.join() && listed.every((text) => !text.includes(" line ")));
  check(`${name}: corners in formulas: ${inside}`, inside.length > 0 && inside.every((text) => text.includes(" line ")));
  await page.close();
}

// A model whose texts contain HTML: they appear as texts.
async function testHostile() {
  const page = await open("hostile", 800, 600);
  check("hostile: the title is shown as text", (await page.locator("h1").textContent()) === '</script><script>alert("1")</script> <b>bold</b>');
  check("hostile: the unit is shown as text", (await page.locator(".choose label").first().textContent()).includes("</script><img src=x"));
  check("hostile: the texts make no elements", (await page.locator("b, img").count()) === 0);
  await page.close();
}

// A problem written in C, which has no bodies, has a report without an animation.
async function testProblem() {
  const page = await open("caraxis", 800, 600);
  await testWidth("caraxis", page);
  check("caraxis: the reason why there is no animation", (await page.locator(".hint").textContent()).includes("no bodies"));
  await page.close();
}

await testModels(process.argv.slice(2));
await testSpeed("long");
await testDetail("fivelink");
await testNarrow("fivelink");
await testNarrow("newtons-cradle");
await testOffsets();
await testRod();
await testNumbers("fivelink");
await testNumbers("offsets");
await testAbove();
await testFollow("hmmwv14");
await testEvents("hmmwv14");
await testHostile();
await testProblem();
await finish();

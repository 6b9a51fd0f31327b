// Tests pages of models in Chromium with mouse and keyboard: node drive_model.mjs. The current folder must have MODEL.html for all models below. Screenshots go
// to the folder PICTURES. Prints the failed checks; exit code 1 if there is one.

import { check, filmTexts, finish, open, picture, pictures, testWidth } from "./browser.mjs";

const MODELS = ["fivelink", "sedan", "four-bar"];

// Moves slider i to a fraction of its range, with the event that the mouse would cause.
async function drag(page, i, part) {
  await page.evaluate(
    ([k, p]) => {
      const input = document.querySelectorAll(".slider input")[k];
      input.value = String(1000 * p);
      input.dispatchEvent(new Event("input"));
    },
    [i, part],
  );
}

// Returns the present positions of all bodies.
const places = (page) => page.evaluate(() => (camber.view.motion.set(camber.clock.t), camber.view.motion.place.flatMap((x) => x.toArray())));
const apart = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

async function testSliders(name, page) {
  const home = await places(page);
  const before = await picture(page);
  check(`${name}: the picture has ${before.colours} colours`, before.colours > 30);
  const sliders = await page.locator(".slider").count();
  check(`${name}: there is a slider`, sliders > 0);
  const hashes = new Set([before.hash]);
  for (const part of [0.4, 0.6, 0.7]) {
    await drag(page, 0, part);
    hashes.add((await picture(page)).hash);
  }
  check(`${name}: the slider changes the picture`, hashes.size === 4);
  const value = await page.locator(".slider output").first().textContent();
  if (sliders > 1) {
    await drag(page, 1, 0.6);
    check(`${name}: the first slider returns from ${value}`, (await page.locator(".slider output").first().textContent()) !== value);
    check(`${name}: one slider is marked`, (await page.locator(".slider.moved").count()) === 1);
  }
  await page.getByRole("button", { name: "start" }).click();
  check(`${name}: the button start restores the start position`, apart(await places(page), home) < 1e-9);
}

// The loops are closed within 0.2 % of the size of the mechanism also between the computed positions, which is not visible.
async function testBetween(name, page) {
  const gap = await page.evaluate(() => {
    const { view, report, sliders, clock } = camber;
    const row = sliders.rows[0];
    let most = 0;
    for (let p = 0.3; p < 0.7; p += 0.013) {
      sliders.choose(row, row.low + p * (row.high - row.low));
      view.motion.set(clock.t);
      for (const l of report.scene.loops) if (["revolute", "spherical"].includes(l.type)) most = Math.max(most, view.motion.point(l.points[0]).distanceTo(view.motion.point(l.points[1])));
    }
    sliders.choose(null);
    return most / view.size;
  });
  check(`${name}: the largest gap of loops between computed positions, relative to the size, is ${gap}`, gap < 2e-3);
}

async function testModes(name, page) {
  const home = await places(page);
  const button = page.locator(".modes button:enabled").last();
  await button.click();
  check(`${name}: a click chooses the mode`, (await button.getAttribute("aria-pressed")) === "true");
  const from = await page.evaluate(() => camber.clock.t);
  await page.waitForFunction((t) => camber.clock.t !== t, from, { timeout: 20000 });
  await page.keyboard.press("Space");
  check(`${name}: the space key pauses`, await page.evaluate(() => !camber.clock.playing));
  const shape = async (amplitude) => {
    await page.evaluate((a) => {
      const input = document.querySelector(".amplitude input");
      input.value = String(a);
      input.dispatchEvent(new Event("input"));
      camber.clock.set(0);
    }, amplitude);
    return apart(await places(page), home);
  };
  const [full, half, none] = [await shape(100), await shape(50), await shape(0)];
  check(`${name}: amplitudes ${full}, ${half}, ${none}`, full > 0 && Math.abs(half / full - 0.5) < 0.02 && none < 1e-9);
  await shape(100);
  await page.screenshot({ path: `${pictures}/view-${name}-mode.png` });
  await button.click();
  check(`${name}: a second click ends the mode`, apart(await places(page), home) < 1e-9);
}

async function testLabels(name, page) {
  check(`${name}: no labels at first`, !(await page.locator(".labels:not(.gaps)").isVisible()));
  await page.keyboard.press("l");
  check(`${name}: the key l shows labels`, await page.locator(".labels span").first().isVisible());
  await page.keyboard.press("l");
  await page.keyboard.press("?");
  check(`${name}: the key ? shows the help`, await page.locator("dialog").isVisible());
  await page.locator("dialog button").click();
}

for (const name of MODELS) {
  const page = await open(name, 1500, 900);
  await testWidth(name, page, false);
  await testSliders(name, page);
  await testBetween(name, page);
  await testModes(name, page);
  await testLabels(name, page);
  check(`${name}: no banner`, (await page.locator(".banner").count()) === 0);
  await drag(page, name === "sedan" ? 6 : 0, 0.62);
  await picture(page);
  await page.screenshot({ path: `${pictures}/view-${name}.png` });
  await page.close();
}

const bad = await open("bad", 1200, 800);
check("bad: a banner with the failure", (await bad.locator(".banner").textContent()).includes("cannot close at the start"));
check("bad: the gap of the loop", (await bad.locator(".gap").textContent()) === "close: 500 mm" && (await bad.locator(".gap").isVisible()));
check("bad: no sliders", (await bad.locator(".slider").count()) === 0);
check("bad: the picture is not blank", (await picture(bad)).colours > 20);
await testWidth("bad", bad, false);
await bad.screenshot({ path: `${pictures}/view-bad.png` });

const written = await filmTexts("bad", "at=start");
check("bad: a notice in the picture", written.some((w) => w.text.startsWith("Not assembled: ") && w.colour === "#b42318"));

const wide = await open("wide", 1200, 800);
check("wide: a warning", (await wide.locator(".warning").allTextContents()).some((w) => w.includes("loop close are 30 mm apart")));

for (const name of ["slider-crank", "held", "stick-slip", "contradiction"]) {
  const page = await open(name, 1000, 700);
  await testWidth(name, page, false);
  check(`${name}: the picture is not blank`, (await picture(page)).colours > 8);
  if (name === "stick-slip") check("stick-slip: the reason why there are no modes", (await page.locator(".modes").textContent()).includes("sticks"));
  if (name === "held") check("held: a note that nothing can move", (await page.locator(".controls").textContent()).includes("nothing can move"));
  await page.close();
}

for (const name of ["fivelink", "bad"]) {
  const page = await open(name, 400, 800, "dark");
  await testWidth(`${name}, 400 px`, page, false);
  check(`${name}, 400 px: the picture is not blank`, (await picture(page)).colours > 20);
  await page.screenshot({ path: `${pictures}/view-${name}-400.png`, fullPage: true });
  await page.close();
}

const point = await open("point", 800, 600);
check("point: the camera is outside of the mechanism", await point.evaluate(() => camber.view.camera.position.distanceTo(camber.view.controls.target) > 0.5 * camber.view.size));
check("point: a mode without damping is not marked as unstable", !(await point.locator(".modes").textContent()).includes("unstable"));

const hostile = await open("hostile", 800, 600);
check("hostile: the title is shown as text", (await hostile.locator("h1").textContent()) === '</script><script>alert("1")</script> <b>bold</b>');
check("hostile: the texts make no elements", (await hostile.locator("b, img").count()) === 0);

await finish();

// Tests the report of each bundled model: the picture is not blank, changes with time and contains all bodies, and springs have the lengths that the program computes.

import { readFileSync } from "node:fs";
import { check, open, picture, pictures, scrub, testWidth } from "./browser.mjs";

const LOOK = { hmmwv14: 0.104 }; // fraction of the run at which the screenshot is taken: here the front wheels are on the bump

// Draws three pictures; the last one remains for the screenshot.
async function testPicture(name, page) {
  const hashes = new Set();
  for (const part of [0, 0.71, LOOK[name] ?? 0.37]) {
    await scrub(page, part);
    const { colours, hash } = await picture(page);
    check(`${name}: the picture at ${part} of the run has ${colours} colours`, colours > 30);
    hashes.add(hash);
  }
  check(`${name}: the picture changes with time`, hashes.size === 3);
}

// The centres of mass of all bodies are in the picture.
async function testFrame(name, page) {
  const outside = await page.evaluate(() => {
    const { view, report } = camber;
    view.camera.updateMatrixWorld();
    return report.scene.bodies.filter((b, i) => view.motion.point({ body: i, at: b.com }).project(view.camera).toArray().some((x) => Math.abs(x) > 1)).map((b) => b.name);
  });
  check(`${name}: bodies outside of the picture: ${outside.join(", ")}`, outside.length === 0);
}

// The drawn lengths of the coils at three times, from the first to the last turn, equal the outputs probe_0, probe_1, ... of the program within 0.1 %.
async function testSprings(name, page, springs) {
  const found = await page.evaluate((names) => {
    const { clock, report, view } = camber;
    const { t, columns } = report.series;
    const lengthOf = (coil) => {
      coil.updateMatrixWorld(true);
      const z = Array.from({ length: coil.geometry.getAttribute("position").count }, (_, n) => coil.geometry.getAttribute("position").getZ(n));
      const wire = Math.max(...z) - Math.min(...z) - 1;
      return (Math.max(...z) - Math.min(...z) - wire) * Math.hypot(...coil.matrixWorld.elements.slice(8, 11));
    };
    return [0.11, 0.23, 0.6].flatMap((part) => {
      const now = clock.start + part * (clock.end - clock.start);
      view.motion.set(now);
      view.mechanism.update();
      const k = Math.max(t.findLastIndex((x) => x <= now), 0);
      const f = (now - t[k]) / (t[k + 1] - t[k]);
      return names.map((spring, i) => {
        const { values } = columns.find((c) => c.name === `probe_${i}`);
        return [spring, part, lengthOf(view.mechanism.springs[spring]), values[k] + f * (values[k + 1] - values[k])];
      });
    });
  }, springs);
  for (const [spring, part, drawn, wanted] of found) check(`${name}: ${spring} is drawn ${drawn} m long at ${part} of the run, expected ${wanted} m`, Math.abs(drawn - wanted) < 1e-3 * wanted);
}

export async function testModels(names) {
  let all = 0;
  for (const name of names) {
    const springs = readFileSync(`${name}.springs`, "utf8").split("\n").filter(Boolean);
    const page = await open(name, 1100, 640);
    await testWidth(name, page);
    await testFrame(name, page);
    await testSprings(name, page, springs);
    await testPicture(name, page);
    await testFrame(name, page);
    await page.screenshot({ path: `${pictures}/${name}.png` });
    await page.close();
    all += springs.length;
  }
  check(`number of springs in all models: ${all}`, all > 20);
}

// Uses reports in Chromium as a reader does: node drive.mjs MODEL.., with MODEL.html of all of them and of those below in this folder, and the names of their
// springs in MODEL.springs. Screenshots go to the folder PICTURES. Prints what failed, and ends with 1 then.

import { check, finish, open, picture, pictures, scrub, testWidth, time } from "./browser.mjs";
import { testModels } from "./models.mjs";

async function testPlot(name, page) {
  await page.keyboard.press("Home");
  const before = await picture(page);
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(box.x + 0.6 * box.width, box.y + 0.5 * box.height);
  const [t, start, end] = await page.evaluate(() => [camber.clock.t, camber.clock.start, camber.clock.end]);
  check(`${name}: a click in a plot leads to t = ${t}`, Math.abs(t - (start + 0.6 * (end - start))) < 0.01 * (end - start));
  check(`${name}: a click in a plot does not move the animation`, (await picture(page)).hash !== before.hash);
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
  check(`${name}: End`, (await time(page)) === (await page.evaluate(() => camber.clock.end)));
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
  check(`${name}: space does not pause`, await page.evaluate(() => !camber.clock.playing));
  const speed = await page.evaluate(() => camber.clock.speed);
  await page.keyboard.press("-");
  check(`${name}: minus is not slower`, (await page.evaluate(() => camber.clock.speed)) < speed);
  check(`${name}: labels at first`, !(await page.locator(".labels").isVisible()));
  await page.keyboard.press("l");
  check(`${name}: no labels`, await page.locator(".labels span").first().isVisible());
  await page.keyboard.press("l");
  await page.keyboard.press("?");
  check(`${name}: no help`, await page.locator("dialog").isVisible());
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
  check(`${name}: a drag does not turn the view`, Math.hypot(...(await at()).map((x, i) => x - before[i])) > 1e-3);
  await page.keyboard.press("r");
  check(`${name}: r does not bring the first view back`, Math.hypot(...(await at()).map((x, i) => x - before[i])) < 1e-3 * Math.hypot(...before) + 1);
}

async function testArrows(name, page) {
  const before = await picture(page);
  await page.keyboard.press("a");
  check(`${name}: no arrows`, (await picture(page)).hash !== before.hash && (await page.evaluate(() => camber.view.arrows.list.length)) >= 2);
  await page.keyboard.press("a");
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

// One model in detail: light in a wide window, dark in that of a telephone.
async function testDetail(name) {
  const page = await open(name, 1600, 900);
  await testWidth(`${name}, 1600 px`, page);
  await testPlot(name, page);
  await testKeys(name, page);
  await testMouse(name, page);
  await testArrows(name, page);
  await page.screenshot({ path: `${pictures}/${name}-1600.png` });
  await testChoice(name, page);
  await page.close();
}

async function testNarrow(name) {
  const page = await open(name, 400, 800, "dark");
  await testWidth(`${name}, 400 px`, page);
  await scrub(page, 0.2);
  check(`${name}, 400 px: blank`, (await picture(page)).colours > 20);
  check(`${name}: not dark`, await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((x) => x < 60)));
  await page.screenshot({ path: `${pictures}/${name}-400.png`, fullPage: true });
  await page.close();
}

async function testHostile() {
  const page = await open("hostile", 800, 600);
  check("hostile: the title is not a text", (await page.locator("h1").textContent()) === '</script><script>alert("1")</script> <b>bold</b>');
  check("hostile: the unit is not a text", (await page.locator(".choose label").first().textContent()).includes("</script><img src=x"));
  check("hostile: an element of it", (await page.locator("b, img").count()) === 0);
  await page.close();
}

async function testProblem() {
  const page = await open("caraxis", 800, 600);
  await testWidth("caraxis", page);
  check("caraxis: why there is no animation", (await page.locator(".hint").textContent()).includes("no bodies"));
  await page.close();
}

await testModels(process.argv.slice(2));
await testDetail("fivelink");
await testNarrow("fivelink");
await testNarrow("newtons-cradle");
await testHostile();
await testProblem();
await finish();

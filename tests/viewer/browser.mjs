// What the scripts of this folder share: a browser, pages of a folder that tell of every error, and checks that are counted.

import { chromium } from "playwright-core";
import { resolve } from "node:path";

export const folder = resolve(process.argv[2]);

let failures = 0;
let checks = 0;
export function check(what, good) {
  checks++;
  if (good) return;
  failures++;
  console.log(`FAILED: ${what}`);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

// A page that tells of every error, and of everything that it asks the network for.
export async function open(name, width, height, colorScheme = "light") {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce", colorScheme });
  page.on("console", (m) => check(`${name}: console: ${m.text()}`, m.type() !== "error" && m.type() !== "warning"));
  page.on("pageerror", (e) => check(`${name}: ${e.message}`, false));
  page.on("dialog", (d) => check(`${name}: dialog ${d.message()}`, false));
  page.on("request", (r) => check(`${name}: asks for ${r.url().slice(0, 80)}`, r.url() === `file://${folder}/${name}.html`));
  await page.goto(`file://${folder}/${name}.html`);
  return page;
}

// How many colours the animation has, and a number that changes with it.
export const picture = (page) =>
  page.evaluate(() => {
    camber.view.stale = true;
    camber.view.draw();
    const canvas = document.createElement("canvas");
    canvas.width = 160;
    canvas.height = 100;
    const context = canvas.getContext("2d");
    context.drawImage(camber.view.renderer.domElement, 0, 0, 160, 100);
    const pixels = new Uint32Array(context.getImageData(0, 0, 160, 100).data.buffer);
    return { colours: new Set(pixels).size, hash: pixels.reduce((h, x) => (Math.imul(h, 31) + x) | 0, 7) };
  });

export async function scrub(page, part) {
  await page.evaluate((p) => {
    const slider = document.querySelector("input[type=range]");
    slider.value = String(10000 * p);
    slider.dispatchEvent(new Event("input"));
  }, part);
}

export async function testWidth(name, page) {
  const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(`${name}: the page is ${wide} wide in a window of ${inner}`, wide <= inner);
  check(`${name}: no plot`, await page.locator(".u-over").first().isVisible());
}

// Closes the browser, says how it went, and ends with 1 if something failed.
export async function finish() {
  await browser.close();
  console.log(`${checks} checks, ${failures} failures`);
  process.exit(failures > 0 ? 1 : 0);
}

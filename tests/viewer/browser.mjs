// For tests in a browser: starts Chromium with a software renderer for WebGL, opens pages, fails checks for their errors, and counts checks.

import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";

export const folder = resolve("."); // with the reports
export const pictures = resolve(process.env.PICTURES ?? "pictures"); // screenshots, for people to look at
mkdirSync(pictures, { recursive: true });

const tally = { checks: 0, failures: 0 };

export function check(what, good) {
  tally.checks++;
  if (good) return;
  tally.failures++;
  console.log(`FAILED: ${what}`);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

export async function finish() {
  await browser.close();
  console.log(`${tally.checks} checks, ${tally.failures} failures`);
  process.exit(tally.failures > 0 ? 1 : 0);
}

// Opens a page. Every error, warning, dialog and request for another address of the page is a failed check.
export async function open(name, width, height, colorScheme = "light") {
  const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce", colorScheme });
  page.on("console", (m) => check(`${name}: console: ${m.text()}`, m.type() !== "error" && m.type() !== "warning"));
  page.on("pageerror", (e) => check(`${name}: ${e.message}`, false));
  page.on("dialog", (d) => check(`${name}: dialog ${d.message()}`, false));
  page.on("request", (r) => check(`${name}: asks for ${r.url().slice(0, 80)}`, r.url() === `file://${folder}/${name}.html`));
  await page.goto(`file://${folder}/${name}.html`);
  return page;
}

// Returns the texts, with their colours, that the page draws into the pictures of a request (film.js).
export async function filmTexts(name, request) {
  const page = await browser.newPage({ colorScheme: "light" });
  await page.addInitScript(() => {
    window.written = [];
    const { prototype } = CanvasRenderingContext2D;
    const write = prototype.fillText;
    prototype.fillText = function (text, ...where) {
      window.written.push({ text, colour: this.fillStyle });
      return write.call(this, text, ...where);
    };
  });
  await page.goto(`file://${folder}/${name}.html#camber-film=1&width=640&height=360&${request}`);
  check(`${name}: no picture`, (await page.locator("body > pre").textContent()).includes("camber-picture"));
  const texts = await page.evaluate(() => window.written);
  await page.close();
  return texts;
}

// Draws the animation. Returns the number of its colours and a hash of its pixels.
export const picture = (page) =>
  page.evaluate(() => {
    camber.view.stale = true;
    camber.view.draw();
    const canvas = document.createElement("canvas");
    canvas.width = 160;
    canvas.height = 100;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(camber.view.renderer.domElement, 0, 0, 160, 100);
    const pixels = new Uint32Array(context.getImageData(0, 0, 160, 100).data.buffer);
    return { colours: new Set(pixels).size, hash: pixels.reduce((h, x) => (Math.imul(h, 31) + x) | 0, 7) };
  });

export const time = (page) => page.evaluate(() => camber.clock.t);

// Moves the time slider to a fraction of the run.
export async function scrub(page, part) {
  await page.evaluate((p) => {
    const slider = document.querySelector("input[type=range]");
    slider.value = String(10000 * p);
    slider.dispatchEvent(new Event("input"));
  }, part);
}

// Checks that the page is not wider than the window, and that it shows a plot.
export async function testWidth(name, page, plots = true) {
  const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(`${name}: the page is ${wide} wide in a window of ${inner}`, wide <= inner);
  if (plots) check(`${name}: the page shows a plot`, await page.locator(".u-over").first().isVisible());
}

// Measures the speed of the report of a long run of a vehicle, recorded each millisecond: how long it takes to open, and the time of scripts for each picture. The time of
// opening depends on the machine and its load; it is printed only. The median of the time of scripts is checked.

import { check, open } from "./browser.mjs";

const MOST_SCRIPT = 8; // ms for each picture: half of the time at 60 pictures per second

const median = (list) => list.slice().sort((a, b) => a - b)[Math.floor(list.length / 2)];

export async function testSpeed(name) {
  const page = await open(name, 1100, 640);
  await page.waitForFunction(() => performance.getEntriesByName("camber: first picture").length > 0, null, { timeout: 60000 });
  const opened = await page.evaluate(() => performance.getEntriesByName("camber: first picture")[0].startTime);
  const times = await page.evaluate(async () => {
    const { clock, view } = camber;
    const { renderer } = view;
    const all = [];
    const drawing = [];
    const render = renderer.render;
    let spent = 0;
    renderer.render = (...given) => {
      const begun = performance.now();
      render.apply(renderer, given);
      spent += performance.now() - begun;
    };
    view.toggle("arrows");
    view.toggle("trails");
    clock.playing = true;
    for (let k = 0; k < 15; k++) {
      spent = 0;
      const begun = performance.now();
      clock.advance(1 / 60);
      await Promise.resolve(); // lets the plots make their deferred updates
      view.draw();
      all.push(performance.now() - begun);
      drawing.push(spent);
      await new Promise(requestAnimationFrame);
    }
    clock.play(false);
    renderer.render = render;
    return { all, drawing };
  });
  const script = median(times.all.map((x, i) => x - times.drawing[i]));
  console.log(`${name}: opened in ${(opened / 1000).toFixed(2)} s; a picture, with arrows and trails: ${script.toFixed(1)} ms of script and ${median(times.drawing).toFixed(1)} ms of calls to WebGL (medians)`);
  check(`${name}: ${script} ms of scripts for each picture`, script <= MOST_SCRIPT);
  await page.close();
}

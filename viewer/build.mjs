// Makes the viewer, one script: node build.mjs OUTPUT. It has to be small enough to stand in every report, and must not end the page's script element.

import { build } from "esbuild";
import { readFile, rename, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const MOST_BYTES = 900_000;

const output = process.argv[2] ?? "viewer.js";
const partial = `${output}.partial`;
await build({
  entryPoints: [fileURLToPath(new URL("src/main.js", import.meta.url))],
  outfile: partial,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  loader: { ".css": "text" },
  legalComments: "inline",
  logLevel: "warning",
});
const text = await readFile(partial, "utf8");
const problem = text.length > MOST_BYTES ? `it has ${text.length} bytes, more than ${MOST_BYTES}` : /<\/script|<!--/i.test(text) ? "it would end the script element of a page" : null;
if (problem) {
  await rm(partial);
  console.error(`viewer: ${problem}`);
  process.exit(1);
}
await rename(partial, output);

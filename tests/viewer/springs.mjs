// Prints the names of the coil springs of a report, one in each line: node springs.mjs REPORT.html
import { readFileSync } from "node:fs";

const [, data] = /id='camber-report'>\n(.*?)<\/script>/s.exec(readFileSync(process.argv[2], "utf8"));
const [{ scene }] = JSON.parse(data).reports;
for (const f of scene?.forces ?? []) if (f.type === "spring" && f.elastic) console.log(f.name);

// Bundle the page into the Python package: `npm ci && npm run build`.
import { build } from "esbuild";
import { copyFile, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const target = "../src/grouser/gateways/page/static";
const LIMIT = 300_000; // bytes, gzipped

await build({
  entryPoints: [{ in: "src/main.ts", out: "page" }],
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: "/* Grouser, Apache-2.0; contains three.js (MIT) and uPlot (MIT). */" },
});
await copyFile("src/index.html", `${target}/index.html`);
let total = 0;
for (const name of ["index.html", "page.css", "page.js"]) {
  const size = gzipSync(await readFile(`${target}/${name}`), { level: 9 }).length;
  console.log(`${name.padEnd(12)} ${size} bytes gzipped`);
  total += size;
}
console.log(`total        ${total} of ${LIMIT} bytes`);
if (total > LIMIT) process.exit(1);

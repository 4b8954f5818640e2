// Builds what the program embeds: node build.js OUT [CACHE].
//
// The pages of one file (report, diff, memory) and the app of the server are one script and one style sheet each, without parts that would be loaded later. Build
// folders of one tree share CACHE: where the sources are as they were, its files are copied.
import {createHash} from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "vite";
import {alias, made} from "./aliases.js";

const root = path.dirname(fileURLToPath(import.meta.url));
// Each file of src/page is a page.
const pages = fs.readdirSync(path.join(root, "src/page")).map((file) => [path.parse(file).name, `page/${file}`]);

function filesBelow(folder) {
  return fs
    .readdirSync(folder, {withFileTypes: true})
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = path.join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(name) : [name];
    });
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const name of [
    ...filesBelow(path.join(root, "src")),
    ...filesBelow(made),
    ...["build.js", "aliases.js", "package-lock.json", "tsconfig.json"].map((one) => path.join(root, one)),
  ]) {
    hash.update(`${path.relative(root, name)}\n`);
    hash.update(fs.readFileSync(name));
  }
  return hash.digest("hex");
}

// The licences of what stands in the scripts, which minifying would take out.
function licences(names) {
  return names
    .map(
      (name) =>
        `/*! ${name}\n${fs
          .readFileSync(path.join(root, "node_modules", name, "LICENSE"), "utf8")
          .replace(/\r/g, "")
          .trim()}\n*/\n`,
    )
    .join("");
}

async function buildPage(page, source, out) {
  const libraries = new Set();
  const result = await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    resolve: {alias},
    plugins: [
      {
        name: "libraries",
        moduleParsed(info) {
          const inside = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/.*\.m?js$/.exec(info.id);
          if (inside) libraries.add(inside[1]);
        },
      },
    ],
    build: {
      write: false,
      target: "es2022",
      minify: "esbuild",
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: {
        input: path.join(root, "src", source),
        output: {
          format: "iife",
          inlineDynamicImports: true,
          entryFileNames: `${page}.js`,
          assetFileNames: `${page}[extname]`,
        },
      },
    },
  });
  const files = result.output.map((one) => [
    one.fileName,
    one.type === "chunk" ? licences([...libraries].sort()) + one.code : one.source,
  ]);
  const names = files
    .map(([name]) => name)
    .sort()
    .join(" ");
  if (names !== `${page}.css ${page}.js`) throw new Error(`the page ${page} is made of ${names}`);
  for (const [name, content] of files) fs.writeFileSync(path.join(out, name), content);
}

async function buildAll(cache) {
  const mark = path.join(cache, "fingerprint");
  const now = fingerprint();
  if (fs.existsSync(mark) && fs.readFileSync(mark, "utf8") === now) return;
  fs.rmSync(cache, {recursive: true, force: true});
  fs.mkdirSync(cache, {recursive: true});
  for (const [page, source] of pages) await buildPage(page, source, cache);
  fs.writeFileSync(mark, now);
}

const [out, cache = out] = process.argv.slice(2);
if (!out) throw new Error("usage: node build.js OUT [CACHE]");
await buildAll(cache);
if (cache !== out) fs.cpSync(cache, out, {recursive: true});

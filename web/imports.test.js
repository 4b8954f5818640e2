// Which folder of src may know which, and that no file needs itself.

import fs from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {expect, test} from "vitest";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "src");

function filesBelow(folder) {
  return fs.readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(name) : /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) ? [name] : [];
  });
}

const files = new Map(filesBelow(root).map((name) => [path.relative(root, name), fs.readFileSync(name, "utf8")]));

// Types, too: what they name has a place, and a reader follows them.
function importsOf(file) {
  const found = [...files.get(file).matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)";|^import "(\.[^"]+)";/gms)];
  const base = found.map(([, named, plain]) => path.join(path.dirname(file), named ?? plain));
  return base.flatMap((one) => ["", ".ts", ".tsx"].map((ending) => one + ending).filter((name) => files.has(name)));
}

// A way from a file back to it, or null.
function circleFrom(file, done, way = []) {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
  if (done.has(file)) return null;
  for (const next of importsOf(file)) {
    const found = circleFrom(next, done, [...way, file]);
    if (found) return found;
  }
  done.add(file);
  return null;
}

test("no file imports itself by way of others", () => {
  const done = new Set();
  expect([...files.keys()].map((file) => circleFrom(file, done)).filter(Boolean)).toEqual([]);
});

const folderOf = (file) => file.split(path.sep)[0];
const knows = {
  model: ["model"],
  draw: ["draw", "model"],
  views: ["views", "draw", "model"],
  app: ["app", "views", "draw", "model"],
  page: ["page", "app", "views", "draw", "model"],
};

test("folders know those below them", () => {
  const wrong = [...files.keys()].flatMap((file) =>
    importsOf(file)
      .filter((one) => !knows[folderOf(file)].includes(folderOf(one)))
      .map((one) => `${file} imports ${one}`),
  );
  expect(wrong).toEqual([]);
});

test("model sees no elements, draw asks no server", () => {
  const inModel = [...files].filter(
    ([file, text]) => folderOf(file) === "model" && /\bdocument\.|HTML\w*Element/.test(text),
  );
  const inDraw = [...files].filter(([file, text]) => folderOf(file) === "draw" && /\bfetch\(|model\/api"/.test(text));
  expect([...inModel, ...inDraw].map(([file]) => file)).toEqual([]);
});

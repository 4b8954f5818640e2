import {expect, test} from "vitest";
import type {TableDefinition} from "@made/api_types";
import {completed, completions, plotOf, sortedRows, unitOf, viewsOf, wordAt} from "./sql";

function tableOf(given: Pick<TableDefinition, "name" | "subject"> & Partial<TableDefinition>): TableDefinition {
  const others = {topic: "", size: "summary", group: "default", summary: "", definition: "", example: ""};
  return {...others, columns: [], options: [], ...given};
}

const tables: TableDefinition[] = [
  tableOf({
    name: "kernels",
    subject: "events",
    group: "view",
    summary: "device work",
    columns: [
      {name: "dur_ns", type: "int64", unit: "ns", doc: "duration"},
      {name: "class", type: "string", unit: "", doc: "what it is for"},
    ],
  }),
  tableOf({
    name: "step_times",
    subject: "job",
    summary: "steps",
    columns: [{name: "duration_ns", type: "int64", unit: "ns", doc: "of the step"}],
  }),
  tableOf({name: "hta.idle", subject: "job", group: "compat", summary: "HTA's"}),
];

test("SQL has no tables of two jobs, of snapshots or of dumps", () => {
  const others = ["pair", "snapshot", "dumps"].map((subject) => tableOf({name: subject, subject}));
  expect(viewsOf([...tables, ...others])).toEqual(tables);
});

test("a word is what stands before the caret", () => {
  expect(wordAt("select dur", 10)).toBe("dur");
  expect(wordAt("select k.du from", 11)).toBe("k.du");
  expect(wordAt("select (", 8)).toBe("");
});

test("columns of what is mentioned come first", () => {
  expect(completions("select du from kernels", 9, tables).map((one) => one.text)).toEqual(["dur_ns"]);
  expect(completions("select du", 9, tables)).toEqual([]);
  expect(completions("from st", 7, tables).map((one) => one.text)).toEqual(["step_times", "stddev("]);
  expect(completions("select k.cl from kernels k", 11, tables).map((one) => one.text)).toEqual(["class"]);
  expect(completions("from hta.", 9, tables).map((one) => one.text)).toEqual(["hta.idle"]);
});

test("completing replaces the word alone", () => {
  const found = {text: "class", about: ""};
  expect(completed("select k.cl from kernels k", 11, found, tables)).toEqual({
    text: "select k.class from kernels k",
    caret: 14,
  });
  expect(completed("from hta.", 9, {text: "hta.idle", about: ""}, tables)).toEqual({text: "from hta.idle", caret: 13});
});

test("results are drawn by what they are", () => {
  const columns = [
    {name: "name", type: "string"},
    {name: "total", type: "int64"},
  ];
  expect(
    plotOf({
      columns,
      rows: [
        ["a", 1],
        ["b", 2],
      ],
    }),
  ).toEqual({kind: "bars", x: 0, y: 1});
  const numbers = [
    {name: "x", type: "int64"},
    {name: "y", type: "double"},
  ];
  expect(
    plotOf({
      columns: numbers,
      rows: [
        [1, 5],
        [2, 3],
      ],
    }),
  ).toEqual({kind: "line", x: 0, y: 1});
  expect(
    plotOf({
      columns: numbers,
      rows: [
        [2, 5],
        [1, 3],
      ],
    }),
  ).toEqual({kind: "points", x: 0, y: 1});
  expect(plotOf({columns: numbers, rows: [[2, 5]]})).toBeNull();
  expect(plotOf({columns: [{name: "a", type: "string"}], rows: [["x"], ["y"]]})).toBeNull();
});

test("answers are sorted, and know their units", () => {
  expect(
    sortedRows(
      [
        ["b", 2],
        ["a", null],
        ["c", 1],
      ],
      1,
      -1,
    ).map((row) => row[0]),
  ).toEqual(["b", "c", "a"]);
  expect([unitOf("dur_ns"), unitOf("busy_pct"), unitOf("bytes"), unitOf("name")]).toEqual(["ns", "%", "bytes", ""]);
});

import {expect, test} from "vitest";
import {changeForms, changesOf, predictionOf, searchOf} from "./whatif";

test("every form says a change", () => {
  const said = changeForms.map((form) =>
    form.text(Object.fromEntries(form.fields.map((field) => [field.name, field.start]))),
  );
  expect(said).toEqual([
    "idealise:rank=0",
    "scale:kind=communication,factor=0.5",
    "remove:kind=sync",
    "idealise:op=aten::mm",
    "idealise:stage=0",
    "balance",
    "overlap",
    "microbatches:count=8",
  ]);
});

test("addresses keep changes", () => {
  const changes = ["idealise:op=a&b ,c", "balance"];
  expect(changesOf(searchOf(changes))).toEqual(changes);
  expect(searchOf([])).toBe("");
});

test("the last row is all changes together", () => {
  const columns = ["change", "step_ns", "changed_ns", "gain_pct", "confidence", "refused_reason"].map((name) => ({
    name,
  }));
  expect(
    predictionOf({
      columns,
      rows: [
        ["a", 100, 90, 10, 0.9, null],
        ["all", 100, 70, 30, null, null],
      ],
    }),
  ).toEqual({step_ns: 100, changed_ns: 70, gain_pct: 30, confidence: null});
  expect(predictionOf({columns, rows: [["a", null, null, null, null, "no collectives"]]})).toBeNull();
  expect(predictionOf({columns, rows: []})).toBeNull();
});

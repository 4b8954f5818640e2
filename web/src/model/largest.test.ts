import {expect, test} from "vitest";
import {largestNamed} from "./largest";
import {Table} from "./report";

test("a section is answered by the largest row that names something", () => {
  const column = (name: string, cells: (string | number | null)[]) => ({name, type: "", unit: "", doc: "", cells});
  const raw = {
    rows: 5,
    columns: [
      column("op", ["record_param_comms", "aten::mm", "(no module)", "aten::add", "aten::bmm"]),
      column("share_pct", [60, 20, 50, 5, null]),
    ],
  };
  const source = new Table("ops_by_name", raw as never, () => "");
  const of = (rows: readonly number[]) => largestNamed(source, rows, "share_pct", (row) => source.text(row, "op"));
  expect(of(source.rows())).toBe(1);
  expect(of([2, 3])).toBe(3);
  expect(of([0, 4])).toBe(null);
});

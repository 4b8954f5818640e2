import {expect, test} from "vitest";
import {blocksOf, piecesOf} from "./markdown";

test("blocks of a page of a finding", () => {
  const page =
    "# launch-bound\n\nKernels are\nshort.\n\n## Do\n\n```\na = 1\n\n- b\n```\n\n- `x`: one\n  more\n- two\nEnd\n";
  expect(blocksOf(page)).toEqual([
    {kind: "heading", level: 1, text: "launch-bound"},
    {kind: "paragraph", text: "Kernels are short."},
    {kind: "heading", level: 2, text: "Do"},
    {kind: "code", text: "a = 1\n\n- b"},
    {kind: "list", items: ["`x`: one more", "two End"]},
  ]);
});

test("code and links within a line", () => {
  expect(piecesOf("see [roofline.md](../roofline.md) and `a <b>`.")).toEqual([
    {text: "see roofline.md and ", isCode: false},
    {text: "a <b>", isCode: true},
    {text: ".", isCode: false},
  ]);
});

import {expect, test} from "vitest";
import {csvOf, tsvOf} from "./csv";

test("tables leave the page whole", () => {
  const rows = [
    ['say "x", y', null],
    ["=1+1", -2],
    ["line\nbreak", 3],
  ];
  expect(csvOf(["a", "b"], rows)).toBe('a,b\r\n"say ""x"", y",\r\n\'=1+1,-2\r\n"line\nbreak",3\r\n');
  expect(tsvOf(["a", "b"], rows)).toBe('a\tb\nsay "x", y\t\n\'=1+1\t-2\nline break\t3\n');
});

import {expect, test} from "vitest";
import {listed, front, shortPath, visible} from "./text";

test("what hides or reorders text is written out", () => {
  expect(visible("a\u202eb\u0007")).toBe("a\\u202eb\\u0007");
  expect(visible(visible("a\u202eb"))).toBe("a\\u202eb");
  expect(front("abcdef", 3)).toBe("abc\u2026");
});

test("a long path keeps both ends", () => {
  expect(shortPath("Model/Block/Attention", 40, /(?<=[/.])/)).toBe("Model/Block/Attention");
  expect(shortPath("Model/Encoder/Layer_0/Block/Attention", 20, /(?<=[/.])/)).toBe("Model/\u2026/Attention");
});

test("names in a sentence", () => {
  expect(listed([], 4)).toBe("");
  expect(listed(["3"], 4)).toBe("3");
  expect(listed(["3", "4"], 4)).toBe("3 and 4");
  expect(listed(["3", "4", "5"], 3)).toBe("3, 4 and 5");
  expect(listed(["3", "4", "5", "6"], 2)).toBe("3, 4 and 2 more");
});

import {expect, test} from "vitest";
import {takesKey} from "./keys";

test("the picture's keys, by where the focus is", () => {
  const keys = ["w", "/", "?", "Escape", "Enter", " ", "ArrowDown", "Home"];
  expect(keys.filter((key) => takesKey("picture", key))).toEqual(keys);
  expect(keys.filter((key) => takesKey("nothing", key))).toEqual(keys);
  expect(keys.filter((key) => takesKey("control", key))).toEqual(["w", "/", "?", "Escape"]);
  expect(keys.filter((key) => takesKey("field", key))).toEqual([]);
  // In the picture alone.
  expect(keys.filter((key) => takesKey("picture", key, false))).toEqual(keys);
  expect(keys.filter((key) => takesKey("nothing", key, false))).toEqual([]);
  expect(keys.filter((key) => takesKey("control", key, false))).toEqual([]);
});

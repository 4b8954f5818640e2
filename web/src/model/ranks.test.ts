import {describe, expect, it} from "vitest";
import {named, numbersOf, rangesOf} from "./ranks";

describe("ranks as people write them", () => {
  it("reads ranges and leaves out what it does not understand", () => {
    expect(numbersOf("0-3,7")).toEqual([0, 1, 2, 3, 7]);
    expect(numbersOf(" 2 , x, 5-4, -1, 9")).toEqual([2, 9]);
    expect(numbersOf(null)).toEqual([]);
  });
  it("stops before a range fills the memory", () => {
    expect(numbersOf("0-999999999").length).toBe(20000);
  });
  it("writes them ordered, each once", () => {
    expect(rangesOf([7, 3, 2, 1, 0, 3])).toBe("0-3,7");
    expect(rangesOf([])).toBe("");
  });
});

it("one rank is no ranks", () => {
  expect(named("rank", [5])).toBe("rank 5");
  expect(named("rank", [0, 1, 2, 7])).toBe("ranks 0-2,7");
  expect(named("step", [10])).toBe("step 10");
  expect(named("rank", [1, 3, 5, 7], 10)).toBe("ranks 1,3,\u2026");
});

import {expect, test} from "vitest";
import {whichSteps} from "./step_words";

test("which steps there are, and on how many ranks they are complete", () => {
  expect(whichSteps([10], 1, 8, 8)).toBe("number 10, complete on all 8 ranks");
  expect(whichSteps([10, 11, 12, 13], 4, 64, 16)).toBe("10 to 13, complete on all 16 ranks");
  expect(whichSteps([0, 1], 2, 4, 2)).toBe("0 to 1, complete on both ranks");
  expect(whichSteps([5, 6, 7], 3, 3, 1)).toBe("5 to 7, complete");
  expect(whichSteps([0, 9], 10, 36, 4)).toBe("0 to 9, 36 of 40 complete, each rank\u2019s counted for itself");
});

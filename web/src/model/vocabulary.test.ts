import {expect, test} from "vitest";
import {sentenceOf} from "./vocabulary";

test("a sentence begins with a capital, a name as it is", () => {
  const names = ["control", "slow-gpu", ""];
  expect(sentenceOf("computing takes longer", names)).toBe("Computing takes longer");
  expect(sentenceOf("slow-gpu appeared (9.9% of a step)", names)).toBe("slow-gpu appeared (9.9% of a step)");
  expect(sentenceOf("control ran on another device", names)).toBe("control ran on another device");
});

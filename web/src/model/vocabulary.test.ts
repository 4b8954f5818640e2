import {expect, test} from "vitest";
import {sentenceOf, withoutSignatures} from "./vocabulary";

test("a sentence begins with a capital, a name as it is", () => {
  const names = ["control", "slow-gpu", ""];
  expect(sentenceOf("computing takes longer", names)).toBe("Computing takes longer");
  expect(sentenceOf("slow-gpu appeared (9.9% of a step)", names)).toBe("slow-gpu appeared (9.9% of a step)");
  expect(sentenceOf("control ran on another device", names)).toBe("control ran on another device");
});

test("in a sentence a kernel is its name", () => {
  expect(
    withoutSignatures("above all in void ns::f<float, A<2ul>, 5ul>(at::B<long (*)(int)>, int) and void g(int)"),
  ).toBe("above all in ns::f and g");
  expect(withoutSignatures("in void at::(anonymous namespace)::h<4, at::deta\u2026")).toBe(
    "in at::(anonymous namespace)::h",
  );
  expect(withoutSignatures("a void in the queue (2 ms)")).toBe("a void in the queue (2 ms)");
});

import {expect, test} from "vitest";
import {addressed, Choice} from "./choice";

test("an address names a section and ranks", () => {
  expect(addressed("#ranks&ranks=0-2,7")).toEqual({place: "ranks", ranks: [0, 1, 2, 7]});
  expect(addressed("#rank=3")).toEqual({place: "", ranks: [3]});
  expect(addressed("#%ff")).toEqual({place: "", ranks: null});
});

test("each page has a choice of its own", () => {
  const [one, other] = [new Choice(), new Choice()];
  one.show([3]);
  expect([one.isChosen("3"), one.has({ranks: [1, 3]}), one.has({rank: 1}), other.isChosen(3)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

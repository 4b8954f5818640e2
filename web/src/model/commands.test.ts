import {expect, test} from "vitest";
import {type Command, matching} from "./commands";

test("commands are found by words in any order, what begins so first", () => {
  const take = () => undefined;
  const all: Command[] = [
    {label: "Open rank 12", take},
    {label: "Rank 1: its page", take},
    {label: "Zoom in", take},
  ];
  const labels = (text: string) => matching(all, text).map(({label}) => label);
  expect(labels("")).toHaveLength(3);
  expect(labels("rank")).toEqual(["Rank 1: its page", "Open rank 12"]);
  expect(labels("12 OPEN")).toEqual(["Open rank 12"]);
  expect(labels("nothing")).toEqual([]);
});

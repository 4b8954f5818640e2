import {expect, test} from "vitest";
import {TimelineMarks} from "./marks";

test("two marks lie around a time; beside all of them the last two count", () => {
  const marks = new TimelineMarks([10, 20, 50]);
  expect(marks.around(12)).toEqual({from: 10, to: 20});
  expect(marks.around(30)).toEqual({from: 20, to: 50});
  expect(marks.around(5)).toEqual({from: 20, to: 50});
  expect(marks.around(60)).toEqual({from: 20, to: 50});
  marks.remove(50);
  marks.remove(20);
  expect(marks.around(12)).toBe(null);
});

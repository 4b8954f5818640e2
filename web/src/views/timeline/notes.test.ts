import {expect, test} from "vitest";
import {placeOfNote} from "./notes";

test("a note is at the chosen event, else at the area, else at the run", () => {
  const area = {from: 10.4, to: 10.4, ranks: [3]};
  expect(placeOfNote({rank: 1, start: 7.6}, area)).toEqual({rank: 1, time_ns: 8});
  expect(placeOfNote(null, area)).toEqual({rank: 3, time_ns: 10, end_ns: 11});
  expect(placeOfNote(null, {from: 0, to: 9, ranks: [3, 4]})).toEqual({time_ns: 0, end_ns: 9});
  expect(placeOfNote(null, null)).toEqual({});
});

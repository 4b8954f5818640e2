import {expect, test} from "vitest";
import {readPlace, writePlace} from "./address";

test("an address comes back, and a bad part costs itself", () => {
  const place = {
    wanted: "xid & co",
    map: "power",
    open: ["a,b", "c"],
    chosen: ["n 1"],
    form: "",
    watched: "0123456789abcdef",
  };
  expect(readPlace(writePlace(place))).toEqual(place);
  expect(writePlace(readPlace(""))).toBe("");
  expect(readPlace("?map=colour&watch=x/../y&open=a&open=a")).toEqual({
    wanted: "",
    map: "busy",
    open: ["a"],
    chosen: [],
    form: null,
    watched: null,
  });
});

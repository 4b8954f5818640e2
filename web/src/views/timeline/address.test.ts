import {expect, test} from "vitest";
import {readPlace, writePlace} from "./address";

test("groups, a finding and a metric come back; what is wrong costs itself", () => {
  const address = "?order=waiting&group=host&fold=n,1&fold=n2&finding=slow-gpu:2&metric=device_power";
  const place = readPlace(address);
  expect(place).toMatchObject({
    order: "waiting",
    group: "host",
    folded: ["n,1", "n2"],
    finding: "slow-gpu:2",
    metric: "device_power",
  });
  expect(readPlace(writePlace(place))).toEqual(place);
  expect(readPlace("?group=x&finding=<b>&metric=y")).toMatchObject({group: null, finding: "", metric: "y"});
  expect(writePlace(readPlace("?fold=x"))).toBe("");
});

test("marks are times, each once, ascending", () => {
  const place = readPlace("?marks=500,x,-20,500,7");
  expect(place.marks).toEqual([-20, 7, 500]);
  expect(writePlace(place)).toBe("?marks=-20,7,500");
});

test("the SQL of a row and another run come back", () => {
  const place = readPlace("?sql=select+1+as+ts_ns&with=0123456789abcdef");
  expect(place).toMatchObject({sql: "select 1 as ts_ns", beside: "0123456789abcdef"});
  expect(readPlace(writePlace(place))).toEqual(place);
  expect(readPlace("?with=../x").beside).toBe("");
});

import {expect, test} from "vitest";
import {addressOfState} from "./share";

const any = () => true;

test("shared states are addresses of this app, or nothing", () => {
  expect(addressOfState({path: "/runs/0123456789abcdef/timeline", search: "?ranks=1", hash: "#x"}, any)).toBe(
    "/runs/0123456789abcdef/timeline?ranks=1#x",
  );
  expect(addressOfState({path: "/runs/0123456789abcdef/sql", q: "select 1"}, any)).toBe(
    "/runs/0123456789abcdef/sql?q=select%201",
  );
  for (const wrong of [
    null,
    1,
    {},
    {path: "//evil.example/"},
    {path: "https://evil.example/"},
    {path: "javascript:alert(1)"},
    {path: "/", search: "x"},
    {path: "/", search: "?a#b"},
    {path: "/\\evil"},
  ])
    expect(addressOfState(wrong, any)).toBe(null);
  expect(addressOfState({path: "/x"}, () => false)).toBe(null);
});

import {expect, test} from "vitest";
import {pageAddress} from "./perfetto";

test("only pages are addresses of Perfetto", () => {
  expect(pageAddress(" https://perfetto.example/ui/ ")).toBe("https://perfetto.example/ui/");
  expect(pageAddress("http://10.0.0.1:9001")).toBe("http://10.0.0.1:9001/");
  for (const wrong of ["", "perfetto.example", "javascript:alert(1)", "file:///x"])
    expect(pageAddress(wrong)).toBe(null);
});

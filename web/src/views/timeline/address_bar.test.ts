import {expect, test} from "vitest";
import {readPlace} from "./address";
import {selectionOf} from "./address_bar";

test("what is selected is a step of history; the window, the order and the text that is searched for are none", () => {
  const selection = (search: string) => selectionOf(readPlace(search));
  const now = "?open=1&event=1:10:5";
  for (const same of ["&from=0&to=50", "&order=waiting", "&find=gemm", "&colour=op", "&metric=power"])
    expect(selection(now + same)).toBe(selection(now));
  for (const other of ["?open=2&event=1:10:5", "?open=1&event=1:10:6", `${now}&marks=7`, `${now}&pin=3`])
    expect(selection(other)).not.toBe(selection(now));
});

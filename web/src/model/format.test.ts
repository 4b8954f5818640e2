import {describe, expect, it} from "vitest";
import {exact, human, plural} from "./format";

describe("numbers for people", () => {
  it("has three digits that mean something", () => {
    expect(human(999, "ns")).toBe("999 ns");
    expect(human(999_500, "ns")).toBe("1.00 ms");
    expect(human(250, "ms")).toBe("250 ms");
    expect(human(-7_200_000, "ms")).toBe("-2 h");
    expect(human(1024, "h")).toBe("1,024 h");
    expect(human(1234, "bytes")).toBe("1.23 kB");
    expect(human(194e12, "FLOP/s")).toBe("194 TFLOP/s");
    expect(human(38.24, "%")).toBe("38.2%");
    expect(human(-0.04, "%")).toBe("0.0%");
    expect(human(1500, "%")).toBe("x15.0");
  });
  it("groups no digits of a name, and knows the unknown", () => {
    expect(human(10000, "name")).toBe("10000");
    expect(human(null, "ns")).toBe("\u2013");
    expect(exact(1234567, "ns/step")).toBe("1,234,567 ns");
    expect(plural(1, "rank") + plural(2000, "rank")).toBe("1 rank2,000 ranks");
  });
});

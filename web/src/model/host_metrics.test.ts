import {describe, expect, it} from "vitest";
import type {HostMetrics, HostSeries} from "@made/api_types";
import {chartsOf, hourSentence, pathOf, pointText} from "./host_metrics";

const line = (name: string, device: number | null, values: readonly (number | null)[], unit = "ratio"): HostSeries => ({
  name,
  unit,
  device,
  low: values,
  high: values,
});
const metrics = (...series: readonly HostSeries[]): HostMetrics => ({host: "a", begin_ms: 0, step_ms: 60_000, series});
const format = (value: number, unit: string) => `${value} ${unit}`;

describe("the last hour of a host", () => {
  it("is drawn where something is known", () => {
    const charts = chartsOf(
      metrics(
        line("device_power", 1, [300, null], "W"),
        line("device_power", 0, [400, 100], "W"),
        line("device_busy", 0, [null, null]),
        line("host_cpu_busy", null, [0.5, 0.25]),
      ),
    );
    expect(charts.map((one) => [one.name, one.lines.map(({device}) => device), one.most])).toEqual([
      ["device_power", [0, 1], 420],
      ["host_cpu_busy", [null], 1],
    ]);
  });
  it("breaks its lines where nothing is, and shows both extremes", () => {
    expect(pathOf(line("x", 0, [0, 1, null, 0.5]), 40, 10, 1)).toBe("M5 10L15 0M35 5h1");
    expect(pathOf({...line("x", 0, [1]), low: [0.5]}, 10, 10, 1)).toBe("M5 0L5 5h1");
  });
  it("says a point by its extremes", () => {
    const [chart] = chartsOf(
      metrics(line("device_busy", 0, [0.5, 0.5, null]), line("device_busy", 1, [0.75, 0.5, null])),
    );
    expect(chart && [0, 1, 2].map((i) => pointText(chart, i, format))).toEqual([
      "0.75 ratio on device 1 to 0.5 ratio on device 0",
      "0.5 ratio on all",
      "not known",
    ]);
  });
  it("has a sentence", () => {
    expect(hourSentence(metrics())).toBe("The last hour");
    expect(hourSentence(metrics(line("device_slowed", 0, [0, null])))).toBe(
      "Nothing held the devices' clocks down in the last hour",
    );
    expect(hourSentence(metrics(line("device_slowed", 0, [0, 1]), line("device_slowed", 3, [1, 1])))).toBe(
      "Heat, power or a fault held down device 3 for 2 of the last 60 minutes, and 1 other device for less",
    );
  });
});

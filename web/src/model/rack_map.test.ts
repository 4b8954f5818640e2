import {describe, expect, it} from "vitest";
import type {Host, HostDevice} from "./hosts";
import {mapSentence, measureOf, racksOf, scaleOf} from "./rack_map";

function device(of: Partial<HostDevice>): HostDevice {
  return {
    index: 0,
    name: "",
    verdict: "ok",
    reasons: [],
    busy: null,
    power_watts: null,
    temperature_celsius: null,
    memory_used_bytes: null,
    memory_total_bytes: null,
    ...of,
  };
}
function host(name: string, rack: string | null, devices: HostDevice[], here = true): Host {
  return {
    host: name,
    team: null,
    version: null,
    rack,
    here,
    silent_ms: 0,
    clock_ahead_us: null,
    clock_uncertainty_us: null,
    settings: null,
    settings_problem: null,
    processes: [],
    devices,
  };
}
const busy = (value: number | null) => device({busy: value});

describe("racks", () => {
  it("are in the order of their numbers, and those without a name last", () => {
    const racks = racksOf([host("n10", "r10", []), host("n2", null, []), host("n3", "r2", []), host("n1", "r2", [])]);
    expect(racks.map((rack) => [rack.name, rack.hosts.map((one) => one.host)])).toEqual([
      ["r2", ["n1", "n3"]],
      ["r10", ["n10"]],
      [null, ["n2"]],
    ]);
  });
});

describe("the sentence", () => {
  it("names the rack that stands out", () => {
    const hosts = [0.9, 0.88, 0.3, 0.92].map((value, i) => host(`n${i}`, `r${i}`, [busy(value), busy(value)]));
    expect(mapSentence(hosts, measureOf("busy"))).toBe("Rack r2 is 30% busy, the one in the middle 90%");
  });
  it("tells the mean where none does, and of how many nothing is known", () => {
    const hosts = [0.9, 0.88, 0.86].map((value, i) => host(`n${i}`, `r${i}`, [busy(value), busy(null)]));
    expect(mapSentence(hosts, measureOf("busy"))).toBe("6 devices, 88% busy in the mean; not known of 3");
  });
  it("does not count hosts that are gone", () => {
    const hosts = [host("n1", null, [busy(0.5)]), host("n2", null, [busy(0)], false)];
    expect(mapSentence(hosts, measureOf("busy"))).toBe("1 device, 50% busy in the mean");
  });
  it("says when nothing is known", () => {
    expect(mapSentence([host("n1", null, [busy(null)])], measureOf("power"))).toBe("Of no device is known: power");
  });
});

describe("the scale", () => {
  it("of power goes to the largest", () => {
    expect(
      scaleOf([host("n", null, [device({power_watts: 300}), device({power_watts: 700})])], measureOf("power")),
    ).toEqual([0, 700]);
    expect(scaleOf([], measureOf("temperature"))).toEqual([25, 95]);
    expect(measureOf("nonsense").by).toBe("busy");
  });
});

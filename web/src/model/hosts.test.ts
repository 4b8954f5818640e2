import {expect, test} from "vitest";
import {clockText, type Host, type HostDevice, kept, mentions, sentenceOf, silence, summed, worstFirst} from "./hosts";

const device = (index: number, more: Partial<HostDevice> = {}): HostDevice => ({
  index,
  name: "H100",
  verdict: "ok",
  reasons: [],
  busy: 0.5,
  power_watts: 400,
  temperature_celsius: 60,
  memory_used_bytes: 4e10,
  memory_total_bytes: 8e10,
  ...more,
});
const host = (name: string, devices: readonly HostDevice[], more: Partial<Host> = {}): Host => ({
  host: name,
  team: null,
  version: "1",
  rack: null,
  here: true,
  silent_ms: 0,
  clock_ahead_us: 0,
  clock_uncertainty_us: 1000,
  settings: null,
  settings_problem: null,
  processes: [],
  devices,
  ...more,
});

test("the sentence says how many there are and what is wrong", () => {
  expect(sentenceOf([])).toBe("No host reports here");
  expect(sentenceOf([host("a", [device(0), device(1)])])).toBe("1 host, 2 devices; all are well");
  expect(
    sentenceOf([host("a", [device(0)]), host("b", [device(0, {verdict: "degraded", reasons: ["power brake"]})])]),
  ).toBe("2 hosts, 2 devices; 1 device is degraded: b, device 0, power brake");
  expect(
    sentenceOf([
      host("a", [
        device(0, {verdict: "failed", reasons: ["fell off the bus"]}),
        device(1, {verdict: "degraded"}),
        device(2, {verdict: "degraded"}),
      ]),
    ]),
  ).toBe("1 host, 3 devices; 1 device has failed: a, device 0, fell off the bus; 2 devices are degraded");
  expect(sentenceOf([host("a", []), host("b", [], {here: false, silent_ms: 61_000})])).toBe(
    "1 host, 0 devices; 1 host is gone",
  );
  expect(sentenceOf([host("b", [device(0, {verdict: "failed"})], {here: false, silent_ms: 61_000})])).toBe(
    "The only host is gone: it was last heard of 1 min ago",
  );
  expect(sentenceOf([host("a", [device(0, {verdict: null}), device(1)])])).toBe(
    "1 host, 2 devices; the health of 1 is not known",
  );
});

test("the worst come first, then names as people count", () => {
  const hosts = [
    host("n10", [device(0)]),
    host("n2", [device(0)]),
    host("gone", [], {here: false}),
    host("hot", [device(0, {verdict: "degraded"})]),
    host("dead", [device(0, {verdict: "failed"})]),
  ];
  expect(worstFirst(hosts).map((one) => one.host)).toEqual(["dead", "hot", "gone", "n2", "n10"]);
});

test("a filter looks at names, reasons and what runs there", () => {
  const one = host("n1", [device(0, {reasons: ["Xid 79"]})], {
    processes: [
      {
        pid: 1,
        recording: false,
        rank: 3,
        world_size: 8,
        job: "42",
        job_name: "llama",
        user: "ann",
        command: "python train.py",
        container: null,
        pod: null,
      },
    ],
  });
  for (const words of [["xid"], ["llama", "ann"], ["rank 3"], []]) expect(mentions(one, words)).toBe(true);
  expect(mentions(one, ["llama", "bob"])).toBe(false);
});

test("what is not known is in no sum", () => {
  expect(summed([device(0), device(1, {busy: null, power_watts: null, temperature_celsius: 90})])).toEqual({
    busy: 0.5,
    power_watts: 400,
    hottest_celsius: 90,
    memory_used_bytes: 8e10,
    memory_total_bytes: 16e10,
  });
  expect(summed([]).busy).toBe(null);
});

test("clocks and times", () => {
  expect(clockText(host("a", [], {clock_ahead_us: 300, clock_uncertainty_us: 1200}))).toBe("within 1.2 ms");
  expect(clockText(host("a", [], {clock_ahead_us: -52_000, clock_uncertainty_us: 1500}))).toBe(
    "\u221252 ms \u00b1 1.5 ms",
  );
  expect(clockText(host("a", [], {clock_ahead_us: null, clock_uncertainty_us: null}))).toBe("not measured");
  expect([silence(400), silence(59_000), silence(120_000), silence(7_200_000)]).toEqual([
    "0 s",
    "59 s",
    "2 min",
    "2 h",
  ]);
});

test("what has not changed stays the same object", () => {
  const before = [host("a", [device(0)]), host("b", [device(0)])];
  const now = kept(before, [host("a", [device(0)], {silent_ms: 900}), host("b", [device(0, {busy: 0.9})])]);
  expect(now[0]).toBe(before[0]);
  expect(now[1]).not.toBe(before[1]);
});

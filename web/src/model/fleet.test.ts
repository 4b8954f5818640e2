import {expect, test} from "vitest";
import {
  addressOf,
  changesOf,
  changesSentence,
  dayNumber,
  dayText,
  fleetSentence,
  queryOf,
  readAsked,
  runsOf,
  tableOf,
  type FleetAnswer,
} from "./fleet";

const docs = () => "";

function answer(name: string, columns: readonly string[], rows: FleetAnswer["tables"][string]["rows"]): FleetAnswer {
  return {
    runs: rows.length,
    tables: {[name]: {columns: columns.map((one) => ({name: one, type: "string", unit: ""})), rows}},
  };
}

const shares = (rows: FleetAnswer["tables"][string]["rows"]) =>
  tableOf(answer("fleet_shares", ["value", "device_hours", "share_pct"], rows), "fleet_shares", docs);
const findings = (rows: FleetAnswer["tables"][string]["rows"]) =>
  tableOf(answer("fleet_findings", ["finding", "lost_hours"], rows), "fleet_findings", docs);

test("an address keeps what is asked, part by part", () => {
  const asked = {since: "2026-10-01", until: "", by: "model", every: "day"} as const;
  expect(addressOf(asked)).toBe("?since=2026-10-01&by=model&every=day");
  expect(readAsked(addressOf(asked))).toEqual(asked);
  expect(readAsked("?since=yesterday&by=colour&until=2026-10-02")).toEqual({
    since: "",
    until: "2026-10-02",
    by: "team",
    every: "week",
  });
  expect(queryOf("overview", asked).toString()).toBe("since=2026-10-01&by=model");
  expect(queryOf("models", asked).toString()).toBe("since=2026-10-01&every=day");
  expect(queryOf("regressions", asked).toString()).toBe("since=2026-10-01");
});

test("the title says who takes the hours, or why that is not known", () => {
  expect(fleetSentence(shares([]), findings([]), "team")).toBe("No run of this time has been analysed");
  expect(fleetSentence(shares([["search", null, null]]), findings([]), "team")).toContain("No run says");
  expect(fleetSentence(shares([["search", 120, 40]]), findings([["host-sync", 12]]), "team")).toMatch(
    /^Team search takes 40.*of all device hours, 120.*; host-sync costs most, 12/,
  );
  expect(fleetSentence(shares([[null, 120, 100]]), findings([["host-sync", null]]), "team")).toMatch(
    /^Runs without a team take 100.*120[^;]*$/,
  );
});

test("changes are counted by kernel, and told together where kernel and cause are the same", () => {
  const of = (...rows: (readonly [kind: string, kernel: string, cause: string])[]) =>
    tableOf(answer("fleet_regressions", ["kind", "kernel_key", "cause"], rows), "fleet_regressions", docs);
  expect(changesSentence(of(), 10)).toBe("nothing beyond chance");
  expect(changesSentence(of(), 9)).toBe("too few runs to tell");
  const some = of(
    ["regression", "gemm", "driver 1 -> 2"],
    ["new kernel", "triton", ""],
    ["regression", "gemm", "driver 1 -> 2"],
    ["regression", "gemm", "host a"],
    ["regression", "norm", ""],
  );
  expect(changesSentence(some, 100)).toBe("2 kernels got slower, 1 kernel is new");
  expect(changesOf(some)).toEqual([[0, 2], [1], [3], [4]]);
});

test("runs of a cell are ids and nothing else", () => {
  expect(runsOf("0123456789abcdef, 0123456789abcde0")).toEqual(["0123456789abcdef", "0123456789abcde0"]);
  expect(runsOf("../../etc 0123456789abcdef")).toEqual(["0123456789abcdef"]);
  expect(runsOf(null)).toEqual([]);
});

test("periods lie on an axis of days", () => {
  expect(dayNumber("2026-07-20") - dayNumber("2026-07-01")).toBe(19);
  expect(dayNumber("2026-08") - dayNumber("2026-07-31")).toBe(1);
  expect(dayText(dayNumber("2026-07-20"))).toBe("2026-07-20");
  expect(dayText(dayNumber("2026-07-20") + 0.5)).toBe("");
});

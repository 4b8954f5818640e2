import {describe, expect, it} from "vitest";
import type {TimelineFinding} from "./timeline_findings";
import {titleOf, whereTimeGoes} from "./timeline_title";

const finding: TimelineFinding = {
  key: "slow-gpu",
  row: 0,
  title: "The device of rank 21 is slower",
  severity: "high",
  who: "rank 21",
  ranks: [21],
  steps: [3],
  events: [],
};
const quiet = {findings: [], blame: [], cannotTell: ""};
const blame = [{rank: 5, cause: "host", stepPct: 12.34}];

describe("the title of a timeline", () => {
  it("is the first finding, or the one that is chosen", () => {
    const other = {...finding, key: "host-sync", title: "Reads values back", who: "ranks 0-3", ranks: [0, 1, 2, 3]};
    expect(titleOf({...quiet, findings: [finding, other], blame}, null)).toEqual({
      text: "The device of rank 21 is slower",
      ranks: [21],
    });
    expect(titleOf({...quiet, findings: [finding, other]}, other).text).toBe("Ranks 0-3: Reads values back");
  });
  it("is of blame where there is no finding, and has forms for nothing and for not knowing", () => {
    expect(titleOf({...quiet, blame}, null)).toEqual({
      text: "The others wait for rank 5 for 12.3% of a step (host)",
      ranks: [5],
    });
    expect(titleOf({...quiet, blame: [{rank: 5, cause: "host", stepPct: 0.4}]}, null).text).toBe(
      "Nothing stands out: no cause costs 1% of a step",
    );
    expect(titleOf({...quiet, blame, cannotTell: "the device was not recorded"}, null)).toEqual({
      text: "Cannot tell what is slow: the device was not recorded",
      ranks: [],
    });
    expect(titleOf({...quiet, findings: null}, null).text).toContain("no cause was looked for");
  });
});

describe("where time goes", () => {
  it("is of recorded time", () => {
    // Of two ranks; of the second one half of the window was recorded.
    const shares = [
      [102, 51, 102, 0, 0, 0, 255],
      [51, 0, 76.5, 0, 0, 0, 127.5],
    ];
    expect(whereTimeGoes(shares, 10e6)).toBe(
      "Devices compute 40.0%, transfer 13.3%, wait for other ranks 46.7% of the recorded time (7.50 ms of 10.0 ms, 2 ranks)",
    );
    expect(whereTimeGoes(shares.slice(0, 1), 10e6)).toContain("of the recorded time (10.0 ms, 1 rank)");
    expect(whereTimeGoes([[0, 0, 0, 0, 0, 0, 0]], 10e6)).toBe("No work of devices was recorded in these 10.0 ms");
  });
});

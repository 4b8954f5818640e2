import {expect, test} from "vitest";
import type {Row} from "./rank";
import {answerOf, binned, extremeOf, measures, median, rankStepsOf, worstRanks} from "./rank_steps";

const computing = measures[0] ?? {id: "", label: "", columns: []};

// Steps of 100 ns on 4 ranks, which compute 50 but where `more` says how much more.
function job(more: (rank: number, step: number) => number): Row[] {
  return [0, 1, 2, 3].flatMap((rank) =>
    [7, 8, 9, 10, 11].map((step) => ({
      rank,
      step,
      capture: 0,
      complete: true,
      duration_ns: 100,
      compute_ns: 50 + more(rank, step),
    })),
  );
}
const found = (more: (rank: number, step: number) => number) => rankStepsOf(job(more), computing, () => "all");

test("a slow rank, a bad step and what comes and goes are told apart", () => {
  expect(answerOf(found((rank) => (rank === 2 ? 20 : 0)))).toMatchObject({kind: "rank", ranks: [2]});
  expect(answerOf(found((_, step) => (step === 9 ? 20 : 0))).kind).toBe("step");
  expect(answerOf(found((rank, step) => (rank === step % 4 ? 20 : 0))).kind).toBe("changing");
  expect(answerOf(found((rank) => rank / 2)).kind).toBe("nothing");
});

test("a cell is what all devices of the rank did, against the peers' median over all steps", () => {
  const two = rankStepsOf(
    [
      ...job((rank) => 10 * rank),
      {rank: 0, step: 7, capture: 0, complete: true, duration_ns: 100, compute_ns: 30},
      {rank: 0, step: 12, complete: false, duration_ns: 100, compute_ns: 99},
    ],
    computing,
    (rank) => (rank < 2 ? "a" : "b"),
  );
  expect(two.steps).toEqual([7, 8, 9, 10, 11]);
  expect(two.of(0, 7)).toEqual({ns: 80, usual: 60, off_pct: 20}); // of 4 times 50, 80 and 5 times 60
  expect(two.of(3, 7)).toEqual({ns: 80, usual: 75, off_pct: 5});
  expect(two.of(9, 7)).toBeNull();
});

test("of a bin the extreme wins", () => {
  const one = found((rank, step) => (rank === 3 && step === 10 ? -40 : rank === 2 ? 5 : 0));
  expect(extremeOf(one, [2, 3], one.steps)).toMatchObject({rank: 3, step: 10, cell: {ns: 10}});
  expect(worstRanks(one, 2)).toEqual([3, 2]);
  expect(binned([1, 2, 3, 4, 5], 2)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

// The rows from above: what lies over all ranks, what is pinned, then ranks with their tracks, by group where they stand together.

import {emptyTracks, laneHeight, type TimelineRow, trackGap} from "../../draw/timeline_picture";
import {plural} from "../../model/format";
import type {Role, Track} from "../../model/timeline";
import {groupRank, type RankGroup} from "../../model/timeline_groups";
import {arranged, rankOfKey, rowKey} from "./arrangement";

export const groupHeight = 20;
const tallHeight = 18; // of a rank that is open, or of the chosen finding: high enough for its label
const metricHeight = 64;
const changesHeight = 19;
const roleOrder: readonly Role[] = ["stream", "thread", "annotations", "waits", "other"];
// The rows of a metric and of a result are nobody's; groups have the numbers below 0.
const noRank = -1_000_000_000;

// What rows there are to be. What is asked of a rank is asked only where it is needed.
export interface RowPlan {
  readonly metric: string | null; // its name
  readonly resultLanes: number | null;
  readonly hasChanges: boolean; // of steps, between this run and another
  readonly pinned: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly placed: readonly string[];
  readonly ranks: readonly number[]; // from above
  readonly groups: readonly RankGroup[] | null; // null: ranks stand alone
  readonly rankHeight: number;
  readonly isKnown: (rank: number) => boolean;
  readonly isOpen: (rank: number) => boolean;
  readonly isTall: (rank: number) => boolean;
  readonly labelOf: (rank: number) => string;
  readonly labelBeside: (rank: number) => string | null; // of the same rank of another run; null: there is none
  readonly tracksOf: (rank: number) => readonly Track[]; // none: not here yet
  readonly emptyOf: (rank: number) => ReadonlySet<number>; // tracks without an event in the window
  readonly showsEmpty: (rank: number) => boolean;
  readonly chosenOf: (rank: number) => number | null; // the track of the chosen event
}

// Each row below the one before.
class Pile {
  readonly rows: TimelineRow[] = [];
  private top = 0;

  add(row: Omit<TimelineRow, "top">, gap = 0): void {
    this.rows.push({...row, top: this.top});
    this.top += row.height + gap;
  }
  leave(gap: number): void {
    this.top += gap;
  }
}

export function layOutRows(plan: RowPlan): readonly TimelineRow[] {
  const pile = new Pile();
  addOver(pile, plan);
  addPinned(pile, plan);
  if (plan.groups === null) for (const rank of plan.ranks) addRank(pile, plan, rank);
  plan.groups?.forEach((group, i) => {
    const label = `${group.isFolded ? "\u25b8" : "\u25be"} ${group.label}  (${group.ranks.length})`;
    const row = {rank: groupRank(i), track: null, height: groupHeight, label};
    pile.add(group.isFolded ? row : {...row, head: "group"});
    if (!group.isFolded) for (const rank of group.ranks) addRank(pile, plan, rank);
  });
  return pile.rows;
}

function addOver(pile: Pile, plan: RowPlan): void {
  const row = {rank: noRank, track: null};
  if (plan.metric !== null) pile.add({...row, height: metricHeight, label: plan.metric, head: "metric"}, 2);
  if (plan.resultLanes !== null)
    pile.add({...row, height: plan.resultLanes * laneHeight, label: "SQL", head: "result"}, trackGap);
  if (plan.hasChanges) pile.add({...row, height: changesHeight, label: "here against there", head: "changes"}, 2);
}

function addPinned(pile: Pile, plan: RowPlan): void {
  for (const key of plan.pinned) {
    const rank = rankOfKey(key);
    if (rank === null || !plan.isKnown(rank)) continue;
    const isRank = key === String(rank);
    const tracks = isRank ? [] : plan.tracksOf(rank);
    const at = tracks.findIndex((one) => rowKey(rank, one) === key);
    if (!isRank && at < 0) continue; // not here yet, or not in this recording
    const label = `\u25aa ${isRank ? plan.labelOf(rank) : `${rank}: ${tracks[at]?.name}`}`;
    const height = isRank ? Math.max(tallHeight, plan.rankHeight) : (tracks[at]?.lanes ?? 1) * laneHeight;
    pile.add({rank, track: isRank ? null : at, height, label, isPinned: true}, isRank ? 0 : trackGap);
  }
  if (pile.rows.at(-1)?.isPinned === true) pile.leave(4);
}

function addRank(pile: Pile, plan: RowPlan, rank: number): void {
  const isOpen = plan.isOpen(rank);
  const height = isOpen || plan.isTall(rank) ? Math.max(tallHeight, plan.rankHeight) : plan.rankHeight;
  pile.add({rank, track: null, height, label: plan.labelOf(rank)});
  const beside = plan.labelBeside(rank);
  if (beside !== null) pile.add({rank, track: null, height, label: beside, head: "other"}, 1);
  if (!isOpen) return;
  pile.leave(2);
  addTracks(pile, plan, rank);
}

function addTracks(pile: Pile, plan: RowPlan, rank: number): void {
  const tracks = plan
    .tracksOf(rank)
    .map((track, i) => ({track, i}))
    .filter(({track}) => !plan.hidden.has(rowKey(rank, track)))
    .sort((a, b) => roleOrder.indexOf(a.track.role) - roleOrder.indexOf(b.track.role) || a.i - b.i);
  const [empty, chosen, showsEmpty] = [plan.emptyOf(rank), plan.chosenOf(rank), plan.showsEmpty(rank)];
  const isEmpty = (i: number) => i !== chosen && empty.has(i);
  for (const {track, i} of arranged(tracks, (one) => rowKey(rank, one.track), plan.placed)) {
    if (isEmpty(i) && !showsEmpty) continue;
    pile.add({rank, track: i, height: track.lanes * laneHeight, label: track.name}, trackGap);
  }
  const count = tracks.filter(({i}) => isEmpty(i)).length;
  if (count === 0) return;
  const label = `${showsEmpty ? "\u25be" : "\u25b8"} ${plural(count, "empty row")}`;
  pile.add({rank, track: emptyTracks, height: laneHeight, label, head: "empty"}, trackGap);
}

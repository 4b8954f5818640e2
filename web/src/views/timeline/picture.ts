// The picture of the timeline as plain data, made from its state.

import {placeIn} from "../../draw/timeline_ranks";
import type {TimelinePicture, TimelineRow} from "../../draw/timeline_picture";
import type {Tile} from "../../model/timeline";
import {matcherOf} from "../../model/name_match";
import {groupRank} from "../../model/timeline_groups";
import type {TimelineState} from "./state";

export const gutterOf = (width: number): number => (width < 600 ? 92 : 190);

export function pictureOf(state: TimelineState): TimelinePicture {
  const {width, height} = state.viewport.size.value;
  const area = state.area.chosen.value;
  const tiles = new Map<number, Tile[]>(); // by block, for this picture
  const tilesOf = (one: number): Tile[] => {
    const block = state.store.blockOf(one);
    let found = tiles.get(block);
    if (found === undefined) tiles.set(block, (found = state.tiles.ofBlock(block)));
    return found;
  };
  const tilesOfRank = (one: number): readonly Tile[] => state.tiles.ofRow(one, tilesOf);
  const metric = state.telemetry.metric.value;
  const track = state.result.track.value;
  const marked = markedRanks(state);
  return {
    width,
    height,
    gutter: gutterOf(width),
    window: state.viewport.window.value,
    scroll: state.viewport.scroll.value,
    rows: state.rows.visible.value,
    pinnedHeight: state.rows.pinnedHeight.value,
    tilesOf: tilesOfRank,
    spansOf: (one) => state.store.spansOf(one),
    kinds: state.store.info.kinds,
    steps: state.facts.steps.value,
    marked,
    chosen: state.selection.chosen.value,
    findings: findingsOf(state),
    metric: metric === null ? null : {metric, marked},
    result: track === null ? null : {track, chosen: state.result.chosen.value},
    other: otherOf(state),
    arrows: state.lookup.arrows.value,
    colourOf: state.colours.colourOf,
    area: area === null ? null : {from: area.from, to: area.to, top: area.top, bottom: area.bottom},
    cursor: cursorOf(state),
    lit: litNames(state),
    litEvents: litEvents(state),
    links: {
      collectives: state.links.showsCollectives.value ? (state.links.collectives.value?.value.collectives ?? []) : [],
      chosen: state.links.chosen.value,
      path: state.links.showsPath.value ? (state.links.path.value?.value ?? null) : null,
      rowOf: state.rows.ofRank.value,
      notes: state.notes.all.value,
    },
    times: state.marks.times.value,
  };
}

function findingsOf(state: TimelineState): TimelinePicture["findings"] {
  const {chosen, placed, events} = state.findings;
  const key = chosen.value?.finding.key;
  const steps = state.facts.steps.value.length;
  return {
    // What is in every step needs no ticks, unless it is chosen.
    all: placed.value
      .filter(({finding}) => finding.steps.length < steps || finding.key === key)
      .map(({finding, stretches}) => ({key: finding.key, severity: finding.severity, stretches})),
    chosen:
      chosen.value === null
        ? null
        : {
            key: chosen.value.finding.key,
            severity: chosen.value.finding.severity,
            rows: rowsOfFinding(state, chosen.value.finding.ranks),
            stretches: chosen.value.stretches,
            events: events.value,
          },
  };
}

function otherOf(state: TimelineState): TimelinePicture["other"] {
  const {other} = state;
  if (other.shown.value === null) return null;
  const {width} = state.viewport.size.value;
  return {
    shift: other.shift.value,
    rankBeside: (rank) => other.rankBeside(rank),
    tilesOf: (rank) => other.tilesOf(rank, width),
    placeOf: (rank) => (tile) => placeIn(tile, rank),
    pairs: other.pairs.value,
    aligned: other.aligned.value,
  };
}

// Pinned rows stay where they are while the others scroll.
function cursorOf(state: TimelineState): TimelineRow | null {
  const row = state.cursor.row.value;
  return row?.isPinned === true ? {...row, top: row.top + state.viewport.scroll.value} : row;
}

// What was searched, else the events that are listed when their names say which they are.
function litNames(state: TimelineState): ((name: string) => boolean) | null {
  const [found, of] = [state.search.text.value, state.events.of.value];
  if (found !== "") return matcherOf(found, state.search.match.value);
  if (of === null) return null;
  if (of.kind === "name") return (name) => name === of.value;
  return of.kind === "text"
    ? matcherOf(of.value, "part")
    : of.kind === "pattern"
      ? matcherOf(of.value, "pattern")
      : null;
}
function litEvents(state: TimelineState): TimelinePicture["litEvents"] {
  const found = state.events.found.value;
  if (found === null || found.rank === null || ["name", "text", "pattern"].includes(found.of.kind)) return null;
  return {rank: found.rank, events: new Set(found.hits.map((hit) => hit.event))};
}

// Of an area and of the finding that is chosen; the row of a folded group is marked with any of its ranks.
function markedRanks(state: TimelineState): ReadonlySet<number> {
  const finding = state.findings.chosen.value?.finding;
  const all = state.store.ranks.length;
  const marked = new Set([
    ...(state.area.chosen.value?.ranks ?? []),
    ...(finding !== undefined && finding.ranks.length < all ? finding.ranks : []),
  ]);
  state.groups.all.value.forEach((group, i) => {
    if (group.isFolded && group.ranks.some((rank) => marked.has(rank))) marked.add(groupRank(i));
  });
  return marked;
}

// Those that can be seen; null: the finding is of all ranks.
function rowsOfFinding(state: TimelineState, ranks: readonly number[]): readonly TimelineRow[] | null {
  if (ranks.length === 0 || ranks.length >= state.store.ranks.length) return null;
  const wanted = new Set(ranks);
  return state.rows.visible.value.filter(
    (row) => row.track === null && state.rows.ranksOf(row).some((rank) => wanted.has(rank)),
  );
}

// Everything that a picture is made of: who calls this in an effect hears when another one is due.
export function watchPicture(state: TimelineState): void {
  void [
    state.viewport.size.value,
    state.viewport.window.value,
    state.viewport.scroll.value,
    state.rows.all.value,
    state.rows.visible.value,
    state.store.changes.value,
    state.facts.steps.value,
    state.selection.chosen.value,
    state.area.chosen.value,
    state.lookup.details.value,
    state.search.text.value,
    state.search.match.value,
    state.cursor.row.value,
    state.events.of.value,
    state.events.found.value,
    state.links.showsPath.value,
    state.links.showsCollectives.value,
    state.links.path.value,
    state.links.collectives.value,
    state.links.chosen.value,
    state.notes.all.value,
    state.marks.times.value,
    state.lookup.arrows.value,
    state.colours.by.value,
    state.colours.ops.value,
    state.findings.placed.value,
    state.findings.chosen.value,
    state.findings.events.value,
    state.groups.all.value,
    state.telemetry.metric.value,
    state.result.track.value,
    state.result.chosen.value,
    state.other.shown.value,
    state.other.shown.value?.store.changes.value,
    state.other.pairs.value,
    state.other.shift.value,
  ];
}

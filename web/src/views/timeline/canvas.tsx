// The canvas of the timeline and the gestures on it, as hands know them from Perfetto.

import {effect} from "@preact/signals";
import {useEffect, useRef} from "preact/hooks";
import {drawTimeline} from "../../draw/timeline_canvas";
import {placeIn} from "../../draw/timeline_ranks";
import {laneHeight, rulerHeight, timeAt, type TimelinePicture, type TimelineRow} from "../../draw/timeline_picture";
import {metricText} from "../../draw/timeline_metrics";
import {changeText} from "../../draw/timeline_other";
import {findingAt} from "../../draw/timeline_findings";
import {noteAt} from "../../draw/timeline_flags";
import {humanDuration} from "../../model/format";
import {spanAt, type Tile} from "../../model/timeline";
import {matcherOf} from "../../model/name_match";
import {lengthOf} from "../../model/run_pair";
import {resultSpanAt, type ResultSpan} from "../../model/result_track";
import {groupOf, groupRank} from "../../model/timeline_groups";
import {type Metric, valueAt} from "../../model/timeline_metrics";
import {RowMenu} from "./row_menu";
import {focusOf, takesKey} from "./keys";
import type {TimelineState} from "./state";

const gutterOf = (width: number): number => (width < 600 ? 92 : 190);

function pictureOf(state: TimelineState): TimelinePicture {
  const {width, height} = state.size.value;
  const area = state.area.value;
  const tiles = new Map<number, Tile[]>(); // by block, for this picture
  const tilesOf = (one: number): Tile[] => {
    const block = state.store.blockOf(one);
    let found = tiles.get(block);
    if (found === undefined) tiles.set(block, (found = state.tilesOf(block)));
    return found;
  };
  const tilesOfRank = (one: number): readonly Tile[] => state.tilesOfRow(one, tilesOf);
  const placed = state.findings.chosen.value;
  const metric = state.telemetry.metric.value;
  const track = state.result.track.value;
  const marked = markedRanks(state);
  return {
    width,
    height,
    gutter: gutterOf(width),
    window: state.window.value,
    scroll: state.scroll.value,
    rows: state.visible.value,
    pinnedHeight: state.pinnedHeight.value,
    tilesOf: tilesOfRank,
    spansOf: (one) => state.store.spansOf(one),
    kinds: state.store.info.kinds,
    steps: state.steps.value,
    marked,
    chosen: state.chosen.value,
    findings: {
      // What is in every step needs no ticks, unless it is chosen.
      all: state.findings.placed.value
        .filter(({finding}) => finding.steps.length < state.steps.value.length || finding.key === placed?.finding.key)
        .map(({finding, stretches}) => ({key: finding.key, severity: finding.severity, stretches})),
      chosen:
        placed === null
          ? null
          : {
              key: placed.finding.key,
              severity: placed.finding.severity,
              rows: rowsOfFinding(state, placed.finding.ranks),
              stretches: placed.stretches,
              events: state.findings.events.value,
            },
    },
    metric: metric === null ? null : {metric, marked},
    result: track === null ? null : {track, chosen: state.result.chosen.value},
    other: otherOf(state),
    arrows: state.arrows.value,
    colourOf: state.colours.colourOf,
    area: area === null ? null : {from: area.from, to: area.to, top: area.top, bottom: area.bottom},
    cursor: cursorOf(state),
    lit: litNames(state),
    litEvents: litEvents(state),
    links: {
      collectives: state.links.showsCollectives.value ? (state.links.collectives.value?.value.collectives ?? []) : [],
      chosen: state.links.chosen.value,
      path: state.links.showsPath.value ? (state.links.path.value?.value ?? null) : null,
      rowOf: state.rowOf.value,
      notes: state.notes.value,
    },
    times: state.marks.times.value,
  };
}

function otherOf(state: TimelineState): TimelinePicture["other"] {
  const {other} = state;
  if (other.shown.value === null) return null;
  const {width} = state.size.value;
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
  const row = state.cursorRow.value;
  return row?.isPinned === true ? {...row, top: row.top + state.scroll.value} : row;
}

// What was searched, else the events that are listed when their names say which they are.
function litNames(state: TimelineState): ((name: string) => boolean) | null {
  const [found, of] = [state.found.value, state.events.of.value];
  if (found !== "") return matcherOf(found, state.match.value);
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
    ...(state.area.value?.ranks ?? []),
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
  return state.visible.value.filter((row) => row.track === null && state.ranksOf(row).some((rank) => wanted.has(rank)));
}

function rowAt(state: TimelineState, y: number): TimelineRow | null {
  const at = y - rulerHeight + state.scroll.value;
  const hit = (row: TimelineRow) => at >= row.top && at < row.top + row.height;
  const rows = state.visible.value;
  // What is pinned lies over the others.
  const pinned = rows.find((row) => row.isPinned === true && hit(row));
  if (pinned !== undefined || y - rulerHeight < state.pinnedHeight.value) return pinned ?? null;
  return rows.find(hit) ?? null;
}

function clickAt(state: TimelineState, picture: TimelinePicture, x: number, y: number): void {
  if (y < rulerHeight) {
    const note = x < picture.gutter ? null : noteAt(picture, x, y);
    const noted = state.notes.value.find((one) => one.id === note?.id);
    if (noted !== undefined) return state.goToNote(noted);
    const key = x < picture.gutter ? null : findingAt(picture, x);
    if (key !== null) state.findings.key.value = key === state.findings.key.value ? "" : key;
    return;
  }
  const row = rowAt(state, y);
  if (row === null) return state.clear();
  if (row.head === "metric" || row.head === "other") return;
  if (row.head === "changes") {
    const time = timeAt(picture, x);
    const pair = state.other.pairs.value.find(({here}) => time >= here.start && time < here.end);
    if (pair !== undefined) state.frame(pair.here);
    return;
  }
  if (row.head === "result") {
    const span = resultAt(state, picture, row, x, y);
    if (span !== null) state.chooseResult(span);
    return;
  }
  const group = state.groups.all.value[groupOf(row.rank) ?? -1];
  if (group !== undefined) return state.groups.toggle(group.key);
  if (row.head === "empty") return state.arrangement.toggleEmpty(row.rank);
  if (x < picture.gutter || row.track === null) return state.toggle(row.rank);
  const spans = state.store.spansOf(row.rank);
  if (spans === null) return;
  const lane = Math.floor((y - rulerHeight + state.scroll.value - row.top) / laneHeight);
  const slack = (3 * (picture.window.to - picture.window.from)) / (picture.width - picture.gutter);
  const span = spanAt(spans, row.track, lane, timeAt(picture, x), slack);
  if (span === null) return state.clear();
  const about = {
    rank: row.rank,
    track: row.track,
    start: spans.start[span] ?? 0,
    duration: spans.duration[span] ?? 0,
    lane,
  };
  state.area.value = null;
  state.choose(
    about,
    spans.names[spans.name[span] ?? 0] ?? "",
    spans.event[span] ?? 0,
    spans.events[span] ?? 1,
    state.store.info.kinds[spans.kind[span] ?? 0] ?? "",
  );
}

// An area in time covers the ranks whose rows it touches.
function areaBetween(
  state: TimelineState,
  picture: TimelinePicture,
  a: {x: number; y: number},
  b: {x: number; y: number},
) {
  const times = [
    timeAt(picture, Math.max(picture.gutter, Math.min(a.x, b.x))),
    timeAt(picture, Math.max(a.x, b.x)),
  ] as const;
  const [top, bottom] = [
    Math.min(a.y, b.y) - rulerHeight + state.scroll.value,
    Math.max(a.y, b.y) - rulerHeight + state.scroll.value,
  ];
  const touched = state.rows.value.filter((row) => row.top + row.height > top && row.top < bottom);
  const ranks = [...new Set(touched.flatMap((row) => state.ranksOf(row)))];
  const first = touched[0];
  const last = touched.at(-1);
  return {from: times[0], to: times[1], ranks, top: first?.top ?? top, bottom: last ? last.top + last.height : bottom};
}

// What is below the pointer, in words; "": nothing.
function textOnRuler(state: TimelineState, picture: TimelinePicture, {x, y}: {x: number; y: number}): string {
  if (y >= rulerHeight || x < picture.gutter) return "";
  const note = noteAt(picture, x, y);
  if (note !== null) return `${note.text}\nClick to go there`;
  const key = findingAt(picture, x);
  const finding = state.findings.all.value.find((one) => one.key === key);
  return finding === undefined ? "" : `${finding.title}\nClick to see where`;
}
function textAt(
  state: TimelineState,
  picture: TimelinePicture,
  row: TimelineRow,
  {x, y}: {x: number; y: number},
): string {
  if (x < picture.gutter) return "";
  const time = timeAt(picture, x);
  const when = humanDuration(Math.round(time));
  const metric = state.telemetry.metric.value;
  if (row.head === "metric") return metric === null ? "" : extremesAt(metric, time);
  if (row.head === "changes") return changeAt(state, time);
  if (row.head === "other")
    return `${state.other.shown.value?.name ?? ""}, rank ${state.other.rankBeside(row.rank)}: ${humanDuration(Math.round(time - state.other.shift.value))} by its clock`;
  if (row.head === "result") return resultText(resultAt(state, picture, row, x, y));
  const group = state.groups.all.value[groupOf(row.rank) ?? -1];
  if (group !== undefined)
    return group.isFolded
      ? `${group.label}, ${when}: the rank that differs most from the group's ${group.ranks.length}. Click to unfold.`
      : "";
  const line = metric?.lines.get(row.rank);
  const value = line === undefined ? null : valueAt(line, time);
  const spans = state.store.spansOf(row.rank);
  if (row.track === null || spans === null)
    return `rank ${row.rank}, ${when}${metric === null || value === null ? "" : `\n${metric.name}: ${metricText(value, metric.unit)}`}`;
  const lane = Math.floor((y - rulerHeight + state.scroll.value - row.top) / laneHeight);
  const span = spanAt(
    spans,
    row.track,
    lane,
    time,
    (2 * (picture.window.to - picture.window.from)) / (picture.width - picture.gutter),
  );
  if (span === null) return "";
  const count = spans.events[span] ?? 1;
  const what = spans.names[spans.name[span] ?? 0] ?? "";
  const length = humanDuration(spans.duration[span] ?? 0);
  return count > 1
    ? `${count} events, the longest ${what}; ${length} together. Click to see them.`
    : `${what}\n${length}`;
}
function changeAt(state: TimelineState, time: number): string {
  const pair = state.other.pairs.value.find(({here}) => time >= here.start && time < here.end);
  if (pair === undefined) return "";
  const [here, there] = [lengthOf(pair.here), lengthOf(pair.there)].map((ns) => humanDuration(ns));
  return `step ${pair.here.step}: ${here} here, ${there} in ${state.other.shown.value?.name}\n${changeText(pair)}. Click to see it`;
}
function resultAt(state: TimelineState, picture: TimelinePicture, row: TimelineRow, x: number, y: number) {
  const track = state.result.track.value;
  if (track === null || x < picture.gutter) return null;
  const lane = Math.floor((y - rulerHeight + state.scroll.value - row.top) / laneHeight);
  const slack = (3 * (picture.window.to - picture.window.from)) / (picture.width - picture.gutter);
  return resultSpanAt(track, lane, timeAt(picture, x), slack);
}
function resultText(span: ResultSpan | null): string {
  if (span === null) return "";
  const what = span.name === "" ? `row ${span.row + 1}` : span.name;
  return `${what}\n${humanDuration(span.duration)}${span.rank === null ? "" : `, rank ${span.rank}`}`;
}
// "device_power: 310 W on rank 3 to 420 W on rank 5".
function extremesAt(metric: Metric, time: number): string {
  const values = [...metric.lines.values()]
    .map((line) => ({rank: line.rank, value: valueAt(line, time)}))
    .filter((one): one is {rank: number; value: number} => one.value !== null)
    .sort((a, b) => a.value - b.value);
  const [least, most] = [values[0], values.at(-1)];
  if (least === undefined || most === undefined) return `${metric.name}: not measured here`;
  return `${metric.name}: ${metricText(least.value, metric.unit)} on rank ${least.rank}${values.length > 1 ? ` to ${metricText(most.value, metric.unit)} on rank ${most.rank}` : ""}`;
}

export function Canvas({
  state,
  name,
  askCommands,
}: {
  readonly state: TimelineState;
  readonly name: string;
  readonly askCommands: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const hover = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [scroller, node, said] = [place.current, canvas.current, hover.current];
    const context = node?.getContext("2d", {alpha: false});
    if (scroller === null || node === null || said === null || !context) return undefined;
    let wanted = 0;
    let drag: {x: number; y: number; kind: "area" | "pan"; from: number} | null = null;
    let pointer = {x: 0, y: 0};
    const draw = () => {
      wanted = 0;
      const {width, height} = state.size.value;
      const ratio = Math.min(2, devicePixelRatio || 1);
      if (node.width !== Math.round(width * ratio) || node.height !== Math.round(height * ratio)) {
        node.width = Math.round(width * ratio);
        node.height = Math.round(height * ratio);
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const isBehind = drawTimeline(context, pictureOf(state));
      node.dataset["drawn"] = String(Number(node.dataset["drawn"] ?? 0) + 1);
      if (isBehind) redraw();
    };
    const redraw = () => {
      if (wanted === 0) wanted = requestAnimationFrame(draw);
    };
    const stop = effect(() => {
      void [
        state.size.value,
        state.window.value,
        state.scroll.value,
        state.rows.value,
        state.visible.value,
        state.store.changes.value,
        state.steps.value,
        state.chosen.value,
        state.area.value,
        state.details.value,
        state.found.value,
        state.match.value,
        state.cursorRow.value,
        state.events.of.value,
        state.events.found.value,
        state.links.showsPath.value,
        state.links.showsCollectives.value,
        state.links.path.value,
        state.links.collectives.value,
        state.links.chosen.value,
        state.notes.value,
        state.marks.times.value,
        state.arrows.value,
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
      redraw();
    });
    const stopScrolling = effect(() => {
      scroller.scrollTop = state.wantedScroll.value;
    });
    const fit = () => {
      state.size.value = {width: scroller.clientWidth, height: scroller.clientHeight};
    };
    const sizes = new ResizeObserver(fit);
    sizes.observe(scroller);
    fit();
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme"]});
    const at = (event: MouseEvent) => {
      const box = node.getBoundingClientRect();
      return {x: event.clientX - box.left, y: event.clientY - box.top};
    };
    const picture = () => pictureOf(state);
    const perPixel = () =>
      (state.window.value.to - state.window.value.from) / (state.size.value.width - gutterOf(state.size.value.width));

    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      node.focus({preventScroll: true});
      drag = {...at(event), kind: event.shiftKey ? "pan" : "area", from: state.window.value.from};
      node.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      pointer = at(event);
      if (drag === null) return tell();
      if (Math.abs(pointer.x - drag.x) + Math.abs(pointer.y - drag.y) < 4) return;
      said.hidden = true;
      if (drag.kind === "pan") state.pan(drag.from - (pointer.x - drag.x) * perPixel() - state.window.value.from);
      else {
        state.isDragging.value = true;
        state.area.value = areaBetween(state, picture(), drag, pointer);
      }
    };
    const up = (event: PointerEvent) => {
      if (drag === null) return;
      const began = drag;
      drag = null;
      const end = at(event);
      state.isDragging.value = false;
      const isClick = Math.abs(end.x - began.x) + Math.abs(end.y - began.y) < 4;
      if (isClick) clickAt(state, picture(), end.x, end.y);
      else if (began.kind === "area") state.selectArea(areaBetween(state, picture(), began, end));
    };
    const tell = () => {
      const now = picture();
      const row = pointer.y < rulerHeight ? null : rowAt(state, pointer.y);
      const text = row === null ? textOnRuler(state, now, pointer) : textAt(state, now, row, pointer);
      if (text === "") {
        said.hidden = true;
        return;
      }
      said.textContent = text.slice(0, 400);
      said.hidden = false;
      const width = Math.min(420, now.width);
      said.style.transform = `translate(${Math.max(0, Math.min(pointer.x + 14, now.width - width))}px, ${pointer.y + 18}px)`;
    };
    const openMenu = (row: TimelineRow, x: number, y: number | null) => {
      if (state.keyOf(row) === null) return;
      const top = row.top + (row.isPinned === true ? 0 : -state.scroll.value) + rulerHeight + row.height;
      const box = node.getBoundingClientRect();
      state.menu.value = {row, x: box.left + x, y: box.top + (y ?? Math.max(rulerHeight, top))};
    };
    const asksMenu = (event: MouseEvent) => {
      const {x, y} = at(event);
      const row = y < rulerHeight ? null : rowAt(state, y);
      if (row === null || state.keyOf(row) === null) return;
      event.preventDefault();
      said.hidden = true;
      openMenu(row, x, y);
    };
    const leave = () => {
      said.hidden = true;
    };
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return; // rows scroll
      event.preventDefault();
      const by = event.deltaY || event.deltaX;
      if (event.shiftKey) state.pan(by * perPixel());
      else state.zoom(Math.exp(-by * 0.0025), timeAt(picture(), at(event).x));
    };
    const scrolled = () => {
      state.scroll.value = scroller.scrollTop;
    };
    const keys = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!takesKey(focusOf(event.target, node), event.key, state.keysEverywhere.value)) return;
      const center =
        pointer.x > gutterOf(state.size.value.width)
          ? timeAt(picture(), pointer.x)
          : (state.window.value.from + state.window.value.to) / 2;
      const span = state.window.value.to - state.window.value.from;
      switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
        case "w":
        case "+":
          state.zoom(1.5, center);
          break;
        case "s":
        case "-":
          state.zoom(1 / 1.5, center);
          break;
        case "a":
        case "ArrowLeft":
          state.pan(-span / 8);
          break;
        case "d":
        case "ArrowRight":
          state.pan(span / 8);
          break;
        case "ArrowDown":
        case "ArrowUp": {
          const by = event.key === "ArrowDown" ? 1 : -1;
          if (!event.shiftKey) state.moveCursor(by);
          else if (state.cursorRow.value !== null) state.moveRow(state.cursorRow.value, by);
          break;
        }
        case "Enter":
          state.enter();
          break;
        case "ContextMenu":
        case "F10":
          if (state.cursorRow.value === null || (event.key === "F10" && !event.shiftKey)) return;
          openMenu(state.cursorRow.value, 24, null);
          break;
        case "p":
        case "h": {
          const row = state.cursorRow.value;
          const key = row === null ? null : state.keyOf(row);
          if (event.key === "H") state.arrangement.showAll();
          else if (key !== null && event.key === "p") state.arrangement.togglePin(key);
          else if (key !== null && event.key === "h") {
            state.moveCursor(1);
            state.arrangement.hide(key);
          }
          break;
        }
        case "f":
          state.fit();
          break;
        case "Home":
          state.showAll();
          break;
        case ".":
          state.walk(1);
          break;
        case ",":
          state.walk(-1);
          break;
        case "]":
          state.follow("next");
          break;
        case "[":
          state.follow("before");
          break;
        case "m": {
          if (!event.shiftKey) {
            state.marks.add(center);
            break;
          }
          // What lies between the two marks around, or else the last two.
          const times = state.marks.times.value;
          const at = times.findIndex((one) => one > center);
          const [from, to] = at > 0 ? [times[at - 1], times[at]] : [times.at(-2), times.at(-1)];
          if (from !== undefined && to !== undefined) state.selectBetween(from, to);
          break;
        }
        case "Escape":
          if (state.menu.value !== null) {
            state.menu.value = null;
            break;
          }
          state.clear();
          state.events.clear();
          state.findings.key.value = "";
          break;
        case "/":
          document.getElementById("timeline-search")?.focus({preventScroll: true});
          break;
        case ":":
          askCommands();
          break;
        case "?":
          document.getElementById("timeline-keys")?.toggleAttribute("open");
          break;
        default:
          return;
      }
      event.preventDefault();
    };
    node.addEventListener("pointerdown", down);
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", up);
    node.addEventListener("pointerleave", leave);
    document.addEventListener("keydown", keys);
    node.addEventListener("contextmenu", asksMenu);
    scroller.addEventListener("wheel", wheel, {passive: false});
    scroller.addEventListener("scroll", scrolled);
    return () => {
      stop();
      stopScrolling();
      sizes.disconnect();
      theme.disconnect();
      document.removeEventListener("keydown", keys);
      cancelAnimationFrame(wanted);
    };
  }, [state]);
  return (
    <div class="timeline-scroll" ref={place}>
      <div class="timeline-hold">
        <canvas ref={canvas} class="timeline-canvas" tabIndex={0} role="img" aria-label={name} />
        <div class="timeline-hover" ref={hover} hidden />
        <CursorSaid state={state} />
        <RowMenu state={state} back={() => canvas.current?.focus({preventScroll: true})} />
      </div>
      <Tall state={state} />
    </div>
  );
}

// Where the keyboard is, for those who do not see it.
function CursorSaid({state}: {readonly state: TimelineState}) {
  const row = state.cursorRow.value;
  const isOpen = row !== null && row.track === null && state.open.value.includes(row.rank);
  return (
    <span class="unseen" role="status">
      {row === null ? "" : `${row.label}${isOpen ? ", open" : ""}${row.isPinned === true ? ", pinned" : ""}`}
    </span>
  );
}

// As high as all rows, so that the browser scrolls them.
function Tall({state}: {readonly state: TimelineState}) {
  const all = state.bottom.value + rulerHeight + 8;
  const height = Math.max(0, all - state.size.value.height);
  const node = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (node.current === null) return;
    node.current.style.height = `${height}px`;
    // No higher than what it has to show.
    if (node.current.parentElement) node.current.parentElement.style.maxHeight = `${Math.max(150, all + 4)}px`;
  }, [height, all]);
  return <div ref={node} />;
}

// The canvas of the timeline: drawn anew when what it shows has changed; the gestures on it are those that hands know from Perfetto.

import {effect} from "@preact/signals";
import {useEffect, useRef} from "preact/hooks";
import {drawTimeline} from "../../draw/timeline_canvas";
import {rulerHeight} from "../../draw/timeline_picture";
import {KeyActs} from "./key_acts";
import {pictureOf, watchPicture} from "./picture";
import {Pointer} from "./pointer";
import {RowMenu} from "./row_menu";
import type {TimelineState} from "./state";

// Draws in the next frame after a change, and once more while not all could be drawn in one frame.
function followPicture(state: TimelineState, node: HTMLCanvasElement, context: CanvasRenderingContext2D): () => void {
  let wanted = 0;
  const draw = () => {
    wanted = 0;
    const {width, height} = state.viewport.size.value;
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
    watchPicture(state);
    redraw();
  });
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, {attributes: true, attributeFilter: ["data-theme"]});
  return () => {
    stop();
    theme.disconnect();
    cancelAnimationFrame(wanted);
  };
}

// The place that the rows scroll in: how large it is, and how far they are scrolled.
function followPlace(state: TimelineState, scroller: HTMLElement, signal: AbortSignal): () => void {
  const fit = () => {
    state.viewport.size.value = {width: scroller.clientWidth, height: scroller.clientHeight};
  };
  const scrolled = () => {
    state.viewport.scroll.value = scroller.scrollTop;
  };
  const sizes = new ResizeObserver(fit);
  sizes.observe(scroller);
  scroller.addEventListener("scroll", scrolled, {signal});
  fit();
  const stop = effect(() => {
    scroller.scrollTop = state.viewport.wantedScroll.value;
  });
  return () => {
    stop();
    sizes.disconnect();
  };
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
    const listening = new AbortController();
    const pointer = new Pointer(state, node, said);
    pointer.follow(scroller, listening.signal);
    new KeyActs(state, pointer, askCommands).follow(node, listening.signal);
    const stops = [followPicture(state, node, context), followPlace(state, scroller, listening.signal)];
    return () => {
      stops.forEach((stop) => stop());
      listening.abort();
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
  const row = state.cursor.row.value;
  const isOpen = row !== null && row.track === null && state.ranks.open.value.includes(row.rank);
  return (
    <span class="unseen" role="status">
      {row === null ? "" : `${row.label}${isOpen ? ", open" : ""}${row.isPinned === true ? ", pinned" : ""}`}
    </span>
  );
}

// As high as all rows, so that the browser scrolls them.
function Tall({state}: {readonly state: TimelineState}) {
  const all = state.rows.bottom.value + rulerHeight + 8;
  const height = Math.max(0, all - state.viewport.size.value.height);
  const node = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (node.current === null) return;
    node.current.style.height = `${height}px`;
    // No higher than what it has to show.
    if (node.current.parentElement) node.current.parentElement.style.maxHeight = `${Math.max(150, all + 4)}px`;
  }, [height, all]);
  return <div ref={node} />;
}

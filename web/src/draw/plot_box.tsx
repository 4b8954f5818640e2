// What all plots have: a box as wide as its place, read by pointer and by arrow keys, in which ranks may be chosen.

import {type ReadonlySignal, type Signal, useSignal} from "@preact/signals";
import type {ComponentChildren, RefObject} from "preact";
import {useLayoutEffect, useRef, useState} from "preact/hooks";
import {type Drawing, useDrawing} from "./drawing";
import type {Point} from "./tips";

// A step to the right and down, or an end.
export type Move = readonly [right: number, down: number] | "first" | "last";

// The place after `at` of those from 0 to `last`.
export function placeAfter(at: number, move: Move, last: number): number {
  const next = move === "first" ? 0 : move === "last" ? last : at + (move[0] || move[1]);
  return Math.max(0, Math.min(last, next));
}

// The frame around what a plot's tooltip is about.
export type CursorPlace = Readonly<Record<string, number>> | null;

export interface PlotState extends Drawing {
  readonly ref: RefObject<HTMLDivElement>;
  readonly width: number; // 0: not known yet
  readonly box: () => DOMRect;
  readonly cursor: Signal<CursorPlace>;
}

export function usePlot(): PlotState {
  const drawing = useDrawing();
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const cursor = useSignal<CursorPlace>(null);
  useLayoutEffect(() => (ref.current === null ? undefined : drawing.sizes.add(ref.current, setWidth)), [drawing]);
  const {choice, sizes, theme, tips} = drawing;
  const box = () => ref.current?.getBoundingClientRect() ?? new DOMRect();
  return {choice, sizes, theme, tips, ref, width, cursor, box};
}

// How a plot is read. Places are in pixels of its box.
export interface Reading {
  readonly point: (x: number, y: number, pointer: Point, event: PointerEvent) => void;
  readonly move: (to: Move) => void;
  readonly leave: () => void;
  // The ranks below the pointer, and those where the keyboard is.
  readonly under?: (x: number, y: number) => readonly number[];
  readonly here?: () => readonly number[];
  readonly click?: (x: number, y: number) => void;
  readonly key?: (event: KeyboardEvent) => void;
}

const moves: Readonly<Record<string, Move>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: "first",
  End: "last",
};

interface PlotBox {
  readonly plot: PlotState;
  readonly name: string;
  readonly label?: string;
  readonly kind?: string;
  readonly data?: Readonly<Record<`data-${string}`, string | number>>;
  readonly reading: Reading;
  readonly children?: ComponentChildren;
}

export function PlotBox({plot, name, label, kind, data, reading, children}: PlotBox) {
  const down = useRef<Point | null>(null);
  const at = (event: MouseEvent): [x: number, y: number] => {
    const box = plot.box();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && event.target === plot.ref.current && reading.here) plot.choice.toggle(reading.here());
    const move = moves[event.key];
    if (event.key === "Escape") {
      // The first Escape only ends reading; the next one clears the choice of ranks.
      if (plot.tips.shown.value !== null) event.preventDefault();
      reading.leave();
    } else if (move !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      reading.move(move);
    }
    reading.key?.(event);
  };
  return (
    <div
      class={kind ? `plot ${kind}` : "plot"}
      data-plot={name}
      {...data}
      ref={plot.ref}
      tabIndex={0}
      role="group"
      aria-roledescription="plot"
      aria-label={label ?? `${name}. Arrow keys read the values.`}
      onPointerDownCapture={(event) => {
        down.current = {x: event.clientX, y: event.clientY};
      }}
      onClick={(event) => {
        // A drag is no click.
        if (down.current !== null && Math.hypot(event.clientX - down.current.x, event.clientY - down.current.y) > 3)
          return;
        if (reading.under) plot.choice.toggle(reading.under(...at(event)));
        reading.click?.(...at(event));
      }}
      onPointerMove={(event) => reading.point(...at(event), {x: event.clientX, y: event.clientY}, event)}
      onPointerLeave={reading.leave}
      onKeyDown={onKeyDown}
      onBlur={reading.leave}
    >
      {children}
    </div>
  );
}

// The picture of a plot, which is read as its tooltips say it.
export function Picture({
  width,
  height,
  children,
}: {
  readonly width: number;
  readonly height: number;
  readonly children: ComponentChildren;
}) {
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {children}
    </svg>
  );
}

interface Cursor {
  readonly at: ReadonlySignal<CursorPlace>;
  readonly shape?: "rect" | "circle";
  readonly fixed?: Readonly<Record<string, number>>;
}
export function Cursor({at, shape: Shape = "rect", fixed}: Cursor) {
  const place = at.value;
  return <Shape class="cursor" visibility={place === null ? "hidden" : "visible"} {...fixed} {...place} />;
}

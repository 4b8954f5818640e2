// The pointer on the picture: it clicks, draws areas, pans and zooms, opens the menu of a row, and is told what lies below it.

import {rulerHeight, timeAt, type TimelinePicture, type TimelineRow} from "../../draw/timeline_picture";
import {clickAt} from "./click";
import {areaBetween, rowAt, type Spot} from "./hits";
import {textAt} from "./hover";
import {gutterOf, pictureOf} from "./picture";
import type {TimelineState} from "./state";

const slack = 4; // pixels that the pointer moves in a click
const mostText = 400;
const wordsWidth = 420;

interface Drag extends Spot {
  readonly kind: "area" | "pan";
  readonly from: number; // where the window began
}

function areApart(a: Spot, b: Spot): boolean {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y) >= slack;
}

export class Pointer {
  private at: Spot = {x: 0, y: 0};
  private drag: Drag | null = null;

  // `said`: where the words stand.
  constructor(
    private readonly state: TimelineState,
    private readonly canvas: HTMLCanvasElement,
    private readonly said: HTMLElement,
  ) {}

  follow(scroller: HTMLElement, signal: AbortSignal): void {
    this.canvas.addEventListener("pointerdown", (event) => this.down(event), {signal});
    this.canvas.addEventListener("pointermove", (event) => this.move(event), {signal});
    this.canvas.addEventListener("pointerup", (event) => this.up(event), {signal});
    this.canvas.addEventListener("pointerleave", () => this.say(""), {signal});
    this.canvas.addEventListener("contextmenu", (event) => this.askMenu(event), {signal});
    scroller.addEventListener("wheel", (event) => this.wheel(event), {passive: false, signal});
  }

  // The time below it; that in the middle while it is over no time.
  get time(): number {
    const {from, to} = this.state.viewport.window.value;
    return this.at.x > gutterOf(this.state.viewport.size.value.width)
      ? timeAt(this.picture, this.at.x)
      : (from + to) / 2;
  }

  // Below the row, unless it is said where.
  openMenu(row: TimelineRow, x: number, y: number | null): void {
    if (this.state.rows.keyOf(row) === null) return;
    const top = row.top + (row.isPinned === true ? 0 : -this.state.viewport.scroll.value) + rulerHeight + row.height;
    const box = this.canvas.getBoundingClientRect();
    this.state.cursor.menu.value = {row, x: box.left + x, y: box.top + (y ?? Math.max(rulerHeight, top))};
  }

  private get picture(): TimelinePicture {
    return pictureOf(this.state);
  }
  private get nsPerPixel(): number {
    const {from, to} = this.state.viewport.window.value;
    const {width} = this.state.viewport.size.value;
    return (to - from) / (width - gutterOf(width));
  }
  private spotOf(event: MouseEvent): Spot {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.focus({preventScroll: true});
    this.drag = {
      ...this.spotOf(event),
      kind: event.shiftKey ? "pan" : "area",
      from: this.state.viewport.window.value.from,
    };
    this.canvas.setPointerCapture(event.pointerId);
  }
  private move(event: PointerEvent): void {
    const {state, drag} = this;
    this.at = this.spotOf(event);
    if (drag === null) return this.say(textAt(state, this.picture, this.at));
    if (!areApart(this.at, drag)) return;
    this.say("");
    if (drag.kind === "pan")
      return state.viewport.pan(drag.from - (this.at.x - drag.x) * this.nsPerPixel - state.viewport.window.value.from);
    state.area.isDragging.value = true;
    state.area.chosen.value = areaBetween(state, this.picture, drag, this.at);
  }
  private up(event: PointerEvent): void {
    const {state, drag} = this;
    if (drag === null) return;
    this.drag = null;
    const end = this.spotOf(event);
    state.area.isDragging.value = false;
    if (!areApart(end, drag)) clickAt(state, this.picture, end);
    else if (drag.kind === "area") state.area.select(areaBetween(state, this.picture, drag, end));
  }
  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return; // rows scroll
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    if (event.shiftKey) this.state.viewport.pan(by * this.nsPerPixel);
    else this.state.viewport.zoom(Math.exp(-by * 0.0025), timeAt(this.picture, this.spotOf(event).x));
  }
  private askMenu(event: MouseEvent): void {
    const {x, y} = this.spotOf(event);
    const row = y < rulerHeight ? null : rowAt(this.state, y);
    if (row === null || this.state.rows.keyOf(row) === null) return;
    event.preventDefault();
    this.say("");
    this.openMenu(row, x, y);
  }

  private say(text: string): void {
    this.said.hidden = text === "";
    if (text === "") return;
    this.said.textContent = text.slice(0, mostText);
    const {width} = this.state.viewport.size.value;
    const left = Math.max(0, Math.min(this.at.x + 14, width - Math.min(wordsWidth, width)));
    this.said.style.transform = `translate(${left}px, ${this.at.y + 18}px)`;
  }
}

// What each key does in the picture.

import {focusOf, takesKey} from "./keys";
import type {Pointer} from "./pointer";
import type {TimelineState} from "./state";

export class KeyActs {
  constructor(
    private readonly state: TimelineState,
    private readonly pointer: Pointer,
    private readonly askCommands: () => void,
  ) {}

  follow(canvas: HTMLCanvasElement, signal: AbortSignal): void {
    const take = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!takesKey(focusOf(event.target, canvas), event.key, this.state.keysEverywhere.value)) return;
      if (this.inTime(event) || this.onRows(event) || this.onEvents(event) || this.onPage(event))
        event.preventDefault();
    };
    document.addEventListener("keydown", take, {signal});
  }

  // Each answers whether the key is one of its own.
  private inTime(event: KeyboardEvent): boolean {
    const {state} = this;
    const span = state.viewport.window.value.to - state.viewport.window.value.from;
    switch (nameOf(event)) {
      case "w":
      case "+":
        state.viewport.zoom(1.5, this.pointer.time);
        return true;
      case "s":
      case "-":
        state.viewport.zoom(1 / 1.5, this.pointer.time);
        return true;
      case "a":
      case "ArrowLeft":
        state.viewport.pan(-span / 8);
        return true;
      case "d":
      case "ArrowRight":
        state.viewport.pan(span / 8);
        return true;
      case "f":
        state.guide.fit();
        return true;
      case "Home":
        state.viewport.showAll();
        return true;
      case "m": {
        if (!event.shiftKey) state.marks.add(this.pointer.time);
        const between = event.shiftKey ? state.marks.around(this.pointer.time) : null;
        if (between !== null) state.area.selectBetween(between.from, between.to);
        return true;
      }
      default:
        return false;
    }
  }

  private onRows(event: KeyboardEvent): boolean {
    const {state} = this;
    const row = state.cursor.row.value;
    const key = row === null ? null : state.rows.keyOf(row);
    switch (nameOf(event)) {
      case "ArrowDown":
      case "ArrowUp": {
        const by = event.key === "ArrowDown" ? 1 : -1;
        if (!event.shiftKey) state.cursor.move(by);
        else if (row !== null) state.rows.move(row, by);
        return true;
      }
      case "Enter":
        state.walk.enter();
        return true;
      case "ContextMenu":
      case "F10":
        if (row === null || (event.key === "F10" && !event.shiftKey)) return false;
        this.pointer.openMenu(row, 24, null);
        return true;
      case "p":
        if (key !== null && event.key === "p") state.arrangement.togglePin(key);
        return true;
      case "h":
        if (event.key === "H") state.arrangement.showAll();
        else if (key !== null) {
          state.cursor.move(1);
          state.arrangement.hide(key);
        }
        return true;
      default:
        return false;
    }
  }

  private onEvents(event: KeyboardEvent): boolean {
    const {state} = this;
    switch (event.key) {
      case ".":
        state.walk.toEvent(1);
        return true;
      case ",":
        state.walk.toEvent(-1);
        return true;
      case "]":
        state.walk.along("next");
        return true;
      case "[":
        state.walk.along("before");
        return true;
      case "Escape":
        if (state.cursor.menu.value !== null) {
          state.cursor.menu.value = null;
          return true;
        }
        state.clear();
        state.events.clear();
        state.findings.key.value = "";
        return true;
      default:
        return false;
    }
  }

  private onPage(event: KeyboardEvent): boolean {
    switch (event.key) {
      case "/":
        document.getElementById("timeline-search")?.focus({preventScroll: true});
        return true;
      case ":":
        this.askCommands();
        return true;
      case "?":
        document.getElementById("timeline-keys")?.toggleAttribute("open");
        return true;
      default:
        return false;
    }
  }
}

// Letters without their case.
function nameOf(event: KeyboardEvent): string {
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

// The row on which the keyboard is, and the row whose menu is open.

import {computed, signal} from "@preact/signals";
import {rulerHeight, type TimelineRow} from "../../draw/timeline_picture";
import type {TimelineRows} from "./rows";
import type {TimelineViewport} from "./viewport";

// The keyboard passes over it: there is nothing to open.
function isOfNobody(row: TimelineRow): boolean {
  return row.head !== undefined && row.head !== "group" && row.head !== "empty";
}

export class TimelineCursor {
  // A row of a rank, or of one of its tracks.
  private readonly at = signal<(Pick<TimelineRow, "rank" | "track"> & {readonly isPinned: boolean}) | null>(null);
  // And where on the screen.
  readonly menu = signal<{readonly row: TimelineRow; readonly x: number; readonly y: number} | null>(null);

  constructor(
    private readonly viewport: TimelineViewport,
    private readonly rows: TimelineRows,
  ) {}

  // null: it is nowhere, or its row is no longer there.
  readonly row = computed((): TimelineRow | null => {
    const at = this.at.value;
    if (at === null) return null;
    const isThere = (row: TimelineRow) =>
      row.rank === at.rank && row.track === at.track && (row.isPinned === true) === at.isPinned;
    return this.rows.all.value.find(isThere) ?? null;
  });

  move(by: 1 | -1): void {
    const rows = this.rows.all.value.filter((row) => !isOfNobody(row));
    const now = this.row.value;
    // First where the picture begins.
    const at =
      now === null
        ? rows.findIndex((row) => row.isPinned === true || row.top >= this.viewport.scroll.value)
        : rows.indexOf(now) + by;
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row === undefined) return;
    this.at.value = {rank: row.rank, track: row.track, isPinned: row.isPinned === true};
    if (row.isPinned !== true) this.scrollTo(row);
  }

  private scrollTo(row: TimelineRow): void {
    const {scroll, size, wantedScroll} = this.viewport;
    const room = size.value.height - rulerHeight;
    const [top, pinned] = [scroll.value, this.rows.pinnedHeight.value];
    if (row.top < top + pinned) wantedScroll.value = Math.max(0, row.top - pinned);
    else if (row.top + row.height > top + room) wantedScroll.value = row.top + row.height - room;
  }
}

// What people noted of the run, at an event, a stretch of time or the run as a whole.

import {signal} from "@preact/signals";
import type {NewNote, Note} from "@made/api_types";
import {addNote, listNotes, removeNote} from "../../model/api";
import type {Window} from "../../model/timeline";

type PlaceOfNote = Omit<NewNote, "text">;

// At what is chosen: an event, else a stretch of time of one rank or of all.
export function placeOfNote(
  chosen: {readonly rank: number; readonly start: number} | null,
  area: (Window & {readonly ranks: readonly number[]}) | null,
): PlaceOfNote {
  if (chosen !== null) return {rank: chosen.rank, time_ns: Math.round(chosen.start)};
  if (area === null) return {};
  return {
    ...(area.ranks.length === 1 ? {rank: area.ranks[0] ?? 0} : {}),
    time_ns: Math.round(area.from),
    end_ns: Math.max(Math.round(area.from) + 1, Math.round(area.to)),
  };
}

export class TimelineNotes {
  readonly all = signal<readonly Note[]>([]);

  constructor(private readonly run: string) {}

  async load(): Promise<void> {
    try {
      this.all.value = await listNotes(this.run);
    } catch {
      /* pictures are good without them, and the run's page says why */
    }
  }
  async add(text: string, place: PlaceOfNote): Promise<void> {
    await addNote(this.run, {text, ...place});
    await this.load();
  }
  async remove(note: number): Promise<void> {
    await removeNote(this.run, note);
    await this.load();
  }
}

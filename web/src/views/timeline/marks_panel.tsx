// Marks and notes as lists: what the flags on the time axis show, for whoever does not see or point at them.

import {humanDuration, plural} from "../../model/format";
import {front} from "../../model/text";
import type {TimelineState} from "./state";
import {Time} from "./time";

export function MarksPanel({state}: {readonly state: TimelineState}) {
  const times = state.marks.times.value;
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <section class="timeline-panel" aria-label="Marks">
      <h2>
        {times.length === 1
          ? `A mark at ${humanDuration(first)}`
          : `${plural(times.length, "mark")}; ${humanDuration(last - first)} from the first to the last`}
      </h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Marks by time">
        <table>
          <thead>
            <tr>
              <th scope="col">mark</th>
              <th scope="col" class="number">
                at
              </th>
              <th scope="col" class="number">
                after the one before
              </th>
              <th scope="col">
                <span class="unseen">what to do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {times.map((time, i) => {
              const before = times[i - 1];
              return (
                <tr key={time} data-mark={i + 1}>
                  <td>
                    <button
                      type="button"
                      class="link"
                      aria-label={`Go to mark ${i + 1}`}
                      onClick={() => state.viewport.goToTime(time)}
                    >
                      {i + 1}
                    </button>
                  </td>
                  <Time ns={time} />
                  {before === undefined ? <td /> : <Time ns={time - before} />}
                  <td>
                    <span class="together">
                      {before === undefined ? null : (
                        <button
                          type="button"
                          class="link"
                          aria-label={`Add up from mark ${i} to ${i + 1}`}
                          onClick={() => state.area.selectBetween(before, time)}
                        >
                          add up
                        </button>
                      )}
                      <button
                        type="button"
                        class="link"
                        aria-label={`Remove mark ${i + 1}`}
                        onClick={() => state.marks.remove(time)}
                      >
                        remove
                      </button>
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {times.length < 2 ? null : (
        <p>
          <button type="button" class="link" onClick={() => state.marks.clear()}>
            Remove all marks
          </button>
        </p>
      )}
    </section>
  );
}

// Those that have a time; the run's page has the others, too.
export function NotesPanel({state}: {readonly state: TimelineState}) {
  const notes = state.notes.all.value.filter((one) => one.time_ns !== null);
  if (notes.length === 0) return null;
  return (
    <details class="timeline-panel notes-here">
      <summary>{plural(notes.length, "note")}</summary>
      <ul>
        {notes.map((note) => (
          <li key={note.id} data-note={note.id}>
            <button type="button" class="link" onClick={() => state.guide.toNote(note)}>
              {front(note.text, 200)}
            </button>{" "}
            <span class="muted">
              {note.rank === null ? "" : `rank ${note.rank}, `}
              {note.end_ns === null
                ? `at ${humanDuration(note.time_ns ?? 0)}`
                : `${humanDuration(note.end_ns - (note.time_ns ?? 0))} from ${humanDuration(note.time_ns ?? 0)}`}
            </span>{" "}
            <button
              type="button"
              class="link"
              aria-label={`Remove the note ${front(note.text, 60)}`}
              onClick={() =>
                void state.notes.remove(note.id).catch((error: unknown) => {
                  state.store.problem.value = error instanceof Error ? error.message : String(error);
                })
              }
            >
              remove
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

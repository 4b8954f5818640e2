// Notes on a run: of all of it, or at a rank and a time, where the timeline has them, too.

import {useEffect, useState} from "preact/hooks";
import {toTimeline} from "../../model/routes";
import {front, visible} from "../../model/text";
import type {Note} from "@made/api_types";
import {addNote, listNotes, removeNote} from "../../model/api";
import {humanDuration} from "../../model/format";

const around = 5_000_000; // nanoseconds of the timeline that are shown about a note

// Where in the timeline a note is.
export function placeOfNote(run: string, note: Note): string | null {
  if (note.time_ns === null) return null;
  return toTimeline(
    run,
    `?from=${note.time_ns - around}&to=${(note.end_ns ?? note.time_ns) + around}${note.rank === null ? "" : `&open=${note.rank}`}`,
  );
}

export function NoteForm({write, label}: {readonly write: (text: string) => Promise<void>; readonly label: string}) {
  const [problem, setProblem] = useState("");
  const take = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get("text") ?? "").trim();
    if (text === "") return;
    try {
      await write(text);
      setProblem("");
      form.reset();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="tools note-form" onSubmit={(event) => void take(event)}>
      <label>
        {label} <input name="text" type="text" size={40} maxLength={4000} required />
      </label>
      <button type="submit">Add</button>
      {problem === "" ? null : (
        <span class="wrong" role="alert">
          {visible(problem)}
        </span>
      )}
    </form>
  );
}

export function Notes({run}: {readonly run: string}) {
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const [problem, setProblem] = useState("");
  const said = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  const load = () => listNotes(run).then(setNotes, said);
  useEffect(() => void load(), [run]);
  return (
    <div class="notes">
      {notes.length === 0 ? (
        <p class="muted">No note yet.</p>
      ) : (
        <ul>
          {notes.map((note) => {
            const place = placeOfNote(run, note);
            return (
              <li key={note.id} data-note={note.id}>
                <span class="text">{visible(note.text)}</span>{" "}
                <span class="muted">
                  {note.user === "" ? "" : `${visible(note.user)}, `}
                  <time dateTime={note.made}>{note.made.replace("T", " ").replace("Z", " UTC")}</time>
                </span>{" "}
                {place === null ? null : (
                  <a href={place}>
                    {note.rank === null ? "" : `rank ${note.rank} `}at {humanDuration(note.time_ns ?? 0)}
                    {note.end_ns === null ? "" : ` to ${humanDuration(note.end_ns)}`}
                  </a>
                )}
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove the note ${front(note.text, 60)}`}
                  onClick={() => void removeNote(run, note.id).then(load, said)}
                >
                  {"\u2715"}
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <NoteForm
        label="A note on this run"
        write={async (text) => {
          await addNote(run, {text});
          await load();
        }}
      />
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem)}
        </p>
      )}
    </div>
  );
}

// Below the timeline: the SQL whose result is drawn over it, and the rows of that in the window.

import {useEffect, useState} from "preact/hooks";
import {doorOfResult, mostSql} from "../../model/doors";
import {humanDuration, plural} from "../../model/format";
import {type ResultSpan, spansIn} from "../../model/result_track";
import {front, visible} from "../../model/text";
import type {TimelineState} from "./state";

const mostShown = 24;

// An editor for a track, which stands under More while there is none and in the panel when there is.
export function ResultForm({state}: {readonly state: TimelineState}) {
  const {sql} = state.result;
  const [text, setText] = useState(sql.value);
  useEffect(() => setText(sql.value), [sql.value]);
  const take = (event: Event) => {
    event.preventDefault();
    sql.value = text.trim();
  };
  return (
    <form class="result-form" onSubmit={take}>
      <label>
        SQL as a row over the ranks{" "}
        <textarea
          rows={3}
          spellcheck={false}
          maxLength={mostSql}
          value={text}
          placeholder="select name, rank, event, ts_ns, dur_ns from kernels where dur_ns > 1000000"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) take(event);
          }}
        />
      </label>
      <span class="together">
        <button type="submit">Draw</button>
        {sql.value === "" ? null : (
          <button
            type="button"
            onClick={() => {
              sql.value = "";
            }}
          >
            Remove
          </button>
        )}
      </span>
    </form>
  );
}

function titleOf(state: TimelineState, shown: number): string {
  const {track, isAsking} = {track: state.result.track.value, isAsking: state.result.result.value === null};
  if (track === null) return isAsking && state.result.problem.value === "" ? "Asking \u2026" : "No row to draw";
  return shown === track.spans.length
    ? `${plural(shown, "row")} of SQL, all in this window`
    : `${shown} of ${plural(track.spans.length, "row")} of SQL in this window`;
}

export function ResultPanel({state}: {readonly state: TimelineState}) {
  const {sql, result, track, chosen, problem} = state.result;
  if (sql.value === "") return null;
  const all = track.value;
  const shown = all === null ? [] : spansIn(all, state.viewport.window.value);
  const hasRanks = shown.some((span) => span.rank !== null);
  const names = (result.value?.columns ?? []).map((column) => column.name);
  const hasEvent = (span: ResultSpan) => doorOfResult(names, result.value?.rows[span.row] ?? [])?.of !== undefined;
  return (
    <section class="timeline-panel" aria-label="Result of SQL">
      <h2>{titleOf(state, shown.length)}</h2>
      <ResultForm state={state} />
      {problem.value === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem.value)}
        </p>
      )}
      {all === null || (all.withoutTime === 0 && all.covered === 0) ? null : (
        <p class="muted">
          {all.withoutTime === 0 ? "" : `${plural(all.withoutTime, "row")} without a time. `}
          {all.covered === 0 ? "" : `${plural(all.covered, "bar")} drawn over others: more than 8 overlap.`}
        </p>
      )}
      {shown.length === 0 ? null : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Rows of the result">
          <table>
            <caption>
              {shown.length > mostShown
                ? `The first ${mostShown} in this window, as they begin`
                : "In this window, as they begin"}
            </caption>
            <thead>
              <tr>
                <th scope="col">name</th>
                {hasRanks ? <th scope="col">rank</th> : null}
                <th scope="col" class="number">
                  at
                </th>
                <th scope="col" class="number">
                  time
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, mostShown).map((span) => (
                <tr key={span.row} data-row={span.row} aria-selected={chosen.value?.row === span.row}>
                  <td class="long">
                    <button type="button" class="link" onClick={() => state.guide.toResult(span)}>
                      {front(span.name === "" ? `row ${span.row + 1}` : span.name, 120)}
                    </button>
                    {hasEvent(span) ? null : <span class="muted"> no event</span>}
                  </td>
                  {hasRanks ? <td>{span.rank ?? "\u2013"}</td> : null}
                  <td class="number" data-value={span.start}>
                    {humanDuration(Math.round(span.start))}
                  </td>
                  <td class="number" data-value={span.duration}>
                    {humanDuration(span.duration)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

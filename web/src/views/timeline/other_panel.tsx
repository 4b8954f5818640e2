// Below the timeline: another run beside this one, step by step, and where the time of the aligned step goes in both.

import {changeText} from "../../draw/timeline_other";
import {humanDuration} from "../../model/format";
import {lengthOf, type PartChange, ranksBeside} from "../../model/run_pair";
import {toCompare, toTimeline} from "../../model/routes";
import {Time} from "./time";
import type {TimelineState} from "./state";

const mostSteps = 24;

function signed(ns: number): string {
  return `${ns < 0 ? "\u2212" : "+"}${humanDuration(Math.abs(Math.round(ns)))}`;
}

function titleOf(state: TimelineState): string {
  const {shown, aligned, problem} = state.other;
  if (shown.value === null)
    return problem.value === "" ? "Reading the other run \u2026" : "The other run cannot be shown";
  const pair = aligned.value;
  if (pair === null) return `${shown.value.name} has no step in common with this run`;
  const [here, there] = [lengthOf(pair.here), lengthOf(pair.there)].map((ns) => humanDuration(ns));
  const step = pair.here.step === pair.there.step ? "" : ` (its step ${pair.there.step})`;
  return `Step ${pair.here.step} takes ${here} here and ${there} in ${shown.value.name}${step}: ${changeText(pair)}`;
}

function Parts({name, changes}: {readonly name: string; readonly changes: readonly PartChange[]}) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Where the time of the step goes">
      <table>
        <caption>Where the step{"\u2019"}s time goes, mean over devices, the largest change first</caption>
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" class="number">
              here
            </th>
            <th scope="col" class="number">
              {name}
            </th>
            <th scope="col" class="number">
              change
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map((part) => (
            <tr key={part.words} data-part={part.words}>
              <td>{part.words}</td>
              <Time ns={Math.round(part.here)} />
              <Time ns={Math.round(part.there)} />
              <td class="number" data-value={Math.round(part.here - part.there)}>
                {signed(part.here - part.there)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function OtherPanel({state}: {readonly state: TimelineState}) {
  const {other} = state;
  if (other.run.value === "") return null;
  const shown = other.shown.value;
  const pairs = other.pairs.value;
  const aligned = other.aligned.value;
  const ranks = shown === null ? "" : ranksBeside(state.store.ranks, shown.store.ranks, shown.name);
  return (
    <section class="timeline-panel" aria-label="The other run">
      <h2>{titleOf(state)}</h2>
      {other.problem.value === "" ? null : (
        <p class="wrong" role="alert">
          {other.problem.value}
        </p>
      )}
      <p class="together">
        <a href={toCompare(other.run.value, state.run)}>What changed, as a table</a>
        <a href={toTimeline(other.run.value, `?with=${state.run}`)}>The other way round</a>
        <button
          type="button"
          onClick={() => {
            other.run.value = "";
          }}
        >
          Remove
        </button>
      </p>
      {shown === null ? null : (
        <p class="muted">
          Both runs begin the step in the middle of the window together. A line under a row of {shown.name} marks where
          that rank mostly does something else than here.
          {ranks === "" ? "" : ` ${ranks}`}
        </p>
      )}
      {shown === null || other.changes.value === null ? null : (
        <Parts name={shown.name} changes={other.changes.value} />
      )}
      {shown === null || pairs.length === 0 ? null : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Steps of both runs">
          <table>
            <caption>
              {pairs.length > mostSteps ? `The first ${mostSteps} of ${pairs.length} steps` : "Steps of both runs"}
            </caption>
            <thead>
              <tr>
                <th scope="col">step</th>
                <th scope="col" class="number">
                  here
                </th>
                <th scope="col" class="number">
                  {shown.name}
                </th>
                <th scope="col" class="number">
                  change
                </th>
              </tr>
            </thead>
            <tbody>
              {pairs.slice(0, mostSteps).map((pair) => (
                <tr key={pair.here.step} data-step={pair.here.step} aria-selected={pair === aligned}>
                  <td>
                    <button type="button" class="link" onClick={() => state.viewport.frameStep(pair.here)}>
                      {pair.here.step}
                    </button>
                  </td>
                  <Time ns={lengthOf(pair.here)} />
                  <Time ns={lengthOf(pair.there)} />
                  <td class="number">{changeText(pair)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

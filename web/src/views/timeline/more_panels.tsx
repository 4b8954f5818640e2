// Below the timeline: the finding that is chosen, and the metric that is drawn.

import {toRun} from "../../model/routes";
import {front, visible} from "../../model/text";
import {metricText} from "../../draw/timeline_metrics";
import {humanDuration, plural} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {named} from "../../model/ranks";
import {overWindow} from "../../model/timeline_metrics";
import type {TimelineState} from "./state";

const mostShown = 24;

// Where the finding is: steps and events to go to.
export function FindingPanel({state}: {readonly state: TimelineState}) {
  const placed = state.findings.chosen.value;
  if (placed === null) return null;
  const {finding, stretches} = placed;
  const isAll = finding.ranks.length === 0 || finding.ranks.length >= state.store.ranks.length;
  const steps = state.facts.steps.value.filter(({step}) => finding.steps.includes(step));
  const events = state.findings.events.value;
  const go = (from: number, to: number) => {
    state.viewport.frame({from, to}, (to - from) * 0.15);
  };
  const [first] = finding.ranks;
  return (
    <section class="timeline-panel" aria-label="Finding" data-finding={finding.key}>
      <h2>{visible(finding.title)}</h2>
      <p class="muted">
        {visible(finding.severity)}; {isAll ? "all ranks" : named("rank", finding.ranks)},{" "}
        {stretches.length === 0 ? "all steps" : named("step", finding.steps)}.{" "}
        <a href={`${toRun(state.run)}#finding-${finding.row + 1}`}>Its card in the report</a>
      </p>
      <p class="together">
        {isAll || first === undefined ? null : (
          <>
            <button type="button" onClick={() => state.rows.reveal(first)}>
              {finding.ranks.length === 1 ? `Open rank ${first}` : `Open rank ${first}, the first`}
            </button>
            <button
              type="button"
              onClick={() => {
                state.ranks.shown.value = state.ranks.shown.value.length > 0 ? [] : [...finding.ranks];
              }}
            >
              {state.ranks.shown.value.length > 0 ? "All ranks" : "Only its ranks"}
            </button>
          </>
        )}
        {steps.slice(0, mostShown).map(({step, start, end}) => (
          <button type="button" key={step} onClick={() => go(start, end)}>
            Step {step}
          </button>
        ))}
        {steps.length > mostShown ? <span class="muted">and {steps.length - mostShown} more</span> : null}
      </p>
      {events.length === 0 ? null : (
        <div class="table-scroll found" tabIndex={0} role="region" aria-label="Events of the finding">
          <table>
            <caption>{plural(events.length, "event")} that the finding rests on</caption>
            <thead>
              <tr>
                <th scope="col">event</th>
                <th scope="col">rank</th>
                <th scope="col" class="number">
                  from
                </th>
                <th scope="col" class="number">
                  time
                </th>
              </tr>
            </thead>
            <tbody>
              {events.map((one) => (
                <tr key={`${one.rank}/${one.capture}/${one.event}`}>
                  <td class="long">
                    <button
                      type="button"
                      class="link"
                      onClick={() =>
                        state.guide.toHit({rank: one.rank, start_ns: one.start, duration_ns: one.duration})
                      }
                    >
                      {front(one.name, 120)}
                    </button>
                  </td>
                  <td>{one.rank}</td>
                  <td class="number">{humanDuration(Math.round(one.start))}</td>
                  <td class="number">{humanDuration(one.duration)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const mostRanks = 12;

// The metric's numbers in the window: what the lines show, for whoever does not see them.
export function MetricPanel({state}: {readonly state: TimelineState}) {
  const metric = state.telemetry.metric.value;
  if (metric === null) return null;
  const name = visible(metric.name);
  const ranks = overWindow(metric, state.viewport.window.value).sort((a, b) => b.mean - a.mean || a.rank - b.rank);
  const [most, least] = [ranks[0], ranks.at(-1)];
  if (most === undefined || least === undefined)
    return (
      <section class="timeline-panel" aria-label="Metric">
        <h2>{name} was not measured in this window</h2>
      </section>
    );
  const text = (value: number) => metricText(value, metric.unit);
  const shown = ranks.length > mostRanks ? [...ranks.slice(0, mostRanks / 2), ...ranks.slice(-mostRanks / 2)] : ranks;
  return (
    <section class="timeline-panel" aria-label="Metric">
      <h2 title={metricDoc(metric.name) ?? undefined}>
        {ranks.length === 1
          ? `${name}: ${text(most.mean)} on rank ${most.rank}`
          : `${name}: highest on rank ${most.rank} (${text(most.mean)}), lowest on rank ${least.rank} (${text(least.mean)})`}
      </h2>
      <p class="muted">
        Over this window, from the highest mean to the lowest
        {ranks.length > shown.length ? `; the ${mostRanks / 2} at either end of ${ranks.length}` : ""}. Between samples
        a line is drawn; times are those of the hosts{"\u2019"} clocks.
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Metric by rank">
        <table>
          <thead>
            <tr>
              <th scope="col">rank</th>
              <th scope="col" class="number">
                mean
              </th>
              <th scope="col" class="number">
                least
              </th>
              <th scope="col" class="number">
                most
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <tr key={one.rank} data-rank={one.rank}>
                <td>
                  <button type="button" class="link" onClick={() => state.rows.reveal(one.rank)}>
                    {one.rank}
                  </button>
                </td>
                <td class="number" data-value={one.mean}>
                  {text(one.mean)}
                </td>
                <td class="number">{text(one.least)}</td>
                <td class="number">{text(one.most)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

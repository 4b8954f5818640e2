// Lists of events below the timeline: those that a row of a table is made of, and what a search found.

import type {TimelineHit} from "../../model/api";
import type {Events} from "../../model/doors";
import {humanDuration, plural} from "../../model/format";
import {front, visible} from "../../model/text";
import type {TimelineState} from "./state";
import {Time} from "./time";

const mostHits = 200;
const mostRanks = 64;

const kindWords: Readonly<Record<Events["kind"], string>> = {
  name: "",
  text: "with the text ",
  pattern: "of the pattern ",
  op: "launched by ",
  module: "of the module ",
  line: "launched by ",
  event: "",
};

function Walk({name, step}: {readonly name: string; readonly step: (by: 1 | -1) => void}) {
  return (
    <span class="together">
      <button type="button" aria-label={`Previous ${name}`} onClick={() => step(-1)}>
        {"\u2039 Previous"}
      </button>
      <button type="button" aria-label={`Next ${name}`} onClick={() => step(1)}>
        {"Next \u203a"}
      </button>
    </span>
  );
}

function Hits({
  state,
  label,
  hits,
  at = -1,
  isOneName = false,
}: {
  readonly state: TimelineState;
  readonly label: string;
  readonly hits: readonly TimelineHit[];
  readonly at?: number;
  readonly isOneName?: boolean; // which then is not told in each row
}) {
  return (
    <div class="table-scroll found" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">event</th>
            <th scope="col">rank</th>
            <th scope="col">row</th>
            <th scope="col" class="number">
              from
            </th>
            <th scope="col" class="number">
              time
            </th>
          </tr>
        </thead>
        <tbody>
          {hits.slice(0, mostHits).map((hit, i) => (
            <tr key={`${hit.rank}/${hit.event}/${hit.start_ns}`} class={i === at ? "chosen" : undefined}>
              <td class="long">
                <button type="button" class="link" onClick={() => state.guide.toHit(hit)}>
                  {isOneName ? `event ${hit.event}` : front(hit.name, 120)}
                </button>
              </td>
              <td>{hit.rank}</td>
              <td class="word">{visible(hit.track)}</td>
              <Time ns={hit.start_ns} />
              <Time ns={hit.duration_ns} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// "200 x gemm: 42.4 ms on 2 ranks".
export function EventsPanel({state}: {readonly state: TimelineState}) {
  const {of, found, at} = state.events;
  const asked = of.value;
  if (asked === null) return null;
  const what = asked.kind === "event" ? "" : `${kindWords[asked.kind]}${front(asked.value, 160)}`;
  const known = found.value;
  const close = (
    <button type="button" class="link" onClick={() => state.events.clear()}>
      Close
    </button>
  );
  if (known === null)
    return (
      <section class="timeline-panel" aria-label="Events">
        <h2>{what === "" ? "The event" : `Events ${what}`}</h2>
        <p class="muted">
          {state.events.isBusy ? "Looking for them \u2026" : ""} {close}
        </p>
      </section>
    );
  const count = known.ranks.reduce((sum, one) => sum + one.count, 0);
  const total = known.ranks.reduce((sum, one) => sum + one.total_ns, 0);
  const outliers = known.ranks.filter((one) => one.isOutlier);
  const title =
    asked.kind === "event"
      ? visible(known.hits[0]?.name ?? "The event is not in the timeline")
      : count === 0
        ? `No event ${what}`
        : `${plural(count, "event")} ${what}: ${humanDuration(Math.round(total))} on ${known.ranks.length === 1 ? `rank ${known.ranks[0]?.rank}` : plural(known.ranks.length, "rank")}`;
  return (
    <section class="timeline-panel" aria-label="Events">
      <h2 class="long">{title}</h2>
      <p class="muted">
        {outliers.length === 0
          ? ""
          : `${outliers.length === 1 ? `Rank ${outliers[0]?.rank} stands` : `${outliers.length} ranks stand`} apart from the others. `}
        {known.isComplete ? "" : "Not all events were looked at: there are too many. "}
        {known.isAll || known.rank === null ? "" : `Rank ${known.rank} has more than are listed. `}
        {known.hits.length > 1 ? (
          <>
            {`${at.value + 1} of ${known.hits.length} on rank ${known.rank} `}
            <Walk name="event" step={(by) => state.guide.stepEvents(by)} />{" "}
          </>
        ) : null}
        {close}
      </p>
      <div class="columns">
        {known.ranks.length < 1 || asked.kind === "event" ? null : (
          <div class="table-scroll found" tabIndex={0} role="region" aria-label="Events by rank">
            <table>
              <caption>
                By rank, the largest mean first
                {known.ranks.length > mostRanks ? `; ${mostRanks} of ${known.ranks.length}` : ""}
              </caption>
              <thead>
                <tr>
                  <th scope="col">rank</th>
                  <th scope="col" class="number">
                    events
                  </th>
                  <th scope="col" class="number">
                    total
                  </th>
                  <th scope="col" class="number">
                    mean
                  </th>
                  <th scope="col" class="number">
                    longest
                  </th>
                  <th scope="col">
                    <span class="unseen">outlier</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.ranks.slice(0, mostRanks).map((one) => (
                  <tr key={one.rank} data-rank={one.rank} class={one.rank === known.rank ? "chosen" : undefined}>
                    <td>
                      <button type="button" class="link" onClick={() => void state.guide.toEvents(asked, one.rank)}>
                        {one.rank}
                      </button>
                    </td>
                    <td class="number" data-value={one.count}>
                      {one.count}
                    </td>
                    <Time ns={one.total_ns} />
                    <Time ns={Math.round(one.mean_ns)} />
                    <Time ns={one.longest.duration_ns} />
                    <td class="word">{one.isOutlier ? "\u25c6 outlier" : ""}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {known.hits.length < 2 ? null : (
          <Hits
            state={state}
            label={`Events on rank ${known.rank}`}
            hits={known.hits}
            at={at.value}
            isOneName={asked.kind === "name"}
          />
        )}
      </div>
    </section>
  );
}

export function HitsPanel({state}: {readonly state: TimelineState}) {
  const hits = state.search.hits.value;
  if (hits === null) return null;
  const count = hits.hits.length;
  const wanted = `\u201c${visible(state.search.text.value)}\u201d`;
  return (
    <section class="timeline-panel" aria-label="Found">
      <h2>
        {count === 0
          ? `Nothing is called ${wanted}`
          : `${hits.complete ? "" : "The first "}${plural(count, "event")} with ${wanted}`}
      </h2>
      {count < 2 ? null : (
        <p>
          <Walk name="hit" step={(by) => state.guide.stepHits(by)} />
        </p>
      )}
      {count === 0 ? null : <Hits state={state} label="Events found" hits={hits.hits} />}
    </section>
  );
}

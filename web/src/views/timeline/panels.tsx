// What stands below the timeline: the sums of an area, an event, what a search found.

import {front, visible} from "../../model/text";
import {human, humanDuration, plural} from "../../model/format";
import {NoteForm} from "../notes/view";
import {AreaPanel} from "./area_panel";
import {DetailPanel} from "./detail_panel";
import {EventsPanel, HitsPanel} from "./event_panels";
import {MarksPanel, NotesPanel} from "./marks_panel";
import {FindingPanel, MetricPanel} from "./more_panels";
import {OtherPanel} from "./other_panel";
import {ResultPanel} from "./result_panel";
import {Time} from "./time";
import type {TimelineState} from "./state";

const mostArrivals = 64;

// Who came when to the collective that is chosen.
function CollectivePanel({state}: {readonly state: TimelineState}) {
  const one = state.links.chosen.value;
  if (one === null) return null;
  const first = Math.min(...one.members.map(([, start]) => start));
  const members = [...one.members].sort((a, b) => b[1] - a[1]);
  const skew = (members[0]?.[1] ?? first) - first;
  const told =
    one.last_rank === null
      ? "the clocks do not tell who came last"
      : `rank ${one.last_rank} came last, ${humanDuration(skew)} after the first`;
  return (
    <section class="timeline-panel" aria-label="Collective">
      <h2>
        {visible(one.name)}: {told}
      </h2>
      <p class="muted">
        {plural(one.members.length, "rank")}; together they waited {humanDuration(Number(one.wait_ns))}.
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Arrivals">
        <table>
          <caption>
            {members.length > mostArrivals
              ? `The ${mostArrivals} that came last of ${members.length}`
              : "From the last to the first"}
          </caption>
          <thead>
            <tr>
              <th scope="col">rank</th>
              <th scope="col" class="number">
                came after the first
              </th>
              <th scope="col" class="number">
                waited
              </th>
              <th scope="col" class="number">
                its kernel
              </th>
            </tr>
          </thead>
          <tbody>
            {members.slice(0, mostArrivals).map(([rank, start, duration, wait, event]) => (
              <tr key={`${rank}/${event}`} data-rank={rank}>
                <td>
                  <button type="button" class="link" onClick={() => state.rows.reveal(rank)}>
                    {rank}
                  </button>
                </td>
                <Time ns={start - first} />
                {wait === null ? <td class="number muted">unknown</td> : <Time ns={wait} />}
                <Time ns={duration} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const mostPathRanks = 12;

// Whose work the critical path is, within the window.
function PathPanel({state}: {readonly state: TimelineState}) {
  const path = state.links.path.value?.value;
  if (!state.links.showsPath.value || path === undefined) return null;
  const {from, to} = state.viewport.window.value;
  const byRank = new Map<number, {ns: number; names: Map<string, number>}>();
  let whole = 0;
  for (const piece of path.pieces) {
    const ns = Math.min(to, piece.start_ns + piece.duration_ns) - Math.max(from, piece.start_ns);
    if (ns <= 0) continue;
    whole += ns;
    const of = byRank.get(piece.rank) ?? {ns: 0, names: new Map<string, number>()};
    const name = `${piece.part}${piece.name === "" ? "" : `: ${piece.name}`}`;
    of.ns += ns;
    of.names.set(name, (of.names.get(name) ?? 0) + ns);
    byRank.set(piece.rank, of);
  }
  const ranks = [...byRank].sort(([, a], [, b]) => b.ns - a.ns);
  const [most] = ranks;
  if (most === undefined)
    return (
      <section class="timeline-panel" aria-label="Critical path">
        <h2>No critical path here</h2>
        <p class="muted">It covers the complete steps of a job whose clocks are known; it is not in this window.</p>
      </section>
    );
  return (
    <section class="timeline-panel" aria-label="Critical path">
      <h2>
        The critical path is on rank {most[0]} for {human((100 * most[1].ns) / whole, "%")} of this window
      </h2>
      {path.resolution_ns > 1 ? (
        <p class="muted">
          Stretches under {humanDuration(path.resolution_ns)} are joined and count for the longest of them; zooming in
          tells them apart.
        </p>
      ) : null}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Critical path by rank">
        <table>
          <caption>
            By rank{ranks.length > mostPathRanks ? `; the ${mostPathRanks} longest of ${ranks.length}` : ""}
          </caption>
          <thead>
            <tr>
              <th scope="col">rank</th>
              <th scope="col" class="number">
                on the path
              </th>
              <th scope="col" class="number">
                share
              </th>
              <th scope="col">mostly</th>
            </tr>
          </thead>
          <tbody>
            {ranks.slice(0, mostPathRanks).map(([rank, of]) => {
              const [name, ns] = [...of.names].sort((a, b) => b[1] - a[1])[0] ?? ["", 0];
              return (
                <tr key={rank} data-rank={rank}>
                  <td>
                    <button type="button" class="link" onClick={() => state.rows.reveal(rank)}>
                      {rank}
                    </button>
                  </td>
                  <Time ns={Math.round(of.ns)} />
                  <td class="number">{human((100 * of.ns) / whole, "%")}</td>
                  <td class="long">
                    {front(name, 120)} ({humanDuration(Math.round(ns))})
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// Of what is chosen; the run's page lists all.
function NotePanel({state}: {readonly state: TimelineState}) {
  if (state.selection.chosen.value === null && state.area.chosen.value === null) return null;
  return (
    <section class="timeline-panel" aria-label="Note">
      <NoteForm
        label={state.selection.chosen.value === null ? "A note on this area" : "A note on this event"}
        write={(text) => state.note(text)}
      />
    </section>
  );
}

export function Panels({state}: {readonly state: TimelineState}) {
  return (
    <div class="timeline-panels">
      <FindingPanel state={state} />
      <OtherPanel state={state} />
      <EventsPanel state={state} />
      <AreaPanel state={state} />
      <CollectivePanel state={state} />
      <DetailPanel state={state} />
      <NotePanel state={state} />
      <MarksPanel state={state} />
      <NotesPanel state={state} />
      <PathPanel state={state} />
      <MetricPanel state={state} />
      <ResultPanel state={state} />
      <HitsPanel state={state} />
    </div>
  );
}

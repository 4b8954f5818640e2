// What stands below the timeline: the sums of an area, an event, what a search found.

import {toRank} from "../../app/routes";
import {visible} from "../../draw/dom";
import type {TimelineSums} from "../../model/api";
import {humanDuration, plural} from "../../model/format";
import {rangesOf} from "../../model/ranks";
import type {TimelineState} from "./state";

const mostNames = 25;

const partWords: Readonly<Record<string, string>> = {
  compute_ns: "computing", transfer_ns: "transferring, exposed", wait_ns: "waiting for other ranks, exposed", copy_ns: "copying, exposed",
  idle_host_ns: "idle: the host", idle_device_ns: "idle: the device's own gaps", idle_unknown_ns: "idle: cause not known", not_observed_ns: "not observed",
};

function Time({ns}: {readonly ns: number | string}) {
  return <td class="number" data-value={String(ns)} title={`${ns} ns`}>{humanDuration(Number(ns))}</td>;
}

function Names({title, rows}: {readonly title: string; readonly rows: TimelineSums["names"]}) {
  if (rows.length === 0) return null;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}><table>
      <caption>{title}{rows.length > mostNames ? `; the ${mostNames} longest of ${rows.length}` : ""}</caption>
      <thead><tr><th scope="col">name</th><th scope="col">class</th><th scope="col" class="number">time</th><th scope="col" class="number">events</th></tr></thead>
      <tbody>{rows.slice(0, mostNames).map((one) => (
        <tr key={`${one.kind}/${one.name}`} data-name={one.name}><td class="long" title={visible(one.name)}>{visible(one.name).slice(0, 120)}</td><td class="word">{one.kind.replaceAll("_", " ")}</td><Time ns={one.total_ns} /><td class="number">{one.count}</td></tr>
      ))}</tbody>
    </table></div>
  );
}

function AreaPanel({state}: {readonly state: TimelineState}) {
  const area = state.area.value;
  const sums = state.sums.value;
  if (area === null) return null;
  const title = `${humanDuration(Math.round(area.to - area.from))} of ${area.ranks.length === 1 ? `rank ${area.ranks[0]}` : plural(area.ranks.length, "rank")}`;
  if (sums === null) return <section class="timeline-panel" aria-label="Area"><h2>{title}</h2><p class="muted">{state.wait.value ? "Adding up \u2026" : ""}</p></section>;
  const whole = Object.values(sums.parts).reduce((sum, one) => sum + Number(one), 0);
  return (
    <section class="timeline-panel" aria-label="Area">
      <h2>{title} <span class="muted">ranks {rangesOf(area.ranks).slice(0, 80)}</span></h2>
      <div class="columns">
        <div class="table-scroll"><table>
          <caption>Where the devices' time goes, clipped to the area</caption>
          <tbody>{Object.entries(sums.parts).filter(([, ns]) => Number(ns) > 0).map(([part, ns]) => (
            <tr key={part} data-part={part}><td>{partWords[part] ?? part}</td><Time ns={ns} /><td class="number">{whole > 0 ? `${(100 * Number(ns) / whole).toFixed(1)} %` : ""}</td></tr>
          ))}</tbody>
        </table></div>
        <Names title="On devices" rows={sums.names.filter((one) => one.role === "stream")} />
        <Names title="On hosts, with what they call" rows={sums.names.filter((one) => one.role === "thread")} />
      </div>
    </section>
  );
}

function DetailPanel({state}: {readonly state: TimelineState}) {
  const details = state.details.value;
  if (details === null) return null;
  const {about, name, rows} = details;
  const row = rows?.rows[0];
  const track = state.store.spansOf(about.rank)?.tracks[about.track];
  return (
    <section class="timeline-panel" aria-label="Event">
      <h2 class="long">{visible(name)}</h2>
      <p class="muted"><a href={toRank(state.run, about.rank)}>rank {about.rank}</a>, {visible(track?.name ?? "")}; {humanDuration(about.duration)} from {humanDuration(about.start)}</p>
      {state.stack.value.length === 0 ? null : (
        <details class="stack"><summary>Called in {visible(state.stack.value.at(-1) ?? "").slice(0, 100)}</summary><ol>{state.stack.value.map((one, i) => <li key={i}>{visible(one).slice(0, 300)}</li>)}</ol></details>
      )}
      {rows === null ? <p class="muted">Looking it up {"\u2026"}</p> : row === undefined ? <p class="muted">Nothing more is known of it.</p> : (
        <div class="table-scroll"><table><tbody>{rows.columns.map((column, i) => (
          row[i] === null || column.name === "name" ? null : <tr key={column.name}><th scope="row">{column.name}</th><td class="long">{visible(typeof row[i] === "object" ? JSON.stringify(row[i]) : String(row[i])).slice(0, 4000)}</td></tr>
        ))}</tbody></table></div>
      )}
    </section>
  );
}

function HitsPanel({state}: {readonly state: TimelineState}) {
  const hits = state.hits.value;
  if (hits === null) return null;
  const count = hits.hits.length;
  return (
    <section class="timeline-panel" aria-label="Found">
      <h2>{count === 0 ? `Nothing is called \u201c${visible(state.found.value)}\u201d` : `${hits.complete ? "" : "The first "}${plural(count, "event")} with \u201c${visible(state.found.value)}\u201d`}</h2>
      {count === 0 ? null : (
        <div class="table-scroll found" tabIndex={0} role="region" aria-label="Events found"><table>
          <thead><tr><th scope="col">event</th><th scope="col">rank</th><th scope="col">row</th><th scope="col" class="number">from</th><th scope="col" class="number">time</th></tr></thead>
          <tbody>{hits.hits.slice(0, 200).map((hit) => (
            <tr key={`${hit.rank}/${hit.event}/${hit.start_ns}`}><td class="long"><button type="button" class="link" onClick={() => state.show(hit)}>{visible(hit.name).slice(0, 120)}</button></td><td>{hit.rank}</td><td class="word">{visible(hit.track)}</td><Time ns={hit.start_ns} /><Time ns={hit.duration_ns} /></tr>
          ))}</tbody>
        </table></div>
      )}
    </section>
  );
}

export function Panels({state}: {readonly state: TimelineState}) {
  return <div class="timeline-panels"><AreaPanel state={state} /><DetailPanel state={state} /><HitsPanel state={state} /></div>;
}

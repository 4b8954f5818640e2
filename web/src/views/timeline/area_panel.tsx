// What an area of the timeline adds up to: where time goes, names with total and self time, a flame graph.

import {useState} from "preact/hooks";
import type {TimelineSums} from "../../model/api";
import {humanDuration, plural} from "../../model/format";
import {named} from "../../model/ranks";
import {front, visible} from "../../model/text";
import {AreaFlames} from "./area_flames";
import type {TimelineState} from "./state";
import {Time} from "./time";

const mostNames = 25;

const partWords: Readonly<Record<string, string>> = {
  compute_ns: "computing",
  transfer_ns: "transferring, exposed",
  wait_ns: "waiting for other ranks, exposed",
  communication_unknown_ns: "communication, waiting or transfer unknown",
  copy_ns: "copying, exposed",
  idle_host_ns: "idle: the host",
  idle_device_ns: "idle: the device's own gaps",
  idle_unknown_ns: "idle: cause not known",
  not_observed_ns: "not observed",
};

type Sort = "total_ns" | "self_ns";

function Names({
  title,
  rows,
  state,
  isNested = false,
}: {
  readonly title: string;
  readonly rows: TimelineSums["names"];
  readonly state: TimelineState;
  readonly isNested?: boolean; // their events lie in each other, so that self time is another than total
}) {
  const [sort, setSort] = useState<Sort>("total_ns");
  if (rows.length === 0) return null;
  const sorted = [...rows].sort((a, b) => Number(b[sort]) - Number(a[sort]));
  const head = (by: Sort, label: string, title: string) => (
    <th scope="col" class="number" aria-sort={by === sort ? "descending" : undefined} title={title}>
      {isNested ? (
        <button type="button" class="link" onClick={() => setSort(by)}>
          {label}
          {by === sort ? " \u25be" : ""}
        </button>
      ) : (
        label
      )}
    </th>
  );
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>
          {title}
          {rows.length > mostNames ? `; the ${mostNames} longest of ${rows.length}` : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">class</th>
            {head("total_ns", "time", "With what lies in them, clipped to the area")}
            {isNested ? head("self_ns", "self", "Without other events that lie in them") : null}
            <th scope="col" class="number">
              events
            </th>
            <th scope="col">
              <span class="unseen">go to</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, mostNames).map((one) => (
            <tr key={`${one.kind}/${one.name}`} data-name={one.name}>
              <td class="long" title={visible(one.name)}>
                <button
                  type="button"
                  class="link"
                  onClick={() =>
                    void state.guide.toEvents(
                      {kind: "name", value: one.name},
                      state.area.chosen.value?.ranks[0] ?? null,
                      false,
                    )
                  }
                >
                  {front(one.name, 120)}
                </button>
              </td>
              <td class="word">{one.kind.replaceAll("_", " ")}</td>
              <Time ns={one.total_ns} />
              {isNested ? <Time ns={one.self_ns} /> : null}
              <td class="number">{one.count}</td>
              <td>
                <button
                  type="button"
                  class="link"
                  aria-label={`Next ${front(one.name, 80)} in the area`}
                  onClick={() => void state.guide.toNextInArea(one.name)}
                >
                  next
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function AreaPanel({state}: {readonly state: TimelineState}) {
  const area = state.area.chosen.value;
  const sums = state.area.sums.value;
  if (area === null) return null;
  const title = `${humanDuration(Math.round(area.to - area.from))} of ${area.ranks.length === 1 ? `rank ${area.ranks[0]}` : plural(area.ranks.length, "rank")}`;
  if (sums === null)
    return (
      <section class="timeline-panel" aria-label="Area">
        <h2>{title}</h2>
        <p class="muted">{state.area.isAddingUp.value ? "Adding up \u2026" : ""}</p>
      </section>
    );
  const whole = Object.values(sums.parts).reduce((sum, one) => sum + Number(one), 0);
  return (
    <section class="timeline-panel" aria-label="Area">
      <h2>
        {title} {area.ranks.length === 1 ? null : <span class="muted">{named("rank", area.ranks)}</span>}
      </h2>
      <div class="columns">
        <div class="table-scroll">
          <table>
            <caption>Where the devices{"\u2019"} time goes, clipped to the area</caption>
            <tbody>
              {Object.entries(sums.parts)
                .filter(([, ns]) => Number(ns) > 0)
                .map(([part, ns]) => (
                  <tr key={part} data-part={part}>
                    <td>{partWords[part] ?? part}</td>
                    <Time ns={ns} />
                    <td class="number">{whole > 0 ? `${((100 * Number(ns)) / whole).toFixed(1)}%` : ""}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
        <Names state={state} title="On devices" rows={sums.names.filter((one) => one.role === "stream")} />
        <Names
          state={state}
          title="On hosts, with what they call"
          rows={sums.names.filter((one) => one.role === "thread")}
          isNested
        />
      </div>
      <AreaFlames state={state} />
    </section>
  );
}

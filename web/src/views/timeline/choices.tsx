// What the rows are chosen and ordered by: ranks, order, groups, colours, a finding, a metric.

import {metricDoc} from "../../model/metric_docs";
import {numbersOf, rangesOf} from "../../model/ranks";
import {front, visible} from "../../model/text";
import {dimensions, orders} from "./address";
import {colourings} from "./colours";
import type {TimelineState} from "./state";
import {colourWords, groupWords, ordersOf, orderWords} from "./words";

const mostGroupButtons = 64;

export function OrderChoice({state}: {readonly state: TimelineState}) {
  return (
    <label>
      Rows by{" "}
      <select
        value={state.ranks.order.value}
        onChange={(event) => {
          state.ranks.order.value = orders.find((one) => one === event.currentTarget.value) ?? "rank";
        }}
      >
        {ordersOf(state).map((one) => (
          <option key={one} value={one}>
            {orderWords[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ColourChoice({state}: {readonly state: TimelineState}) {
  return (
    <label>
      Colour by{" "}
      <select
        id="timeline-colour"
        value={state.colours.by.value}
        onChange={(event) => {
          state.colours.by.value = colourings.find((one) => one === event.currentTarget.value) ?? "class";
        }}
      >
        {colourings.map((one) => (
          <option key={one} value={one}>
            {colourWords[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function RanksChoice({state}: {readonly state: TimelineState}) {
  return (
    <label>
      Ranks{" "}
      <input
        type="text"
        size={10}
        placeholder="all"
        value={rangesOf(state.ranks.shown.value)}
        onChange={(event) => {
          state.ranks.shown.value = numbersOf(event.currentTarget.value).filter((rank) => state.store.rowOf.has(rank));
        }}
      />
    </label>
  );
}

// Groups fold by a click on their row; here by keyboard.
export function GroupChoice({state}: {readonly state: TimelineState}) {
  const {groups} = state;
  const differing = dimensions.filter((one) => state.facts.differing.value.includes(one));
  if (differing.length === 0 && groups.by.value === null) return null;
  const choose = (text: string) => {
    groups.folded.value = new Set();
    groups.by.value = dimensions.find((one) => one === text) ?? null;
  };
  const all = groups.all.value;
  return (
    <span class="together">
      <label>
        Together by{" "}
        <select value={groups.by.value ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">nothing</option>
          {differing.map((one) => (
            <option key={one} value={one}>
              {groupWords[one]}
            </option>
          ))}
        </select>
      </label>
      {groups.by.value === null ? null : (
        <>
          <button type="button" onClick={() => groups.foldAll(true)}>
            Fold all
          </button>
          <button type="button" onClick={() => groups.foldAll(false)}>
            Unfold all
          </button>
          {all.length > mostGroupButtons ? null : (
            <details class="group-list">
              <summary>{all.length} groups</summary>
              <div>
                {all.map((one) => (
                  <button
                    type="button"
                    key={one.key}
                    aria-expanded={!one.isFolded}
                    onClick={() => groups.toggle(one.key)}
                  >
                    {visible(one.label)}
                  </button>
                ))}
              </div>
            </details>
          )}
        </>
      )}
    </span>
  );
}

export function FindingChoice({state}: {readonly state: TimelineState}) {
  const {all, key} = state.findings;
  if (all.value.length === 0) return null;
  return (
    <label>
      Finding{" "}
      <select
        class="narrow"
        value={key.value}
        onChange={(event) => {
          state.framing.chooseFinding(event.currentTarget.value);
        }}
      >
        <option value="">none</option>
        {all.value.map((one) => (
          <option key={one.key} value={one.key}>
            {front(one.title, 90)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function MetricChoice({state}: {readonly state: TimelineState}) {
  const {names, name} = state.telemetry;
  if (names.value.length === 0) return null;
  return (
    <label>
      Over it{" "}
      <select
        value={name.value}
        onChange={(event) => {
          name.value = event.currentTarget.value;
        }}
      >
        <option value="">nothing</option>
        {names.value.map((one) => (
          <option key={one} value={one} title={metricDoc(one) ?? undefined}>
            {front(one, 60).replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </label>
  );
}

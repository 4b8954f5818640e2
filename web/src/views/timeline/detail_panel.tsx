// The event that is chosen: what it is, where it comes from, what it was given, others like it.

import type {Events} from "../../model/doors";
import {type Fact, factName} from "../../model/event_detail";
import {human, humanDuration, words} from "../../model/format";
import {toRank} from "../../model/routes";
import {front, visible} from "../../model/text";
import {useApp} from "../shared/app_state";
import type {TimelineState} from "./state";

const mostText = 4000;

function FactRows({
  facts,
  docOf,
}: {
  readonly facts: readonly Fact[];
  readonly docOf: (name: string) => string | undefined;
}) {
  return (
    <>
      {facts.map(({name, value, unit}) => (
        <tr key={name}>
          <th scope="row" title={docOf(name)}>
            {factName(name)}
          </th>
          <td
            class="long"
            data-value={String(value)}
            title={unit !== "" && typeof value === "number" ? `${value} ${unit}` : undefined}
          >
            {unit !== "" && typeof value === "number" ? human(value, unit) : front(String(value), mostText)}
          </td>
        </tr>
      ))}
    </>
  );
}

// Op, module and line, each a way up to all the work that it launched.
function Ways({state}: {readonly state: TimelineState}) {
  const details = state.lookup.details.value;
  const detail = details?.detail;
  if (details === null || !detail) return null;
  const ways: (readonly [label: string, of: Events])[] = [];
  if (detail.op !== "") ways.push(["op", {kind: "op", value: detail.op}]);
  if (detail.module !== "") ways.push(["module", {kind: "module", value: detail.module}]);
  if (detail.line !== "") ways.push(["line", {kind: "line", value: detail.line}]);
  const linked = [
    ["forward", "backward of", state.lookup.forward.value],
    ["backward", "gradient by", state.lookup.backward.value],
  ] as const;
  if (ways.length === 0 && linked.every(([, , op]) => op === null)) return null;
  const {rank} = details.about;
  return (
    <dl class="ways">
      {ways.map(([label, of]) => (
        <div key={label} data-way={label}>
          <dt>{label}</dt>
          <dd>
            <button type="button" class="link" onClick={() => void state.guide.toEvents(of, rank)}>
              {front(of.value, 300)}
            </button>
          </dd>
        </div>
      ))}
      {linked.map(([way, label, op]) =>
        op === null ? null : (
          <div key={way} data-way={way}>
            <dt>{label}</dt>
            <dd>
              <button type="button" class="link" onClick={() => void state.guide.toEvent(rank, op.event)}>
                {front(op.name, 300)}
              </button>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function DetailPanel({state}: {readonly state: TimelineState}) {
  const {definitions} = useApp();
  const details = state.lookup.details.value;
  if (details === null) return null;
  const {about, name, detail, launch} = details;
  const track = state.store.spansOf(about.rank)?.tracks[about.track];
  const docOf = (column: string) =>
    definitions.columnDoc("events", column) || definitions.columnDoc("kernels", column) || undefined;
  return (
    <section class="timeline-panel" aria-label="Event">
      <h2 class="long">{visible(name)}</h2>
      <p class="muted">
        <a href={toRank(state.run, about.rank)}>rank {about.rank}</a>, {visible(track?.name ?? "")};{" "}
        {humanDuration(about.duration)} from {humanDuration(about.start)}{" "}
        <button
          type="button"
          class="link"
          onClick={() => void state.guide.toEvents({kind: "name", value: name}, about.rank, false)}
        >
          Others like it
        </button>
        {launch === null ? null : (
          <>
            {" "}
            <button type="button" class="link" onClick={() => void state.guide.toEvent(about.rank, launch)}>
              Its launch
            </button>
          </>
        )}
      </p>
      <Ways state={state} />
      {state.lookup.stack.value.length === 0 ? null : (
        <details class="stack">
          <summary>Called in {front(state.lookup.stack.value.at(-1)?.name ?? "", 100)}</summary>
          <ol>
            {state.lookup.stack.value.map((one, i) => (
              <li key={i}>
                <button type="button" class="link" onClick={() => void state.guide.toEvent(about.rank, one.event)}>
                  {front(one.name, 300)}
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
      {detail === null ? (
        <p class="muted">Looking it up {"\u2026"}</p>
      ) : !detail.isKnown ? (
        <p class="muted">Nothing more is known of it.</p>
      ) : (
        <div class="columns">
          {detail.inputs.length === 0 ? null : (
            <div class="table-scroll" tabIndex={0} role="region" aria-label="Inputs of the event">
              <table>
                <caption>Inputs</caption>
                <thead>
                  <tr>
                    <th scope="col">type</th>
                    <th scope="col">shape</th>
                    <th scope="col">value</th>
                  </tr>
                </thead>
                <tbody>
                  {detail.inputs.map((one, i) => (
                    <tr key={i} data-input={i}>
                      <td>{visible(one.type)}</td>
                      <td>{visible(one.shape)}</td>
                      <td class="long">{front(one.value, 300)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <div class="table-scroll" tabIndex={0} role="region" aria-label="Facts of the event">
            <table>
              <caption>What is known of it</caption>
              <tbody>
                <FactRows facts={detail.facts} docOf={docOf} />
                <FactRows facts={detail.args} docOf={(key) => `${words(key)}, as the profiler recorded it`} />
              </tbody>
            </table>
            {detail.json === "" ? null : (
              <details>
                <summary>As it was recorded</summary>
                <pre tabIndex={0}>{visible(detail.json).slice(0, mostText)}</pre>
              </details>
            )}
          </div>
        </div>
      )}
    </section>
  );
}

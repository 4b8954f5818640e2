// All ranks on one clock: where each one's time goes, from the whole job to a single event.

import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {download} from "../../draw/save";
import {Tooltip} from "../../draw/tooltip";
import {humanDuration, plural} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {numbersOf, rangesOf} from "../../model/ranks";
import {whereTimeGoes} from "../../model/timeline_title";
import type {TimelineStore} from "../../model/timeline_store";
import {front, visible} from "../../model/text";
import {useApp} from "../shared/app_state";
import {type Dimension, dimensions, measures, type Order, orders} from "./address";
import {type Colouring, colourings} from "./colours";
import {Canvas} from "./canvas";
import {commandsOf} from "./commands";
import {Panels} from "./panels";
import {keepKeysEverywhere} from "./keys";
import {openInPerfetto, perfettoUrl, setPerfettoUrl, traceWindow} from "./perfetto";
import {ResultForm} from "./result_panel";
import {TimelineState} from "./state";

const orderWords: Readonly<Record<Order, string>> = {
  rank: "rank",
  waiting: "who waits least",
  computing: "who computes most",
  idle: "who idles most",
  host: "host",
  pp: "pipeline stage",
  dp: "data-parallel rank",
  cp: "context-parallel rank",
  ep: "expert-parallel rank",
  tp: "tensor-parallel rank",
};

const colourWords: Readonly<Record<Colouring, string>> = {
  class: "class",
  name: "name; Python by file",
  op: "op; Python by file",
};

// Where the time of what is in the window goes.
function sharesText(state: TimelineState): string {
  const window = state.window.value;
  const length = humanDuration(Math.round(window.to - window.from));
  const shares = [...state.shares.value.values()];
  return shares.length === 0
    ? `${length} of ${plural(state.ranks.value.length, "rank")}`
    : whereTimeGoes(shares, length);
}

// What is seen, as a PNG.
function savePicture(): void {
  document.querySelector<HTMLCanvasElement>("canvas.timeline-canvas")?.toBlob((blob) => {
    if (blob !== null) download("timeline.png", "image/png", blob);
  });
}

function ordersOf(state: TimelineState): readonly Order[] {
  return orders.filter(
    (one) =>
      one === "rank" || measures.some((other) => other === one) || state.differing.value.some((other) => other === one),
  );
}

function Tools({state}: {readonly state: TimelineState}) {
  const files = state.files.value;
  const of = state.chosen.value?.rank ?? state.area.value?.ranks[0] ?? state.open.value[0] ?? state.ranks.value[0];
  const capture = state.store.info.captures.find(([rank]) => rank === of)?.[1] ?? 0;
  const file = of === undefined ? undefined : files.get(`${of}/${capture}`);
  const window = state.window.value;
  return (
    <div class="tools">
      <label>
        Rows by{" "}
        <select
          value={state.order.value}
          onChange={(event) => {
            state.order.value = event.currentTarget.value as Order;
          }}
        >
          {ordersOf(state).map((one) => (
            <option key={one} value={one}>
              {orderWords[one]}
            </option>
          ))}
        </select>
      </label>
      <GroupChoice state={state} />
      <label>
        Colour by{" "}
        <select
          id="timeline-colour"
          value={state.colours.by.value}
          onChange={(event) => {
            state.colours.by.value = event.currentTarget.value as Colouring;
          }}
        >
          {colourings.map((one) => (
            <option key={one} value={one}>
              {colourWords[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Ranks{" "}
        <input
          type="text"
          size={10}
          placeholder="all"
          value={rangesOf(state.shown.value)}
          onChange={(event) => {
            state.shown.value = numbersOf(event.currentTarget.value).filter((rank) => state.store.rowOf.has(rank));
          }}
        />
      </label>
      <label>
        Search{" "}
        <input
          id="timeline-search"
          type="search"
          size={14}
          value={state.found.value}
          onChange={(event) => state.search(event.currentTarget.value.trim())}
          onKeyDown={(event) => {
            // The first Enter searches, the next ones walk along what was found.
            if (event.key !== "Enter" || event.currentTarget.value.trim() !== state.found.value) return;
            state.stepHits(event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      <label title="The text is a regular expression">
        <input
          type="checkbox"
          checked={state.match.value === "pattern"}
          onChange={(event) => {
            state.match.value = event.currentTarget.checked ? "pattern" : "part";
            state.search(state.found.value);
          }}
        />{" "}
        pattern
      </label>
      <span class="together">
        <button type="button" aria-label="Zoom in" onClick={() => state.zoom(2, (window.from + window.to) / 2)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => state.zoom(0.5, (window.from + window.to) / 2)}>
          {"\u2212"}
        </button>
        <button type="button" onClick={() => state.showAll()}>
          All
        </button>
      </span>
      <span class="together">
        <label>
          <input
            type="checkbox"
            checked={state.links.showsPath.value}
            onChange={(event) => {
              state.links.showsPath.value = event.currentTarget.checked;
            }}
          />{" "}
          critical path
        </label>
        <label>
          <input
            type="checkbox"
            checked={state.links.showsCollectives.value}
            onChange={(event) => {
              state.links.showsCollectives.value = event.currentTarget.checked;
            }}
          />{" "}
          collectives
        </label>
      </span>
      {state.arrangement.hidden.value.length === 0 ? null : (
        <button type="button" onClick={() => state.arrangement.showAll()}>
          Show {plural(state.arrangement.hidden.value.length, "hidden row")}
        </button>
      )}
      <FindingChoice state={state} />
      <MetricChoice state={state} />
      <details id="timeline-more" class="group-list">
        <summary>More</summary>
        <div>
          <AreaByNumbers state={state} />
          {state.result.sql.value === "" ? <ResultForm state={state} /> : null}
          <button type="button" onClick={savePicture}>
            Picture
          </button>
          {file === undefined || of === undefined ? null : (
            <>
              <a class="button" href={traceWindow(state.store, of, file, window)} download>
                Trace of rank {of}, this window
              </a>
              <button type="button" onClick={() => void openInPerfetto(state.store, of, file, window)}>
                Open in Perfetto
              </button>
              <PerfettoPlace />
            </>
          )}
        </div>
      </details>
      <details id="timeline-keys" class="keys">
        <summary>Keys</summary>
        <label>
          <input
            id="timeline-keys-everywhere"
            type="checkbox"
            checked={state.keysEverywhere.value}
            onChange={(event) => {
              state.keysEverywhere.value = event.currentTarget.checked;
              keepKeysEverywhere(event.currentTarget.checked);
            }}
          />{" "}
          They work wherever you do not type, or else in the picture alone
        </label>
        <dl>
          {[
            ["W S", "zoom"],
            ["A D", "pan"],
            ["F", "fit what is chosen, or all"],
            ["Home", "show all"],
            ["\u2191 \u2193", "the row below, the row above"],
            ["Enter", "open or close the row; of a stream or thread its first event"],
            ["M", "leave a mark here"],
            ["Shift+M", "add up between two marks"],
            ["P, H", "pin the row, hide it (Shift+H: show all)"],
            ["Shift+\u2191 \u2193", "move the row"],
            ["right click, \u2263", "what can be done with a row"],
            [". ,", "the next event of the row or the list, the one before"],
            ["[ ]", "to its launch or forward op, and back"],
            ["/", "search"],
            ["Ctrl+K, :", "commands: pages, ranks, findings, what to do"],
            ["Esc", "clear"],
            ["drag", "add up an area"],
            ["Shift+drag", "pan"],
            ["Ctrl+wheel", "zoom"],
            ["Shift+wheel", "pan"],
            ["click a rank", "its streams and threads"],
            ["click a group", "fold and unfold it"],
            ["click the ruler\u2019s lower edge", "a finding\u2019s steps"],
          ].map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}

// Perfetto's UI may be another one than the public one, which a closed network does not reach.
function PerfettoPlace() {
  const [isWrong, setWrong] = useState(false);
  return (
    <span>
      <label>
        Perfetto{"\u2019"}s page{" "}
        <input
          type="url"
          size={28}
          defaultValue={perfettoUrl()}
          aria-invalid={isWrong}
          onChange={(event) => setWrong(!setPerfettoUrl(event.currentTarget.value))}
        />
      </label>{" "}
      <span class="muted">
        {isWrong ? "An address begins with https:// or http://" : "Kept in this browser; empty: as the server says."}
      </span>
    </span>
  );
}

const groupWords: Readonly<Record<Dimension, string>> = {
  host: "host",
  pp: "pipeline stage",
  dp: "data-parallel rank",
  cp: "context-parallel rank",
  ep: "expert-parallel rank",
  tp: "tensor-parallel rank",
};
const mostGroupButtons = 64;

// Groups fold by a click on their row; here by keyboard.
function GroupChoice({state}: {readonly state: TimelineState}) {
  const {groups} = state;
  const differing = dimensions.filter((one) => state.differing.value.includes(one));
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

function FindingChoice({state}: {readonly state: TimelineState}) {
  const {all, key} = state.findings;
  if (all.value.length === 0) return null;
  return (
    <label>
      Finding{" "}
      <select
        class="narrow"
        value={key.value}
        onChange={(event) => {
          state.chooseFinding(event.currentTarget.value);
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

function MetricChoice({state}: {readonly state: TimelineState}) {
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

// An area without dragging: two times in milliseconds.
function AreaByNumbers({state}: {readonly state: TimelineState}) {
  const take = (event: SubmitEvent) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    const [from, to] = [Number(said.get("from")) * 1e6, Number(said.get("to")) * 1e6];
    if (!(to > from)) return;
    const ranks = state.ranks.value;
    state.selectArea({from, to, ranks, top: 0, bottom: state.bottom.value});
  };
  return (
    <form class="together" onSubmit={take}>
      <label>
        Area from <input name="from" type="number" step="any" required aria-label="Area from, ms" />
      </label>
      <label>
        to <input name="to" type="number" step="any" required aria-label="Area to, ms" /> ms
      </label>
      <button type="submit">Add up</button>
    </form>
  );
}

const legend = [
  ["compute", "computing"],
  ["exposed_communication", "transferring"],
  ["waiting", "waiting for other ranks"],
  ["communication_unknown", "communication, waiting or transfer unknown"],
  ["exposed_copy", "copying"],
  ["still-host", "idle: the host"],
  ["still-device", "idle: the device's gaps"],
  ["unknown", "idle: cause not known"],
  ["late", "came last to a collective"],
] as const;

function Swatch({name}: {readonly name: string}) {
  return <span class={`swatch ink-${name}`} aria-hidden="true" />;
}

// Something is chosen that panels say more of.
function saysMore(state: TimelineState): boolean {
  return (
    state.area.value !== null ||
    state.details.value !== null ||
    state.hits.value !== null ||
    state.events.of.value !== null ||
    state.links.showsPath.value ||
    state.findings.chosen.value !== null ||
    state.telemetry.metric.value !== null ||
    state.result.sql.value !== "" ||
    state.other.run.value !== ""
  );
}

export function Timeline({store, hasMetrics}: {readonly store: TimelineStore; readonly hasMetrics: boolean}) {
  const {definitions, commands} = useApp();
  const state = useMemo(() => new TimelineState(store, hasMetrics), [store]);
  useEffect(() => {
    definitions.ask();
    const stop = state.start();
    Object.assign(window, {rankscopeTimeline: {state, idle: () => state.idle()}});
    commands.ofView.value = () =>
      commandsOf(state, Object.fromEntries(ordersOf(state).map((one) => [one, orderWords[one]])), groupWords);
    return () => {
      commands.ofView.value = () => [];
      stop();
    };
  }, [state]);
  // While an area is drawn the picture keeps its size.
  const wasTold = useRef(false);
  const isTold = state.isDragging.value ? wasTold.current : saysMore(state);
  wasTold.current = isTold;
  const title = state.findings.title.value;
  const text = visible(title?.text ?? "Timeline");
  const [rank] = title !== null && title.ranks.length < store.ranks.length ? title.ranks : [];
  return (
    <main class={isTold ? "timeline told" : "timeline"}>
      <h1>{text}</h1>
      <p class="said">
        {sharesText(state)}.{" "}
        {rank === undefined || state.open.value.includes(rank) ? null : (
          <button type="button" class="link" onClick={() => state.reveal(rank)}>
            Show rank {rank}
          </button>
        )}
      </p>
      {store.problem.value === "" ? null : (
        <p class="wrong" role="alert">
          {store.problem.value}
        </p>
      )}
      <Tools state={state} />
      <ul class="legend">
        {legend.map(([name, words]) => (
          <li key={name}>
            <Swatch name={name} />
            {words}
          </li>
        ))}
        {state.colours.by.value === "class" ? null : (
          <li>events of open ranks: a colour for each {state.colours.by.value}; colours repeat</li>
        )}
      </ul>
      <div class="timeline-body">
        <Canvas
          state={state}
          askCommands={() => (commands.isOpen.value = true)}
          name={`${text}. A row for each rank; keys W, S, A and D zoom and pan.`}
        />
        <Panels state={state} />
      </div>
      <Tooltip />
    </main>
  );
}

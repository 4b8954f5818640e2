// All ranks on one clock: where each one's time goes, from the whole job to a single event.

import {useEffect, useMemo, useRef} from "preact/hooks";
import {Tooltip} from "../../draw/tooltip";
import {humanDuration, plural} from "../../model/format";
import {whereTimeGoes} from "../../model/timeline_title";
import type {TimelineStore} from "../../model/timeline_store";
import {visible} from "../../model/text";
import {useApp} from "../shared/app_state";
import {Canvas} from "./canvas";
import {commandsOf} from "./commands";
import {Legend} from "./legend";
import {Panels} from "./panels";
import {TimelineState} from "./state";
import {Tools} from "./tools";

// Where the time of what is in the window goes.
function sharesText(state: TimelineState): string {
  const window = state.viewport.window.value;
  const length = humanDuration(Math.round(window.to - window.from));
  const shares = [...state.shares.of.value.values()];
  return shares.length === 0
    ? `${length} of ${plural(state.ranks.all.value.length, "rank")}`
    : whereTimeGoes(shares, window.to - window.from);
}

// Something is chosen that panels say more of.
function saysMore(state: TimelineState): boolean {
  return (
    state.area.chosen.value !== null ||
    state.lookup.details.value !== null ||
    state.search.hits.value !== null ||
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
    commands.ofView.value = () => commandsOf(state);
    return () => {
      commands.ofView.value = () => [];
      stop();
    };
  }, [state]);
  // While an area is drawn the picture keeps its size.
  const wasTold = useRef(false);
  const isTold = state.area.isDragging.value ? wasTold.current : saysMore(state);
  wasTold.current = isTold;
  const title = state.findings.title.value;
  const text = visible(title?.text ?? "Timeline");
  const [rank] = title !== null && title.ranks.length < store.ranks.length ? title.ranks : [];
  return (
    <main class={isTold ? "timeline told" : "timeline"}>
      <h1>{text}</h1>
      <p class="said">
        {sharesText(state)}.{" "}
        {rank === undefined || state.ranks.open.value.includes(rank) ? null : (
          <button type="button" class="link" onClick={() => state.rows.reveal(rank)}>
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
      <Legend state={state} />
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

// What is needed less often: an area by numbers, a row of SQL, the picture as a file, the trace of a rank.

import {useState} from "preact/hooks";
import {download} from "../../draw/save";
import {openInPerfetto, perfettoUrl, setPerfettoUrl, traceWindow} from "./perfetto";
import {ResultForm} from "./result_panel";
import type {TimelineState} from "./state";

export function MoreTools({state}: {readonly state: TimelineState}) {
  return (
    <details id="timeline-more" class="group-list">
      <summary>More</summary>
      <div>
        <AreaByNumbers state={state} />
        {state.result.sql.value === "" ? <ResultForm state={state} /> : null}
        <button type="button" onClick={savePicture}>
          Picture
        </button>
        <TraceOfRank state={state} />
      </div>
    </details>
  );
}

// Of the rank that is chosen, or else stands first.
function TraceOfRank({state}: {readonly state: TimelineState}) {
  const of =
    state.selection.chosen.value?.rank ??
    state.area.chosen.value?.ranks[0] ??
    state.ranks.open.value[0] ??
    state.ranks.all.value[0];
  const file = of === undefined ? undefined : state.facts.fileOf(of, state.facts.captureOf(of));
  const window = state.viewport.window.value;
  if (file === undefined || of === undefined) return null;
  return (
    <>
      <a class="button" href={traceWindow(state.store, of, file, window)} download>
        Trace of rank {of}, this window
      </a>
      <button type="button" onClick={() => void openInPerfetto(state.store, of, file, window)}>
        Open in Perfetto
      </button>
      <PerfettoPlace />
    </>
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

// An area without dragging: two times in milliseconds.
function AreaByNumbers({state}: {readonly state: TimelineState}) {
  const take = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const said = new FormData(event.currentTarget);
    const [from, to] = [Number(said.get("from")) * 1e6, Number(said.get("to")) * 1e6];
    if (to > from) state.area.selectBetween(from, to);
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

// What is seen, as a PNG.
function savePicture(): void {
  document.querySelector<HTMLCanvasElement>("canvas.timeline-canvas")?.toBlob((blob) => {
    if (blob !== null) download("timeline.png", "image/png", blob);
  });
}

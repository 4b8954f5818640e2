// What stands over the picture to choose by, search and move.

import {plural} from "../../model/format";
import {ColourChoice, FindingChoice, GroupChoice, MetricChoice, OrderChoice, RanksChoice} from "./choices";
import {KeysHelp} from "./keys_help";
import {MoreTools} from "./more_tools";
import type {TimelineState} from "./state";

export function Tools({state}: {readonly state: TimelineState}) {
  return (
    <div class="tools">
      <OrderChoice state={state} />
      <GroupChoice state={state} />
      <ColourChoice state={state} />
      <RanksChoice state={state} />
      <SearchBox state={state} />
      <ZoomButtons state={state} />
      <LinkBoxes state={state} />
      {state.arrangement.hidden.value.length === 0 ? null : (
        <button type="button" onClick={() => state.arrangement.showAll()}>
          Show {plural(state.arrangement.hidden.value.length, "hidden row")}
        </button>
      )}
      <FindingChoice state={state} />
      <MetricChoice state={state} />
      <MoreTools state={state} />
      <KeysHelp state={state} />
    </div>
  );
}

function SearchBox({state}: {readonly state: TimelineState}) {
  return (
    <>
      <label>
        Search{" "}
        <input
          id="timeline-search"
          type="search"
          size={14}
          value={state.search.text.value}
          onChange={(event) => state.search.ask(event.currentTarget.value.trim())}
          onKeyDown={(event) => {
            // The first Enter searches, the next ones walk along what was found.
            if (event.key !== "Enter" || event.currentTarget.value.trim() !== state.search.text.value) return;
            state.guide.stepHits(event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      <label title="The text is a regular expression">
        <input
          type="checkbox"
          checked={state.search.match.value === "pattern"}
          onChange={(event) => {
            state.search.match.value = event.currentTarget.checked ? "pattern" : "part";
            state.search.ask(state.search.text.value);
          }}
        />{" "}
        pattern
      </label>
    </>
  );
}

function ZoomButtons({state}: {readonly state: TimelineState}) {
  const {from, to} = state.viewport.window.value;
  const middle = (from + to) / 2;
  return (
    <span class="together">
      <button type="button" aria-label="Zoom in" onClick={() => state.viewport.zoom(2, middle)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => state.viewport.zoom(0.5, middle)}>
        {"\u2212"}
      </button>
      <button type="button" onClick={() => state.viewport.showAll()}>
        All
      </button>
    </span>
  );
}

function LinkBoxes({state}: {readonly state: TimelineState}) {
  return (
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
  );
}

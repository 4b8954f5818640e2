// Single requests: the slowest in a list, and the course of the one that is chosen, beside the steps of the engine meanwhile.

import {useEffect, useMemo, useState} from "preact/hooks";
import {Legend, PatternEntry} from "../../draw/legend";
import {WaterfallPlot, type WaterfallRow} from "../../draw/waterfall_plot";
import {grouped, human, plural} from "../../model/format";
import type {Cell, Serving, Table} from "../../model/report";
import {front, visible} from "../../model/text";
import {canPlace, type Course, courseOf, merged, type Step, stepsOf} from "../../model/waterfall";
import {capitalised} from "../../model/vocabulary";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {kindColours, stageOf} from "./words";

const times = [
  "e2e",
  "first_token",
  "network",
  "frontend",
  "queue",
  "prefill",
  "decode",
  "per_token",
  "read",
  "lock",
  "handler",
  "send",
] as const;
const mostListed = 20;
const mostDrawn = 600; // steps; more are drawn together

// The stretch that takes the most, in words.
function answerOf({total, stretches}: Course): string {
  const [longest] = [...stretches].sort((a, b) => b.end - b.begin - (a.end - a.begin));
  if (longest === undefined || longest.id === "response") return human(total, "ns");
  const label = longest.id === "unknown" ? "not recorded where" : stageOf(longest.id).label;
  return `${human(total, "ns")}, ${human((100 * (longest.end - longest.begin)) / total, "%")} of it ${label}`;
}

function lengthCell(name: string, value: number): Cell {
  return {value, unit: "ns", type: "int", id: `course/0/${name}`};
}

function stageRow(serving: Serving, {id, begin, end, isSomewhere}: Course["stretches"][number]): WaterfallRow {
  const {label, colour, doc} = stageOf(id);
  const name = id === "unknown" ? "the rest" : label;
  return {
    label: name,
    bars: [
      {
        begin,
        end,
        colour: id === "unknown" ? "unknown" : colour,
        isHatched: isSomewhere,
        title: id === "unknown" ? "What its record leaves: where it went is not known" : `${capitalised(name)}: ${doc}`,
        lines: [[null, isSomewhere ? "somewhere in the request" : "takes", lengthCell(id, end - begin)]],
      },
    ],
  };
}

function stepRow(steps: readonly Step[], total: number): WaterfallRow {
  const shown = merged(steps, total, mostDrawn);
  return {
    label: "steps",
    bars: shown.map(({begin, end, kind, context, generation, count}) => ({
      begin,
      end,
      colour: kindColours[kind] ?? "unknown",
      title: count === 1 ? `A ${kind} step` : `${grouped(count)} steps, most of their time ${kind}`,
      lines: [
        [null, count === 1 ? "takes" : "from the first to the last", lengthCell("step", end - begin)],
        [
          null,
          count === 1 ? "generating" : "generating at most",
          {value: generation, unit: "", type: "int", id: "course/0/generation"},
        ],
        [
          null,
          count === 1 ? "prompts" : "prompts at most",
          {value: context, unit: "", type: "int", id: "course/0/context"},
        ],
      ],
    })),
  };
}

type Steps = readonly Step[] | "loading" | "unknown" | {readonly problem: string};

// Embedded where the page has all of them, else from the server.
function useSteps(serving: Serving, source: Table, row: number, total: number): Steps {
  const [steps, setSteps] = useState<Steps>("loading");
  const arrival = source.number(row, "arrival_ns");
  const embedded = serving.table("serving_iterations");
  useEffect(() => {
    let isGone = false;
    const say = (found: Steps) => {
      if (!isGone) setSteps(found);
    };
    const isOtherClock = source.get(row, "has_own_clock") !== false;
    if (embedded.total === 0 || arrival === null || isOtherClock) return say("unknown");
    if (serving.rows === null) return say(stepsOf(embedded, arrival, total));
    say("loading");
    serving.rows
      .steps(arrival, arrival + total)
      .then((raw) => say(stepsOf(serving.tableOf("serving_iterations", raw), arrival, total)))
      .catch((error: unknown) => say({problem: error instanceof Error ? error.message : String(error)}));
    return () => {
      isGone = true;
    };
  }, [source, row]);
  return steps;
}

function stepsNote(serving: Serving, steps: Steps): string {
  const embedded = serving.table("serving_iterations");
  if (steps === "loading") return "The steps of the engine are being fetched.";
  if (steps === "unknown")
    return embedded.total === 0
      ? "No step of the engine was recorded: which ran meanwhile is not known."
      : "Its clock is not that of the engine's log: which steps ran meanwhile is not known.";
  if ("problem" in steps) return `Steps cannot be shown: ${steps.problem}`;
  if (steps.length === 0)
    return serving.rows === null && embedded.count < embedded.total
      ? "The steps meanwhile are not in this file, which has those of the slowest requests."
      : "No step of the engine was recorded meanwhile.";
  if (!canPlace(steps))
    return `${plural(steps.length, "step")} of the engine ended about then, by a log whose clock is too coarse to say when each ran.`;
  return `${plural(steps.length, "step")} of the engine overlap it, by the clocks of both records. Which of them worked on it is not recorded.`;
}

function Course({serving, source, row}: {readonly serving: Serving; readonly source: Table; readonly row: number}) {
  const course = useMemo(() => courseOf(source, row), [source, row]);
  const steps = useSteps(serving, source, row, course?.total ?? 0);
  const number = source.text(row, "request");
  const facts = ["outcome", "problem", "id", "replica", "prompt_tokens", "output_tokens", "cached_tokens"].filter(
    (name) => source.get(row, name) !== null,
  );
  const all = Array.isArray(steps) ? (steps as readonly Step[]) : [];
  const list = canPlace(all) ? all : [];
  const kinds = [...new Set(list.map((step) => step.kind))];
  return (
    <div class="course" id="request" data-request={number}>
      <h3>{`Request ${number}: ${course === null ? "its time is not recorded" : answerOf(course)}`}</h3>
      <p class="note">
        {facts.map((name, i) => (
          <span key={name}>
            {i > 0 ? " \u00b7 " : ""}
            {`${name.replace(/_/g, " ")} `}
            <b>{front(human(source.get(row, name), name.endsWith("tokens") ? "" : "name"), 120)}</b>
          </span>
        ))}
      </p>
      {course === null ? null : (
        <>
          <Legend entries={kinds.map((kind) => [kindColours[kind] ?? "unknown", `${kind} step`])}>
            {course.stretches.some((one) => one.isSomewhere) ? (
              <PatternEntry kind="hatched">so long, where in the request is not recorded</PatternEntry>
            ) : null}
          </Legend>
          <WaterfallPlot
            name={`Course of request ${number}`}
            total={course.total}
            rows={[
              ...course.stretches.map((one) => stageRow(serving, one)),
              ...(list.length > 0 ? [stepRow(list, course.total)] : []),
            ]}
          />
          <p class="note" role="status">
            {stepsNote(serving, steps)}
          </p>
        </>
      )}
      <Details
        source={source}
        title="All that is recorded of it"
        rows={[row]}
        columns={[...source.columns.keys()].map((name) =>
          plain(source, name, undefined, source.columns.get(name)?.type === "string" ? "text" : undefined),
        )}
      />
    </div>
  );
}

// Any request by its number; those that the page has not come from the server.
function Chosen({serving}: {readonly serving: Serving}) {
  const source = serving.table("serving_requests");
  const wanted = serving.choice.request.value;
  const [fetched, setFetched] = useState<{readonly request: number; readonly table: Table | null} | null>(null);
  const row = wanted === null ? undefined : source.where("request", wanted)[0];
  useEffect(() => {
    if (wanted === null || row !== undefined || serving.rows === null) return;
    let isGone = false;
    const say = (table: Table | null) => {
      if (!isGone) setFetched({request: wanted, table});
    };
    serving.rows
      .request(wanted)
      .then((raw) => say(raw === null ? null : serving.tableOf("serving_requests", raw)))
      .catch(() => say(null));
    return () => {
      isGone = true;
    };
  }, [wanted]);
  if (wanted === null) return <p class="note">Choose a request in the list, or a point of the latencies over time.</p>;
  if (row !== undefined) return <Course key={wanted} serving={serving} source={source} row={row} />;
  if (serving.rows === null)
    return (
      <p class="note">{`Request ${wanted} is not in this file, which has the slowest ${grouped(source.count)}.`}</p>
    );
  if (fetched?.request !== wanted) return <p class="note">{`Request ${wanted} is being fetched.`}</p>;
  if (fetched.table === null) return <p class="note">{`There is no request ${wanted}.`}</p>;
  return <Course key={wanted} serving={serving} source={fetched.table} row={0} />;
}

function NumberForm({serving}: {readonly serving: Serving}) {
  const {total} = serving.table("serving_requests");
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        const value = new FormData(event.currentTarget).get("request");
        if (typeof value === "string" && /^\d+$/.test(value)) serving.choice.choose(Number(value));
      }}
    >
      <label>
        {"Request number "}
        <input type="number" name="request" min={0} max={Math.max(0, total - 1)} step={1} required />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

// A column where any row has a value.
function optional(source: Table, name: string, label?: string, kind?: string) {
  return source.rows().some((row) => source.get(row, name) !== null) ? [plain(source, name, label, kind)] : [];
}

// Those that follow are what pictures lead to.
function listed(source: Table): readonly number[] {
  return source.rows().slice(0, 200);
}

function Requests({serving}: {readonly serving: Serving}) {
  const source = serving.table("serving_requests");
  const chosen = serving.choice.request.value;
  const columns = [
    {
      label: "request",
      node: (row: number) => (
        <button
          type="button"
          class="link"
          aria-pressed={source.number(row, "request") === chosen}
          onClick={() => {
            serving.choice.choose(source.number(row, "request"));
            document.getElementById("request")?.scrollIntoView({block: "nearest"});
          }}
        >
          {`${source.text(row, "request")}\u00a0\u25b8`}
        </button>
      ),
    },
    plain(source, "id", "id", "text"),
    ...optional(source, "method", "method", "text"),
    ...times.flatMap((name) => optional(source, `${name}_ns`, name.replace(/_/g, " "))),
    ...optional(source, "prompt_tokens", "prompt"),
    ...optional(source, "output_tokens", "output"),
    plain(source, "outcome", "outcome", "word"),
  ];
  return (
    <>
      <Chosen serving={serving} />
      {serving.rows === null ? null : <NumberForm serving={serving} />}
      <DataTable columns={columns} rows={listed(source)} most={mostListed} />
      <p class="note">
        {`The slowest ${grouped(Math.min(mostListed, source.count))} of ${grouped(source.total)} requests. All: `}
        <code>{source.command}</code>
      </p>
    </>
  );
}

export function requestsSection(serving: Serving): Section | null {
  const source = serving.table("serving_requests");
  if (source.empty) return null;
  const slowest = courseOf(source, 0);
  return {
    id: "requests",
    title: "Single requests",
    answer:
      slowest === null
        ? `${visible(String(source.total))} requests, none with a time`
        : `the slowest of ${grouped(source.total)} takes ${answerOf(slowest)}`,
    how: "Stages follow each other from the arrival on. What its record does not tell is not drawn, or hatched where its length is known and its place is not.",
    body: <Requests serving={serving} />,
  };
}

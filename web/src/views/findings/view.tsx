// The findings: a card each, those that cost most first; or that there are none, and what limits the job.

import {CellSpan} from "../../draw/cells";
import {Choosable} from "../../draw/choosable";
import {copyText} from "../../draw/save";
import {human, humanDecimal, humanDuration, words} from "../../model/format";
import {isHiddenByProfiler, methodOf} from "../../model/gains";
import {sorted} from "../../model/order";
import {named, numbersOf} from "../../model/ranks";
import {type Report, type Table} from "../../model/report";
import {front, shortPath, visible} from "../../model/text";
import {capitalised, inMicros, withoutSignatures} from "../../model/vocabulary";
import {NotEvaluated} from "../quality/view";
import {DataTable, plain} from "../shared/data_table";
import {usePage} from "../shared/page_state";
import {BarMark} from "../shared/range_table";
import type {Section} from "../shared/section";
import {useAnswer} from "../shared/use_answer";
import {contributions} from "./contributions";
import {type Entry, eventsOf, evidenceOf} from "./evidence";

const severities: Readonly<Record<string, {readonly word: string; readonly icon: string}>> = {
  high: {word: "High", icon: "\u25b2"},
  medium: {word: "Medium", icon: "\u25c6"},
  low: {word: "Low", icon: "\u25cf"},
};

function parsedCell(source: Table, row: number, column: string): Entry[] {
  try {
    const value: unknown = JSON.parse(source.text(row, column) || "[]");
    return Array.isArray(value) ? value.filter((one): one is Entry => one !== null && typeof one === "object") : [];
  } catch {
    return [];
  }
}

// `code` in backquotes stands out.
function withCode(text: string) {
  return String(text)
    .split(/`([^`]+)`/)
    .map((piece, i) => (i % 2 ? <code>{piece}</code> : piece));
}

// Lines of prose; those that are indented or stand between fences are code.
function proseAndCode(text: string) {
  const found: {isCode: boolean; lines: string[]}[] = [];
  let isFenced = false;
  for (const line of String(text || "").split("\n")) {
    if (line.startsWith("```")) {
      isFenced = !isFenced;
      continue;
    }
    const isCode = isFenced || /^\s{2,}\S/.test(line);
    const last = found.at(-1);
    if (isCode && last?.isCode) last.lines.push(line);
    else if (isCode || line.trim()) found.push({isCode, lines: [line]});
  }
  return found.map(({isCode, lines}) =>
    isCode ? (
      <pre>
        {lines.map((line) => (
          <>
            <code>{line.replace(/^ {2,4}/, "")}</code>
            <br />
          </>
        ))}
      </pre>
    ) : (
      <p>{withCode(lines[0] ?? "")}</p>
    ),
  );
}

interface CopyButton {
  readonly text: string;
  readonly label: string;
  readonly done: string;
  readonly kind?: string;
}
function CopyButton({text, label, done, kind}: CopyButton) {
  const [said, say] = useAnswer(label);
  return (
    <button
      type="button"
      class={kind}
      aria-label={`Copy: ${front(text, 200)}`}
      onClick={() => void copyText(text).then((isDone) => say(isDone ? done : "Select it"))}
    >
      {said}
    </button>
  );
}
// With what TRACES stands for: who reads a page of a server may not have them yet.
function CommandToCopy({text}: {readonly text: string}) {
  const files = usePage().section("files");
  return (
    <>
      <div class="command">
        <code>{text}</code>
        <CopyButton text={text} label="Copy" done="Copied" />
      </div>
      {/\bTRACES\b/.test(text) ? (
        <p class="about-traces muted">
          {"TRACES: a folder with "}
          {files === null ? (
            "the job\u2019s traces"
          ) : (
            <a href={`#${files.id}`}>the run{"\u2019"}s files, to download</a>
          )}
        </p>
      ) : null}
    </>
  );
}

// A path that may be shortened, with the whole in its tooltip; lines break behind a name.
function Shortened({
  as: Name,
  text,
  short,
}: {
  readonly as: "span" | "code";
  readonly text: string;
  readonly short: string;
}) {
  return (
    <Name title={short === visible(text) ? undefined : front(text, 1000)}>
      {short.split(/(?<=[/_])/).map((piece, i) => [i > 0 ? <wbr /> : null, piece])}
    </Name>
  );
}
const mostOfPath = 44;

function placeOf(entry: Entry) {
  const text = (name: string) =>
    typeof entry[name] === "string" || typeof entry[name] === "number" ? String(entry[name]) : "";
  const {ns} = entry;
  return {
    op: text("op"),
    module: text("module"),
    file: text("file"),
    function: text("function"),
    line: text("line"),
    ns: typeof ns === "number" ? ns : null,
  };
}

// "aten::mul in Model/…/Attention, models/…/attention.py:68 (rotate) 2.68 ms", and a button that copies the line of code.
function placeRow(entry: Entry) {
  const place = placeOf(entry);
  const line = place.line === "" ? "" : `:${place.line}`;
  return (
    <li>
      {place.op ? <code>{front(place.op, 120)}</code> : null}
      {place.module ? (
        <>
          {place.op ? " in " : ""}
          <Shortened as="span" text={place.module} short={shortPath(place.module, mostOfPath, /(?<=[/.])/)} />
        </>
      ) : null}
      {place.file ? (
        <>
          {place.op || place.module ? ", " : ""}
          <Shortened
            as="code"
            text={`${place.file}${line}`}
            short={shortPath(place.file, mostOfPath, /(?<=\/)/) + visible(line)}
          />
        </>
      ) : null}
      {place.function ? (
        <>
          {place.file ? " (" : ", "}
          <Shortened as="code" text={place.function} short={shortPath(place.function, mostOfPath, /(?<=[.:])/)} />
          {place.file ? ")" : ""}
        </>
      ) : null}
      {place.ns === null ? null : <span class="muted">{` ${humanDuration(place.ns)}`}</span>}
      {place.file ? <CopyButton text={`${place.file}${line}`} label="copy" done="copied" kind="copy" /> : null}
    </li>
  );
}

// What a finding is worth: per step, and as a part of the step's length.
function gainOf(source: Table, row: number) {
  const method = methodOf(source, row);
  const isHidden = isHiddenByProfiler(source, row);
  const gain = isHidden ? null : source.get(row, "gain_ns");
  const part = source.number(row, "gain_pct");
  const failure = source.number(row, "time_to_failure_ns");
  const hours = (ns: number) => `${humanDecimal(Number((ns / 3.6e12).toPrecision(3)))} h`;
  return (
    <div class="gain">
      {gain === null && part === null && failure === null ? "gain not known" : null}
      {gain === null ? null : (
        <>
          {method}
          <b>
            <CellSpan cell={source.cell(row, "gain_ns")} />
          </b>
          {" per step"}
        </>
      )}
      {part === null || isHidden ? null : (
        <span class="share">
          {gain === null ? method : ""}
          <CellSpan cell={source.cell(row, "gain_pct")} />
        </span>
      )}
      {part === null || source.number(row, "gain_unprofiled_pct") === null ? null : (
        <span class="unprofiled">
          {"about "}
          <CellSpan cell={source.cell(row, "gain_unprofiled_pct")} />
          {isHidden ? " without the profiler, nothing while it records" : " without the profiler"}
        </span>
      )}
      {failure === null ? null : (
        <span>
          {"full in "}
          <b>{failure >= 3.6e12 ? hours(failure) : humanDuration(failure)}</b>
        </span>
      )}
    </div>
  );
}

function gainBar(source: Table, row: number) {
  const part = source.number(row, "gain_pct");
  if (part === null) return null;
  return (
    <div class="gain-bar" role="img" aria-label={`${human(part, "%")} of a step`} title="of the length of a step">
      <span style={{"--part": `${Math.max(0.5, Math.min(100, part))}%`}} />
    </div>
  );
}

function whoLine(report: Report, source: Table, row: number) {
  const ranks = numbersOf(source.get(row, "ranks"));
  const who = source.text(row, "who") || (ranks.length ? named("rank", ranks, 120) : "");
  // That all are meant needs no mark.
  const isSome = ranks.length > 0 && ranks.length < report.job.ranks;
  const steps = source.text(row, "steps");
  return (
    <p class="who">
      {isSome ? (
        <Choosable as="button" ranks={ranks}>
          {front(who, 120)}
        </Choosable>
      ) : (
        front(who, 120)
      )}
      {steps
        ? [who ? " \u00b7 " : "", `${/[-,]/.test(steps) ? "steps" : "step"} ${front(steps.replace(/,/g, ", "), 40)}`]
        : null}
    </p>
  );
}

function cardBody(report: Report, source: Table, row: number) {
  const ranks = new Set(numbersOf(source.get(row, "ranks")));
  const [place, ...places] = parsedCell(source, row, "places");
  const id = source.text(row, "id");
  const confidence = source.number(row, "confidence");
  const why = source.text(row, "why");
  const evidence = parsedCell(source, row, "evidence");
  return (
    <>
      {whoLine(report, source, row)}
      {place ? <ul class="places">{placeRow(place)}</ul> : null}
      {evidenceOf(report, evidence, ranks)}
      <div class="change">
        <h4>Change</h4>
        {proseAndCode(source.text(row, "recommendation"))}
      </div>
      <Acts finding={id} />
      {source.get(row, "command") ? <CommandToCopy text={report.commandOf(source.text(row, "command"))} /> : null}
      {why || places.length > 0 ? (
        <details>
          <summary>How it is known</summary>
          {why ? <p>{withCode(inMicros(why))}</p> : null}
          {confidence === null ? null : (
            <p class="muted">
              {`Confidence ${confidence}`}
              {source.get(row, "time_lost_ns") === null
                ? "."
                : `; it takes ${human(source.get(row, "time_lost_ns"), "ns")} per step and rank where it sits.`}
            </p>
          )}
          {places.length > 0 ? <ul class="places">{places.slice(0, 19).map(placeRow)}</ul> : null}
          {eventsOf(evidence)}
        </details>
      ) : null}
      <ExplainedCause cause={id} />
      <p class="about-cause">
        <code>{`rankscope explain ${id}`}</code> <MoreLink tables={source.text(row, "tables")} />
        <TimelineLink source={source} row={row} />
      </p>
    </>
  );
}

function severityMark(name: string) {
  const {word, icon} = severities[name] ?? {word: name, icon: "\u25cf"};
  return (
    <span class="severity">
      <span aria-hidden="true">{icon}</span>
      {` ${word}`}
    </span>
  );
}

export function titleOf(source: Table, row: number) {
  return withoutSignatures(inMicros(capitalised(source.text(row, "title"))));
}

function findingCard(report: Report, source: Table, row: number) {
  const severity = source.text(row, "severity");
  return (
    <article
      class={`finding ${severity in severities ? severity : "low"}`}
      id={`finding-${row + 1}`}
      aria-labelledby={`finding-${row + 1}-title`}
    >
      <div class="worth">
        {severityMark(severity)}
        {gainOf(source, row)}
      </div>
      {gainBar(source, row)}
      <h3 id={`finding-${row + 1}-title`}>{withCode(titleOf(source, row))}</h3>
      {cardBody(report, source, row)}
    </article>
  );
}

function smallFinding(report: Report, source: Table, row: number) {
  return (
    <details class="finding-small low" id={`finding-${row + 1}`}>
      <summary>
        {severityMark("low")}
        {gainOf(source, row)}
        <span class="small-title">{withCode(titleOf(source, row))}</span>
      </summary>
      <div class="finding low">{cardBody(report, source, row)}</div>
    </details>
  );
}

// What the cause is; one file has no room for what is said of all causes, and names the command.
export function ExplainedCause({cause}: {readonly cause: string}) {
  return <>{usePage().explain?.(cause)}</>;
}

// Below the change: the patch of it, and the job once more.
function Acts({finding}: {readonly finding: string}) {
  return <>{usePage().actOn?.(finding)}</>;
}

// Leads to a section that shows a table of the finding's evidence.
function MoreLink({tables}: {readonly tables: string}) {
  const page = usePage();
  const found = page.sectionOfTables(tables.split(",")) ?? page.section("job-time");
  return found === null ? null : (
    <a class="more" href={`#${found.id}`}>
      {found.title}
    </a>
  );
}

// From the card to where it is in the timeline. Findings of a kind are told apart by their order (model/timeline_findings.ts).
function TimelineLink({source, row}: {readonly source: Table; readonly row: number}) {
  const {toFinding} = usePage();
  if (toFinding === null) return null;
  const id = source.text(row, "id");
  const count = source.where("id", id).indexOf(row) + 1;
  return (
    <a class="to-timeline" href={toFinding(count === 1 ? id : `${id}:${count}`)}>
      Show in the timeline
    </a>
  );
}

// What the job would gain without a resource: the answer to what limits it.
function limits(report: Report) {
  const gains = report.table("gains");
  const rows = sorted(
    gains.where("of", "resource").filter((row) => gains.amount(row, "gain_pct") > 0),
    (row) => gains.number(row, "gain_pct"),
    true,
  );
  if (rows.length === 0) return null;
  const columns = [
    {
      label: "without",
      kind: "word",
      cell: (row: number) => gains.cell(row, "name"),
      text: (row: number) => resourceLabels[gains.text(row, "name")] ?? words(gains.get(row, "name")),
    },
    plain(gains, "gain_pct", "a step is shorter by"),
    {label: "", kind: "mark", node: (row: number) => <BarMark value={gains.amount(row, "gain_pct")} most={100} />},
    plain(gains, "gain_ns", "per step"),
  ];
  return (
    <details class="limits">
      <summary>What limits the job: a step without each resource</summary>
      <p class="note">
        Each row is a replay in which that resource alone takes no time. The gains overlap, so they do not add up.
      </p>
      <DataTable columns={columns} rows={rows} />
    </details>
  );
}
const resourceLabels: Readonly<Record<string, string>> = {
  data: "waiting for input",
  cpu: "the host",
  sync: "waiting of hosts for devices",
  "gpu-compute": "computing",
  "gpu-memory": "device memory",
  communication: "communication",
  pipeline: "the pipeline",
};

function fidelityNote(report: Report) {
  const source = report.table("replay_fidelity");
  if (source.empty || source.get(0, "refused_reason")) return null;
  const error =
    source.get(0, "prediction_error_pct") === null ? (
      <>
        {"replaying the recorded steps is "}
        <CellSpan cell={source.cell(0, "error_pct")} />
        {" off"}
      </>
    ) : (
      <>
        {"a step is predicted from the others to "}
        <CellSpan cell={source.cell(0, "prediction_error_pct")} />
      </>
    );
  return (
    <p class="note">
      {"Gains are from replaying the job without the cause, unless they say \u201cat most\u201d or \u201cabout\u201d: "}
      {error}.
    </p>
  );
}

export function findingsSection(report: Report): Section | null {
  if (!report.has("findings")) return null;
  const source = report.table("findings");
  const rows = source.rows();
  const large = rows.filter((row) => source.get(row, "severity") !== "low");
  const small = rows.filter((row) => source.get(row, "severity") === "low");
  const unchecked = (report.job.not_evaluated ?? []).length;
  return {
    id: "findings",
    title: "Findings",
    body: (
      <>
        {report.sentences.refusal ? <p class="warnings">{report.sentences.refusal}</p> : null}
        {large.length ? <div class="cards">{large.map((row) => findingCard(report, source, row))}</div> : null}
        {small.length ? (
          <>
            <h3>{large.length ? "Smaller ones" : "Small ones"}</h3>
            <div class="smalls">{small.map((row) => smallFinding(report, source, row))}</div>
          </>
        ) : null}
        {rows.length ? contributions(report, !report.table("step_spread").empty) : null}
        {rows.length ? fidelityNote(report) : null}
        {limits(report)}
        {unchecked ? <NotEvaluated report={report} /> : null}
      </>
    ),
  };
}

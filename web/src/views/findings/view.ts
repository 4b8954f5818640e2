// The findings: a card each, those that cost most first; or that there are none, and what limits the job.

import {choosableText} from "../../draw/choosable";
import {el, front, shortPath, visible} from "../../draw/dom";
import {copyText} from "../../draw/save";
import {human, humanDecimal, humanDuration, words} from "../../model/format";
import {sorted} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type Table, report, table} from "../../model/report";
import {capitalised, inMicros} from "../../model/vocabulary";
import {notEvaluated} from "../quality/view";
import {dataTable, plain} from "../shared/data_table";
import {barMark} from "../shared/range_table";
import {section, sections} from "../shared/section";
import {cellSpan} from "../shared/tiles";
import {contributions} from "./contributions";
import {type Entry, eventsOf, evidenceOf} from "./evidence";

const severities: Readonly<Record<string, {readonly word: string; readonly icon: string}>> = {
  high: {word: "High", icon: "\u25b2"},
  medium: {word: "Medium", icon: "\u25c6"},
  low: {word: "Low", icon: "\u25cf"},
};
const methods: Readonly<Record<string, string>> = {bound: "at most ", estimate: "about "};

// The section that shows more of a cause.
const sectionsOfCauses: Readonly<Record<string, readonly string[]>> = {
  "slow-gpu": ["by-rank", "ranks"],
  "slow-host": ["idle", "ranks"],
  "data-starvation": ["idle", "job-time"],
  "data-straggler": ["idle"],
  "host-sync": ["idle", "ops"],
  "launch-bound": ["launches", "idle"],
  "gc-pause": ["step-time"],
  recompilation: ["step-time"],
  "checkpoint-stall": ["step-time"],
  "exposed-communication": ["overlap", "across"],
  "slow-link": ["across"],
  "network-jitter": ["across"],
  "small-collectives": ["across"],
  "redundant-collectives": ["across"],
  "sharding-imbalance": ["across", "by-rank"],
  "expert-imbalance": ["experts", "across"],
  "sequence-imbalance": ["across", "by-rank"],
  "pipeline-bubble": ["pipeline"],
  "pipeline-stage-imbalance": ["pipeline"],
  "no-tensor-cores": ["roofline", "kernels"],
  "low-roofline": ["roofline"],
  "unfused-attention": ["modules", "kernels"],
  "unfused-elementwise": ["kernels", "modules"],
  "unfused-optimizer": ["kernels"],
  "redundant-copies": ["ops", "kernels"],
  "pageable-copy": ["copies"],
  "allocator-thrash": ["memory"],
  "memory-leak": ["memory"],
  "memory-pressure": ["memory"],
  "slow-kernels": ["by-rank", "kernels"],
  "uneven-work": ["by-rank", "kernels"],
  "uneven-devices": ["by-rank", "kernels"],
  "slow-copies": ["copies", "by-rank"],
  "exposed-copies": ["copies", "overlap"],
  "rank-host-work": ["idle", "host", "ranks"],
  "host-work": ["host", "idle"],
  "outlier-step": ["step-time"],
  "grad-sync-repeated": ["across"],
  "barrier-sync": ["across"],
  "unused-parameters": ["host", "idle"],
  "optimizer-on-host": ["host", "copies"],
  "thread-wait": ["host", "idle"],
  "graph-breaks": ["ops", "idle"],
  "power-throttle": ["by-rank"],
  "cpu-contention": ["idle", "ranks"],
  "underused-gpu": ["kernels"],
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
    .map((piece, i) => (i % 2 ? el("code", {}, piece) : piece));
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
    if (isCode && found.length && found[found.length - 1].isCode) found[found.length - 1].lines.push(line);
    else if (isCode || line.trim()) found.push({isCode, lines: [line]});
  }
  return found.map(({isCode, lines}) =>
    isCode
      ? el(
          "pre",
          {},
          lines.map((line) => [el("code", {}, line.replace(/^ {2,4}/, "")), document.createElement("br")]),
        )
      : el("p", {}, withCode(lines[0])),
  );
}

function copyButton(text: string, label: string, done: string) {
  const button = el(
    "button",
    {
      type: "button",
      "aria-label": `Copy: ${front(text, 200)}`,
      onclick: () =>
        void copyText(text).then((isDone) => {
          button.textContent = isDone ? done : "Select it";
          setTimeout(() => {
            button.textContent = label;
          }, 1500);
        }),
    },
    label,
  );
  return button;
}
function commandLine(text: string) {
  return el("div", {class: "command"}, el("code", {}, text), copyButton(text, "Copy", "Copied"));
}

// A path that may be shortened, with the whole in its tooltip; lines break behind a name.
function shortened(name: "span" | "code", text: string, short: string) {
  return el(
    name,
    {title: short === visible(text) ? null : front(text, 1000)},
    short.split(/(?<=[/_])/).map((piece, i) => [i > 0 ? document.createElement("wbr") : null, piece]),
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
  const where = [
    place.op ? el("code", {}, front(place.op, 120)) : null,
    place.module
      ? [place.op ? " in " : "", shortened("span", place.module, shortPath(place.module, mostOfPath, /(?<=[/.])/))]
      : null,
    place.file
      ? [
          place.op || place.module ? ", " : "",
          shortened("code", `${place.file}${line}`, shortPath(place.file, mostOfPath, /(?<=\/)/) + visible(line)),
        ]
      : null,
    place.function
      ? [
          place.file ? " (" : ", ",
          shortened("code", place.function, shortPath(place.function, mostOfPath, /(?<=[.:])/)),
          place.file ? ")" : "",
        ]
      : null,
  ];
  const copy = copyButton(`${place.file}${line}`, "copy", "copied");
  copy.classList.add("copy");
  return el(
    "li",
    {},
    where,
    place.ns === null ? null : el("span", {class: "muted"}, ` ${humanDuration(place.ns)}`),
    place.file ? copy : null,
  );
}

// What a finding is worth: per step, and as a part of the step's length.
function gainOf(source: Table, row: number) {
  const method = methods[source.text(row, "gain_method")] ?? "";
  const gain = source.get(row, "gain_ns");
  const part = source.number(row, "gain_pct");
  const failure = source.number(row, "time_to_failure_ns");
  const text = [
    gain === null ? null : [method, el("b", {}, cellSpan(source.cell(row, "gain_ns"))), " per step"],
    part === null
      ? null
      : el("span", {class: "share"}, gain === null ? method : "", cellSpan(source.cell(row, "gain_pct"))),
  ];
  if (failure !== null)
    text.push(
      el(
        "span",
        {},
        "full in ",
        el(
          "b",
          {},
          failure >= 3.6e12 ? `${humanDecimal(Number((failure / 3.6e12).toPrecision(3)))} h` : humanDuration(failure),
        ),
      ),
    );
  return el("div", {class: "gain"}, gain === null && part === null && failure === null ? "gain not known" : text);
}

function gainBar(source: Table, row: number) {
  const part = source.number(row, "gain_pct");
  if (part === null) return null;
  const bar = el("span");
  bar.style.setProperty("--part", `${Math.max(0.5, Math.min(100, part))}%`);
  return el(
    "div",
    {class: "gain-bar", role: "img", "aria-label": `${human(part, "%")} of a step`, title: "of the length of a step"},
    bar,
  );
}

function whoLine(source: Table, row: number) {
  const ranks = numbersOf(source.get(row, "ranks"));
  const who = source.text(row, "who") || (ranks.length ? `ranks ${source.get(row, "ranks")}` : "");
  // That all are meant needs no mark.
  const isSome = ranks.length > 0 && ranks.length < report.job.ranks;
  const steps = source.text(row, "steps");
  return el(
    "p",
    {class: "who"},
    isSome ? choosableText(el("button", {type: "button"}, front(who, 120)), ranks) : front(who, 120),
    steps
      ? [who ? " \u00b7 " : "", `${/[-,]/.test(steps) ? "steps" : "step"} ${front(steps.replace(/,/g, ", "), 40)}`]
      : null,
  );
}

function cardBody(source: Table, row: number) {
  const ranks = new Set(numbersOf(source.get(row, "ranks")));
  const places = parsedCell(source, row, "places");
  const id = source.text(row, "id");
  const more = el(
    "a",
    {class: "more", "data-sections": (sectionsOfCauses[id] || ["job-time"]).join(" "), href: "#job-time"},
    "",
  );
  const confidence = source.number(row, "confidence");
  const why = source.text(row, "why");
  const evidence = parsedCell(source, row, "evidence");
  return [
    whoLine(source, row),
    places.length ? el("ul", {class: "places"}, placeRow(places[0])) : null,
    evidenceOf(evidence, ranks),
    el("div", {class: "change"}, el("h4", {}, "Change"), proseAndCode(source.text(row, "recommendation"))),
    source.get(row, "command") ? commandLine(source.text(row, "command")) : null,
    why || places.length > 1
      ? el(
          "details",
          {},
          el("summary", {}, "How it is known"),
          why ? el("p", {}, withCode(inMicros(why))) : null,
          confidence === null
            ? null
            : el(
                "p",
                {class: "muted"},
                `Confidence ${confidence}`,
                source.get(row, "time_lost_ns") === null
                  ? "."
                  : `; it takes ${human(source.get(row, "time_lost_ns"), "ns")} per step and rank where it sits.`,
              ),
          places.length > 1 ? el("ul", {class: "places"}, places.slice(1, 20).map(placeRow)) : null,
          eventsOf(evidence),
        )
      : null,
    el("p", {class: "about-cause"}, el("code", {}, `rankscope explain ${id}`), " ", more),
  ];
}

function severityMark(name: string) {
  const {word, icon} = severities[name] ?? {word: name, icon: "\u25cf"};
  return el("span", {class: "severity"}, el("span", {"aria-hidden": "true"}, icon), ` ${word}`);
}

export function titleOf(source: Table, row: number) {
  return inMicros(capitalised(source.text(row, "title")));
}

function findingCard(source: Table, row: number) {
  const severity = source.text(row, "severity");
  return el(
    "article",
    {
      class: `finding ${severity in severities ? severity : "low"}`,
      id: `finding-${row + 1}`,
      "aria-labelledby": `finding-${row + 1}-title`,
    },
    el("div", {class: "worth"}, severityMark(severity), gainOf(source, row)),
    gainBar(source, row),
    el("h3", {id: `finding-${row + 1}-title`}, withCode(titleOf(source, row))),
    cardBody(source, row),
  );
}

function smallFinding(source: Table, row: number) {
  return el(
    "details",
    {class: "finding-small low", id: `finding-${row + 1}`},
    el(
      "summary",
      {},
      severityMark("low"),
      gainOf(source, row),
      el("span", {class: "small-title"}, withCode(titleOf(source, row))),
    ),
    el("div", {class: "finding low"}, cardBody(source, row)),
  );
}

// Links of cards lead to the first of their sections that the page has.
export function mendCardLinks() {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a.more[data-sections]")) {
    const found = (link.dataset["sections"] ?? "")
      .split(" ")
      .map((id) => sections.find((one) => one.id === id))
      .find(Boolean);
    if (!found) {
      link.remove();
      continue;
    }
    link.hash = `#${found.id}`;
    link.textContent = found.title;
  }
}

// What the job would gain without a resource: the answer to what limits it.
function limits() {
  const gains = table("gains");
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
    {label: "", kind: "mark", node: (row: number) => barMark(gains.amount(row, "gain_pct"), 100)},
    plain(gains, "gain_ns", "per step"),
  ];
  return el(
    "details",
    {class: "limits"},
    el("summary", {}, "What limits the job: a step without each resource"),
    el(
      "p",
      {class: "note"},
      "Each by itself: all that it does takes no time, and the job is replayed. The sum means nothing.",
    ),
    dataTable(columns, rows),
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

function fidelityNote() {
  const source = table("replay_fidelity");
  if (source.empty || source.get(0, "refused_reason")) return null;
  const error =
    source.get(0, "prediction_error_pct") === null
      ? ["replaying the recorded steps is ", cellSpan(source.cell(0, "error_pct")), " off"]
      : ["a step is predicted from the others to ", cellSpan(source.cell(0, "prediction_error_pct"))];
  return el(
    "p",
    {class: "note"},
    "Gains are from replaying the job without the cause, unless they say \u201cat most\u201d or \u201cabout\u201d: ",
    error,
    ".",
  );
}

export function findingsSection() {
  if (!report.tables.findings) return null;
  const source = table("findings");
  const rows = source.rows();
  const large = rows.filter((row) => source.get(row, "severity") !== "low");
  const small = rows.filter((row) => source.get(row, "severity") === "low");
  const unchecked = (report.job.not_evaluated ?? []).length;
  const lead = inMicros(report.sentences.findings);
  return section(
    "findings",
    "Findings",
    null,
    lead ? el("p", {class: rows.length ? "lead" : "lead healthy"}, lead) : null,
    report.sentences.refusal ? el("p", {class: "warnings"}, report.sentences.refusal) : null,
    large.length
      ? el(
          "div",
          {class: "cards"},
          large.map((row) => findingCard(source, row)),
        )
      : null,
    small.length
      ? [
          el("h3", {}, large.length ? "Smaller ones" : "Small ones"),
          el(
            "div",
            {class: "smalls"},
            small.map((row) => smallFinding(source, row)),
          ),
        ]
      : null,
    rows.length ? contributions(!table("step_spread").empty) : null,
    rows.length ? fidelityNote() : null,
    limits(),
    unchecked ? notEvaluated() : null,
  );
}

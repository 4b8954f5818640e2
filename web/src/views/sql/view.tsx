// Questions of a run's events and tables in SQL: an editor that knows their names, the answer as a table and a picture, kept and shared.

import {useEffect, useRef, useState} from "preact/hooks";
import {front, visible} from "../../model/text";
import {ResultPlot} from "../../draw/result_plot";
import {download} from "../../draw/save";
import type {SavedQuery, TableDefinition} from "@made/api_types";
import {getDefinitions, listQueries, removeQuery, runQuery, saveQuery} from "../../model/api";
import {csvOf} from "../../model/csv";
import {doorOfResult, queryOf} from "../../model/doors";
import {human, plural} from "../../model/format";
import {hasTimes} from "../../model/result_track";
import {toTimeline} from "../../model/routes";
import {mostInAddress} from "../../model/share";
import {useApp} from "../shared/app_state";
import {
  completed,
  type Completion,
  completions,
  docsOf,
  plotOf,
  type PlotChoice,
  type PlotKind,
  type Result,
  sortedRows,
  unitOf,
  servingSubjects,
  viewsOf,
} from "../../model/sql";

type Examples = readonly (readonly [name: string, sql: string])[];
const ofServing: Examples = [
  [
    "The slowest requests",
    "select request, id, e2e_ns, queue_ns, prefill_ns, decode_ns\nfrom serving_requests\norder by e2e_ns desc nulls last\nlimit 20",
  ],
  [
    "First tokens by length of the prompt",
    "select prompt_tokens // 256 * 256 as prompt_from, count(*) as requests, median(first_token_ns) as first_token_ns\nfrom serving_requests\ngroup by 1\norder by 1",
  ],
  [
    "Steps by kind",
    "select kind, count(*) as steps, sum(elapsed_ns) as elapsed_ns, sum(generation_tokens) as tokens\nfrom serving_iterations\ngroup by kind\norder by elapsed_ns desc",
  ],
];
const ofJobs: Examples = [
  [
    "Kernels that take most time",
    "select name, count(*) as calls, sum(dur_ns) as total_ns\nfrom kernels\ngroup by name\norder by total_ns desc\nlimit 20",
  ],
  [
    "Time of each class of kernels on each rank",
    "select rank, class, sum(dur_ns) as total_ns\nfrom kernels\ngroup by rank, class\norder by rank, total_ns desc",
  ],
  [
    "Steps of all ranks",
    "select step, rank, end_ns - start_ns as length_ns\nfrom steps\norder by step, length_ns desc",
  ],
  [
    "Ops that launch most kernels",
    "select o.name, count(*) as kernels, sum(k.dur_ns) as device_ns\nfrom kernels k\njoin events l on l.rank = k.rank and l.capture = k.capture and l.event = k.launch_event\njoin ops o on o.rank = l.rank and o.capture = l.capture and o.event = l.parent\ngroup by o.name\norder by device_ns desc\nlimit 20",
  ],
];

const mostShown = 1000;

interface Answer {
  readonly sql: string;
  readonly result: Result;
  readonly ms: number;
}

function Editor({
  text,
  setText,
  run,
  tables,
}: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly run: () => void;
  readonly tables: readonly TableDefinition[];
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [found, setFound] = useState<readonly Completion[]>([]);
  const [at, setAt] = useState(0);
  const look = () => {
    const node = area.current;
    if (node === null) return;
    setFound(node.selectionStart === node.selectionEnd ? completions(node.value, node.selectionStart, tables) : []);
    setAt(0);
  };
  const take = (completion: Completion) => {
    const node = area.current;
    if (node === null) return;
    const now = completed(node.value, node.selectionStart, completion, tables);
    node.value = now.text;
    node.setSelectionRange(now.caret, now.caret);
    node.focus();
    setText(now.text);
    setFound([]);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setFound([]);
      return run();
    }
    if (found.length === 0) return;
    const chosen = found[at];
    if (event.key === "ArrowDown" || event.key === "ArrowUp")
      setAt((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && chosen) take(chosen);
    else if (event.key === "Escape") setFound([]);
    else return;
    event.preventDefault();
  };
  return (
    <div class="editor">
      <textarea
        ref={area}
        rows={8}
        spellcheck={false}
        autocomplete="off"
        aria-label="SQL"
        aria-autocomplete="list"
        aria-controls="sql-completions"
        aria-activedescendant={found.length > 0 ? `sql-completion-${at}` : undefined}
        value={text}
        placeholder="select ..."
        onInput={(event) => {
          setText(event.currentTarget.value);
          look();
        }}
        onKeyDown={keys}
        onClick={() => setFound([])}
        onBlur={() => setTimeout(() => setFound([]), 150)}
      />
      <ul id="sql-completions" role="listbox" aria-label="Completions" hidden={found.length === 0}>
        {found.map((one, i) => (
          <li
            key={one.text}
            id={`sql-completion-${i}`}
            role="option"
            aria-selected={i === at}
            onMouseDown={(event) => {
              event.preventDefault();
              take(one);
            }}
          >
            <code>{one.text}</code> <span class="muted">{visible(one.about)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Schema({
  tables,
  insert,
}: {
  readonly tables: readonly TableDefinition[];
  readonly insert: (name: string) => void;
}) {
  const [wanted, setWanted] = useState("");
  const text = wanted.trim().toLowerCase();
  const shown = tables.filter(
    (table) =>
      text === "" ||
      table.name.includes(text) ||
      table.summary.toLowerCase().includes(text) ||
      table.columns.some((column) => column.name.includes(text)),
  );
  return (
    <aside class="schema" aria-label="Tables">
      <input
        type="search"
        placeholder="Tables and columns"
        aria-label="Search tables and columns"
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      <p class="muted" role="status">
        {shown.length} of {plural(tables.length, "table")}
      </p>
      <div class="schema-list" tabIndex={0} role="region" aria-label="Tables and their columns">
        {shown.map((table) => (
          <details key={table.name} open={text !== "" && shown.length < 6}>
            <summary title={table.definition}>
              <code>{table.name}</code>
            </summary>
            <p class="muted">
              {table.summary}{" "}
              <button type="button" class="link" onClick={() => insert(table.name)}>
                insert
              </button>
            </p>
            <ul>
              {table.columns.map((column) => (
                <li key={column.name}>
                  <button type="button" class="link" title={column.doc} onClick={() => insert(column.name)}>
                    <code>{column.name}</code>
                  </button>{" "}
                  <span class="muted">
                    {column.type}
                    {column.unit ? `, ${column.unit}` : ""}
                  </span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </aside>
  );
}

// docs: of columns, by name.
function ResultTable({
  run,
  result,
  docs,
}: {
  readonly run: string;
  readonly result: Result;
  readonly docs: ReadonlyMap<string, string>;
}) {
  const names = result.columns.map((column) => column.name);
  const doorOfRow = (row: Result["rows"][number]) => doorOfResult(names, row);
  const hasDoors = result.rows.slice(0, 3).some((row) => doorOfRow(row) !== null);
  const [order, setOrder] = useState<readonly [column: number, sign: 1 | -1] | null>(null);
  useEffect(() => setOrder(null), [result]);
  const rows = order === null ? result.rows : sortedRows(result.rows, ...order);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Result">
      <table>
        <thead>
          <tr>
            {result.columns.map((column, i) => (
              <th
                scope="col"
                key={`${i}/${column.name}`}
                title={docs.get(column.name)}
                aria-sort={order?.[0] === i ? (order[1] === 1 ? "ascending" : "descending") : "none"}
              >
                <button
                  type="button"
                  class="plain"
                  onClick={() => setOrder(order?.[0] === i && order[1] === -1 ? [i, 1] : [i, -1])}
                >
                  {visible(column.name)}
                  {order?.[0] === i ? (order[1] === 1 ? " \u2191" : " \u2193") : ""}
                </button>
              </th>
            ))}
            {hasDoors ? (
              <th scope="col" title="what the row is of, in the timeline">
                events
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostShown).map((row, r) => (
            <tr key={r}>
              {row.map((value, c) => {
                const unit = unitOf(result.columns[c]?.name ?? "");
                const isNumber = typeof value === "number";
                return (
                  <td
                    key={c}
                    class={value === null ? "unknown" : isNumber ? "number" : "long"}
                    data-value={value === null ? "" : String(value)}
                    title={isNumber && unit ? `${value} ${unit}` : undefined}
                  >
                    {value === null ? "\u2013" : isNumber && unit ? human(value, unit) : front(String(value), 2000)}
                  </td>
                );
              })}
              {hasDoors ? (
                <td>
                  <Door run={run} door={doorOfRow(row)} />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Door({run, door}: {readonly run: string; readonly door: ReturnType<typeof doorOfResult>}) {
  return door === null ? null : (
    <a class="door" href={toTimeline(run, queryOf(door))} aria-label="Show in the timeline">
      show
    </a>
  );
}

// The answer as a row of the timeline, where its rows say when.
function OnTimeline({run, answer}: {readonly run: string; readonly answer: Answer}) {
  if (!hasTimes(answer.result)) return null;
  const address = toTimeline(run, `?${new URLSearchParams({sql: answer.sql}).toString()}`);
  return address.length > mostInAddress ? (
    <span class="muted">too long for a row of the timeline</span>
  ) : (
    <a class="button" href={address}>
      Over the timeline
    </a>
  );
}

function Plot({result}: {readonly result: Result}) {
  const [choice, setChoice] = useState<PlotChoice | null>(null);
  useEffect(() => setChoice(plotOf(result)), [result]);
  if (choice === null) return null;
  const columns = result.columns.map((column, i) => (
    <option key={i} value={i}>
      {visible(column.name)}
    </option>
  ));
  return (
    <section aria-label="Plot">
      <div class="tools">
        <label>
          as{" "}
          <select
            value={choice.kind}
            onChange={(event) => setChoice({...choice, kind: event.currentTarget.value as PlotKind})}
          >
            <option value="bars">bars</option>
            <option value="line">line</option>
            <option value="points">points</option>
          </select>
        </label>
        <label>
          of{" "}
          <select value={choice.y} onChange={(event) => setChoice({...choice, y: Number(event.currentTarget.value)})}>
            {columns}
          </select>
        </label>
        <label>
          by{" "}
          <select value={choice.x} onChange={(event) => setChoice({...choice, x: Number(event.currentTarget.value)})}>
            {columns}
          </select>
        </label>
      </div>
      <ResultPlot result={result} choice={choice} />
    </section>
  );
}

interface Sql {
  readonly run: string;
  // What its tables are made of.
  readonly subjects: readonly string[];
}
export function Sql({run, subjects}: Sql) {
  const [text, setText] = useState(() => new URLSearchParams(location.search).get("q") ?? "");
  const {sharing} = useApp();
  const [tables, setTables] = useState<readonly TableDefinition[]>([]);
  const [saved, setSaved] = useState<readonly SavedQuery[]>([]);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const [link, setLink] = useState("");
  const fail = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => {
    getDefinitions()
      .then((all) => setTables(viewsOf(all, subjects)))
      .catch(fail);
    listQueries(run).then(setSaved).catch(fail);
  }, [run]);
  useEffect(() => {
    const said = text === "" ? "" : `?q=${encodeURIComponent(text)}`;
    const isShort = said.length <= mostInAddress;
    history.replaceState(null, "", location.pathname + (isShort ? said : ""));
    sharing.beyondAddress.value = isShort ? null : said;
    setLink("");
  }, [text]);

  const ask = (sql = text) => {
    if (sql.trim() === "") return;
    running?.abort();
    const now = new AbortController();
    setRunning(now);
    setProblem("");
    const begin = performance.now();
    runQuery(run, sql, now.signal)
      .then((result) => setAnswer({sql, result, ms: performance.now() - begin}))
      .catch((error: unknown) => {
        if (now.signal.aborted) return;
        // Rows of another query below the sentence would read as this one's.
        setAnswer(null);
        fail(error);
      })
      .finally(() => setRunning((one) => (one === now ? null : one)));
  };
  const keep = () => {
    const name = prompt("Save this query as");
    if (!name) return;
    saveQuery(run, name, text)
      .then(() => listQueries(run))
      .then(setSaved)
      .catch(fail);
  };
  const forget = (query: SavedQuery) => {
    removeQuery(run, query.id)
      .then(() => listQueries(run))
      .then(setSaved)
      .catch(fail);
  };
  const makeLink = async () => {
    try {
      const made = await sharing.linkToHere();
      setLink(made);
      await navigator.clipboard?.writeText(made).catch(() => undefined);
    } catch (error) {
      fail(error);
    }
  };
  const put = (sql: string) => {
    setText(sql);
    ask(sql);
  };
  const rows = answer?.result.rows.length ?? 0;
  return (
    <main class="sql">
      <h1>SQL over this run</h1>
      <div class="sql-columns">
        <Schema
          tables={tables}
          insert={(name) => setText((now) => (now === "" || /\s$/.test(now) ? now + name : `${now} ${name}`))}
        />
        <div class="sql-work">
          <Editor text={text} setText={setText} run={() => ask()} tables={tables} />
          <div class="tools">
            <button
              type="button"
              class="strong"
              disabled={running !== null || text.trim() === ""}
              onClick={() => ask()}
            >
              Run
            </button>
            {running === null ? null : (
              <button type="button" onClick={() => running.abort()}>
                Cancel
              </button>
            )}
            <span class="muted">Ctrl+Enter</span>
            <button type="button" disabled={text.trim() === ""} onClick={keep}>
              Save
            </button>
            <button type="button" disabled={text.trim() === ""} onClick={() => void makeLink()}>
              Link
            </button>
            {link === "" ? null : (
              <input
                class="link-text"
                type="text"
                readOnly
                value={link}
                aria-label="Link to this query"
                onFocus={(event) => event.currentTarget.select()}
              />
            )}
          </div>
          <ul class="queries" aria-label="Queries">
            {saved.map((query) => (
              <li key={query.id}>
                <button type="button" class="link" onClick={() => put(query.sql)}>
                  {visible(query.name)}
                </button>
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove ${visible(query.name)}`}
                  onClick={() => forget(query)}
                >
                  {"\u2715"}
                </button>
              </li>
            ))}
            {saved.length > 0
              ? null
              : (subjects === servingSubjects ? ofServing : ofJobs).map(([name, sql]) => (
                  <li key={name}>
                    <button type="button" class="link" onClick={() => put(sql)}>
                      {name}
                    </button>
                  </li>
                ))}
          </ul>
          {problem === "" ? null : (
            <p class="wrong" role="alert">
              {visible(problem)}
            </p>
          )}
          {running !== null ? (
            <p class="muted" role="status">
              Running {"\u2026"}
            </p>
          ) : answer === null ? null : (
            <p class="tools" role="status">
              {rows > mostShown ? `The first ${mostShown} of ` : ""}
              {plural(rows, "row")} in {Math.round(answer.ms)} ms
              {rows === 0 ? null : (
                <>
                  <button
                    type="button"
                    onClick={() =>
                      download(
                        "result.csv",
                        "text/csv",
                        csvOf(
                          answer.result.columns.map((column) => column.name),
                          answer.result.rows,
                        ),
                      )
                    }
                  >
                    CSV
                  </button>
                  <button
                    type="button"
                    onClick={() => download("result.json", "application/json", JSON.stringify(answer.result))}
                  >
                    JSON
                  </button>
                  <OnTimeline run={run} answer={answer} />
                </>
              )}
            </p>
          )}
          {answer === null ? null : (
            <div class={running === null ? "" : "waiting"}>
              <Plot result={answer.result} />
              <ResultTable run={run} result={answer.result} docs={docsOf(answer.sql, tables)} />
            </div>
          )}
        </div>
      </div>
    </main>
  );
}

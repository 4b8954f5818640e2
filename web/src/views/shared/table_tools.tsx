// What stands below a table: a filter, the columns to show, and its rows for other programs.

import {useState} from "preact/hooks";
import {copyText, download} from "../../draw/save";
import {csvOf, tsvOf} from "../../model/csv";
import {grouped} from "../../model/format";
import type {CellValue} from "../../model/report";
import {useAnswer} from "./use_answer";

export interface TableContent {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}

interface TableTools {
  readonly labels: readonly string[];
  readonly hidden: ReadonlySet<number>;
  readonly filter: (words: readonly string[]) => void;
  readonly hide: (column: number, isHidden: boolean) => void;
  // The rows that the filter lets through, all of them, in the columns that are shown.
  readonly content: () => TableContent;
  readonly name: () => string;
  // So many rows are seen of those that the filter lets through, of all.
  readonly counts: {readonly seen: number; readonly found: number; readonly all: number};
}

// A file's name for a table of the report, or any.
function fileName(name: string): string {
  const plain = name
    .replace(/[^a-z0-9]+/gi, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
  return `${plain || "table"}.csv`;
}

export function TableTools({labels, hidden, filter, hide, content, name, counts: {seen, found, all}}: TableTools) {
  const [copied, sayCopied] = useAnswer("Copy");
  const first = seen < found ? `the first ${grouped(seen)} of ` : "";
  const count =
    found === all ? `${first}${grouped(all)} rows` : `${first}${grouped(found)} found in ${grouped(all)} rows`;
  const copy = async () => {
    const {headings, rows} = content();
    sayCopied((await copyText(tsvOf(headings, rows))) ? "Copied" : "Select it");
  };
  const save = () => {
    const {headings, rows} = content();
    download(fileName(name()), "text/csv", csvOf(headings, rows));
  };
  return (
    <div class="table-tools">
      <input
        type="search"
        size={14}
        aria-label="Filter the rows"
        placeholder="filter"
        onInput={(event) => filter(event.currentTarget.value.toLowerCase().split(/\s+/).filter(Boolean))}
      />
      <span role="status">{count}</span>
      <button type="button" class="plain" onClick={() => void copy()}>
        {copied}
      </button>
      <button type="button" class="plain" onClick={save}>
        CSV
      </button>
      <ColumnsChoice labels={labels} hidden={hidden} hide={hide} />
    </div>
  );
}

// Made when it is first opened: there may be many tables.
function ColumnsChoice({labels, hidden, hide}: Pick<TableTools, "labels" | "hidden" | "hide">) {
  const [isMade, setMade] = useState(false);
  return (
    <details class="columns-choice" onToggle={() => setMade(true)}>
      <summary>Columns</summary>
      {isMade ? (
        <div>
          {labels.map((label, i) =>
            label === "" ? null : (
              <label key={i}>
                <input
                  type="checkbox"
                  checked={!hidden.has(i)}
                  onChange={(event) => hide(i, !event.currentTarget.checked)}
                />
                {` ${label}`}
              </label>
            ),
          )}
        </div>
      ) : null}
    </details>
  );
}

// What stands below a table: a filter, the columns to show, and its rows for other programs.

import {el} from "../../draw/dom";
import {copyText, download} from "../../draw/save";
import {csvOf, tsvOf} from "../../model/csv";
import {grouped} from "../../model/format";
import type {CellValue} from "../../model/report";

export interface TableContent {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}

export interface TableTools {
  readonly node: HTMLElement;
  // So many rows are seen of those that the filter lets through, of all.
  readonly tell: (seen: number, found: number, all: number) => void;
}

// A file's name for a table of the report, or any.
function fileName(name: string): string {
  return `${
    name
      .replace(/[^a-z0-9]+/gi, "_")
      .replace(/^_+|_+$/g, "")
      .toLowerCase() || "table"
  }.csv`;
}

// `content`: the rows that the filter lets through, all of them, in the columns that are shown.
export function tableTools(
  labels: readonly string[],
  filter: (words: readonly string[]) => void,
  hide: (column: number, isHidden: boolean) => void,
  content: () => TableContent,
  name: () => string,
): TableTools {
  const count = el("span", {role: "status"});
  const copy = el(
    "button",
    {
      type: "button",
      class: "plain",
      onclick: () => {
        const {headings, rows} = content();
        void copyText(tsvOf(headings, rows)).then((isDone) => {
          copy.textContent = isDone ? "Copied" : "Select it";
          setTimeout(() => {
            copy.textContent = "Copy";
          }, 1500);
        });
      },
    },
    "Copy",
  );
  const save = el(
    "button",
    {
      type: "button",
      class: "plain",
      onclick: () => {
        const {headings, rows} = content();
        download(fileName(name()), "text/csv", csvOf(headings, rows));
      },
    },
    "CSV",
  );
  const input = el("input", {
    type: "search",
    size: 14,
    "aria-label": "Filter the rows",
    placeholder: "filter",
    oninput: () => filter(input.value.toLowerCase().split(/\s+/).filter(Boolean)),
  });
  const columns = el("details", {class: "columns-choice"}, el("summary", {}, "Columns"));
  // Made when it is first opened: there may be many tables.
  columns.addEventListener("toggle", () => {
    if (!columns.open || columns.children.length > 1) return;
    columns.append(
      el(
        "div",
        {},
        labels.map((label, i) => {
          const box = el("input", {type: "checkbox", onchange: () => hide(i, !box.checked)});
          box.checked = true;
          return label === "" ? null : el("label", {}, box, ` ${label}`);
        }),
      ),
    );
  });
  return {
    node: el("div", {class: "table-tools"}, input, count, copy, save, columns),
    tell: (seen, found, all) => {
      const first = seen < found ? `the first ${grouped(seen)} of ` : "";
      count.textContent =
        found === all ? `${first}${grouped(all)} rows` : `${first}${grouped(found)} found in ${grouped(all)} rows`;
    },
  };
}

// What was read, and what it does not say.

import {plural} from "../../model/format";
import type {Serving} from "../../model/report";
import {visible} from "../../model/text";
import {DataTable, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

export function recordingsSection(serving: Serving): Section | null {
  const source = serving.table("serving_sources");
  const notes = serving.table("serving_notes");
  const said = notes.where("is_unchecked", false).filter((row) => notes.get(row, "leads") !== true);
  const little = serving.table("serving_little");
  return {
    id: "recordings",
    title: "What was read",
    answer: `${plural(source.total, "recording")}, ${plural(said.length, "note")}`,
    body: (
      <>
        <DataTable
          rows={source.rows()}
          most={12}
          columns={[
            plain(source, "path", "file", "text"),
            plain(source, "format", "what it holds", "text"),
            plain(source, "records", "records"),
          ]}
        />
        {said.length === 0 ? null : (
          <ul class="headlines">
            {said.map((row) => (
              <li key={row}>{visible(notes.text(row, "note"))}</li>
            ))}
          </ul>
        )}
        {little.empty ? null : (
          <>
            <h3>{`Little's law: ${little.text(0, "verdict")} for the ${little.text(0, "stage")}`}</h3>
            <DataTable
              rows={little.rows()}
              columns={[
                plain(little, "stage", "stage", "word"),
                plain(little, "level", "L, by gauges"),
                plain(little, "rate_per_s", "\u03bb (1/s)"),
                plain(little, "time_ns", "W"),
                plain(little, "difference_pct", "difference"),
                plain(little, "verdict", "verdict", "text"),
              ]}
            />
          </>
        )}
      </>
    ),
  };
}

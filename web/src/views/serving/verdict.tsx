// What is wrong with a serving program, what shows it and what to change; or that nothing is.

import {CellSpan} from "../../draw/cells";
import {human, plural} from "../../model/format";
import type {Serving, Table} from "../../model/report";
import {visible} from "../../model/text";
import {capitalised, inMicros} from "../../model/vocabulary";
import type {Section} from "../shared/section";
import {ExplainedCause} from "../findings/view";
import {Tile} from "../shared/tiles";
import {stageOf} from "./words";

const severities: Readonly<Record<string, string>> = {high: "\u25b2 High", medium: "\u25c6 Medium", low: "\u25cf Low"};

// The rows of stages by what tells them most: requests, else metrics.
export function stageRows(source: Table): number[] {
  const of = source.text(0, "from");
  return source.where("from", of).filter((row) => source.get(row, "stage") !== "total");
}
export function longestStage(source: Table): number | null {
  const [first] = stageRows(source)
    .filter((row) => source.number(row, "share_pct") !== null)
    .sort((a, b) => source.amount(b, "share_pct") - source.amount(a, "share_pct"));
  return first ?? null;
}

function Tiles({serving}: {readonly serving: Serving}) {
  const stages = serving.table("serving_stages");
  const [total] = stages.where("stage", "total");
  const longest = longestStage(stages);
  const goodput = serving.table("serving_goodput");
  const [all] = goodput.where("objective", "all");
  const levels = serving.table("serving_levels");
  const capacity = levels.rows().find((row) => levels.text(row, "marks").split(", ").includes("capacity"));
  const objective = levels.rows().find((row) => levels.text(row, "marks").split(", ").includes("objective"));
  return (
    <div class="tiles">
      {total === undefined ? null : (
        <Tile
          name="A request takes"
          cell={stages.cell(total, "mean_ns")}
          more={`mean${serving.data.focus ? ` ${serving.data.focus}` : ""}`}
        >
          <CellSpan cell={stages.cell(total, "mean_ns")} />
        </Tile>
      )}
      {longest === null ? null : (
        <Tile
          name={`Share of ${stageOf(stages.get(longest, "stage")).label}`}
          cell={stages.cell(longest, "share_pct")}
          more="of the time of all requests"
        >
          <CellSpan cell={stages.cell(longest, "share_pct")} />
        </Tile>
      )}
      {objective === undefined ? null : (
        <Tile name="Serves within its objective" cell={levels.cell(objective, "served_per_s")} more="requests a second">
          <CellSpan cell={levels.cell(objective, "served_per_s")} />
        </Tile>
      )}
      {capacity === undefined ? null : (
        <Tile
          name="Serves at most"
          cell={levels.cell(capacity, "served_per_s")}
          more="requests a second, of those asked"
        >
          <CellSpan cell={levels.cell(capacity, "served_per_s")} />
        </Tile>
      )}
      {all === undefined || levels.count > 0 ? null : (
        <Tile name="Good requests" cell={goodput.cell(all, "good_pct")} more="keep every limit of the objective">
          <CellSpan cell={goodput.cell(all, "good_pct")} />
        </Tile>
      )}
    </div>
  );
}

function Finding({serving, row}: {readonly serving: Serving; readonly row: number}) {
  const source = serving.table("serving_findings");
  const severity = source.text(row, "severity");
  const text = (column: string) => inMicros(visible(source.text(row, column)));
  return (
    <article
      class={`finding ${severity in severities ? severity : "low"}`}
      id={`finding-${row + 1}`}
      aria-labelledby={`finding-${row + 1}-title`}
    >
      <div class="worth">
        <span class="severity">{severities[severity] ?? severity}</span>
        {source.get(row, "lost_pct") === null ? null : (
          <span class="gain">
            <b>
              <CellSpan cell={source.cell(row, "lost_pct")} />
            </b>{" "}
            of requests' time
          </span>
        )}
      </div>
      <h3 id={`finding-${row + 1}-title`}>{capitalised(text("title"))}</h3>
      <h4>Seen</h4>
      <p>{capitalised(text("evidence"))}.</p>
      <div class="change">
        <h4>Change</h4>
        <p>{text("change")}</p>
      </div>
      <p class="muted">{capitalised(inMicros(visible(serving.data.gains[row] ?? "")))}.</p>
      <ExplainedCause cause={source.text(row, "id")} />
      <p class="about-cause">
        <code>{`rankscope explain ${source.text(row, "id")}`}</code>
      </p>
    </article>
  );
}

function unchecked(serving: Serving) {
  const notes = serving.table("serving_notes");
  const rows = notes.where("is_unchecked", true);
  return rows.length === 0 ? null : (
    <details>
      <summary>{`${plural(rows.length, "cause")} that could not be looked for`}</summary>
      <ul class="headlines">
        {rows.map((row) => (
          <li key={row}>{visible(notes.text(row, "note"))}</li>
        ))}
      </ul>
    </details>
  );
}

// Of a run of rankscope tune alone there is none.
export function verdictSection(serving: Serving): Section | null {
  if (!serving.table("serving_tunings").empty && serving.table("serving_stages").empty) return null;
  const findings = serving.table("serving_findings");
  const notes = serving.table("serving_notes");
  const leads = notes.where("leads", true);
  const [worst] = findings.rows();
  return {
    id: "verdict",
    title: "Verdict",
    answer:
      worst === undefined
        ? "0 findings"
        : findings.get(worst, "lost_pct") === null
          ? plural(findings.count, "finding")
          : `${plural(findings.count, "finding")}, the worst takes ${human(findings.get(worst, "lost_pct"), "%")} of the time`,
    body: (
      <>
        <p class={findings.empty ? "lead healthy" : "lead"}>{capitalised(inMicros(visible(serving.data.headline)))}.</p>
        {leads.map((row) => (
          <p key={row} class="wrong">
            {visible(notes.text(row, "note"))}
          </p>
        ))}
        <Tiles serving={serving} />
        {findings.empty ? null : (
          <div class="cards">
            {findings.rows().map((row) => (
              <Finding key={row} serving={serving} row={row} />
            ))}
          </div>
        )}
        {serving.data.lines.length === 0 ? null : (
          <dl class="serving-lines">
            {serving.data.lines.map(({name, text}) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{inMicros(visible(text))}</dd>
              </div>
            ))}
          </dl>
        )}
        {unchecked(serving)}
      </>
    ),
  };
}

// All runs together: where the device hours go, which kernels changed, what costs most, and what is not known.

import type {ComponentChildren} from "preact";
import {changesSentence, type Division, divisions, fleetSentence, type Period, periods} from "../../model/fleet";
import {words} from "../../model/format";
import type {Table} from "../../model/report";
import {toExplanation} from "../../model/routes";
import {visible} from "../../model/text";
import {Login} from "../login/view";
import {DataTable, plain} from "../shared/data_table";
import {timeBar} from "../shared/range_table";
import {type Section, SectionFrame} from "../shared/section";
import {Changes} from "./changes";
import {HoursMap} from "./hours_map";
import {Models, RunLink} from "./models";
import type {FleetState} from "./state";

const mostRows = 100;

function Choices({state}: {readonly state: FleetState}) {
  const asked = state.asked.value;
  const day = (label: string, part: "since" | "until") => (
    <label>
      {label}{" "}
      <input type="date" value={asked[part]} onChange={(event) => state.change({[part]: event.currentTarget.value})} />
    </label>
  );
  return (
    <div class="tools">
      {day("Since", "since")}
      {day("until", "until")}
      <label>
        Hours by{" "}
        <select value={asked.by} onChange={(event) => state.change({by: event.currentTarget.value as Division})}>
          {divisions.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <label>
        Models by{" "}
        <select value={asked.every} onChange={(event) => state.change({every: event.currentTarget.value as Period})}>
          {periods.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function exampleRun(table: Table) {
  return {label: "a run", kind: "word", node: (row: number) => <RunLink id={table.text(row, "example_run")} />};
}

function sharesSection(table: Table, by: Division): Section {
  const rows = table.rows();
  return {
    id: "shares",
    title: `Device hours by ${by}`,
    how: "Of the runs that say how many hours of devices they stand for (tag device_hours); the others are counted beside.",
    body: (
      <>
        <HoursMap table={table} by={by} />
        <DataTable
          rows={rows}
          columns={[
            {...plain(table, "value", by, "name"), unknown: `without a ${by}`},
            plain(table, "device_hours", "device hours"),
            timeBar(table, rows, "device_hours", "compute"),
            plain(table, "share_pct", "share"),
            plain(table, "busy_pct", "devices busy"),
            plain(table, "runs"),
            plain(table, "jobs"),
            plain(table, "runs_without_hours", "runs without hours"),
          ]}
          most={mostRows}
        />
      </>
    ),
  };
}

// Leads to what it means.
function Cause({id}: {readonly id: string}) {
  return <a href={toExplanation(id)}>{visible(id)}</a>;
}

function findingsSection(table: Table): Section {
  const rows = table.rows();
  return {
    id: "findings",
    title: "Findings by what they cost",
    how: "A run's device hours times what its finding would gain. Findings of a run overlap: they are not to be added.",
    body: table.empty ? (
      <p class="muted">No run has a finding.</p>
    ) : (
      <DataTable
        rows={rows}
        columns={[
          {
            ...plain(table, "finding", "finding", "word"),
            node: (row: number) => <Cause id={table.text(row, "finding")} />,
          },
          plain(table, "lost_hours", "lost hours"),
          timeBar(table, rows, "lost_hours", "waiting"),
          plain(table, "gain_pct", "median gain"),
          plain(table, "runs"),
          plain(table, "runs_pct", "of all runs"),
          plain(table, "high", "of high severity"),
          exampleRun(table),
        ]}
        most={mostRows}
      />
    ),
  };
}

function classesSection(table: Table): Section {
  const rows = table.rows();
  return {
    id: "classes",
    title: "GPU time by class of kernel",
    how: "Recorded kernel time, and where a run says how much it stands for, GPU hours. Bound by memory or computing as roofs tell.",
    body: (
      <DataTable
        rows={rows}
        columns={[
          plain(table, "class", "class", "word"),
          plain(table, "bound", "bound by", "word"),
          plain(table, "gpu_hours", "GPU hours"),
          plain(table, "gpu_share_pct", "of all GPU hours"),
          plain(table, "total_ns", "recorded"),
          timeBar(table, rows, "total_ns", "compute"),
          plain(table, "share_pct", "of all recorded"),
          plain(table, "launches"),
        ]}
        most={mostRows}
      />
    ),
  };
}

function kernelsSection(table: Table, id: string, title: string): Section {
  const rows = table.rows();
  return {
    id,
    title,
    how: "Kernels by their family: without arguments, template values and generated numbers.",
    body: (
      <DataTable
        rows={rows}
        columns={[
          plain(table, "kernel_key", "kernel", "name"),
          plain(table, "class", "class", "word"),
          plain(table, "bound", "bound by", "word"),
          plain(table, "device_model", "device", "word"),
          plain(table, "gpu_hours", "GPU hours"),
          plain(table, "share_pct", "of all recorded"),
          timeBar(table, rows, "total_ns", "compute"),
          plain(table, "launches"),
          plain(table, "p50_ns", "median"),
          plain(table, "p99_ns", "p99"),
          plain(table, "runs"),
          exampleRun(table),
        ]}
        most={mostRows}
      />
    ),
  };
}

function moversSection(table: Table): Section | null {
  if (table.empty) return null;
  return {
    id: "movers",
    title: "What moved the GPU time",
    how: "Between the first and the second part of the time: slower kernels, more launches, or others that are launched. The three add up to the change.",
    body: (
      <DataTable
        rows={table.rows()}
        columns={[
          {...plain(table, "kernel_key", "kernel", "name"), unknown: "all computing kernels"},
          plain(table, "before_ms", "before"),
          plain(table, "after_ms", "after"),
          plain(table, "change_ms", "change"),
          plain(table, "duration_ms", "by duration"),
          plain(table, "count_ms", "by count"),
          plain(table, "mix_ms", "by mix"),
          plain(table, "basis", "of", "word"),
        ]}
        most={mostRows}
      />
    ),
  };
}

function unknownSection(table: Table): Section | null {
  if (table.empty) return null;
  return {
    id: "unknown",
    title: "What is not known",
    body: (
      <DataTable
        rows={table.rows()}
        columns={[
          plain(table, "what", "what", "text"),
          plain(table, "unknown_pct", "not known"),
          plain(table, "of", "of", "word"),
          plain(table, "effect", "so", "text"),
          plain(table, "remedy", "remedy", "text"),
        ]}
      />
    ),
  };
}

interface Part {
  readonly of: FleetState["overview"];
  readonly title: string;
  readonly id: string;
  readonly make: () => readonly (Section | null)[];
}

// Its sections; while it is asked for the same in pale, and where it fails the sentence.
function Part({of, title, id, make}: Part) {
  const loading = of.loading.value;
  let content: ComponentChildren;
  if (loading === "failed") {
    content = (
      <SectionFrame
        section={{
          id,
          title,
          body: (
            <p class="wrong" role="alert">
              {visible(of.problem.value)}
            </p>
          ),
        }}
      />
    );
  } else if (loading === "loading" && Object.keys(of.answer.value.tables).length === 0) {
    content = <SectionFrame section={{id, title, body: <p class="muted">Adding up all runs {"\u2026"}</p>}} />;
  } else {
    content = make().map((section) => (section === null ? null : <SectionFrame key={section.id} section={section} />));
  }
  return <div class={loading === "loading" ? "part stale" : "part"}>{content}</div>;
}

export function Fleet({state}: {readonly state: FleetState}) {
  const {overview, regressions, models} = state;
  if (overview.loading.value === "refused") return <Login done={() => location.reload()} />;
  const by = state.asked.value.by;
  const shares = state.table(overview, "fleet_shares");
  const findings = state.table(overview, "fleet_findings");
  const changes = state.table(regressions, "fleet_regressions");
  const isKnown = overview.loading.value === "there" || !shares.empty;
  return (
    <main class="runs fleet">
      <h1>{isKnown ? fleetSentence(shares, findings, by) : "All runs together"}</h1>
      <Choices state={state} />
      <Part
        of={overview}
        id="overview"
        title="Where device hours go"
        make={() => [sharesSection(shares, by), findingsSection(findings)]}
      />
      <Part
        of={regressions}
        id="changes"
        title="What changed"
        make={() => [
          {
            id: "changes",
            title: "What changed",
            answer: changesSentence(changes, regressions.answer.value.runs),
            how: "Kernels compared with themselves: on the same device, of the same shapes and type. A change holds for five runs and more, and is larger than chance, its own spread and 3%.",
            body: <Changes table={changes} runs={regressions.answer.value.runs} />,
          },
          moversSection(state.table(regressions, "fleet_movers")),
        ]}
      />
      <Part
        of={models}
        id="models"
        title="Models over time"
        make={() => [
          {
            id: "models",
            title: `Models by ${words(state.asked.value.every)}`,
            how: "The median step of each model's runs on a device.",
            body: <Models table={state.table(models, "fleet_models")} />,
          },
        ]}
      />
      <Part
        of={overview}
        id="kernels"
        title="Kernels"
        make={() => [
          classesSection(state.table(overview, "fleet_classes")),
          kernelsSection(state.table(overview, "fleet_kernels"), "kernels", "Most costly kernels"),
          kernelsSection(state.table(overview, "fleet_frequent"), "frequent", "Most launched kernels"),
          unknownSection(state.table(overview, "fleet_unknown")),
        ]}
      />
    </main>
  );
}

// The headline: how big the job is, how long a step takes, and the biggest losses in plain words.

import {CellSpan, Swatch} from "../../draw/cells";
import {grouped, plural} from "../../model/format";
import {type Report} from "../../model/report";
import {whichSteps} from "../../model/step_words";
import {front} from "../../model/text";
import {inMicros} from "../../model/vocabulary";
import {usePage} from "../shared/page_state";
import {type Section} from "../shared/section";
import {Tile} from "../shared/tiles";

function stepTiles(report: Report) {
  const steps = report.table("step_spread");
  const all = steps.rows().find((row) => steps.get(row, "step") === null);
  if (all === undefined || steps.get(all, "median_ns") === null) return null;
  const numbered = steps.rows().filter((row) => row !== all);
  // Where there are many, the table's last row is in the page, too.
  const count = Math.max(numbered.length, steps.total - 1);
  const which = numbered.map((row) => steps.amount(row, "step"));
  return (
    <>
      <Tile
        name="Steps"
        cell={steps.cell(all, "steps")}
        more={whichSteps(which, count, steps.amount(all, "steps"), report.job.ranks)}
      >
        {plural(count, "step")}
      </Tile>
      <Tile
        name="Median step time"
        cell={steps.cell(all, "median_ns")}
        more={
          steps.get(all, "steps") === 1 ? null : (
            <>
              <CellSpan cell={steps.cell(all, "min_ns")} />
              {" to "}
              <CellSpan cell={steps.cell(all, "max_ns")} />
            </>
          )
        }
      >
        <CellSpan cell={steps.cell(all, "median_ns")} />
      </Tile>
    </>
  );
}

function partTile(report: Report, id: string, name: string) {
  const source = report.table("job_breakdown");
  const row = source.where("part", id)[0];
  if (row === undefined) return null;
  const isSame = source.get(row, "min_pct") === source.get(row, "max_pct");
  return (
    <>
      <Tile
        name={name}
        cell={source.cell(row, "share_pct")}
        more={
          isSame ? (
            "of device time"
          ) : (
            <>
              <CellSpan cell={source.cell(row, "min_pct")} />
              {" to "}
              <CellSpan cell={source.cell(row, "max_pct")} />
              {" by device"}
            </>
          )
        }
      >
        <CellSpan cell={source.cell(row, "share_pct")} />
      </Tile>
    </>
  );
}

// A section that has nothing to show is left out; what points to it then points to the division of the job's time.
function HeadlineLink({section, text}: {readonly section: string; readonly text: string}) {
  const page = usePage();
  const isMissing = page.groups.value !== null && page.section(section) === null;
  return <a href={isMissing ? "#job-time" : `#${section}`}>{inMicros(text)}</a>;
}

export function summarySection(report: Report): Section | null {
  const job = report.job;
  const ranks =
    job.world_size !== null && job.world_size > job.ranks
      ? `${grouped(job.ranks)} of ${grouped(job.world_size)}`
      : grouped(job.ranks);
  const tiles = (
    <div class="tiles">
      <Tile
        name="Ranks"
        more={(job.world_size ?? 0) > job.ranks ? "the others have no recording here" : undefined}
        doc="that have a recording here, of those that the job says it has"
      >
        {ranks}
      </Tile>
      {job.devices.length ? (
        <Tile
          name={job.devices.length === 1 ? "Device" : "Devices"}
          more={job.devices.length > 4 ? `and ${job.devices.length - 4} more` : undefined}
          isWords
          doc="as the traces name the devices"
        >
          {job.devices.slice(0, 4).map((device) => (
            <div>{front(device, 120)}</div>
          ))}
        </Tile>
      ) : null}
      {stepTiles(report)}
      {partTile(report, "compute", "Time spent computing")}
      {partTile(report, "exposed_communication", "Exposed communication")}
    </div>
  );
  const lines = report.data.headlines.map((line) => (
    <li>
      <Swatch colour={line.part} />
      <HeadlineLink section={line.section} text={line.text} />
    </li>
  ));
  const hasWork = !report.table("job_breakdown").empty;
  const hasRules = Boolean(report.has("findings"));
  const none =
    hasRules && hasWork
      ? "No part of device time other than computing reaches 1%, and no kernel changed much over the steps."
      : hasWork
        ? "No part of device time other than computing reaches 1%, no rank stands out, and no kernel changed much over the steps."
        : "No device time is known, so there is none to divide.";
  return {
    id: "summary",
    title: hasRules ? "Where time is lost" : "What matters first",
    body: (
      <>
        {tiles}
        {lines.length ? <ul class="headlines">{lines}</ul> : <p class="empty">{none}</p>}
      </>
    ),
  };
}

// What stands above every page of the app: where one is, where one can go, a link to what is seen. Below it, within a run, the run's pages.

import type {ReadonlySignal} from "@preact/signals";
import type {ComponentChildren} from "preact";
import type {Theme} from "../draw/theme";
import {isServing, type Run} from "../model/api";
import type {Command} from "../model/commands";
import {
  type Route,
  toCompare,
  toFleet,
  toHosts,
  toMemory,
  toRank,
  toRun,
  toRuns,
  toSql,
  toTimeline,
} from "../model/routes";
import {useApp} from "../views/shared/app_state";
import {ThemeButton} from "../views/shared/theme_button";
import {Palette} from "./palette";
import {Share} from "./share";
import {SignOut} from "./sign_out";

export type Place = Route["page"];

function Link({to, isHere, children}: {readonly to: string; readonly isHere: boolean; readonly children: string}) {
  return (
    <a href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </a>
  );
}

function CompareLink({isHere}: {readonly isHere: boolean}) {
  const [base, test] = useApp().compared.ids.value;
  // Two runs are chosen in the list; the page of a comparison leads to itself.
  const to = isHere
    ? location.pathname + location.search
    : base !== undefined && test !== undefined
      ? toCompare(base, test)
      : null;
  return to === null ? null : (
    <Link to={to} isHere={isHere}>
      Compare
    </Link>
  );
}

interface Header {
  readonly theme: Theme;
  readonly here: Place;
  readonly about?: ComponentChildren;
  // Below it.
  readonly children?: ComponentChildren;
}
export function Header({theme, here, about, children}: Header) {
  return (
    <header class="top">
      <a class="home" href={toRuns}>
        rankscope
      </a>
      <span class="pages-place">
        <nav class="pages" aria-label="Pages">
          <Link to={toRuns} isHere={here === "runs"}>
            Runs
          </Link>
          <CompareLink isHere={here === "compare"} />
          <Link to={toHosts} isHere={here === "hosts"}>
            Hosts
          </Link>
          <Link to={toFleet} isHere={here === "fleet"}>
            Fleet
          </Link>
        </nav>
      </span>
      {here === "compare" ? <h1 class="about">{about}</h1> : <span class="about">{about}</span>}
      <span>
        <Share />
      </span>
      <SignOut />
      <ThemeButton theme={theme} />
      {children}
    </header>
  );
}

export type PlaceOfRun = "run" | "timeline" | "sql" | "rank" | "memory";
interface OfRun {
  readonly theme: Theme;
  readonly run: Run;
  readonly here: PlaceOfRun;
  readonly rank?: number;
  // Ranks that are chosen, as an address says them: they go along.
  readonly ranks?: ReadonlySignal<string>;
  readonly about?: ComponentChildren;
}

function RunPages({run, here, rank, ranks}: OfRun) {
  const chosen = ranks?.value ?? "";
  const only = /^\d+$/.test(chosen) ? Number(chosen) : rank;
  // The title of the pages of sections; the others have one of their own.
  const name = (
    <a class="run-name" href={toRun(run.id)}>
      {run.name ?? run.id}
    </a>
  );
  return (
    <nav class="run-pages" aria-label="Pages of this run">
      {here === "run" || here === "memory" ? <h1>{name}</h1> : name}
      <Link to={toRun(run.id)} isHere={here === "run"}>
        Report
      </Link>
      {isServing(run) ? null : (
        <Link to={toTimeline(run.id, chosen === "" ? "" : `?ranks=${chosen}`)} isHere={here === "timeline"}>
          Timeline
        </Link>
      )}
      <Link to={toSql(run.id)} isHere={here === "sql"}>
        SQL
      </Link>
      {run.snapshots > 0 ? (
        <Link to={toMemory(run.id)} isHere={here === "memory"}>
          Memory
        </Link>
      ) : null}
      {only === undefined ? null : (
        <Link to={toRank(run.id, only)} isHere={here === "rank"}>
          {`Rank ${only}`}
        </Link>
      )}
      {run.version === null ? null : (
        <span class="aside">
          <a href={`/api/v1/runs/${run.id}/page`} download={`${run.id}.html`}>
            One file
          </a>
          {isServing(run) ? null : (
            <a href={`/api/v1/runs/${run.id}/notebook`} download={`run-${run.id}.ipynb`}>
              Notebook
            </a>
          )}
        </span>
      )}
    </nav>
  );
}

function placesOf(run: Run): readonly Command[] {
  const to = (label: string, address: string): Command => ({label, take: () => location.assign(address)});
  return [
    to("Report of this run", toRun(run.id)),
    ...(isServing(run) ? [] : [to("Timeline of this run", toTimeline(run.id))]),
    to("SQL over this run", toSql(run.id)),
    ...(run.snapshots > 0 ? [to("Memory of this run", toMemory(run.id))] : []),
    to("All runs", toRuns),
    to("Hosts", toHosts),
    to("Fleet", toFleet),
  ];
}

// Of a page within a run, with the run's pages below.
export function RunHeader(of: OfRun) {
  return (
    <Header theme={of.theme} here={of.here} about={of.about}>
      <div class="run-pages-place">
        <Palette places={placesOf(of.run)} />
        <RunPages {...of} />
      </div>
    </Header>
  );
}

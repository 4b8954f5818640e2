// What stands above every page of the app: where one is, where one can go, a link to what is seen. Below it, within a run, the run's pages.

import {effect, type ReadonlySignal} from "@preact/signals";
import {render} from "preact";
import {el, visible} from "../draw/dom";
import {type Run} from "../model/api";
import {compared} from "../model/compared";
import {themeButton} from "../views/shared/theme_button";
import {type Route, toCompare, toHosts, toMemory, toRank, toRun, toRuns, toSql, toTimeline} from "./routes";
import {Share} from "./share";

export type Place = Route["page"];

function Link({to, isHere, children}: {readonly to: string; readonly isHere: boolean; readonly children: string}) {
  return (
    <a href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </a>
  );
}

function Navigation({here}: {readonly here: Place}) {
  const [base, test] = compared.value;
  // Two runs are chosen in the list; the page of a comparison leads to itself.
  const isComparison = here === "compare";
  return (
    <nav class="pages" aria-label="Pages">
      <Link to={toRuns} isHere={here === "runs"}>
        Runs
      </Link>
      {isComparison ? (
        <Link to={location.pathname + location.search} isHere>
          Compare
        </Link>
      ) : base !== undefined && test !== undefined ? (
        <Link to={toCompare(base, test)} isHere={false}>
          Compare
        </Link>
      ) : null}
      <Link to={toHosts} isHere={here === "hosts"}>
        Hosts
      </Link>
    </nav>
  );
}

// Drawn at once and whenever what it reads changes; tests and readers find it there.
function kept(node: HTMLElement, draw: () => void): HTMLElement {
  effect(draw);
  return node;
}

export function header(here: Place, ...about: readonly (string | HTMLElement)[]): HTMLElement {
  const navigation = el("span", {class: "pages-place"});
  const share = el("span");
  render(<Share />, share);
  return el(
    "header",
    {class: "top"},
    el("a", {class: "home", href: toRuns}, "rankscope"),
    kept(navigation, () => {
      void compared.value;
      render(<Navigation here={here} />, navigation);
    }),
    el("span", {class: "about"}, about),
    share,
    themeButton(),
  );
}

export interface OfRun {
  readonly run: Run;
  readonly here: "run" | "timeline" | "sql" | "rank" | "memory";
  readonly rank?: number;
  // Ranks that are chosen, as an address says them: they go along.
  readonly ranks?: ReadonlySignal<string>;
}

function RunPages({run, here, rank, ranks}: OfRun) {
  const chosen = ranks?.value ?? "";
  const only = /^\d+$/.test(chosen) ? Number(chosen) : rank;
  return (
    <nav class="run-pages" aria-label="Pages of this run">
      <a class="run-name" href={toRun(run.id)}>
        {visible(run.name ?? run.id)}
      </a>
      <Link to={toRun(run.id)} isHere={here === "run"}>
        Report
      </Link>
      <Link to={toTimeline(run.id, chosen === "" ? "" : `?ranks=${chosen}`)} isHere={here === "timeline"}>
        Timeline
      </Link>
      <Link to={toSql(run.id)} isHere={here === "sql"}>
        SQL
      </Link>
      {run.snapshots > 0 ? (
        <Link to={toMemory(run.id)} isHere={here === "memory"}>
          Memory
        </Link>
      ) : null}
      {only === undefined ? null : <Link to={toRank(run.id, only)} isHere={here === "rank"}>{`Rank ${only}`}</Link>}
      {run.version === null ? null : (
        <a class="aside" href={`/api/v1/runs/${run.id}/page`} download={`${run.id}.html`}>
          One file
        </a>
      )}
    </nav>
  );
}

// Of a page within a run, with the run's pages below.
export function runHeader(of: OfRun, ...about: readonly (string | HTMLElement)[]): HTMLElement {
  const pages = el("div", {class: "run-pages-place"});
  const node = header(of.here, ...about);
  node.append(
    kept(pages, () => {
      void of.ranks?.value;
      render(<RunPages {...of} />, pages);
    }),
  );
  return node;
}

// What stands above every page of the app: where one is, where one can go, a link to what is seen. Below it, within a run, the run's pages.

import type {ReadonlySignal} from "@preact/signals";
import type {ComponentChildren} from "preact";
import type {Theme} from "../draw/theme";
import {isServing, type Run} from "../model/api";
import type {Command} from "../model/commands";
import {toRun, toRuns} from "../model/routes";
import {useApp} from "../views/shared/app_state";
import {ThemeButton} from "../views/shared/theme_button";
import {isOfRun, type Page, type PlaceInRun, usePages} from "./page";
import {Palette} from "./palette";
import {Share} from "./share";
import {SignOut} from "./sign_out";

function Link({to, isHere, children}: {readonly to: string; readonly isHere: boolean; readonly children: string}) {
  return (
    <a href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </a>
  );
}

// The link to a page from the head of every page.
function PageLink({page, here}: {readonly page: Page; readonly here: string | null}) {
  const app = useApp();
  if (isOfRun(page) || page.link === undefined) return null;
  const place = {app, isHere: page.name === here};
  const {text, to} = page.link;
  const address = to(place);
  return address === null ? null : (
    <Link to={address} isHere={place.isHere}>
      {typeof text === "string" ? text : text(place)}
    </Link>
  );
}

interface Header {
  readonly theme: Theme;
  // The page's name; null of none.
  readonly here: string | null;
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
          {usePages().map((page) => (
            <PageLink key={page.name} page={page} here={here} />
          ))}
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

interface OfRun {
  readonly theme: Theme;
  readonly run: Run;
  readonly here: string;
  readonly rank?: number;
  // Ranks that are chosen, as an address says them: they go along.
  readonly ranks?: ReadonlySignal<string>;
  readonly about?: ComponentChildren;
}

function RunPages({run, here, rank, ranks}: OfRun) {
  const chosen = ranks?.value ?? "";
  const place: PlaceInRun = {run, rank: /^\d+$/.test(chosen) ? Number(chosen) : rank, ranks: chosen};
  const pages = usePages().filter(isOfRun);
  const name = (
    <a class="run-name" href={toRun(run.id)}>
      {run.name ?? run.id}
    </a>
  );
  return (
    <nav class="run-pages" aria-label="Pages of this run">
      {pages.find((page) => page.name === here)?.hasSections === true ? <h1>{name}</h1> : name}
      {pages.map(({name: page, linkOfRun: {text, to}}) => {
        const address = to(place);
        return address === null ? null : (
          <Link key={page} to={address} isHere={page === here}>
            {typeof text === "string" ? text : text(place)}
          </Link>
        );
      })}
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

// The run's own pages first.
function usePlaces(run: Run): readonly Command[] {
  const app = useApp();
  const pages = usePages();
  const command = (label: string | undefined, address: string | null): readonly Command[] =>
    label === undefined || address === null ? [] : [{label, take: () => location.assign(address)}];
  return [
    ...pages.filter(isOfRun).flatMap(({linkOfRun: {command: label, to}}) => command(label, to({run, ranks: ""}))),
    ...pages.flatMap((page) =>
      isOfRun(page) || page.link === undefined ? [] : command(page.link.command, page.link.to({app, isHere: false})),
    ),
  ];
}

// Of a page within a run, with the run's pages below.
export function RunHeader(of: OfRun) {
  return (
    <Header theme={of.theme} here={of.here} about={of.about}>
      <div class="run-pages-place">
        <Palette places={usePlaces(of.run)} />
        <RunPages {...of} />
      </div>
    </Header>
  );
}

// Draws the pages of the app below the frame: the one that the document's address asks for.

import {signal} from "@preact/signals";
import {type ComponentChildren, render} from "preact";
import {Theme} from "../draw/theme";
import {ApiError, getRun, isServing, type Run} from "../model/api";
import {toHosts, toRun, toRuns} from "../model/routes";
import {visible} from "../model/text";
import {Login} from "../views/login/view";
import type {SectionsOf} from "../views/pages";
import {AppContext, AppState} from "../views/shared/app_state";
import {showPage} from "../views/shared/page";
import type {PageState} from "../views/shared/page_state";
import type {Group} from "../views/shared/section";
import {SkipLink} from "../views/shared/skip_link";
import {Header, RunHeader} from "./frame";
import {type Asked, isOfRun, type Page, pageAt, PagesContext, type RunPage, type Shell} from "./page";
import {servingHasNoRanks} from "./run_sections";

export class AppShell implements Shell {
  readonly theme = new Theme(signal(false));
  readonly app = new AppState();
  private readonly place = document.body.appendChild(document.createElement("div"));

  constructor(private readonly pages: readonly Page[]) {}

  draw(header: ComponentChildren, view: ComponentChildren): void {
    render(
      this.inApp(
        <div class="page app">
          <SkipLink />
          {header}
          <div id="content" tabIndex={-1}>
            {view}
          </div>
        </div>,
      ),
      this.place,
    );
  }

  async showSections<Data>(
    page: SectionsOf<Data>,
    data: Data,
    state: PageState,
    header: ComponentChildren,
    groups: readonly Group<Data>[] = page.groups(data),
  ): Promise<void> {
    await showPage(this.place, {state, data, groups, header: this.inApp(header), footer: page.footer(data)});
  }

  says(title: string, text: string, here: string | null = null): void {
    this.draw(
      <Header theme={this.theme} here={here} />,
      <main class="runs">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a href={toRuns}>All runs</a> {"\u00b7"} <a href={toHosts}>Hosts</a>
        </p>
      </main>,
    );
  }

  // What a run has not, with the way back to what it has.
  saysOfRun(run: Run, here: string, title: string, text: string): void {
    this.draw(
      <RunHeader theme={this.theme} run={run} here={here} />,
      <main class="runs">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a href={toRun(run.id)}>Report of {visible(run.name ?? run.id)}</a> {"\u00b7"} <a href={toRuns}>All runs</a>
        </p>
      </main>,
    );
  }

  isPage(path: string, search: string): boolean {
    const found = pageAt(this.pages, path, search);
    return found !== null && found.page.name !== "share";
  }

  open(): void {
    const found = pageAt(this.pages, location.pathname, location.search);
    if (found === null) return this.says("There is nothing at this address", location.pathname);
    void (isOfRun(found.page) ? this.showOfRun(found.page, found.asked) : this.show(found.page, found.asked));
  }

  private async show(page: Exclude<Page, RunPage>, asked: Asked): Promise<void> {
    document.title = titled(typeof page.title === "string" ? page.title : page.title(asked));
    try {
      await page.show(this, asked);
    } catch (error) {
      this.explain(error, page, null);
    }
  }

  private async showOfRun(page: RunPage, asked: Asked): Promise<void> {
    let run: Run | null = null;
    try {
      run = await getRun(asked.of["id"] ?? "");
      if (page.withoutRanks !== undefined && isServing(run))
        return this.saysOfRun(run, page.name, page.withoutRanks, servingHasNoRanks);
      document.title = titled(page.titleOfRun(visible(run.name ?? run.id), asked));
      await page.showRun(this, run, asked);
    } catch (error) {
      this.explain(error, page, run);
    }
  }

  // `run`: there is that one, of which something else is missing.
  private explain(error: unknown, page: Page, run: Run | null): void {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401)
      return this.draw(<Header theme={this.theme} here={null} />, <Login done={() => location.reload()} />);
    if (run !== null) return this.saysOfRun(run, page.name, page.failed, error.message);
    this.says(error.status === 404 ? "There is no such run" : page.failed, error.message);
  }

  private inApp(children: ComponentChildren) {
    return (
      <AppContext.Provider value={this.app}>
        <PagesContext.Provider value={this.pages}>{children}</PagesContext.Provider>
      </AppContext.Provider>
    );
  }
}

function titled(title: string): string {
  return title === "" ? "rankscope" : `${title} \u00b7 rankscope`;
}

// All runs: which are slow, and why, at a glance.

import {effect} from "@preact/signals";
import {useEffect, useState} from "preact/hooks";
import {toCompare, toRun} from "../../model/routes";
import {front, visible} from "../../model/text";
import {getMetrics, removeRun, type Run} from "../../model/api";
import {droppedIn} from "../../model/chosen_files";
import {namesApart} from "../../model/diff_names";
import {humanDuration, plural} from "../../model/format";
import {capitalised} from "../../model/vocabulary";
import {lossOf, type Series, seriesOf} from "../../model/metrics";
import {
  oldestFirst,
  queryOfList,
  ranksText,
  ranksUnit,
  type RunList,
  type RunOrder,
  readQueryOfList,
  runOrders,
} from "../../model/runs";
import {Sparkline} from "./sparkline";
import {TrendLine} from "./trend_line";
import {useApp} from "../shared/app_state";
import {UploadButtons, UploadList} from "./upload";

const kinds = ["uploading", "queued", "analysing", "ready", "failed"] as const;

function State({run}: {readonly run: Run}) {
  if (run.state === "analysing") {
    const share = Math.round((run.progress ?? 0) * 100);
    return (
      <span class="state">
        analysing <progress value={share} max={100} aria-label={`${share}% analysed`} />
      </span>
    );
  }
  return <span class={`state ${run.state}`}>{run.state === "failed" ? "\u26a0 failed" : run.state}</span>;
}

function Why({run}: {readonly run: Run}) {
  if (run.state === "failed") return <span class="wrong">{visible(run.reason ?? "")}</span>;
  const gain = run.summary?.combined_gain_pct;
  return (
    <>
      {capitalised(visible(run.summary?.headline ?? ""))}
      {gain ? <span class="muted"> ({`\u2212${gain.toFixed(1)}% possible`})</span> : null}
      {run.set_aside.length > 0 ? (
        <span class="wrong">
          {" "}
          {run.set_aside.length} file{run.set_aside.length > 1 ? "s" : ""} set aside
        </span>
      ) : null}
    </>
  );
}

async function removeAll(runs: RunList, chosen: readonly Run[]): Promise<void> {
  if (!confirm(`Remove ${chosen.length} runs, their traces and their reports?`)) return;
  try {
    for (const run of chosen) await removeRun(run.id);
  } catch (error) {
    runs.problem.value = error instanceof Error ? error.message : String(error);
  }
}

async function remove(runs: RunList, run: Run): Promise<void> {
  if (!confirm(`Remove ${visible(run.name ?? run.id)}, its traces and its reports?`)) return;
  try {
    await removeRun(run.id);
  } catch (error) {
    runs.problem.value = error instanceof Error ? error.message : String(error);
  }
}

// Asked for when the row is there; of a job that tells no loss, nothing.
function Loss({run}: {readonly run: Run}) {
  const [loss, setLoss] = useState<Series | null>(null);
  useEffect(() => {
    if (!run.has_metrics) return;
    let isGone = false;
    getMetrics(run.id, 64)
      .then((samples) => {
        if (!isGone) setLoss(lossOf(seriesOf(samples)));
      })
      .catch(() => {
        /* it stays empty: the run's page says why */
      });
    return () => {
      isGone = true;
    };
  }, [run.id, run.has_metrics, run.version]);
  if (loss === null) return null;
  const last = loss.values.at(-1);
  return (
    <span class="loss" title={`${visible(loss.name)}, now ${last}`}>
      <Sparkline values={loss.values} name={`Loss of ${visible(run.name ?? run.id)}`} fits />{" "}
      {last === undefined ? "" : Number(last.toPrecision(3))}
    </span>
  );
}

function Row({run}: {readonly run: Run}) {
  const {runs, compared} = useApp();
  const step = run.summary?.step_time_ns;
  const name = visible(run.name ?? run.id);
  return (
    <tr data-run={run.id}>
      <td>
        {run.version === null ? null : (
          <input
            type="checkbox"
            aria-label={`Compare ${name}`}
            checked={compared.ids.value.includes(run.id)}
            onChange={() => compared.toggle(run.id)}
          />
        )}
      </td>
      <td class="name">{run.version === null ? name : <a href={toRun(run.id)}>{name}</a>}</td>
      <td>
        <State run={run} />
      </td>
      <td class="number" data-unit={ranksUnit(run)}>
        {ranksText(run)}
      </td>
      <td class="number">{step ? humanDuration(step.median) : ""}</td>
      <td>
        {run.summary && run.summary.steps_ns.length > 0 ? (
          <Sparkline values={run.summary.steps_ns} name={`Step times of ${name}`} />
        ) : null}
      </td>
      <td>
        <Loss run={run} />
      </td>
      <td class="text">
        <Why run={run} />
      </td>
      <td class="word">{visible(run.summary?.bottleneck ?? "")}</td>
      <td class="word">
        <time dateTime={run.created}>{run.created.replace("T", " ").replace("Z", " UTC")}</time>
      </td>
      <td>
        <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => void remove(runs, run)}>
          {"\u2715"}
        </button>
      </td>
    </tr>
  );
}

function Nothing() {
  return (
    <div class="nothing">
      <p>There is no run yet. Drop trace files here, or send a job's folder:</p>
      <pre tabIndex={0}>rankscope push traces/ --server {location.origin} --name my-job</pre>
      <p class="muted">
        Traces are what <code>torch.profiler</code> writes: one file for each rank, .json or .json.gz.
      </p>
    </div>
  );
}

function Filters() {
  const {runs} = useApp();
  return (
    <div class="tools" role="search">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search runs"
        value={runs.wanted.value}
        onInput={(event) => {
          runs.wanted.value = event.currentTarget.value;
        }}
      />
      {kinds.map((kind) => (
        <button
          type="button"
          key={kind}
          aria-pressed={runs.states.value.has(kind)}
          onClick={() => {
            const now = new Set(runs.states.value);
            if (!now.delete(kind)) now.add(kind);
            runs.states.value = now;
          }}
        >
          {kind}
        </button>
      ))}
      <span class="muted" role="status">
        {runs.shown.value.length} of {runs.all.value.size} runs
      </span>
      {runs.tags.value.length === 0 ? null : (
        <label>
          Tag{" "}
          <select
            value={runs.tag.value}
            onChange={(event) => {
              runs.tag.value = event.currentTarget.value;
            }}
          >
            <option value="">any</option>
            {runs.tags.value.slice(0, mostTags).map((tag) => (
              <option key={tag} value={tag}>
                {front(tag, 60)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Compare />
      <UploadButtons />
    </div>
  );
}

function Compare() {
  const {runs, compared} = useApp();
  const chosen = oldestFirst(compared.ids.value.flatMap((id) => runs.all.value.get(id) ?? []));
  const [base, test, ...more] = chosen;
  if (!base) return null;
  if (!test) return <span class="muted">Tick another run to compare</span>;
  if (more.length > 0) return null; // they stand below each other
  const [from = "", to = ""] = namesApart(chosen).map(visible);
  return (
    <a class="compare" href={toCompare(base.id, test.id)}>
      Compare {from} {"\u2192"} {to}
    </a>
  );
}

// "\u25b2 +38.2 %": slower; the arrow says so without the colour.
function Change({percent}: {readonly percent: number | null}) {
  if (percent === null) return <span class="muted">{"\u2013"}</span>;
  const isFlat = Math.abs(percent) < 0.05;
  const arrow = isFlat ? "" : percent > 0 ? "\u25b2 +" : "\u25bc \u2212";
  return (
    <span class={Math.abs(percent) < 1 ? undefined : percent > 0 ? "slower" : "faster"}>
      {arrow}
      {Math.abs(percent).toFixed(1)}%
    </span>
  );
}

// The runs that are ticked, each against the oldest of them; and what can be done with all.
function Chosen() {
  const {runs, compared} = useApp();
  const chosen = oldestFirst(compared.ids.value.flatMap((id) => runs.all.value.get(id) ?? []));
  const names = namesApart(chosen).map(visible);
  const [base] = chosen;
  if (base === undefined || chosen.length < 2) return null;
  const stepOf = (run: Run) => run.summary?.step_time_ns?.median ?? null;
  const changeOf = (run: Run) => {
    const [from, to] = [stepOf(base), stepOf(run)];
    return from && to ? 100 * (to / from - 1) : null;
  };
  return (
    <section class="chosen-runs" aria-labelledby="chosen-title">
      <h2 id="chosen-title">
        {chosen.length} runs against {names[0]}
      </h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs that are compared">
        <table>
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col" class="number" title="the median over complete steps of all ranks">
                step time
              </th>
              <th scope="col" class="number" title="of the step time, against the oldest run that is ticked">
                change
              </th>
              <th scope="col">
                <span class="unseen">comparison</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {chosen.map((run, i) => (
              <tr key={run.id} data-chosen={run.id}>
                <td class="name">
                  <a href={toRun(run.id)}>{names[i]}</a>
                </td>
                <td class="number" data-value={stepOf(run) ?? ""}>
                  {stepOf(run) === null ? "\u2013" : humanDuration(stepOf(run) ?? 0)}
                </td>
                <td class="number" data-value={run === base ? "" : (changeOf(run) ?? "")}>
                  {run === base ? "base" : <Change percent={changeOf(run)} />}
                </td>
                <td>{run === base ? null : <a href={toCompare(base.id, run.id)}>what changed</a>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="tools">
        <button type="button" onClick={() => compared.clear()}>
          Untick all
        </button>
        <button type="button" onClick={() => void removeAll(runs, chosen)}>
          Remove these {chosen.length} runs
        </button>
      </p>
    </section>
  );
}

// Step times of jobs over their runs, the slower ones marked.
function Trends() {
  const {runs} = useApp();
  const trends = runs.trends.value;
  if (trends.length === 0) return null;
  const shown = trends.slice(0, mostTrends);
  const slower = trends.filter((trend) => trend.points.at(-1)?.isRegression).length;
  return (
    <details class="trends" open={slower > 0}>
      <summary>
        {slower === 0
          ? `Step times of ${trends.length === 1 ? "a job" : `${trends.length} jobs`} over their runs`
          : `The last run of ${slower === 1 ? "a job" : `${slower} jobs`} is slower than those before`}
      </summary>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Step times over runs">
        <table>
          <thead>
            <tr>
              <th scope="col" title="runs of one name and size">
                job
              </th>
              <th scope="col" class="number">
                runs
              </th>
              <th
                scope="col"
                title="from zero; a filled dot is a run that is 5% slower, or more, than the median of the five before"
              >
                step time over runs
              </th>
              <th scope="col" class="number">
                last
              </th>
              <th scope="col" class="number" title="of the last run, against the median of the up to five before">
                change
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((trend) => {
              const last = trend.points.at(-1);
              return (
                <tr key={`${trend.name}/${trend.ranks}`} data-trend={trend.name}>
                  <td class="name">
                    <button
                      type="button"
                      class="link"
                      onClick={() => {
                        runs.wanted.value = trend.name;
                      }}
                    >
                      {visible(trend.name)}
                    </button>{" "}
                    <span class="muted">{trend.ranks === null ? "" : plural(trend.ranks, "rank")}</span>
                  </td>
                  <td class="number">{trend.points.length}</td>
                  <td>
                    <TrendLine trend={trend} />
                  </td>
                  <td class="number">{last === undefined ? "" : humanDuration(last.step_ns)}</td>
                  <td class="number" data-value={last?.change_pct ?? ""}>
                    <Change percent={last?.change_pct ?? null} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
const mostTrends = 12;

const heads = [
  ["run", "as whoever pushed it called it"],
  ["state", "uploading, queued, analysing, ready or failed"],
  ["ranks", "that were recorded, of those that the job has where these are more"],
  ["step time", "the median over complete steps of all ranks"],
  ["over steps", "length of each step, the mean over ranks; from zero"],
  ["loss", "as the job tells it (POST .../metrics)"],
  ["why it is slow", "the first finding, and what the job would gain without all causes together"],
  ["bottleneck", "the resource whose removal gains most in the replay"],
  ["made", "when the run was made on this server"],
] as const;

// Sorts by what it says, if that has an order: what matters most first, then the other way round.
function Head({label, about}: {readonly label: string; readonly about: string}) {
  const {runs} = useApp();
  const by = (Object.keys(runOrders) as RunOrder["by"][]).find((one) => one === label);
  if (by === undefined)
    return (
      <th scope="col" title={about}>
        {label}
      </th>
    );
  const now = runs.order.value;
  const isHere = now.by === by;
  const isWord = by === "run" || by === "state" || by === "bottleneck";
  return (
    <th scope="col" title={about} aria-sort={isHere ? (now.isDown ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        class="plain"
        onClick={() => {
          runs.order.value = {by, isDown: isHere ? !now.isDown : !isWord};
        }}
      >
        {label}
        {isHere ? (now.isDown ? " \u2193" : " \u2191") : ""}
      </button>
    </th>
  );
}

// The answer first: how many are slow for a reason that is known.
function sentence(runs: RunList): string {
  const ready = [...runs.all.value.values()].filter((run) => run.state === "ready");
  if (ready.length === 0) return "Runs";
  const slow = ready.filter((run) => (run.summary?.findings.high ?? 0) > 0).length;
  if (slow === 0)
    return ready.length === 1
      ? "The run has no finding of high severity"
      : `None of ${ready.length} runs has a finding of high severity`;
  return ready.length === 1
    ? "The run could be at least a tenth faster"
    : `${slow} of ${ready.length} runs could be at least a tenth faster`;
}

const mostTags = 200;

export function Runs() {
  const {runs, uploads} = useApp();
  useEffect(() => {
    readQueryOfList(runs, location.search);
    // Where one looks in a list is no step that Back undoes.
    return effect(() => history.replaceState(history.state, "", location.pathname + queryOfList(runs)));
  }, [runs]);
  if (runs.loading.value === "loading")
    return (
      <main class="runs">
        <p class="muted">Looking for runs {"\u2026"}</p>
      </main>
    );
  if (runs.loading.value === "failed") {
    return (
      <main class="runs">
        <h1>The runs cannot be shown</h1>
        <p class="wrong">{runs.problem.value}</p>
        <button type="button" onClick={() => void runs.load()}>
          Try again
        </button>
      </main>
    );
  }
  return (
    <main
      class={runs.loading.value === "stale" ? "runs stale" : "runs"}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void droppedIn(event.dataTransfer).then((files) => uploads.send(files));
      }}
    >
      <h1>{sentence(runs)}</h1>
      {runs.loading.value === "stale" ? (
        <p class="wrong" role="alert">
          The server is gone; this is how it was. It is asked again by itself.
        </p>
      ) : null}
      <Filters />
      <UploadList />
      <Chosen />
      <Trends />
      {runs.all.value.size === 0 ? (
        <Nothing />
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs">
          <table class="run-list">
            <thead>
              <tr>
                <th scope="col">
                  <span class="unseen">compare</span>
                </th>
                {heads.map(([label, about]) => (
                  <Head key={label} label={label} about={about} />
                ))}
                <th scope="col">
                  <span class="unseen">remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.shown.value.map((run) => (
                <Row run={run} key={run.id} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}

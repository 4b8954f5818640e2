// One rank: where it is, how its time goes, in what it differs from its peers, its files.

import {useEffect, useState} from "preact/hooks";
import {queryOf} from "../../model/doors";
import {toFile, toRank, toRun, toTimeline} from "../../model/routes";
import {front, visible} from "../../model/text";
import {capitalisedTitle} from "../../model/vocabulary";
import {useApp} from "../shared/app_state";
import {getTable} from "../../model/api";
import {metricDoc} from "../../model/metric_docs";
import {human, humanDuration, plural} from "../../model/format";
import {
  amountOf,
  comparedKernels,
  findingsOf,
  type KernelOfRank,
  peersOf,
  placeOf,
  type Row,
  rowsOf,
} from "../../model/rank";
import {named, numbersOf, rangesOf} from "../../model/ranks";

const parts = [
  ["compute", "computing"],
  ["exposed_communication", "exposed communication: waiting and transfer"],
  ["exposed_copy", "copies, exposed"],
  ["idle_host", "idle: host not ready"],
  ["idle_data", "idle: waiting for data"],
  ["idle_sync", "idle: host in a sync call"],
  ["idle_launch", "idle: launching"],
  ["idle_gap", "idle: between kernels"],
  ["idle_stream", "idle: another stream"],
  ["unknown", "idle: cause not known"],
  ["not_observed", "not observed"],
] as const;
// A step of a rank does not tell waiting and transfer apart.
const colours: Readonly<Record<string, string>> = {
  exposed_communication: "communication_unknown",
  not_observed: "line",
};
const colourOf = (part: string): string => `var(--${colours[part] ?? part})`;
const mostPeers = 4;
const mostKernels = 30;

interface Known {
  readonly layout: readonly Row[];
  readonly captures: readonly Row[];
  readonly metrics: readonly Row[];
  readonly steps: readonly Row[];
  readonly blame: readonly Row[];
  readonly waits: Row | undefined;
  readonly findings: readonly Row[];
}

// A table that the report does not have is an empty one.
async function load(run: string, rank: number): Promise<Known> {
  const own = `&filter=rank=${rank}`;
  const [layout, captures, metrics, steps, blame, waits, findings] = (
    await Promise.all(
      [
        ["layout_ranks", ""],
        ["captures", own],
        ["rank_metrics", own],
        ["time_breakdown", own],
        ["blame", own],
        ["collective_ranks", own],
        ["findings", ""],
      ].map(([name, filter]) => getTable(run, name ?? "", filter).catch(() => null)),
    )
  ).map(rowsOf);
  return {
    layout: layout ?? [],
    captures: captures ?? [],
    metrics: metrics ?? [],
    steps: steps ?? [],
    blame: blame ?? [],
    waits: waits?.[0],
    findings: findingsOf(findings ?? [], rank),
  };
}

const words = (name: unknown): string => visible(String(name ?? "")).replaceAll("_", " ");

// Less of a step is nobody's matter.
const leastBlamedPct = 1;

// What matters of it in a sentence: the first finding that is about some ranks and this one, else how it holds up others.
function sentenceOf(rank: number, known: Known): string {
  const own = known.findings.find((row) => numbersOf(row["ranks"]).length < known.layout.length);
  if (own) {
    const title = visible(String(own["title"]));
    return new RegExp(`\\branks? ${rank}\\b`).test(title) ? capitalisedTitle(title) : `Rank ${rank}: ${title}`;
  }
  const [worst] = [...known.blame].sort((a, b) => (amountOf(b, "step_pct") ?? 0) - (amountOf(a, "step_pct") ?? 0));
  const lost = amountOf(worst, "step_pct") ?? 0;
  if (worst && lost >= leastBlamedPct)
    return `Rank ${rank} makes others wait ${lost.toFixed(1)}% of a step: ${words(worst["cause"])}`;
  const outliers = known.metrics.filter((row) => row["outlier"] === true);
  if (outliers.length > 0) return `Rank ${rank} differs from its peers in ${plural(outliers.length, "metric")}`;
  return hasPeers(known.metrics) ? `Rank ${rank} is like its peers` : `Rank ${rank}`;
}

function Steps({run, rank, rows}: {readonly run: string; readonly rank: number; readonly rows: readonly Row[]}) {
  const steps = rows.filter((row) => row["step"] !== null && (amountOf(row, "duration_ns") ?? 0) > 0);
  if (steps.length === 0) return null;
  const most = Math.max(...steps.map((row) => amountOf(row, "duration_ns") ?? 0));
  const present = parts.filter(([id]) => steps.some((row) => (amountOf(row, `${id}_ns`) ?? 0) > 0));
  const shown = steps.slice(0, 40);
  return (
    <section aria-labelledby="rank-steps">
      <h2 id="rank-steps">Where each step goes</h2>
      <ul class="legend">
        {present.map(([id, label]) => (
          <li key={id}>
            <span class="swatch" style={{"--swatch": colourOf(id)}} aria-hidden="true" />
            {label}
          </li>
        ))}
      </ul>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Steps of the rank">
        <table class="steps">
          <tbody>
            {shown.map((row) => {
              let at = 0;
              return (
                <tr key={`${row["capture"]}/${row["device"]}/${row["step"]}`}>
                  <th scope="row">
                    <a href={toTimeline(run, queryOf({ranks: [rank], step: Number(row["step"])}))}>
                      step {row["step"]}
                    </a>
                    {row["complete"] === true ? "" : " (cut off)"}
                  </th>
                  <td class="wide">
                    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                      {parts.map(([id]) => {
                        const width = ((amountOf(row, `${id}_ns`) ?? 0) / most) * 100;
                        const x = at;
                        at += width;
                        return width > 0 ? (
                          <rect key={id} x={x} width={width} height="10" style={{fill: colourOf(id)}} />
                        ) : null;
                      })}
                    </svg>
                  </td>
                  <td class="number">{humanDuration(amountOf(row, "duration_ns") ?? 0)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {steps.length > shown.length ? (
        <p class="muted">
          The first {shown.length} of {steps.length}
        </p>
      ) : null}
    </section>
  );
}

const hasPeers = (metrics: readonly Row[]): boolean => metrics.some((row) => amountOf(row, "deviation") !== null);

function Metrics({rows}: {readonly rows: readonly Row[]}) {
  if (rows.length === 0) return null;
  const order = [...rows].sort(
    (a, b) =>
      Number(b["outlier"] === true) - Number(a["outlier"] === true) ||
      Math.abs(amountOf(b, "deviation") ?? 0) - Math.abs(amountOf(a, "deviation") ?? 0),
  );
  const cell = (row: Row, name: string) => {
    const value = amountOf(row, name);
    return (
      <td class={value === null ? "number unknown" : "number"} data-value={value ?? ""}>
        {value === null
          ? "\u2013"
          : name === "deviation"
            ? `${human(value, "")} \u03c3`
            : human(value, String(row["unit"] ?? ""))}
      </td>
    );
  };
  return (
    <section aria-labelledby="rank-metrics">
      <h2 id="rank-metrics">{hasPeers(rows) ? "Against its peers" : "Its metrics"}</h2>
      <p class="muted">
        {hasPeers(rows)
          ? "Its peers are the ranks of its role and pipeline stage. The distance from their median is in robust standard deviations (\u03c3: 1.48 times the median distance of the peers from their median): it is large where they are nearly equal."
          : "Too few other ranks have its role and pipeline stage: there is nothing to compare it with."}
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Metrics of the rank">
        <table>
          <thead>
            <tr>
              <th scope="col" title="Point at a name: what it is, and the table that it is of">
                metric
              </th>
              <th scope="col" class="number" title="over all counted steps of this rank">
                this rank
              </th>
              <th scope="col" class="number" title="of its peers">
                median
              </th>
              <th scope="col" class="number" title="distance from the median in robust standard deviations">
                from the median
              </th>
              <th scope="col">
                <span class="unseen">outlier</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.map((row) => (
              <tr key={String(row["metric"])} data-metric={row["metric"]}>
                <td title={metricDoc(row["metric"]) ?? undefined}>{words(row["metric"])}</td>
                {cell(row, "value")}
                {cell(row, "median")}
                {cell(row, "deviation")}
                <td class="word">{row["outlier"] === true ? "\u25c6 outlier" : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Kernels({run, rank, peers}: {readonly run: string; readonly rank: number; readonly peers: readonly number[]}) {
  const {definitions} = useApp();
  const [kernels, setKernels] = useState<readonly KernelOfRank[] | null>(null);
  const [state, setState] = useState("");
  const asked = peers.slice(0, mostPeers);
  const compare = async () => {
    setState("Comparing \u2026");
    try {
      const tables = await Promise.all(
        [rank, ...asked].map((one) => getTable(run, "kernels_by_rank", `&filter=rank=${one}`)),
      );
      const [own, ...others] = tables.map(rowsOf);
      setKernels(comparedKernels(own ?? [], others));
      setState("");
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section aria-labelledby="rank-kernels">
      <h2 id="rank-kernels">Its kernels against its peers'</h2>
      {asked.length === 0 ? (
        <p class="muted">No two other ranks do the same work as this one.</p>
      ) : kernels === null ? (
        <p class="tools">
          <button type="button" disabled={state === "Comparing \u2026"} onClick={() => void compare()}>
            Compare with {named("rank", asked)}
          </button>
          <span class="muted" role="status">
            {state}
          </span>
        </p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Kernels of the rank">
          <table>
            <caption>
              Per complete step; the peers' median is of {named("rank", asked)}
              {kernels.length > mostKernels ? `; the ${mostKernels} that differ most of ${kernels.length}` : ""}
            </caption>
            <thead>
              <tr>
                <th scope="col" title="as the trace names it">
                  kernel
                </th>
                <th scope="col" title={definitions.columnDoc("kernels_by_rank", "class")}>
                  class
                </th>
                <th scope="col" class="number" title="its time per complete step of this rank">
                  this rank
                </th>
                <th scope="col" class="number" title="the median of the same of its peers: ranks that do the same work">
                  peers
                </th>
                <th scope="col" class="number" title="this rank's time by its peers'">
                  times
                </th>
              </tr>
            </thead>
            <tbody>
              {kernels.slice(0, mostKernels).map((one) => (
                <tr key={one.name} data-kernel={one.name}>
                  <td class="long" title={visible(one.name)}>
                    <a href={toTimeline(run, queryOf({of: {kind: "name", value: one.name}, ranks: [rank]}))}>
                      {front(one.name, 120)}
                    </a>
                  </td>
                  <td class="word">{words(one.kind)}</td>
                  <td class="number" data-value={one.own_ns}>
                    {humanDuration(Math.round(one.own_ns))}
                  </td>
                  <td class="number" data-value={one.peers_ns ?? ""}>
                    {one.peers_ns === null ? "\u2013" : humanDuration(Math.round(one.peers_ns))}
                  </td>
                  <td class="number">{one.peers_ns ? `\u00d7${(one.own_ns / one.peers_ns).toFixed(2)}` : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

export function Rank({run, rank}: {readonly run: string; readonly rank: number}) {
  const {definitions} = useApp();
  const [known, setKnown] = useState<Known | null>(null);
  useEffect(() => {
    definitions.ask();
    void load(run, rank).then(setKnown);
  }, [run, rank]);
  if (known === null)
    return (
      <main class="rank">
        <p class="muted" role="status">
          Looking at rank {rank} {"\u2026"}
        </p>
      </main>
    );
  const ranks = known.layout.map((row) => Number(row["rank"])).sort((a, b) => a - b);
  const at = ranks.indexOf(rank);
  const [before, after] = [ranks[at - 1], ranks[at + 1]];
  if (known.captures.length === 0 && at < 0)
    return (
      <main class="rank">
        <h1>Rank {rank} was not recorded</h1>
        <p>
          <a href={toRun(run)}>The report</a> says which were.
        </p>
      </main>
    );
  const own = known.layout[known.layout.findIndex((row) => row["rank"] === rank)];
  const peers = peersOf(known.layout, rank);
  const [wait, caused] = [amountOf(known.waits, "wait_ns"), amountOf(known.waits, "caused_wait_ns")];
  return (
    <main class="rank">
      <h1>{sentenceOf(rank, known)}</h1>
      <p class="tools">
        {before === undefined ? null : (
          <a href={toRank(run, before)}>
            {"\u2039"} rank {before}
          </a>
        )}
        {after === undefined ? null : (
          <a href={toRank(run, after)}>
            rank {after} {"\u203a"}
          </a>
        )}
        <a href={toTimeline(run, `?open=${rank}&ranks=${rangesOf([rank, ...peers.slice(0, 7)])}`)}>
          timeline of it and its peers
        </a>
      </p>
      <dl class="facts">
        {own?.["host"] ? (
          <div>
            <dt>host</dt>
            <dd>{visible(String(own["host"]))}</dd>
          </div>
        ) : null}
        {placeOf(known.layout, rank) === "" ? null : (
          <div>
            <dt>place</dt>
            <dd>{placeOf(known.layout, rank)}</dd>
          </div>
        )}
        {known.captures[0]?.["device"] ? (
          <div>
            <dt>device</dt>
            <dd>{visible(String(known.captures[0]["device"]))}</dd>
          </div>
        ) : null}
        <div>
          <dt title="ranks of the same role, stage and place but for data parallelism: they do the same work">peers</dt>
          <dd>{peers.length === 0 ? "none" : named("rank", peers, 60)}</dd>
        </div>
        {wait === null ? null : (
          <div>
            <dt title={definitions.columnDoc("collective_ranks", "wait_ns")}>waits in collectives</dt>
            <dd data-fact="wait" data-value={wait}>
              {humanDuration(wait)}
            </dd>
          </div>
        )}
        {caused === null ? null : (
          <div>
            <dt title={definitions.columnDoc("collective_ranks", "caused_wait_ns")}>others wait for it</dt>
            <dd data-fact="caused" data-value={caused}>
              {humanDuration(caused)}
            </dd>
          </div>
        )}
      </dl>
      {known.findings.length === 0 ? null : (
        <section aria-labelledby="rank-findings">
          <h2 id="rank-findings">Findings</h2>
          <ul>
            {known.findings.map((row, i) => (
              <li key={i}>
                <a href={`${toRun(run)}#findings`}>{visible(String(row["title"]))}</a>{" "}
                <span class="muted">
                  {row["severity"]}
                  {typeof row["gain_pct"] === "number" ? `, ${row["gain_pct"].toFixed(1)}% to gain` : ""}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Steps run={run} rank={rank} rows={known.steps} />
      <Metrics rows={known.metrics} />
      <Kernels run={run} rank={rank} peers={peers} />
      <section aria-labelledby="rank-files">
        <h2 id="rank-files">Files</h2>
        <ul>
          {known.captures.map((row, i) => {
            const name = String(row["file"] ?? "").replace(/^TRACES\//, "");
            return (
              <li key={i}>
                <a href={toFile(run, name)} download>
                  {visible(name)}
                </a>{" "}
                <span class="muted">
                  {human(amountOf(row, "events") ?? 0, "")} events, {humanDuration(amountOf(row, "duration_ns") ?? 0)}
                </span>
              </li>
            );
          })}
        </ul>
      </section>
    </main>
  );
}

// What a host and its devices did over the last hour: small pictures with one axis of time, and a table of the same beside them.

import {useEffect, useState} from "preact/hooks";
import {visible} from "../../model/text";
import {metricText} from "../../draw/timeline_metrics";
import type {HostMetrics} from "@made/api_types";
import {getHostMetrics} from "../../model/api";
import {chartsOf, type HostChart, hourSentence, pathOf, pointText} from "../../model/host_metrics";

const points = 180;
const everyMs = 10_000;
const width = 280;
const height = 64;

function valueText(value: number, unit: string): string {
  if (unit === "ratio") return `${Math.round(100 * value)}%`;
  if (unit === "C") return `${Math.round(value)} \u00b0C`;
  return metricText(value, unit);
}

// "12 min ago".
function agoText(metrics: HostMetrics, i: number): string {
  const count = metrics.series[0]?.high.length ?? 0;
  const minutes = Math.round(((count - 1 - i) * metrics.step_ms) / 60_000);
  return minutes === 0 ? "now" : `${minutes} min ago`;
}

// The newest point of which something is known.
function lastKnown(chart: HostChart): number {
  for (let i = (chart.lines[0]?.high.length ?? 0) - 1; i >= 0; --i)
    if (chart.lines.some((line) => line.high[i] != null)) return i;
  return 0;
}

function Chart({
  chart,
  metrics,
  at,
  point,
}: {
  readonly chart: HostChart;
  readonly metrics: HostMetrics;
  readonly at: number | null;
  readonly point: (i: number | null) => void;
}) {
  const count = chart.lines[0]?.high.length ?? 1;
  const shown = at ?? lastKnown(chart);
  const text = `${agoText(metrics, shown)}: ${pointText(chart, shown, valueText)}`;
  const follow = (event: PointerEvent & {currentTarget: SVGSVGElement}) => {
    const box = event.currentTarget.getBoundingClientRect();
    point(Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  return (
    <figure class="hour-chart" data-metric={chart.name}>
      <figcaption>
        <b>{chart.title}</b> <span class="muted">{text}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${chart.title} over the last hour; ${text}`}
        onPointerMove={follow}
        onPointerLeave={() => point(null)}
      >
        {chart.lines.map((line) => (
          <path key={line.device ?? -1} d={pathOf(line, width, height, chart.most)} />
        ))}
        {at === null ? null : (
          <line x1={((at + 0.5) / count) * width} x2={((at + 0.5) / count) * width} y1={0} y2={height} />
        )}
      </svg>
      <div class="hour-axis">
        <span>60 min ago</span>
        <span>{`0 to ${valueText(chart.most, chart.unit)}`}</span>
        <span>now</span>
      </div>
    </figure>
  );
}

// Of each number the lowest, the highest and the last.
function HourTable({charts}: {readonly charts: readonly HostChart[]}) {
  const rows = charts.flatMap((chart) =>
    chart.lines.map((line) => {
      const known = line.high.filter((value): value is number => value !== null);
      const low = line.low.filter((value): value is number => value !== null);
      const said = (value: number | undefined) => (value === undefined ? "\u2013" : valueText(value, chart.unit));
      return (
        <tr key={`${chart.name}/${line.device ?? ""}`}>
          <td class="word">{chart.title}</td>
          <td class="number">{line.device ?? "host"}</td>
          <td class="number">{said(low.length ? Math.min(...low) : undefined)}</td>
          <td class="number">{said(known.length ? Math.max(...known) : undefined)}</td>
          <td class="number">{said(known.at(-1))}</td>
        </tr>
      );
    }),
  );
  return (
    <details>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" class="number">
              device
            </th>
            <th scope="col" class="number">
              lowest
            </th>
            <th scope="col" class="number">
              highest
            </th>
            <th scope="col" class="number">
              last
            </th>
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </details>
  );
}

export function LastHour({host}: {readonly host: string}) {
  const [metrics, setMetrics] = useState<HostMetrics | null>(null);
  const [problem, setProblem] = useState("");
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const ask = async () => {
      if (document.hidden) return;
      try {
        setMetrics(await getHostMetrics(host, points, stop.signal));
        setProblem("");
      } catch (error) {
        if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), everyMs);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [host]);
  if (metrics === null)
    return problem === "" ? null : (
      <p class="wrong" role="alert">
        {visible(problem)}
      </p>
    );
  const charts = chartsOf(metrics);
  return (
    <section class="last-hour" aria-label={`The last hour of ${visible(host)}`} data-series={metrics.series.length}>
      <h3>{charts.length === 0 ? "Nothing has come of the last hour yet" : hourSentence(metrics)}</h3>
      {charts.length === 0 ? (
        <p class="muted">
          Agents send what they read with their reports, unless <code>server.telemetry</code> is off.
        </p>
      ) : (
        <div class="hour-charts">
          {charts.map((chart) => (
            <Chart key={chart.name} chart={chart} metrics={metrics} at={at} point={setAt} />
          ))}
        </div>
      )}
      {charts.length === 0 ? null : <HourTable charts={charts} />}
      {problem === "" ? null : (
        <p class="wrong" role="alert">
          {visible(problem)}
        </p>
      )}
    </section>
  );
}

// Step times of a job over its runs: a dot each, those that became slower filled.

import {humanDuration} from "../../model/format";
import {toRun} from "../../model/routes";
import {visible} from "../../model/text";
import type {Trend} from "../../model/trends";

const mostShown = 40;

export function TrendLine({trend}: {readonly trend: Trend}) {
  const [width, height] = [320, 34];
  const points = trend.points.slice(-mostShown);
  const most = Math.max(...points.map((one) => one.step_ns), 1);
  const x = (i: number) => 8 + (i * (width - 16)) / Math.max(1, points.length - 1);
  const y = (value: number) => height - 5 - ((height - 11) * value) / most;
  return (
    <svg class="trend" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{`Step times of ${visible(trend.name)} over ${trend.points.length} runs`}</title>
      <polyline points={points.map((one, i) => `${x(i).toFixed(1)},${y(one.step_ns).toFixed(1)}`).join(" ")} />
      {points.map((one, i) => (
        <a key={one.run.id} href={toRun(one.run.id)} aria-label={`${one.run.created}: ${humanDuration(one.step_ns)}`}>
          <circle
            class={one.isRegression ? "slower" : undefined}
            cx={x(i).toFixed(1)}
            cy={y(one.step_ns).toFixed(1)}
            r={one.isRegression ? 5 : 3.5}
          >
            <title>{`${one.run.created.replace("T", " ").replace("Z", " UTC")}: ${humanDuration(one.step_ns)}`}</title>
          </circle>
        </a>
      ))}
    </svg>
  );
}

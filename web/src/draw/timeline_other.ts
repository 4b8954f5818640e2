// Another run under this one: how long each step takes in both, and where a rank does something else. Plain data in.

import {humanDuration} from "../model/format";
import {differing, isLike, lengthOf, type StepPair} from "../model/run_pair";
import {rulerHeight, type OtherRun, type TimelinePicture, xOf} from "./timeline_picture";

type Paint = (name: string) => string;

const glyph = 6;
const strip = 3; // of what differs, at a row's lower edge
const leastRow = 10; // lower ones have no room for it

// "+12.4 ms (1.10x)"; "alike" within a hundredth.
export function changeText(pair: StepPair): string {
  if (isLike(pair)) return "alike";
  const [here, there] = [lengthOf(pair.here), lengthOf(pair.there)];
  const by = humanDuration(Math.round(Math.abs(here - there)));
  return `${here > there ? "+" : "\u2212"}${by}${there > 0 ? ` (${(here / there).toFixed(2)}x)` : ""}`;
}

// The row of steps: how much longer or shorter each is here than there; the one at which the runs lie over each other has an edge.
export function drawStepChanges(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  other: OtherRun,
  paint: Paint,
): void {
  const row = picture.rows.find((one) => one.head === "changes");
  if (row === undefined) return;
  const y = row.top - picture.scroll + rulerHeight;
  context.font = "11px system-ui, sans-serif";
  for (const pair of other.pairs) {
    const left = Math.max(picture.gutter, xOf(picture, pair.here.start));
    const right = Math.min(picture.width, xOf(picture, pair.here.end));
    if (right <= left) continue;
    const isLonger = lengthOf(pair.here) > lengthOf(pair.there);
    const name = isLike(pair) ? "middle" : isLonger ? "slower-1" : "faster-1";
    context.fillStyle = paint(name);
    context.fillRect(left, y, Math.max(1, right - left - 1), row.height - 2);
    if (pair === other.aligned) {
      context.strokeStyle = paint("text");
      context.strokeRect(left + 0.5, y + 0.5, Math.max(1, right - left - 2), row.height - 3);
    }
    const text = changeText(pair);
    if (right - left < text.length * glyph + 8) continue;
    context.fillStyle = paint("text");
    context.fillText(text, left + 4, y + row.height - 6);
  }
}

// At the lower edge of the other run's rows, where that rank does something else than here; within the step at which they lie over each
// other, since what is behind it is moved by what it takes longer.
export function drawDifferences(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  other: OtherRun,
  paint: Paint,
): void {
  const pair = other.aligned;
  if (pair === null) return;
  const end = pair.here.start + Math.max(lengthOf(pair.here), lengthOf(pair.there));
  const window = {from: Math.max(picture.window.from, pair.here.start), to: Math.min(picture.window.to, end)};
  if (window.to <= window.from) return;
  const columns = Math.max(1, Math.round((xOf(picture, window.to) - xOf(picture, window.from)) / 2));
  context.fillStyle = paint("high-3");
  for (const row of picture.rows) {
    if (row.head !== "other" || row.height < leastRow) continue;
    const here = {tiles: picture.tilesOf(row.rank), rowOf: other.placeOf(row.rank)};
    const beside = other.rankBeside(row.rank);
    if (beside === null) continue;
    const there = {tiles: other.tilesOf(beside), rowOf: other.placeOf(beside)};
    const y = row.top - picture.scroll + rulerHeight + row.height - strip;
    for (const {from, to} of differing(here, there, other.shift, window, columns))
      context.fillRect(xOf(picture, from), y, Math.max(1, xOf(picture, to) - xOf(picture, from)), strip);
  }
}

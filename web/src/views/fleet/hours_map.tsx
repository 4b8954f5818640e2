// Device hours as areas: who has them, how busy the devices were, and what belongs to nobody.

import {human, plural} from "../../model/format";
import type {Division} from "../../model/fleet";
import type {Table} from "../../model/report";
import {visible} from "../../model/text";
import {treemap} from "../../model/treemap";

const width = 100;
const height = 15;
// Smaller parts are one area: their names would not fit.
const leastShare = 1;

interface Part {
  readonly name: string;
  readonly hours: number;
  readonly busy: number | null;
  readonly kind: "named" | "unknown" | "others";
}

function partsOf(table: Table, by: Division): Part[] {
  const all: Part[] = [];
  let others = 0;
  let count = 0;
  for (const row of table.rows()) {
    const hours = table.number(row, "device_hours");
    if (hours === null || hours <= 0) continue;
    const name = table.text(row, "value");
    if (name !== "" && (table.number(row, "share_pct") ?? 0) < leastShare) {
      others += hours;
      ++count;
      continue;
    }
    const kind = name === "" ? "unknown" : "named";
    all.push({name: kind === "unknown" ? `without a ${by}` : name, hours, busy: table.number(row, "busy_pct"), kind});
  }
  if (others > 0) all.push({name: `${count} others`, hours: others, busy: null, kind: "others"});
  return all;
}

// Four shades; of unknown use none of them.
function shadeOf({busy, kind}: Part): string {
  if (kind !== "named") return kind;
  return busy === null ? "busy-unknown" : `busy-${Math.min(3, Math.floor(busy / 25))}`;
}

// Null where no two parts have hours: a single area says nothing. The table beside it has the numbers.
export function HoursMap({table, by}: {readonly table: Table; readonly by: Division}) {
  const parts = partsOf(table, by);
  if (parts.length < 2) return null;
  const tiles = treemap(
    parts.map(({hours}) => hours),
    width,
    height,
  );
  return (
    <figure class="hours-map">
      <div
        class="areas"
        role="img"
        aria-label={`Device hours by ${by} as areas: ${plural(parts.length, "part")}, the largest ${visible(
          parts[tiles[0]?.index ?? 0]?.name ?? "",
        )}`}
      >
        {tiles.map((tile) => {
          const part = parts[tile.index];
          if (part === undefined) return null;
          const busy = part.busy === null ? "" : `, devices ${human(part.busy, "%")} busy`;
          return (
            <div
              key={part.name}
              class={`area ${shadeOf(part)}`}
              title={`${visible(part.name)}: ${human(part.hours, "h")}${busy}`}
              style={{
                left: `${(100 * tile.x) / width}%`,
                top: `${(100 * tile.y) / height}%`,
                width: `${(100 * tile.width) / width}%`,
                height: `${(100 * tile.height) / height}%`,
              }}
            >
              <b>{visible(part.name)}</b> {human(part.hours, "h")}
            </div>
          );
        })}
      </div>
      <figcaption class="muted">
        Areas are device hours. Shade: how busy the devices were, <span class="key busy-0">under 25%</span>{" "}
        <span class="key busy-1">to 50%</span> <span class="key busy-2">to 75%</span>{" "}
        <span class="key busy-3">above</span>
      </figcaption>
    </figure>
  );
}

// Parts of a whole as one bar, and as a table with a row per part and how far single ranks or devices lie apart.
//
// `source` is a table of parts as job_breakdown; byId: words and colours of its parts; of: {whole: "device time", ones: "devices"}.

import {useRef} from "preact/hooks";
import {fillOf} from "../../draw/axes";
import {Swatch} from "../../draw/cells";
import {Cursor, Picture, placeAfter, PlotBox, usePlot} from "../../draw/plot_box";
import type {Point} from "../../draw/tips";
import type {Share} from "../../model/device_shares";
import {words} from "../../model/format";
import type {CellValue, Table} from "../../model/report";
import type {Part} from "../../model/vocabulary";
import {type Column, DataTable, plain} from "./data_table";
import {RangeMark} from "./range_table";

interface Shares {
  readonly source: Table;
  readonly rows: readonly number[];
  readonly byId: ReadonlyMap<CellValue, Part>;
  readonly of: {readonly whole: string; readonly ones: string};
}
const height = 34;

export function sharesIn({source, rows, byId}: Omit<Shares, "of">): readonly Share[] {
  return rows.map((row) => {
    const part = byId.get(source.get(row, "part"));
    return {
      label: part?.label ?? words(source.get(row, "part")),
      colour: part?.colour ?? "unknown",
      cell: source.cell(row, "share_pct"),
      pct: source.number(row, "share_pct") || 0,
      time: source.cell(row, "duration_ns"),
    };
  });
}

export function ShareBar({
  shares,
  name,
  of,
}: Pick<Shares, "of"> & {readonly shares: readonly Share[]; readonly name: string}) {
  const plot = usePlot();
  const at = useRef(-1);
  const total = shares.reduce((sum, share) => sum + share.pct, 0) || 1;
  let end = 0;
  const places = shares.map((share) => {
    const size = (plot.width * share.pct) / total;
    end += size;
    return {share, x: end - size, size};
  });

  function show(i: number, point: Point | null, speak: boolean) {
    const place = places[i];
    if (place === undefined) return leave();
    at.current = i;
    plot.cursor.value = {x: place.x, width: Math.max(2, place.size)};
    const box = plot.box();
    plot.tips.show(
      point ?? {x: box.left + place.x, y: box.bottom - 10},
      place.share.label,
      [
        ["", `share of ${of.whole}`, place.share.cell],
        ...(place.share.time === null ? [] : [["", `on all ${of.ones}`, place.share.time] as const]),
      ],
      speak,
    );
  }
  function leave() {
    at.current = -1;
    plot.tips.hide();
    plot.cursor.value = null;
  }

  return (
    <PlotBox
      plot={plot}
      name={name}
      reading={{
        point: (x, _, pointer) =>
          show(
            places.findIndex((place) => x >= place.x && x < place.x + place.size),
            pointer,
            false,
          ),
        move: (move) => show(placeAfter(at.current, move, shares.length - 1), null, true),
        leave,
      }}
    >
      {plot.width === 0 ? null : (
        <Picture width={plot.width} height={height}>
          {places.map(({share, x, size}) => (
            <rect
              key={share.label}
              x={x.toFixed(2)}
              y={2}
              width={Math.max(0, size - (size > 3 ? 1 : 0)).toFixed(2)}
              height={height - 4}
              style={fillOf(share.colour)}
            />
          ))}
          <Cursor at={plot.cursor} fixed={{y: 1, height: height - 2}} />
        </Picture>
      )}
    </PlotBox>
  );
}

export function PartLabel({colour, children}: {readonly colour: string | undefined; readonly children: string}) {
  return (
    <span class="label">
      <Swatch colour={colour} />
      {children}
    </span>
  );
}

export function ShareTable({source, rows, byId, of}: Shares) {
  const most = Math.max(...rows.map((row) => source.number(row, "max_pct") || 0));
  const hasSpread = rows.some((row) => source.get(row, "min_pct") !== source.get(row, "max_pct"));
  const part: Column = {
    label: "part",
    doc: source.columns.get("part")?.doc,
    kind: "word",
    node: (row) => {
      const found = byId.get(source.get(row, "part"));
      return (
        <PartLabel colour={found?.colour ?? "unknown"}>{found?.label ?? words(source.get(row, "part"))}</PartLabel>
      );
    },
  };
  const spread: Column = {
    label: `min to max over ${of.ones}`,
    doc: `a line from the least share of a single one of the ${of.ones} to the greatest, a tick at the median`,
    kind: "mark",
    node: (row) => {
      const [min, max, median] = [
        source.number(row, "min_pct"),
        source.number(row, "max_pct"),
        source.number(row, "median_pct"),
      ];
      return <RangeMark values={{min, max, median, p25: null, p75: null}} most={most} />;
    },
  };
  const columns = [
    part,
    plain(source, "share_pct", "share"),
    plain(source, "duration_ns", hasSpread ? `all ${of.ones}` : "time"),
  ];
  if (hasSpread) {
    columns.push(
      plain(source, "median_pct", "median"),
      spread,
      plain(source, "min_pct", "min"),
      plain(source, "min_rank", "on rank"),
      plain(source, "max_pct", "max"),
      plain(source, "max_rank", "on rank"),
    );
  }
  return <DataTable columns={columns} rows={rows} />;
}

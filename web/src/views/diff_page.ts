// Two jobs compared, in the one-file page and in the app: the same sections, in the same order.

import {el, front} from "../draw/dom";
import {redrawAll, watchSizes} from "../draw/redraw";
import {spoken, tip} from "../draw/tooltip";
import {diff} from "../model/report";
import {diffFlamesSection} from "./diff/flames";
import {
  diffOverview,
  diffSection,
  findingsDiffSection,
  partColumn,
  partsSection,
  pathSection,
  ranksDiffSection,
} from "./diff/sections";
import {followAddress} from "./shared/choice";
import {contents, group} from "./shared/section";

// "before -> after".
export function aboutDiff(): string {
  return `${front(diff.base, 200)} \u2192 ${front(diff.test, 200)}`;
}

// Draws the current comparison (setDiff) below `header`, once a document.
export function showDiff(header: HTMLElement): void {
  const kernelNames = [
    partColumn,
    {column: "base_name", label: "kernel in BASE"},
    {column: "test_name", label: "in TEST"},
    {column: "state", label: "state", kind: "word"},
  ];
  const all = [
    group("all", "Overview", [
      diffOverview(),
      partsSection(),
      diffFlamesSection(),
      findingsDiffSection(),
      pathSection(),
    ]),
    group("places", "Where", [
      diffSection(
        "ops",
        "By op",
        "Device time by the innermost op; idle time with the op whose work it waited for. The largest changes first.",
        "diff_ops",
        [partColumn, {column: "phase", label: "phase", kind: "word"}, {column: "op", label: "op"}],
      ),
      diffSection(
        "kernels",
        "By kernel",
        "Kernels are matched by place, shapes and name: one with another name at the same place is renamed, not removed and added.",
        "diff_kernels",
        kernelNames,
      ),
      diffSection(
        "host-ops",
        "By op on the host",
        "Time of host threads by the innermost op or annotation, of a rank and step; in no sum of the step.",
        "diff_host",
        [
          {column: "phase", label: "phase", kind: "word"},
          {column: "op", label: "op"},
        ],
      ),
      diffSection("phases", "By phase", null, "diff_phases", [{column: "phase", label: "phase", kind: "word"}]),
      diffSection("modules", "By module", null, "diff_modules", [{column: "module", label: "module"}]),
      diffSection(
        "call-places",
        "By place",
        "Every place in the program: the ops around the launch, the shapes of its inputs, its kernel.",
        "diff_places",
        [
          partColumn,
          {column: "path", label: "path"},
          {column: "base_shapes", label: "shapes in BASE", kind: "text"},
          {column: "test_shapes", label: "in TEST", kind: "text"},
          ...kernelNames.slice(1),
        ],
      ),
      ranksDiffSection(),
    ]),
  ].filter(Boolean);
  const footer = el(
    "footer",
    {class: "note"},
    "Made by rankscope from these traces alone; every number is a cell of a table: ",
    el("code", {}, "rankscope diff BASE TEST --table NAME"),
    " writes one.",
  );
  document.body.append(el("div", {class: "page"}, header, contents(), el("main", {}, all, footer)), tip, spoken);
  redrawAll();
  watchSizes();
  followAddress();
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}

// What the palette of commands offers in the timeline.

import type {Command} from "../../model/commands";
import {toRank} from "../../model/routes";
import {front} from "../../model/text";
import {dimensions} from "./address";
import {type Colouring, colourings} from "./colours";
import type {TimelineState} from "./state";
import {groupWords, ordersOf, orderWords} from "./words";

export function commandsOf(state: TimelineState): readonly Command[] {
  const middle = () => (state.viewport.window.value.from + state.viewport.window.value.to) / 2;
  const differing = dimensions.filter((one) => state.facts.differing.value.includes(one));
  const colour = (by: Colouring): Command => ({
    label: `Colour by ${by}`,
    take: () => {
      state.colours.by.value = by;
    },
  });
  const marks = state.marks.times.value;
  return [
    {label: "Zoom in", keys: "W", take: () => state.viewport.zoom(1.5, middle())},
    {label: "Zoom out", keys: "S", take: () => state.viewport.zoom(1 / 1.5, middle())},
    {label: "Fit what is chosen, or all", keys: "F", take: () => state.guide.fit()},
    {label: "Show all", keys: "Home", take: () => state.viewport.showAll()},
    {label: "Search names", keys: "/", take: () => document.getElementById("timeline-search")?.focus()},
    {label: "Leave a mark in the middle", keys: "M", take: () => state.marks.add(middle())},
    ...(marks.length < 2
      ? []
      : [
          {
            label: "Add up from the first mark to the last",
            take: () => state.area.selectBetween(marks[0] ?? 0, marks.at(-1) ?? 0),
          },
        ]),
    {
      label: "Add up what is in the window",
      take: () => state.area.selectBetween(state.viewport.window.value.from, state.viewport.window.value.to),
    },
    {
      label: state.links.showsPath.value ? "Hide the critical path" : "Show the critical path",
      take: () => {
        state.links.showsPath.value = !state.links.showsPath.value;
      },
    },
    {
      label: state.links.showsCollectives.value ? "Hide collectives" : "Show collectives",
      take: () => {
        state.links.showsCollectives.value = !state.links.showsCollectives.value;
      },
    },
    ...colourings.map(colour),
    ...ordersOf(state).map((order) => ({
      label: `Rows by ${orderWords[order]}`,
      take: () => {
        state.ranks.order.value = order;
      },
    })),
    ...differing.map((one) => ({
      label: `Rows together by ${groupWords[one]}`,
      take: () => {
        state.groups.by.value = one;
      },
    })),
    ...(state.arrangement.hidden.value.length === 0
      ? []
      : [{label: "Show hidden rows", keys: "Shift+H", take: () => state.arrangement.showAll()}]),
    {label: "Clear what is chosen", keys: "Esc", take: () => state.clear()},
    {
      label: "Keys of the timeline",
      keys: "?",
      take: () => document.getElementById("timeline-keys")?.toggleAttribute("open", true),
    },
    ...state.findings.all.value.map((one) => ({
      label: `Finding: ${front(one.title, 120)}`,
      take: () => state.framing.chooseFinding(one.key),
    })),
    ...state.store.ranks.map((rank) => ({label: `Open rank ${rank}`, take: () => state.rows.reveal(rank)})),
    ...state.store.ranks.map((rank) => ({
      label: `Page of rank ${rank}`,
      take: () => location.assign(toRank(state.run, rank)),
    })),
  ];
}

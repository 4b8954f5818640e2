// What an address of the hosts' page says: the filter, what the map shows, hosts that are open or chosen, the job whose form is shown, the capture that is
// followed. Parts are read one by one.

import {measureOf} from "../../model/rack_map";

const mostNames = 200;
const mostText = 200;

export interface Place {
  readonly wanted: string;
  readonly map: string; // what the map of racks shows
  readonly open: readonly string[];
  readonly chosen: readonly string[];
  readonly form: string | null; // the job; "" of processes that name none
  readonly watched: string | null;
}

export function readPlace(search: string): Place {
  const asked = new URLSearchParams(search);
  const list = (name: string) => [...new Set(asked.getAll(name))].slice(0, mostNames);
  const watched = asked.get("watch") ?? "";
  return {
    wanted: (asked.get("q") ?? "").slice(0, mostText),
    map: measureOf(asked.get("map") ?? "").by,
    open: list("open"),
    chosen: list("host"),
    form: asked.get("capture"),
    watched: /^[0-9a-f]{16}$/.test(watched) ? watched : null,
  };
}

export function writePlace(place: Place): string {
  const said = new URLSearchParams();
  if (place.wanted !== "") said.set("q", place.wanted);
  if (place.map !== "busy") said.set("map", place.map);
  for (const name of place.open) said.append("open", name);
  for (const name of place.chosen) said.append("host", name);
  if (place.form !== null) said.set("capture", place.form);
  if (place.watched !== null) said.set("watch", place.watched);
  const text = said.toString();
  return text === "" ? "" : `?${text}`;
}

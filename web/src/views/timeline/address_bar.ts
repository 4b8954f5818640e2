// The address follows what is shown, and what is shown follows Back and Forward.

import {effect} from "@preact/signals";
import {type Place, readPlace, writePlace} from "./address";

// What is selected: another one is a step that Back undoes; where one looks is none.
export function selectionOf(place: Place): string {
  return JSON.stringify([
    place.open,
    place.ranks,
    place.chosen && [place.chosen.rank, place.chosen.start, place.chosen.duration],
    place.finding,
    place.group,
    place.of,
    place.area,
    place.marks,
    place.sql,
    place.beside,
    place.pinned,
    place.hidden,
    place.placed,
  ]);
}

export class AddressBar {
  private selection = ""; // that the address has

  // `placeNow` reads signals.
  constructor(
    private readonly placeNow: () => Place,
    private readonly take: (place: Place) => void,
  ) {}

  follow(): () => void {
    const back = () => this.take(readPlace(location.search));
    addEventListener("popstate", back);
    const stop = effect(() => this.say(this.placeNow()));
    return () => {
      stop();
      removeEventListener("popstate", back);
    };
  }

  private say(place: Place): void {
    const address = location.pathname + writePlace(place);
    const selection = selectionOf(place);
    const isStep = this.selection !== "" && selection !== this.selection;
    this.selection = selection;
    if (address === location.pathname + location.search) return;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}

// From the card of a finding to where it is in the timeline, which the app has and the one-file page has not.

import {toTimeline} from "../../app/routes";
import {el} from "../../draw/dom";
import {table} from "../../model/report";

// Findings of a kind are told apart by their order (model/timeline_findings.ts).
export function linkToTimeline(run: string): void {
  const source = table("findings");
  const seen = new Map<string, number>();
  for (const row of source.rows()) {
    const id = source.text(row, "id");
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    const place = document.querySelector(`#finding-${row + 1} .about-cause`);
    place?.append(
      el(
        "a",
        {class: "to-timeline", href: toTimeline(run, `?finding=${count === 1 ? id : `${id}:${count}`}`)},
        "Show in the timeline",
      ),
    );
  }
}

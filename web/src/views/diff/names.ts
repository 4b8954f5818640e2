// The sides of a comparison as headings of columns and marks of plots have them.

import type {Sides} from "../../model/diff_names";
import type {Diff} from "../../model/report";
import {front} from "../../model/text";

const mostName = 34;

export function sideNames({sides}: Diff): Sides {
  return {base: front(sides.base, mostName), test: front(sides.test, mostName)};
}

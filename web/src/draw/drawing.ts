// What the plots of a page share: the choice of ranks, their widths, the theme and the tooltip.

import {createContext} from "preact";
import {useContext} from "preact/hooks";
import {Choice} from "../model/choice";
import {Sizes} from "./sizes";
import {Theme} from "./theme";
import {Tips} from "./tips";

export class Drawing {
  readonly choice = new Choice();
  readonly sizes = new Sizes();
  readonly theme: Theme;
  readonly tips = new Tips();

  // Where the page has a theme already, that one: two would not agree.
  constructor(theme: Theme | null = null) {
    this.theme = theme ?? new Theme(this.sizes.isPaper);
  }
}

export const DrawingContext = createContext<Drawing | null>(null);

export function useDrawing(): Drawing {
  const drawing = useContext(DrawingContext);
  if (drawing === null) throw new Error("a plot stands outside of a page");
  return drawing;
}

// Switches between light and dark.

import {el} from "../../draw/dom";
import {onPaper, redrawAll} from "../../draw/redraw";
import {applyTheme, otherTheme, systemTheme} from "../../draw/theme";

export function themeButton(): HTMLElement {
  const button = el("button", {class: "theme", type: "button"});
  const change = () => {
    applyTheme(onPaper);
    button.textContent = document.documentElement.dataset.theme === "dark" ? "Light theme" : "Dark theme";
    redrawAll();
  };
  button.addEventListener("click", () => {
    otherTheme();
    change();
  });
  systemTheme.addEventListener("change", () => {
    if (!onPaper) change();
  });
  change();
  return button;
}

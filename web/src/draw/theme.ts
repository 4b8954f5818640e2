// Light or dark: as the system says, until the reader chooses. Paper is light.

export const systemTheme = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = "";

export function applyTheme(isPaper: boolean): void {
  const screen = chosenTheme || (systemTheme.matches ? "dark" : "light");
  document.documentElement.dataset.theme = isPaper ? "light" : screen;
}

// The reader chooses the one that is not shown.
export function otherTheme(): void {
  chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
}

// Light or dark: as the system says, until the reader chooses. Paper is light.

const systemTheme = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = "";

function applyTheme(isPaper) {
  const screen = chosenTheme || (systemTheme.matches ? "dark" : "light");
  document.documentElement.dataset.theme = isPaper ? "light" : screen;
}

function themeButton() {
  const button = el("button", {class: "theme", type: "button"});
  const change = () => {
    applyTheme(onPaper);
    button.textContent = document.documentElement.dataset.theme === "dark" ? "Light theme" : "Dark theme";
    redrawAll();
  };
  button.addEventListener("click", () => {
    chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    change();
  });
  systemTheme.addEventListener("change", () => { if (!onPaper) change(); });
  change();
  return button;
}

// Light or dark: as the system says, until the reader chooses.

const systemTheme = matchMedia("(prefers-color-scheme: dark)");

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  redrawAll();
}

function themeButton() {
  let chosen = false;
  const label = () => (document.documentElement.dataset.theme === "dark" ? "Light theme" : "Dark theme");
  const button = el("button", {class: "theme", type: "button"}, label());
  const change = (name) => {
    setTheme(name);
    button.textContent = label();
  };
  button.addEventListener("click", () => {
    chosen = true;
    change(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
  systemTheme.addEventListener("change", () => { if (!chosen) change(systemTheme.matches ? "dark" : "light"); });
  return button;
}

document.documentElement.dataset.theme = systemTheme.matches ? "dark" : "light";

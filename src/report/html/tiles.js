// A number in a box of its own, with its name and what else is to be said of it.

function tile(name, value, more, isWords) {
  return el("div", {class: "tile"}, el("div", {class: "name"}, name), el("div", {class: isWords ? "value words" : "value"}, value),
    more ? el("div", {class: "more"}, more) : null);
}

function cellSpan(cell) { return shown(el("span"), cell); }

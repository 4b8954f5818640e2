// The ranks that the reader has chosen: marked in every plot and table, kept in the address, cleared by Escape. The address is
// "#SECTION&ranks=0-3,7", or "#rank=3"; a link to a section keeps the choice.
//
// A plot says what it shows of ranks with choosable(); in tables and texts whatever has the attribute data-choose, such as "0-3,7", can be
// chosen (choosableText).

// "0-3,7" -> [0, 1, 2, 3, 7]; what is not understood is left out.
const mostChosen = 20000;
function numbersOf(text) {
  const found = [];
  for (const range of String(text ?? "").split(",")) {
    const ends = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(range);
    if (!ends) continue;
    const last = Number(ends[2] === undefined ? ends[1] : ends[2]);
    for (let number = Number(ends[1]); number <= last && found.length < mostChosen; ++number) found.push(number);
  }
  return found;
}

// [0, 1, 2, 3, 7] -> "0-3,7".
function rangesOf(numbers) {
  const order = Array.from(new Set(numbers)).sort((a, b) => a - b);
  const found = [];
  for (let i = 0; i < order.length;) {
    let end = i + 1;
    while (end < order.length && order[end] === order[end - 1] + 1) ++end;
    found.push(end - i > 1 ? `${order[i]}-${order[end - 1]}` : String(order[i]));
    i = end;
  }
  return found.join(",");
}

let chosenRanks = new Set();
const onChoice = [];  // called when the choice changes

function isChosen(rank) { return rank !== null && rank !== undefined && chosenRanks.has(Number(rank)); }

// The section and the ranks that the address names. What is not understood costs itself.
function addressed() {
  let text = location.hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    text = "";
  }
  const pieces = text.split("&");
  const ranks = pieces.map((one) => /^ranks?=(.*)$/.exec(one)).find(Boolean);
  return {place: pieces.find((one) => !one.includes("=")) || "", ranks: ranks ? numbersOf(ranks[1]) : null};
}
function addressOf(place, ranks) { return ranks.length ? `#${place}&ranks=${rangesOf(ranks)}` : place ? `#${place}` : location.pathname + location.search; }

function showChoice(ranks) {
  chosenRanks = new Set(ranks);
  for (const change of onChoice) change();
}

// The reader chooses, which Back undoes.
function chooseRanks(ranks) {
  if (rangesOf(ranks) === rangesOf(chosenRanks)) return;
  history.pushState({ranks: rangesOf(ranks)}, "", addressOf(addressed().place, ranks));
  showChoice(ranks);
}
// These alone are chosen, or no more if they are already.
function toggleRanks(ranks) {
  if (ranks.length) chooseRanks(rangesOf(ranks) === rangesOf(chosenRanks) ? [] : ranks);
}

// What stands for ranks has a `rank`, or several `ranks`.
function ranksOf(one) { return one.ranks || (one.rank === null || one.rank === undefined ? [] : [Number(one.rank)]); }
function hasChosen(one) { return chosenRanks.size > 0 && ranksOf(one).some(isChosen); }
// The mark of one that has a chosen rank.
function chosenMark(one, shape, attributes) { return svg(shape, {class: "chosen", "data-rank": rangesOf(ranksOf(one).filter(isChosen)), ...attributes}); }
function chosenFrame(one, x, y, width, height) {
  return chosenMark(one, "rect", {x: x.toFixed(1), y: y.toFixed(1), width: width.toFixed(1), height: height.toFixed(1)});
}

// Lets ranks be chosen in a plot: under(event) -> those below the pointer, here() -> those where the keyboard is, mark() marks the chosen ones.
function choosable(plot, {under, here, mark}) {
  // A drag is no click.
  let down = null;
  plot.addEventListener("pointerdown", (event) => { down = event; }, true);
  plot.addEventListener("click", (event) => {
    const isDrag = down !== null && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 3;
    if (!isDrag) toggleRanks(under(event));
  });
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === plot) toggleRanks(here());
  });
  onChoice.push(mark);
}

// Ranks named in a table or a text; with `ofRow` the whole row is theirs. One of those in a list takes the Tab key, arrow keys lead to the others.
function choosableText(node, ranks, ofRow) {
  node.dataset.choose = rangesOf(ranks);
  node.title = "Mark in all plots";
  if (ofRow) node.dataset.row = "";
  if (node.tagName !== "BUTTON") node.tabIndex = -1;
  return node;
}
const lists = "tbody, .evidence-bars, .legend";
function choicesIn(list) { return Array.from(list.querySelectorAll("[data-choose]:not(button)")); }
function takesTab(list) {
  const [first] = choicesIn(list);
  if (first) first.tabIndex = 0;
  return list;
}

// What only shows ranks has data-shows.
function markChosenTexts(within = document) {
  for (const node of within.querySelectorAll("[data-choose], [data-shows]")) {
    const isMarked = chosenRanks.size > 0 && numbersOf(node.dataset.choose ?? node.dataset.shows).some(isChosen);
    const row = node.dataset.row === undefined ? null : node.closest("tr, .evidence-row");
    (row || node).classList.toggle("chosen", isMarked);
  }
}

function followChoices() {
  const choiceOf = (event) => (event.target instanceof Element ? event.target.closest("[data-choose]") : null);
  document.addEventListener("click", (event) => {
    const node = choiceOf(event);
    // Who selects text does not mean to choose.
    if (node && String(getSelection()) === "") toggleRanks(numbersOf(node.dataset.choose));
  });
  document.addEventListener("keydown", (event) => {
    const node = choiceOf(event);
    if (!node || node.tagName === "BUTTON" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      toggleRanks(numbersOf(node.dataset.choose));
      return;
    }
    const step = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1}[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = choicesIn(node.closest(lists));
    const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(node) + step))];
    node.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

// Stands in the frame while ranks are chosen.
function choiceChip() {
  const label = el("span");
  const chip = el("span", {class: "choice", role: "status"}, label, el("button", {type: "button", "aria-label": "Clear the choice of ranks", title: "Clear (Escape)", onclick: () => chooseRanks([])}, "\u00d7"));
  const show = () => {
    chip.hidden = chosenRanks.size === 0;
    const ranks = rangesOf(chosenRanks);
    label.textContent = `${chosenRanks.size === 1 ? "Rank" : "Ranks"} ${ranks.length > 24 ? `${ranks.slice(0, 23)}\u2026` : ranks.replace(/,/g, ", ")} marked`;
  };
  onChoice.push(show);
  show();
  return chip;
}

// Once the page stands: what its address says.
function followAddress() {
  followChoices();
  onChoice.push(() => markChosenTexts());
  const {place, ranks} = addressed();
  history.replaceState({ranks: rangesOf(ranks || [])}, "");
  showChoice(ranks || []);
  const target = place ? document.getElementById(place) : null;
  if (target) target.scrollIntoView();
  addEventListener("popstate", (event) => {
    if (event.state && event.state.ranks !== undefined) return showChoice(numbersOf(event.state.ranks));
    // A link, or an address that was typed.
    const typed = addressed();
    const kept = typed.ranks || Array.from(chosenRanks);
    history.replaceState({ranks: rangesOf(kept)}, "", addressOf(typed.place, kept));
    return showChoice(kept);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && chosenRanks.size && tip.hidden) chooseRanks([]);
  });
}

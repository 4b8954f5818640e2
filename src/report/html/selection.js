// The ranks that the reader has chosen: marked in every plot and table, kept in the address, cleared by Escape. The address is
// "#SECTION&ranks=0-3,7"; a link to a section keeps the choice.

// "0-3,7" -> [0, 1, 2, 3, 7]; what is not understood is left out.
const mostChosen = 20000;
function numbersOf(text) {
  const found = [];
  for (const range of String(text || "").split(",")) {
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

// The section and the ranks that the address names.
function addressed() {
  const [place, ...settings] = decodeURIComponent(location.hash.slice(1)).split("&");
  const ranks = settings.map((one) => /^ranks=(.*)$/.exec(one)).find(Boolean);
  return {place, ranks: ranks ? numbersOf(ranks[1]) : null};
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
// Of one rank: it is chosen alone, or no more.
function toggleRank(rank) { chooseRanks(chosenRanks.size === 1 && isChosen(rank) ? [] : [Number(rank)]); }

function markChosenRows() {
  for (const cell of document.querySelectorAll("td[data-cell$='/rank']")) cell.parentNode.classList.toggle("chosen", isChosen(cell.dataset.value || null));
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
  onChoice.push(markChosenRows);
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

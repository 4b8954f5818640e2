// The frame of a section: a heading, how to read it, and what it shows.

const sections = [];

function section(id, title, how, ...children) {
  const node = el("section", {id, "aria-labelledby": `${id}-title`}, el("h2", {id: `${id}-title`}, title), how ? el("p", {class: "how"}, how) : null, children);
  sections.push({id, title, node});
  return node;
}

function contents() {
  const links = sections.map(({id, title}) => el("a", {href: `#${id}`}, title));
  const nav = el("nav", {class: "contents", "aria-label": "Sections"}, links);
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target.id) : seen.delete(entry.target.id);
    const here = sections.findIndex(({id}) => seen.has(id));
    links.forEach((link, i) => link.classList.toggle("here", i === here));
  }, {rootMargin: "0px 0px -60% 0px"});
  for (const {node} of sections) observer.observe(node);
  return nav;
}

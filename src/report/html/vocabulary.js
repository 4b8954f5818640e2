// What things are called and which colour they have, the same everywhere in the page.

const parts = report.parts.map((part) => ({...part, colour: part.id}));
const partById = new Map(parts.map((part) => [part.id, part]));
// Parts of the critical path and of host time have the colours of what they are like.
const pathParts = report.path_parts.map((part) => ({...part, colour: part.like}));
const hostParts = report.host_parts.map((part) => ({...part, colour: part.like}));
const pathPartById = new Map(pathParts.map((part) => [part.id, part]));
const idleParts = parts.filter((part) => part.idle);

const metricLabels = new Map(report.metrics.map((metric) => [metric.id, metric.label]));

function capitalised(text) { return String(text).replace(/^[a-z]/, (c) => c.toUpperCase()); }
// The terminal's "us".
function inMicros(text) { return String(text).replace(/(\d) us\b/g, "$1 \u00b5s"); }
// Options, commands and tables in a sentence are code.
function saidWords(text) { return text.split(/(--[a-z-]+ [A-Z]+|rankscope [a-z]+ [a-z_]+|(?<=\(table )[a-z_]+)/).map((piece, i) => (i % 2 ? el("code", {}, piece) : piece)); }
// Sentences in the words of the text report, which writes them as lines of a list.
function saidLines(name) { return report.sentences[name].map((text) => el("p", {class: "said"}, saidWords(inMicros(capitalised(`${text}.`))))); }

function metricName(metric) { return metricLabels.get(metric) || words(metric); }
// "device_time" in "ns/step" -> "device time per step": the unit stands in the cells, what it is per in the name.
function metricLabel(metric, unit) { return metricName(metric) + perUnit(unit); }

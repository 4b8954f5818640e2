// What things are called and which colour they have, the same everywhere in the page.

const parts = report.parts.map((part) => ({...part, colour: part.id}));
const partById = new Map(parts.map((part) => [part.id, part]));
// Parts of the critical path have the colours of what they are like.
const pathColours = {host: "idle_host", data_loading: "idle_data", launch: "idle_launch", kernel_gap: "idle_gap", communication: "exposed_communication", copy: "exposed_copy", unexplained: "unknown"};
const pathParts = report.path_parts.map((part) => ({...part, colour: pathColours[part.id] || part.id}));
const pathPartById = new Map(pathParts.map((part) => [part.id, part]));
const idleParts = parts.filter((part) => part.id.startsWith("idle_") || part.id === "unknown");

const metricNames = {
  compute: "computing", exposed_communication: "exposed communication", exposed_copy: "exposed copies", idle_host: "idle for the host",
  idle_data: "idle for data", idle_sync: "idle in sync calls", communication_hidden_time: "hidden communication time",
  communication_exposed_time: "exposed communication time", sm_efficiency: "SM efficiency", hfu: "FLOP utilisation (HFU)",
};
function metricName(metric) { return metricNames[metric] || words(metric); }

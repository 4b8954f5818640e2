// Who waits for whom: collectives over ranks, in one clock.

const lateRanksShown = 16;

function acrossSection() {
  const ranks = table("collective_ranks");
  const sizes = table("collective_sizes");
  if (ranks.empty || sizes.empty || report.job.ranks < 2) return null;
  const rows = sorted(ranks.rows(), (row) => ranks.number(row, "lead_ns"), true);
  if (!rows.some((row) => ranks.number(row, "collectives") > 0)) return null;
  const byRank = [plain(ranks, "rank"), plain(ranks, "last_count", "comes last"), plain(ranks, "last_pct", "of its"), plain(ranks, "caused_wait_ns", "others wait for it"),
    timeBar(ranks, rows, "caused_wait_ns", "communication"), plain(ranks, "lead_ns", "later than the next"), plain(ranks, "wait_ns", "waits itself"), timeBar(ranks, rows, "wait_ns", "idle_host"),
    plain(ranks, "transfer_ns", "transfers"), plain(ranks, "collectives")];
  const all = sizes.rows();
  const bySize = [{label: "op", kind: "word", cell: (row) => sizes.cell(row, "op")}, {label: "groups", kind: "name", cell: (row) => sizes.cell(row, "groups")}, plain(sizes, "bytes", "size"), plain(sizes, "count"),
    plain(sizes, "device_ns", "device"), timeBar(sizes, all, "device_ns", "communication"), plain(sizes, "share_pct", "share"), plain(sizes, "wait_pct", "waiting"), plain(sizes, "median_transfer_ns", "median transfer"),
    plain(sizes, "bus_bandwidth", "on the bus"), plain(sizes, "outliers", "slow ones")];
  const more = [...bySize, plain(sizes, "max_transfer_ns", "longest"), plain(sizes, "median_skew_ns", "median skew"), plain(sizes, "incomplete"), plain(sizes, "fit_latency_ns", "latency"),
    plain(sizes, "fit_bus_bandwidth", "bandwidth of large ones")];
  return section("across", "Collectives over ranks",
    "A collective transfers when its last rank has come; what passes before is waiting for that one. Times are in one clock, made of the ends of collectives. A rank that is late waits little and lets the others wait.",
    dataTable(byRank, rows, lateRanksShown), el("h3", {}, "By op and size"), dataTable(bySize, all, 12), clocksNote(),
    details("collective_ranks", byRank, rows, "Data of the ranks"), details("collective_sizes", more, all, "Data of the sizes"));
}

function clocksNote() {
  const clocks = table("clocks");
  if (clocks.empty) return null;
  const alone = clocks.rows().filter((row) => !clocks.get(row, "aligned"));
  const columns = [plain(clocks, "rank"), {label: "aligned", kind: "word", cell: (row) => clocks.cell(row, "aligned")}, plain(clocks, "reference_rank", "reference"), plain(clocks, "offset_ns", "offset"),
    plain(clocks, "drift_ppm", "drift"), plain(clocks, "uncertainty_ns", "uncertainty"), plain(clocks, "collectives"), plain(clocks, "violations")];
  return el("div", {}, alone.length ? el("p", {class: "note"}, `${plural(alone.length, "rank")} shown here ${alone.length === 1 ? "shares" : "share"} no collective with others: nothing is known of waiting there.`) : null,
    details("clocks", columns, clocks.rows(), "Clocks"));
}

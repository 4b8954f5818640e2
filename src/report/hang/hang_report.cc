#include "report/hang/hang_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "json/writer.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/documents/json_cells.h"
#include "schemas/hang.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostRoots = 5;
constexpr std::size_t kHangReportMostRanks = 8;

std::string RankWords(std::vector<std::int64_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", Ranges(ranks));
}

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string At(std::string_view line) {
  return line.empty() ? std::string() : fmt::format(" at {}", line);
}

std::string GroupWords(std::string_view name, std::string_view description) {
  return description.empty() ? fmt::format("process group {}", name)
                             : fmt::format("process group {} ({})", name, description);
}

// What the reports read of the tables.
class View {
 public:
  explicit View(const HangReport& report)
      : calls(report.Find(FlightCollectives::kName)),
        members(report.Find(FlightMembers::kName)),
        ranks(report.Find(FlightRanks::kName)),
        mismatches(report.Find(FlightMismatches::kName)),
        notes(report.Find(FlightNotes::kName)) {
    for (std::size_t row = 0; row < members.rows(); ++row)
      members_of_[*members.Int(row, members->id)].push_back(row);
    for (std::size_t row = 0; row < ranks.rows(); ++row)
      row_of_rank_[*ranks.Int(row, ranks->rank)] = row;
  }

  RowsOf<FlightCollectives> calls;
  RowsOf<FlightMembers> members;
  RowsOf<FlightRanks> ranks;
  RowsOf<FlightMismatches> mismatches;
  RowsOf<FlightNotes> notes;

  std::string_view Verdict(std::size_t call) const { return calls.String(call, calls->verdict); }
  bool IsRoot(std::size_t call) const { return calls.Flag(call, calls->is_root); }
  std::size_t RootCount() const {
    std::size_t count = 0;
    for (std::size_t row = 0; row < calls.rows(); ++row) count += IsRoot(row);
    return count;
  }

  std::vector<std::int64_t> RanksWithoutDump() const {
    std::vector<std::int64_t> without;
    for (std::size_t row = 0; row < ranks.rows(); ++row) {
      if (!ranks.Flag(row, ranks->has_dump)) without.push_back(*ranks.Int(row, ranks->rank));
    }
    return without;
  }

  // "all_reduce 17 of process group 0 (default_pg)".
  std::string Name(std::size_t call) const {
    const auto sequence = calls.Int(call, calls->sequence);
    const std::string group =
        GroupWords(calls.String(call, calls->group), calls.String(call, calls->group_description));
    if (calls.String(call, calls->kind) == "p2p") {
      return fmt::format("the message{} from rank {} to rank {} in {}",
                         sequence ? fmt::format(" {}", *sequence) : "",
                         calls.Int(call, calls->sender).value_or(-1),
                         calls.Int(call, calls->receiver).value_or(-1), group);
    }
    return fmt::format("{} {} of {}", calls.String(call, calls->op), sequence.value_or(-1), group);
  }
  // The row of the call that it waits for.
  std::optional<std::size_t> WaitsFor(std::size_t call) const {
    const auto id = calls.Int(call, calls->waits_for);
    for (std::size_t row = 0; id && row < calls.rows(); ++row)
      if (calls.Int(row, calls->id) == id) return row;
    return std::nullopt;
  }
  std::string Line(std::size_t call) const { return std::string(calls.String(call, calls->line)); }

  template <typename Is>
  std::vector<std::int64_t> RanksThat(std::size_t call, const Is& is) const {
    std::vector<std::int64_t> found;
    const auto rows = members_of_.find(*calls.Int(call, calls->id));
    if (rows == members_of_.end()) return found;
    for (const std::size_t row : rows->second) {
      if (is(members.String(row, members->state)))
        found.push_back(*members.Int(row, members->rank));
    }
    return found;
  }
  std::vector<std::int64_t> RanksThatAre(std::size_t call, std::string_view state) const {
    return RanksThat(call, [&](std::string_view one) { return one == state; });
  }
  std::vector<std::int64_t> Entered(std::size_t call) const {
    return RanksThat(call, [](std::string_view state) {
      return state != hang_state::kMissing && state != hang_state::kNoDump &&
             state != hang_state::kOverwritten;
    });
  }
  // Have called it, and it has not ended there.
  std::vector<std::int64_t> Waiting(std::size_t call) const {
    return RanksThat(call, [](std::string_view state) {
      return state == "scheduled" || state == "started" || state == "unknown";
    });
  }

  std::optional<std::size_t> RowOfRank(std::int64_t rank) const {
    const auto row = row_of_rank_.find(rank);
    return row == row_of_rank_.end() ? std::nullopt : std::optional(row->second);
  }

  // Of the call's group and messages.
  std::vector<std::size_t> MismatchesOf(std::size_t call) const {
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < mismatches.rows(); ++row) {
      if (mismatches.String(row, mismatches->group) == calls.String(call, calls->group) &&
          mismatches.Int(row, mismatches->sequence).value_or(-1) <=
              calls.Int(call, calls->sequence).value_or(INT64_MAX))
        found.push_back(row);
    }
    return found;
  }

 private:
  std::map<std::int64_t, std::vector<std::size_t>> members_of_;
  std::map<std::int64_t, std::size_t> row_of_rank_;
};

// "rank 2 calls all_gather (a.py:3 in f), 7 ranks all_reduce (b.py:4 in g)".
std::string MismatchWords(const View& view, std::size_t row) {
  const auto& rows = view.mismatches;
  const std::string_view what = rows.String(row, rows->what);
  const auto place = [](std::string_view line) {
    return line.empty() ? std::string() : fmt::format(" ({})", line);
  };
  const auto rank = rows.Int(row, rows->rank);
  const std::string number = rows.Int(row, rows->sequence)
                                 ? fmt::format("number {}", *rows.Int(row, rows->sequence))
                                 : "a message";
  std::string text = fmt::format(
      "{} of {}: ", number,
      GroupWords(rows.String(row, rows->group), rows.String(row, rows->group_description)));
  if (!rank)
    return text + fmt::format("{}, but {}", rows.String(row, rows->expected),
                              rows.String(row, rows->found));
  const std::string others =
      Plural(static_cast<std::size_t>(rows.Int(row, rows->agreeing).value_or(0)), "rank");
  const std::string kind = what == "op" || what == "order" ? "calls"
                           : what == "dtypes"              ? "has the types"
                           : what == "input_sizes"         ? "has inputs of"
                                                           : "has outputs of";
  text += fmt::format("rank {} {} {}{}, {} {}{}", *rank, kind, rows.String(row, rows->found),
                      place(rows.String(row, rows->line)), others, rows.String(row, rows->expected),
                      place(rows.String(row, rows->expected_line)));
  if (what == "order") text += "; the same calls in another order";
  return text;
}

// Where a rank is that does not come: "rank 3 waits for nothing; its last call, ...".
std::string LastCallWords(const View& view, std::int64_t rank) {
  const auto row = view.RowOfRank(rank);
  if (!row) return {};
  const auto& ranks = view.ranks;
  const std::string_view op = ranks.String(*row, ranks->last_op);
  if (op.empty()) return fmt::format("rank {} has made no call that its dump holds", rank);
  // Messages say whom they are between; their number counts the calls of one rank to all.
  const auto number = ranks.Int(*row, ranks->last_sequence);
  const bool is_message = op.find(' ') != std::string_view::npos;
  return fmt::format("rank {}: its last call was {}{} of process group {} ({}){}", rank, op,
                     number && !is_message ? fmt::format(" {}", *number) : "",
                     ranks.String(*row, ranks->last_group), ranks.String(*row, ranks->last_state),
                     At(ranks.String(*row, ranks->last_line)));
}

std::string RootSentence(const View& view, std::size_t call) {
  const std::string name = view.Name(call);
  const std::string_view verdict = view.Verdict(call);
  const auto waiting = view.Waiting(call);
  const std::string wait = fmt::format("{} wait{} in it{}", RankWords(waiting),
                                       waiting.size() == 1 ? "s" : "", At(view.Line(call)));
  if (verdict == hang_verdict::kMismatch) {
    const auto rows = view.MismatchesOf(call);
    return fmt::format("The ranks do not call the same in {}",
                       rows.empty() ? name : MismatchWords(view, rows.front()));
  }
  if (verdict == hang_verdict::kCircle) {
    const auto missing = view.RanksThatAre(call, hang_state::kMissing);
    const auto other = view.WaitsFor(call);
    std::string late;
    if (!missing.empty() && other) {
      late = fmt::format(", for {}, which stand{} in {}{}", RankWords(missing),
                         missing.size() == 1 ? "s" : "", view.Name(*other), At(view.Line(*other)));
    }
    return fmt::format("Ranks wait for each other: in {} {}{}", name, wait, late);
  }
  if (verdict == hang_verdict::kMissing) {
    const auto missing = view.RanksThatAre(call, hang_state::kMissing);
    return fmt::format("{} {} not called {}; {}", Capitalised(RankWords(missing)),
                       missing.size() == 1 ? "has" : "have", name, wait);
  }
  if (verdict == hang_verdict::kNoDump) {
    return fmt::format("Nobody is known to be late in {}, but there is no dump of {}; {}", name,
                       RankWords(view.RanksThatAre(call, hang_state::kNoDump)), wait);
  }
  if (verdict == hang_verdict::kUnknown) {
    return fmt::format(
        "Nobody is known to be late in {}, but the dump of {} no longer tells whether it was "
        "called "
        "there; {}",
        name, RankWords(view.RanksThatAre(call, hang_state::kOverwritten)), wait);
  }
  const auto started = view.RanksThatAre(call, "started");
  const auto scheduled = view.RanksThatAre(call, "scheduled");
  if (!started.empty() && !scheduled.empty()) {
    return fmt::format("All ranks have called {}, but on the device of {} it has not started; {}",
                       name, RankWords(scheduled), wait);
  }
  return fmt::format("All ranks have called {} alike, and it has not ended; {}", name, wait);
}

// What a reader may want to know of a root behind its sentence.
std::vector<std::string> Details(const View& view, std::size_t call) {
  std::vector<std::string> lines;
  const std::string_view verdict = view.Verdict(call);
  if (verdict == hang_verdict::kMismatch) {
    const auto rows = view.MismatchesOf(call);
    for (std::size_t i = 1; i < rows.size() && i < kHangReportMostRanks; ++i)
      lines.push_back(MismatchWords(view, rows[i]));
    if (!rows.empty() && view.mismatches.Flag(rows.front(), view.mismatches->is_tie))
      lines.emplace_back("either side may be the one that errs: there is no majority");
    if (!rows.empty() && *view.mismatches.Int(rows.front(), view.mismatches->later) > 0) {
      lines.push_back(fmt::format(
          "{} later of the group differ too, which may follow from this one",
          Plural(
              static_cast<std::size_t>(*view.mismatches.Int(rows.front(), view.mismatches->later)),
              "call")));
    }
  } else {
    const auto missing = view.RanksThatAre(call, hang_state::kMissing);
    for (std::size_t i = 0; i < missing.size() && i < kHangReportMostRanks; ++i)
      lines.push_back(LastCallWords(view, missing[i]));
    if (missing.size() > kHangReportMostRanks)
      lines.push_back(fmt::format("and {} more: --table flight_ranks",
                                  Plural(missing.size() - kHangReportMostRanks, "rank")));
  }
  const auto no_dump = view.RanksThatAre(call, hang_state::kNoDump);
  if (!no_dump.empty() && verdict != hang_verdict::kNoDump)
    lines.push_back(
        fmt::format("there is no dump of {}: nothing is known of them", RankWords(no_dump)));
  const auto timed_out = view.calls.Int(call, view.calls->timed_out);
  const auto timeout = view.calls.Int(call, view.calls->timeout_ms);
  if (timed_out.value_or(0) > 0) {
    lines.push_back(fmt::format("timed out on {}{}",
                                Plural(static_cast<std::size_t>(*timed_out), "rank"),
                                timeout ? fmt::format(" after {} s", *timeout / 1000) : ""));
  }
  return lines;
}

void AppendRoots(std::string& out, const View& view) {
  std::size_t shown = 0;
  for (std::size_t call = 0; call < view.calls.rows(); ++call) {
    if (!view.IsRoot(call)) continue;
    if (shown > 0) {
      if (shown == 1) AppendHeading(out, "ALSO");
      AppendWrapped(out, "  ", SafeForTerminal(RootSentence(view, call)) + ".");
    }
    for (const std::string& line : Details(view, call))
      AppendWrapped(out, "    - ", SafeForTerminal(line));
    if (++shown == kMostRoots) break;
  }
}

}  // namespace

const Table* HangReport::Find(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name() == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string HangHeadline(const HangReport& report) {
  const View view(report);
  if (!view.calls.empty()) return RootSentence(view, 0);
  const std::size_t without = view.RanksWithoutDump().size();
  if (without == 0) {
    return "No call is pending: all collectives and messages that the dumps hold have ended on "
           "every rank";
  }
  return fmt::format("No call is pending in the dumps of {} of {}; of the others nothing is known",
                     view.ranks.rows() - without, Plural(view.ranks.rows(), "rank"));
}

std::vector<std::string> HangAdvice(const HangReport& report) {
  const View view(report);
  std::vector<std::string> advice;
  if (view.calls.empty()) {
    const std::vector<std::int64_t> without = view.RanksWithoutDump();
    if (!without.empty()) {
      advice.push_back(fmt::format("Bring the dumps of {}: what the job waits for may stand there.",
                                   RankWords(without)));
      return advice;
    }
    advice.emplace_back(
        "The job does not wait for communication: look at what its processes do (py-spy dump "
        "--pid PID), or make dumps while it stands still.");
    return advice;
  }
  const std::string_view verdict = view.Verdict(0);
  if (verdict == hang_verdict::kMissing) {
    const auto missing = view.RanksThatAre(0, hang_state::kMissing);
    advice.push_back(fmt::format(
        "Look at what the process of {} does (py-spy dump --pid PID) and at the end of its log: "
        "an exception, a wait for data, a branch without this call.",
        RankWords({missing.begin(), missing.begin() + 1})));
  } else if (verdict == hang_verdict::kMismatch) {
    advice.emplace_back(
        "Compare both places in the program: all ranks of a process group must make the same "
        "calls in the same order, with sizes and types that fit.");
  } else if (verdict == hang_verdict::kCircle) {
    advice.emplace_back(
        "Make these calls in one order on all ranks, or wait for the first before the second is "
        "made.");
  } else if (verdict == hang_verdict::kNoDump) {
    advice.push_back(fmt::format(
        "Look for the logs of {}: the process may have ended, or could not write. Dumps of all "
        "ranks need TORCH_NCCL_DUMP_ON_TIMEOUT=1 and a folder on every host.",
        RankWords(view.RanksThatAre(0, hang_state::kNoDump))));
  } else if (verdict == hang_verdict::kUnknown) {
    advice.emplace_back(
        "Let the recorder keep more: TORCH_NCCL_TRACE_BUFFER_SIZE (TORCH_FR_BUFFER_SIZE), 2000 "
        "calls or more.");
  } else {
    advice.emplace_back(
        "No rank is late and no call differs: look at the network and the devices (NCCL_DEBUG="
        "INFO, Xid errors of the kernel's log, links), or the dumps were made while the job ran.");
  }
  return advice;
}

std::string WriteHangText(const HangReport& report, const HangTextOptions& options) {
  const View view(report);
  const std::vector<std::int64_t> without = view.RanksWithoutDump();
  const std::size_t dumps = view.ranks.rows() - without.size();
  std::string out;
  AppendWrapped(out, "", SafeForTerminal(HangHeadline(report)) + ".");
  AppendRoots(out, view);
  AppendHeading(out, "WHAT TO DO");
  for (const std::string& line : HangAdvice(report))
    AppendWrapped(out, "  - ", SafeForTerminal(line));
  AppendHeading(out, "WHAT THE DUMPS SAY");
  AppendWrapped(
      out, "  - ",
      fmt::format("dumps of {} of {}{}", dumps, Plural(view.ranks.rows(), "rank"),
                  without.empty() ? "" : fmt::format("; none of {}", RankWords(without))));
  const std::size_t roots = view.RootCount();
  if (view.calls.rows() > 0) {
    AppendWrapped(out, "  - ",
                  fmt::format("{} pending, {} of them wait for others (--table "
                              "flight_collectives)",
                              Plural(view.calls.rows(), "call"), view.calls.rows() - roots));
  }
  if (roots > kMostRoots)
    AppendWrapped(
        out, "  - ",
        fmt::format("{} more wait for no other call", Plural(roots - kMostRoots, "call")));
  std::size_t ended = 0;
  for (std::size_t row = 0; row < view.mismatches.rows() && ended < kHangReportMostRanks; ++row) {
    if (view.mismatches.Flag(row, view.mismatches->is_pending)) continue;
    AppendWrapped(out, "  - ", SafeForTerminal("differed: " + MismatchWords(view, row)));
    ++ended;
  }
  for (std::size_t row = 0; row < view.notes.rows() && row < kHangReportMostRanks; ++row)
    AppendWrapped(out, "  - ", SafeForTerminal(view.notes.String(row, view.notes->note)));
  if (view.notes.rows() > kHangReportMostRanks)
    AppendWrapped(out, "  - ",
                  fmt::format("{} more: --table flight_notes",
                              Plural(view.notes.rows() - kHangReportMostRanks, "note")));
  return Resolve(out, options.colour);
}

std::string WriteHangJson(const HangReport& report) {
  const View view(report);
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.hang/1");
  writer.Line().TextMember("verdict", view.calls.empty() ? std::string_view() : view.Verdict(0));
  writer.Line().Member("headline", HangHeadline(report));
  writer.Line().Member("advice", HangAdvice(report));
  WriteTables(writer.Line(), report.tables);
  writer.EndObject();
  return out + "\n";
}

}  // namespace rankscope

#include "compare/notes.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "schemas/diff.h"
#include "schemas/layout.h"

namespace rankscope {
namespace {

// Below this share of device time at places that are in both, they are hardly one program.
constexpr double kLeastMatched = 0.5;

std::string Counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// "tp 2 x pp 4" of the first role, "" where nothing is known.
std::string LayoutText(const std::optional<ViewOf<Layout>>& layout) {
  if (!layout || layout->row_count() == 0) return "";
  const auto& columns = SchemaOf<Layout>();
  std::string text;
  for (std::size_t row = 0; row < layout->row_count(); ++row) {
    if (layout->String(row, columns.role) != layout->String(0, columns.role)) break;
    const auto degree = layout->Known(row, columns.degree);
    if (!degree || *degree == 1) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ",
                        layout->String(row, columns.dimension), *degree);
  }
  return text.empty() ? "no rank beside another" : text;
}

std::string JoinedNotes(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "unknown devices" : text;
}

// The share of both sides' time of work whose phase and path are in both.
double MatchedShare(const PairedSums& all) {
  const auto key = [](const WorkPlace& place) { return std::pair(place.phase, place.path); };
  using Ns = std::pair<double, double>;
  std::map<std::pair<std::string, std::string>, Ns> sides;
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const PlacePair& pair = all.pairs[i];
    if (!pair.place().is_work()) continue;
    if (pair.base != nullptr)
      sides[key(pair.base->place)].first += static_cast<double>(all.sums[i].base.ns);
    if (pair.test != nullptr)
      sides[key(pair.test->place)].second += static_cast<double>(all.sums[i].test.ns);
  }
  double shared = 0;
  double whole = 0;
  for (const auto& [place, ns] : sides) {
    whole += ns.first + ns.second;
    if (ns.first > 0 && ns.second > 0) shared += ns.first + ns.second;
  }
  return whole > 0 ? shared / whole : 1;
}

}  // namespace

Table NotesOf(const JobTables& base, const JobTables& test, const Measures& of_base,
              const Measures& of_test, const PairedSums& all, DiffUnit unit, SpreadOf spread) {
  const auto& columns = SchemaOf<DiffNotes>();
  auto table = columns.NewTable(std::string(DiffNotes::kName));
  const auto say = [&](std::string_view about, const std::string& note) {
    table.Add({columns.about = about, columns.note = note});
  };
  if (unit == DiffUnit::kRecording) {
    const bool neither = CompleteSteps(base) == 0 && CompleteSteps(test) == 0;
    say("unit",
        fmt::format("{} no complete step: whole recordings are compared, which is fair only when "
                    "both did the same work",
                    neither                    ? "BASE and TEST have"
                    : CompleteSteps(base) == 0 ? "BASE has"
                                               : "TEST has"));
  } else if (of_base.units.size() != of_test.units.size()) {
    say("steps", fmt::format("BASE has {}, TEST {}: all times are means of a step",
                             Counted(of_base.units.size(), "complete step"), of_test.units.size()));
  }
  if (of_base.ranks.size() != of_test.ranks.size()) {
    say("ranks", fmt::format("BASE has {}, TEST {}: all times are means of a rank's device",
                             Counted(of_base.ranks.size(), "rank"), of_test.ranks.size()));
  }
  const std::string base_layout = LayoutText(OptionalView<Layout>(base.layout));
  const std::string test_layout = LayoutText(OptionalView<Layout>(test.layout));
  if (base_layout != test_layout && !base_layout.empty() && !test_layout.empty())
    say("layout", fmt::format("the layout is {} in BASE and {} in TEST: ranks do other shares of "
                              "the work, and shapes may differ",
                              base_layout, test_layout));
  if (of_base.devices != of_test.devices)
    say("devices", fmt::format("BASE ran on {}, TEST on {}", JoinedNotes(of_base.devices),
                               JoinedNotes(of_test.devices)));
  if (const double matched = MatchedShare(all); matched < kLeastMatched)
    say("programs",
        fmt::format("only {:.0f}% of the time of kernels is at places that both have: are BASE "
                    "and TEST the same program?",
                    100 * matched));
  if (spread == SpreadOf::kNothing) {
    say("spread",
        "there is one step of one rank on both sides: nothing tells a change from chance; profile "
        "more steps (schedule(active=5))");
  } else if (spread == SpreadOf::kRanks) {
    say("spread",
        "there is one step on both sides: kernels are judged by the spread over ranks, and "
        "whether the step itself changed is not known; profile more steps (schedule(active=5))");
  }
  return table;
}

}  // namespace rankscope

// What an analysis is: a definition, a Map over one rank and a Reduce over all of them.
//
//   Map(facts, options)          sees one capture of one rank and returns a Partial: tables, and
//                                nothing else.
//   Reduce(partials, job, ...)   sees all partials, in any order, and returns the analysis's table.
//   Derive(tables, job, ...)     in place of both: makes its table of the tables of other analyses.
//
// An analysis is one file with a `const Analysis` and one line in list.cc; the command line, SQL,
// every output format and the documentation are generic over that list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace_facts.h"
#include "base/status.h"
#include "table/table.h"
#include "trace/trace.h"

namespace rankscope {

// One file of one rank, as the job knows it.
struct Capture {
  std::int64_t rank = 0;
  std::int64_t index = 0;  // counts a rank's captures in time order
  std::int64_t group = 0;  // captures of ranks that overlap in time share a group
  std::string path;
  std::string host;
  std::string device_name;
  std::int64_t world_size = -1;
  std::int64_t begin_ns = 0;  // absolute: since the epoch of the trace's clock
  std::int64_t end_ns = 0;
  std::int64_t rows = 0;
  std::int64_t events = 0;
  bool rank_is_stated = true;
  bool selected = true;  // belongs to the captures that are analysed
  std::vector<QualityEntry> quality;
};

class AcrossFacts;  // across/across_facts.h

// What is known about the job before any analysis. Immutable.
struct JobContext {
  std::vector<Capture> captures;  // all that were found, by rank and capture index
  std::vector<std::pair<std::string, Status>> unreadable;  // files that are no traces, and why
  std::int64_t origin_ns = 0;  // earliest begin of the selected captures: time 0 of every table
  // What the ranks did together, made of the partials of CollectiveMembersAnalysis; set for
  // analyses that need it.
  std::shared_ptr<const AcrossFacts> across;
};

// Options by name, as text; every analysis lists its own with defaults.
using Options = std::map<std::string, std::string, std::less<>>;

// What an option's text must be; CompleteOptions checks it, so that Map never sees anything else.
enum class OptionType : std::uint8_t { kText, kCount };  // kCount: a whole number, 0 or more

struct OptionSpec {
  std::string name;
  std::string default_value;
  std::string doc;
  bool of_map = false;  // true: changes what Map computes, so it is part of the partial's key
  OptionType type = OptionType::kText;
};

// Numbers of the steps to look at; nullopt = all of them and the time outside.
using StepFilter = std::optional<std::set<std::int64_t>>;

struct MapOptions {
  StepFilter steps;
  Options values;  // every option of the analysis, defaults filled in
};

// A rank's result: tables with the times of that rank's own clock, in absolute nanoseconds.
// `capture` indexes JobContext::captures.
struct Partial {
  std::size_t capture = 0;
  std::vector<Table> tables;
};

// Hands out the partials one at a time, in any order, so that memory does not follow the number of
// ranks.
class PartialStream {
 public:
  virtual ~PartialStream() = default;
  // False at the end; the status says when a partial could not be read back.
  virtual Result<bool> Next(Partial& partial) = 0;
};

enum class Group : std::uint8_t { kDefault, kCompat };
enum class Size : std::uint8_t { kSummary, kDetail };

struct Analysis {
  std::string name;
  int version = 1;  // raised when Map computes something else
  Group group = Group::kDefault;
  Size size = Size::kSummary;
  std::string summary;     // one line
  std::string definition;  // words and formulas, with their source
  std::string example;     // a command line
  std::vector<ColumnSpec> columns;
  std::vector<OptionSpec> options;
  std::function<std::vector<Table>(const TraceFacts&, const MapOptions&)> map;
  std::function<Result<Table>(PartialStream&, const JobContext&, const Options&)> reduce;
  // An analysis without a map may reduce the partials of another one, made with default options.
  const Analysis* partials_of = nullptr;
  // Reduce gets the partials of all captures, and tells the selected ones by Capture::selected:
  // for what one recording says of another, whatever --capture and --ranks select.
  bool of_all_captures = false;
  // Reduce and derive get JobContext::across.
  bool needs_across = false;
  // A derived analysis has `inputs` and `derive` and neither map nor reduce. `derive` gets the
  // tables of the inputs in their order, made with default options.
  std::vector<const Analysis*> inputs;
  std::function<Result<Table>(std::span<const Table* const>, const JobContext&, const Options&)>
      derive;
  // Whether the values of the options make sense, before any work; may be empty.
  std::function<Status(const Options&)> check = {};
};

// The analysis whose map makes the partials that `analysis` reduces; null when it needs none.
inline const Analysis* MapperOf(const Analysis& analysis) {
  if (analysis.partials_of != nullptr) return analysis.partials_of;
  return analysis.map ? &analysis : nullptr;
}

// True when step `number` is to be looked at.
inline bool Wants(const StepFilter& steps, std::int64_t number) {
  return !steps || steps->contains(number);
}

// Options with every default filled in; an error names an option that the analysis does not have,
// or whose value is not of its type or refused by the analysis.
Result<Options> CompleteOptions(const Analysis& analysis, const Options& given);

// The value of a kCount option that CompleteOptions has checked.
std::int64_t CountOption(const Options& options, std::string_view name);

}  // namespace rankscope

// The interface between the engine and the analyses.
//
//   Mapper     sees one capture of one rank (TraceFacts) and returns a partial: a few small tables
//   JobFact<T> something true of all ranks together, built once of a mapper's partials
//   Reducer    makes a table of all ranks of the partials (stage/reducer.h)
//   derive     makes a table of other tables and of facts
//
// An analysis is one file with a `const Analysis` and one line in the list (training/list.cc). The
// command line, SQL, all output formats and the documentation are generic over that list.
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

#include "base/component.h"
#include "base/status.h"
#include "table/schema.h"
#include "table/table.h"
#include "trace/step_filter.h"
#include "trace/trace.h"

namespace rankscope {

// One file of one rank, as the job knows it.
struct Capture {
  std::int64_t rank = 0;
  std::int64_t index = 0;  // counts a rank's captures in time order
  std::int64_t group = 0;  // captures of ranks that overlap in time share a group
  std::int64_t run = 0;    // those of one run of a program share it (job/runs.h)
  std::string path;
  // XXH3-128 of the file, 32 hexadecimal digits: identifies the recording independently of other
  // files.
  std::string content;
  std::string host;
  std::string device_name;
  std::int64_t host_devices = 0;  // devices of its host, as listed in the recording; 0 = unknown
  std::int64_t pid = -1;          // of the process that it records; -1 = unknown
  // Hashes of kernel names, with which SharedKernels (job/runs.h) compares programs.
  std::vector<std::uint64_t> kernel_names;
  std::int64_t world_size = -1;
  std::int64_t begin_ns = 0;  // absolute: since the epoch of the trace's clock
  std::int64_t end_ns = 0;
  std::int64_t rows = 0;
  std::int64_t events = 0;
  bool rank_is_stated = true;
  bool selected = true;  // is one of the analysed captures
  std::vector<QualityEntry> quality;
};

class TraceFacts;  // facts/trace_facts.h
class Telemetry;   // telemetry/telemetry.h
struct AnyJobFact;
template <typename T>
struct JobFact;
class Reducer;  // stage/reducer.h

// What is known about the job before any analysis. Immutable.
struct JobContext {
  std::vector<Capture> captures;  // all that were found, by rank and capture index
  std::vector<std::pair<std::string, Status>> unreadable;  // files that are not traces, and why
  std::int64_t origin_ns = 0;  // earliest begin of the selected captures: time 0 of every table
  std::shared_ptr<const Telemetry> telemetry;  // beside the traces; null without any
  int threads = 1;                             // that an analysis may use
  StepFilter steps;  // that were chosen: what is said of the job's steps is of these alone
  // Facts about all ranks together, built before they are needed.
  std::map<const AnyJobFact*, std::shared_ptr<const void>> facts;

  // The analysis must list the fact.
  template <typename T>
  const T& Get(const JobFact<T>& fact) const {
    return *static_cast<const T*>(facts.find(&fact)->second.get());
  }
};

// Options by name, as text; every analysis lists its own with defaults.
using Options = std::map<std::string, std::string, std::less<>>;

// The type of an option's text. CompleteOptions checks it, so Map only gets valid text.
enum class OptionType : std::uint8_t { kText, kCount };  // kCount: a whole number, 0 or more

struct OptionSpec {
  std::string name;
  std::string default_value;
  std::string doc;
  OptionType type = OptionType::kText;
};

struct MapOptions {
  StepFilter steps;
  Options values;  // every option of the mapper, defaults filled in
  // The parts of the mapper's facts about this capture.
  std::map<const AnyJobFact*, Table> slices = {};

  const Table& SliceOf(const AnyJobFact& fact) const { return slices.find(&fact)->second; }
};

// A rank's result: tables with times on that rank's own clock, in absolute nanoseconds. `capture`
// indexes JobContext::captures.
struct Partial {
  std::size_t capture = 0;
  std::vector<Table> tables;
};

// Returns the partials one at a time, in any order, so memory does not grow with the number of
// ranks.
class PartialStream {
 public:
  virtual ~PartialStream() = default;
  // False at the end; an error if a partial could not be read.
  virtual Result<bool> Next(Partial& partial) = 0;
};

// A computation for every capture. Several analyses may use one mapper; its partial is stored under
// its name, version and option values.
struct Mapper {
  std::string name;
  int version = 1;  // raised when the results of `map` change
  std::vector<OptionSpec> options;
  // The columns of the tables that `map` returns, in order. A stored partial with other columns is
  // recomputed.
  std::vector<std::vector<ColumnSpec>> tables;
  // Components used by `map` besides the facts (FactComponents): if the version of one is raised,
  // partials are recomputed.
  std::vector<Component> uses;
  // Null: nothing to map.
  std::function<std::vector<Table>(const TraceFacts&, const MapOptions&)> map;
  // Facts needed by `map`. It runs when they are known, over the selected captures, and sees only
  // each fact's `slice` for the capture. The slice is part of the partial's key. So if an
  // additional rank does not change a fact's slice, the capture is not mapped again.
  std::vector<const AnyJobFact*> facts = {};
  // Its tables have about as many rows as the trace has events. It runs first, before other mappers
  // compute the trace's facts.
  bool is_large = false;

  explicit operator bool() const { return map != nullptr; }
};

// A fact about all ranks together, such as their common clock. It is built once per job from a
// mapper's partials, and passed to the analyses that list it and, in slices, to the mappers that
// list it. This is the untyped form for lists and the engine; declarations and uses have a
// JobFact<T>.
struct AnyJobFact {
  std::string name;
  Mapper mapper;
  std::function<Result<std::shared_ptr<const void>>(PartialStream&, const JobContext&)> build;
  // The part of the fact about one capture (an index into JobContext::captures), as a table, for
  // mappers that list the fact. Null: the fact is only for analyses.
  std::function<Table(const void* fact, const JobContext&, std::size_t capture)> slice = {};
  // Facts available to `build` through JobContext::Get.
  std::vector<const AnyJobFact*> facts = {};
};

// A fact of type T.
template <typename T>
struct JobFact : AnyJobFact {
  // Like those of AnyJobFact, typed.
  struct Parts {
    std::string name;
    Mapper mapper;
    std::function<Result<std::shared_ptr<const T>>(PartialStream&, const JobContext&)> build;
    std::function<Table(const T&, const JobContext&, std::size_t capture)> slice = {};
    std::vector<const AnyJobFact*> facts = {};
  };
  explicit JobFact(Parts parts);
};

// The tables of Analysis::inputs, by schema.
class InputTables {
 public:
  // The tables must outlive it.
  explicit InputTables(std::span<const Table* const> tables) : tables_(tables) {}

  // The table with schema S, which must be one of the inputs.
  template <typename S>
  ViewOf<S> Of() const {
    return Named(S::kName);
  }
  const Table& Named(std::string_view name) const;
  std::span<const Table* const> all() const { return tables_; }

 private:
  std::span<const Table* const> tables_;
};

enum class Group : std::uint8_t { kDefault, kCompat };
enum class Size : std::uint8_t { kSummary, kDetail };

struct Analysis {
  std::string name;
  Group group = Group::kDefault;
  Size size = Size::kSummary;
  std::string summary;     // one line
  std::string definition;  // words and formulas, with their source
  std::string example;     // a command line
  std::vector<ColumnSpec> columns;
  std::vector<OptionSpec> options;  // of the reducer or `derive`; the mapper has its own
  Mapper mapper;                    // its partials are the input of the reducer
  std::function<std::unique_ptr<Reducer>(const Options&)> reducer;
  // The reducer gets the partials of all captures, and distinguishes the selected ones by
  // Capture::selected. For data that one recording has about another, independent of --capture and
  // --ranks.
  bool of_all_captures = false;
  // Facts available to Finish and derive through JobContext::Get.
  std::vector<const AnyJobFact*> facts;
  // Instead of mapper and reducer: the table is derived from facts and from the tables of `inputs`,
  // made with default options.
  std::vector<const Analysis*> inputs;
  std::function<Result<Table>(const InputTables&, const JobContext&, const Options&)> derive;
  // Checks the option values before any work; may be empty.
  std::function<Status(const Options&)> check = {};

  // The mapper's options, followed by its own.
  std::vector<OptionSpec> AllOptions() const;
};

// Options with all defaults filled in. An error names an option that is unknown, has a value of the
// wrong type, or is refused by the analysis.
Result<Options> CompleteOptions(const Analysis& analysis, const Options& given);

// The options of a mapper, taken from those of an analysis that uses it.
Options MapperOptions(const Mapper& mapper, const Options& of_analysis);

// The value of a kCount option that CompleteOptions has checked.
std::int64_t CountOption(const Options& options, std::string_view name);

template <typename T>
JobFact<T>::JobFact(Parts parts)
    : AnyJobFact{.name = std::move(parts.name),
                 .mapper = std::move(parts.mapper),
                 .build = [build = std::move(parts.build)](
                              PartialStream& partials,
                              const JobContext& job) -> Result<std::shared_ptr<const void>> {
                   RS_ASSIGN_OR_RETURN(std::shared_ptr<const T> fact, build(partials, job));
                   return std::shared_ptr<const void>(std::move(fact));
                 },
                 .facts = std::move(parts.facts)} {
  if (parts.slice == nullptr) return;
  slice = [of_fact = std::move(parts.slice)](const void* fact, const JobContext& job,
                                             std::size_t capture) {
    return of_fact(*static_cast<const T*>(fact), job, capture);
  };
}

}  // namespace rankscope

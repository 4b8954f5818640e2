// What the engine and the analyses agree on.
//
//   Mapper     sees one capture of one rank (TraceFacts) and returns a partial: a few small tables
//   JobFact<T> something true of all ranks together, built once of a mapper's partials
//   Reducer    makes a table of all ranks of the partials (stage/reducer.h)
//   derive     makes a table of other tables and of facts
//
// An analysis is one file with a `const Analysis` and one line in the list (training/list.cc); the
// command line, SQL, every output format and the documentation are generic over that list.
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
  // XXH3-128 of the file, 32 hexadecimal digits: names the recording whatever files come to it.
  std::string content;
  std::string host;
  std::string device_name;
  std::int64_t host_devices = 0;  // that its host has, as the recording lists them; 0 = unknown
  std::int64_t pid = -1;          // of the process that it records; -1 = unknown
  // Hashes of their names: SharedKernels (job/runs.h) says how alike two programs are.
  std::vector<std::uint64_t> kernel_names;
  std::int64_t world_size = -1;
  std::int64_t begin_ns = 0;  // absolute: since the epoch of the trace's clock
  std::int64_t end_ns = 0;
  std::int64_t rows = 0;
  std::int64_t events = 0;
  bool rank_is_stated = true;
  bool selected = true;  // belongs to the captures that are analysed
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
  std::vector<std::pair<std::string, Status>> unreadable;  // files that are no traces, and why
  std::int64_t origin_ns = 0;  // earliest begin of the selected captures: time 0 of every table
  std::shared_ptr<const Telemetry> telemetry;  // beside the traces; null without any
  int threads = 1;                             // that an analysis may take for itself
  // What is true of all ranks together, built before what needs it runs.
  std::map<const AnyJobFact*, std::shared_ptr<const void>> facts;

  // The fact must be one that the analysis lists.
  template <typename T>
  const T& Get(const JobFact<T>& fact) const {
    return *static_cast<const T*>(facts.find(&fact)->second.get());
  }
};

// Options by name, as text; every analysis lists its own with defaults.
using Options = std::map<std::string, std::string, std::less<>>;

// What an option's text must be; CompleteOptions checks it, so that Map never sees anything else.
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
  // What the facts that the mapper lists say to this capture.
  std::map<const AnyJobFact*, Table> slices = {};

  const Table& SliceOf(const AnyJobFact& fact) const { return slices.find(&fact)->second; }
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

// What is computed of every capture. Several analyses may use one mapper; its partial is stored
// under its name, version and the values of its options.
struct Mapper {
  std::string name;
  int version = 1;  // raised when `map` computes something else
  std::vector<OptionSpec> options;
  // The columns of the tables that `map` returns, in order. A stored partial with others is made
  // anew.
  std::vector<std::vector<ColumnSpec>> tables;
  // What decides what `map` computes beside the facts (FactComponents): a raised version of one of
  // them makes partials anew.
  std::vector<Component> uses;
  // Null: there is nothing to map.
  std::function<std::vector<Table>(const TraceFacts&, const MapOptions&)> map;
  // Facts that `map` needs: it runs when they are known, over the selected captures, and sees of
  // each what its `slice` says to that capture. The slice is part of the partial's key: a fact that
  // says the same as before to a capture, because another rank came, maps that capture no more.
  std::vector<const AnyJobFact*> facts = {};
  // Its tables have about as many rows as the trace has events: it goes first, before other mappers
  // have the trace's facts made.
  bool is_large = false;

  explicit operator bool() const { return map != nullptr; }
};

// Something true of all ranks together, such as their common clock: built once per job of a
// mapper's partials, handed to the analyses that list it and, in slices, to the mappers that do.
// As lists and the engine see it; whoever declares or asks for one has a JobFact<T>.
struct AnyJobFact {
  std::string name;
  Mapper mapper;
  std::function<Result<std::shared_ptr<const void>>(PartialStream&, const JobContext&)> build;
  // What the fact says to one capture (an index into JobContext::captures), in a table: for mappers
  // that list the fact. Null: it is for analyses alone.
  std::function<Table(const void* fact, const JobContext&, std::size_t capture)> slice = {};
  // What JobContext::Get gives to `build`.
  std::vector<const AnyJobFact*> facts = {};
};

// A fact that is a T.
template <typename T>
struct JobFact : AnyJobFact {
  // As those of AnyJobFact, with the type.
  struct Parts {
    std::string name;
    Mapper mapper;
    std::function<Result<std::shared_ptr<const T>>(PartialStream&, const JobContext&)> build;
    std::function<Table(const T&, const JobContext&, std::size_t capture)> slice = {};
    std::vector<const AnyJobFact*> facts = {};
  };
  explicit JobFact(Parts parts);
};

// The tables of Analysis::inputs, by what they are.
class InputTables {
 public:
  // The tables must outlive it.
  explicit InputTables(std::span<const Table* const> tables) : tables_(tables) {}

  // The table that S declares, which must be one of the inputs.
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
  std::vector<OptionSpec>
      options;    // of the reducer or `derive`; those of the mapper come beside them
  Mapper mapper;  // whose partials the reducer takes
  std::function<std::unique_ptr<Reducer>(const Options&)> reducer;
  // The reducer gets the partials of all captures, and tells the selected ones by
  // Capture::selected: for what one recording says of another, whatever --capture and --ranks
  // select.
  bool of_all_captures = false;
  // What JobContext::Get gives to Finish and derive.
  std::vector<const AnyJobFact*> facts;
  // In place of mapper and reducer: the table follows from facts and from the tables of `inputs`,
  // made with default options.
  std::vector<const Analysis*> inputs;
  std::function<Result<Table>(const InputTables&, const JobContext&, const Options&)> derive;
  // Whether the values of the options make sense, before any work; may be empty.
  std::function<Status(const Options&)> check = {};

  // The mapper's options, and its own behind them.
  std::vector<OptionSpec> AllOptions() const;
};

// Options with every default filled in; an error names an option that the analysis does not have,
// or whose value is not of its type or refused by the analysis.
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

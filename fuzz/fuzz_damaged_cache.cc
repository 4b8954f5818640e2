// Damaged caches with right checksums: a columnar file is refused, or every map runs over it;
// partials are refused, or every reduce and every derived table is made of them.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "check_trace.h"
#include "damaged_trace.h"
#include "engine/summary.h"
#include "facts/trace_facts.h"
#include "formats/columnar/cache_file.h"
#include "input.h"
#include "job/captures.h"
#include "stage/reducer.h"
#include "table/codec.h"
#include "table/schema.h"
#include "training/list.h"

namespace rankscope::fuzz {
namespace {

constexpr Hash128 kKey{1, 2};

std::string FileOf(const RankTrace& trace) {
  static const std::string path = fmt::format("/dev/shm/fuzz_damaged_cache_{}", getpid());
  FUZZ_CHECK(columnar::WriteCacheFile(trace, kKey, path).ok());
  std::string bytes = ReadFile(path).value();
  unlink(path.c_str());
  return bytes;
}

Result<RankTrace> OpenBytes(const std::string& file) {
  constexpr std::size_t kAlignment = 64;
  auto copy = std::shared_ptr<char>(
      static_cast<char*>(std::aligned_alloc(kAlignment, (file.size() + kAlignment) / 64 * 64)),
      std::free);
  std::memcpy(copy.get(), file.data(), file.size());
  const std::string_view bytes(copy.get(), file.size());
  return columnar::ReadCacheBytes(bytes, std::move(copy), "input", kKey);
}

// Another value for a cell, of the type of its column.
Value Other(Source& source, ColumnType type, std::string_view text) {
  if (source.Byte() % 16 == 0) return kNull;
  switch (type) {
    case ColumnType::kInt64:
      return source.Number();
    case ColumnType::kDouble:
      return static_cast<double>(source.Number()) * 1e100;
    case ColumnType::kString:
      return source.Byte() % 2 == 0 ? text.substr(0, source.Byte())
                                    : kLists[source.Byte() % std::size(kLists)];
    case ColumnType::kBool:
      return source.Byte() % 2 == 0;
  }
  return kNull;
}

// The tables with a few other cells, through their encoding.
std::vector<Table> Damaged(Source& source, const std::vector<Table>& tables) {
  std::vector<Table> damaged = tables;
  for (std::uint32_t change = source.Byte() % 4; change > 0 && !tables.empty(); --change) {
    Table& table = damaged[source.Byte() % damaged.size()];
    if (table.row_count() == 0) continue;
    const std::size_t at_row = source.Word() % table.row_count();
    const std::size_t at_column = source.Byte() % table.column_count();
    Table changed(table.name(), table.columns());
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      std::vector<Value> values;
      for (std::size_t column = 0; column < table.column_count(); ++column)
        values.push_back(table.At(row, column));
      if (row == at_row) {
        const auto* text = std::get_if<std::string_view>(&values[at_column]);
        values[at_column] = Other(source, table.columns()[at_column].type,
                                  text == nullptr ? std::string_view() : *text);
      }
      changed.AddRow(values);
    }
    table = std::move(changed);
  }
  auto decoded = DecodeTables(EncodeTables(damaged));
  FUZZ_CHECK(decoded.ok());
  return std::move(*decoded);
}

// The partials of one analysis, one for each capture.
class Stored : public PartialStream {
 public:
  explicit Stored(std::vector<Partial> partials) : partials_(std::move(partials)) {}
  Result<bool> Next(Partial& partial) override {
    if (next_ == partials_.size()) return false;
    partial = partials_[next_++];
    return true;
  }

 private:
  std::vector<Partial> partials_;
  std::size_t next_ = 0;
};

// Every 32nd of the analyses, or all, once in 256 inputs: fewer at a time are tried with more
// traces.
std::vector<const Analysis*> SomeAnalyses(std::uint8_t which) {
  constexpr std::size_t kParts = 32;
  std::vector<const Analysis*> some;
  for (std::size_t i = 0; i < AllAnalyses().size(); ++i) {
    if (which == 0 || i % kParts == which % kParts) some.push_back(AllAnalyses()[i]);
  }
  return some;
}

class Job {
 public:
  Job(Source& source, std::vector<const Analysis*> analyses)
      : source_(source), analyses_(std::move(analyses)) {}

  void Add(const RankTrace& trace) {
    const TraceFacts facts(trace);
    PartialsOfTrace partials;
    for (const Analysis* analysis : analyses_) MapAll(*analysis, facts, partials);
    const std::vector<Table> summary = CaptureSummary().map(facts, {});
    auto capture = CaptureFromSummary(Damaged(source_, summary));
    if (!capture.ok()) capture = CaptureFromSummary(summary);
    FUZZ_CHECK(capture.ok());
    capture->path = fmt::format("trace{}.json", partials_.size());
    job_.captures.push_back(std::move(*capture));
    partials_.push_back(std::move(partials));
  }

  void MakeTables() {
    ArrangeCaptures(job_.captures, {.which = CaptureSelection::Which::kAll});
    job_.origin_ns = job_.captures.front().begin_ns;
    for (const Capture& capture : job_.captures)
      job_.origin_ns = std::min(job_.origin_ns, capture.begin_ns);
    for (const Analysis* analysis : analyses_) {
      [[maybe_unused]] const Result<Table> table = TableOf(*analysis);
    }
  }

 private:
  using PartialsOfTrace = std::map<std::string, std::vector<Table>>;  // by the mapper's name

  void Map(const Mapper& mapper, const TraceFacts& facts, PartialsOfTrace& partials) {
    if (!mapper || partials.contains(mapper.name)) return;
    partials[mapper.name] = Damaged(source_, mapper.map(facts, {{}, MapperOptions(mapper, {})}));
  }
  // All that a table is made of.
  void MapAll(const Analysis& analysis, const TraceFacts& facts, PartialsOfTrace& partials) {
    for (const Analysis* input : analysis.inputs) MapAll(*input, facts, partials);
    for (const AnyJobFact* fact : analysis.facts) MapFact(*fact, facts, partials);
    Map(analysis.mapper, facts, partials);
  }
  void MapFact(const AnyJobFact& fact, const TraceFacts& facts, PartialsOfTrace& partials) {
    for (const AnyJobFact* input : fact.facts) MapFact(*input, facts, partials);
    Map(fact.mapper, facts, partials);
  }

  // Those that it is built of first.
  Status Build(const AnyJobFact& fact) {
    if (job_.facts.contains(&fact)) return OkStatus();
    for (const AnyJobFact* input : fact.facts) RS_RETURN_IF_ERROR(Build(*input));
    Stored partials = PartialsOf(fact.mapper);
    RS_ASSIGN_OR_RETURN(job_.facts[&fact], fact.build(partials, job_));
    return OkStatus();
  }

  Stored PartialsOf(const Mapper& mapper) const {
    std::vector<Partial> partials;
    for (std::size_t capture = 0; mapper && capture < job_.captures.size(); ++capture) {
      const Capture& of = job_.captures[capture];
      const auto number = static_cast<std::size_t>(std::stoi(of.path.substr(5)));
      if (of.selected) partials.push_back({capture, partials_[number].at(mapper.name)});
    }
    return Stored(std::move(partials));
  }

  Result<Table> TableOf(const Analysis& analysis) {
    if (const auto found = tables_.find(&analysis); found != tables_.end()) return found->second;
    RS_ASSIGN_OR_RETURN(Table table, Make(analysis));
    FUZZ_CHECK(HasColumns(table, analysis.columns));
    tables_[&analysis] = table;
    return table;
  }

  Result<Table> Reduce(Reducer& reducer, Stored& partials) {
    Partial partial;
    while (true) {
      RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
      if (!more) return reducer.Finish(job_);
      RS_RETURN_IF_ERROR(reducer.Add(job_.captures[partial.capture], std::move(partial.tables)));
    }
  }

  Result<Table> Make(const Analysis& analysis) {
    RS_ASSIGN_OR_RETURN(const Options options, CompleteOptions(analysis, {}));
    for (const AnyJobFact* fact : analysis.facts) RS_RETURN_IF_ERROR(Build(*fact));
    if (!analysis.derive) {
      Stored partials = PartialsOf(analysis.mapper);
      return Reduce(*analysis.reducer(options), partials);
    }
    std::vector<Table> tables;
    for (const Analysis* input : analysis.inputs) {
      RS_ASSIGN_OR_RETURN(Table table, TableOf(*input));
      tables.push_back(std::move(table));
    }
    std::vector<const Table*> inputs;
    for (const Table& table : tables) inputs.push_back(&table);
    return analysis.derive(InputTables(inputs), job_, options);
  }

  Source& source_;
  std::vector<const Analysis*> analyses_;
  JobContext job_;
  std::vector<PartialsOfTrace> partials_;  // by the number in the path
  std::map<const Analysis*, Table> tables_;
};

}  // namespace

// Times and sizes of a forged cache may be any numbers that keep a trace's order, and what is added
// up of them wraps around in the program (-fwrapv). UBSan prints these and goes on; all else that
// it finds ends the run.
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() { return "halt_on_error=0"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  Source source(input.data);
  Job job(source, SomeAnalyses(input.second));
  for (int rank = 0; rank <= input.first % 3; ++rank) {
    const RankTrace trace = TraceFromBytes(source).Make();
    std::string file = FileOf(trace);
    const Result<RankTrace> whole = OpenBytes(file);
    FUZZ_CHECK(whole.ok());
    DamageFile(source, file);
    const Result<RankTrace> damaged = OpenBytes(file);
    if (damaged.ok()) CheckTrace(*damaged);
    job.Add(damaged.ok() ? *damaged : *whole);
  }
  job.MakeTables();
  return 0;
}

}  // namespace rankscope::fuzz

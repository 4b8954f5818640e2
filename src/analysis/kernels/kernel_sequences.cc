#include "analysis/kernels/analyses.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <set>
#include <utility>

#include "analysis/ops/frame_sums.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/columns.h"
#include "stage/reducer.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "table/schema.h"

namespace rankscope {
namespace {

struct KernelSequences : Schema<KernelSequences> {
  StringColumn op = Text("op", "name of the op");
  StringColumn kernels =
      Text("kernels",
           "names of the kernels and copies in the order of their launches, with ' | ' "
           "between; after 20 the number of those left out; null for (others), the "
           "sequences beyond the option sequences");
  IntColumn length = Int("length", "", "how many; null for (others)");
  IntColumn ranks = Int("ranks", "", "ranks on which it occurs");
  IntColumn count = Int("count", "", "calls that launched just this sequence");
  IntColumn device_ns = Int("device_ns", "ns", "durations of the work, summed over these calls");
  RealColumn mean_ns = Real("mean_ns", "ns", "device_ns / count");
  RealColumn share_pct =
      Real("share_pct", "%", "device_ns as a part of what this op's calls launched");
};

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kMostNameBytes = 200;

struct SequencePartial : Schema<SequencePartial> {
  StringColumn op = Text("op", "or (others)");
  StringColumn kernels = Text("kernels", "null for (others)");
  IntColumn length = Int("length", "", "null for (others)");
  IntColumn count = Int("count");
  IntColumn device_ns = Int("device_ns", "ns");
};

__extension__ using Wide = unsigned __int128;

// Arithmetic modulo the prime 2^61 - 1.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b % kPrime);
}

// Scrambles a name's number, so that sequences of small numbers do not collide.
std::uint64_t Scrambled(std::uint64_t x) {
  x = (x + 0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return (x ^ x >> 31) % kPrime;
}

// All launched work in the order of the calls. What one frame launched, frames inside included, is
// a range of it, so that the ranges of all frames take linear time although they nest.
class LaunchedWork {
 public:
  LaunchedWork(const RankTrace& trace, const FrameTree& frames)
      : first_(frames.size(), UINT32_MAX), end_(frames.size(), 0) {
    hashes_.push_back(0);
    powers_.push_back(1);
    totals_.push_back(0);
    for (const RowPair& launch : trace.launch_kernels) {
      const Row row = launch.to;
      if (trace.track_of(row).domain != Domain::kDevice || trace.dur_ns[row] < 0) continue;
      const auto index = static_cast<std::uint32_t>(works_.size());
      works_.push_back(row);
      hashes_.push_back((Times(hashes_.back(), kBase) + Scrambled(trace.name[row])) % kPrime);
      powers_.push_back(Times(powers_.back(), kBase));
      totals_.push_back(totals_.back() + static_cast<std::uint64_t>(trace.dur_ns[row]));
      if (const std::uint32_t frame = frames.at(launch.from); frame != FrameTree::kNone)
        Widen(frame, index, index + 1);
    }
    for (std::uint32_t frame = frames.size(); frame-- > 0;) {
      if (frames.around(frame) != FrameTree::kNone && LengthOf(frame) > 0)
        Widen(frames.around(frame), first_[frame], end_[frame]);
    }
  }

  std::uint32_t LengthOf(std::uint32_t frame) const {
    return end_[frame] > first_[frame] ? end_[frame] - first_[frame] : 0;
  }
  // Equal for frames that launched equal sequences of names.
  std::uint64_t HashOf(std::uint32_t frame) const {
    const std::uint64_t before = Times(hashes_[first_[frame]], powers_[LengthOf(frame)]);
    return (hashes_[end_[frame]] + kPrime - before) % kPrime;
  }
  std::int64_t DurationOf(std::uint32_t frame) const {
    const Wide sum = totals_[end_[frame]] - totals_[first_[frame]];
    return sum > Wide{INT64_MAX} ? INT64_MAX : static_cast<std::int64_t>(sum);
  }
  Row WorkOf(std::uint32_t frame, std::uint32_t index) const {
    return works_[first_[frame] + index];
  }

 private:
  static constexpr std::uint64_t kBase = 0x1A2B3C4D5E6F789B % kPrime;

  void Widen(std::uint32_t frame, std::uint32_t first, std::uint32_t end) {
    first_[frame] = std::min(first_[frame], first);
    end_[frame] = std::max(end_[frame], end);
  }

  std::vector<Row> works_;
  std::vector<std::uint64_t> hashes_;  // of the first n
  std::vector<std::uint64_t> powers_;
  std::vector<Wide> totals_;
  std::vector<std::uint32_t> first_;  // of each frame
  std::vector<std::uint32_t> end_;
};

std::string TextOf(const RankTrace& trace, const LaunchedWork& work, std::uint32_t frame) {
  const std::uint32_t length = work.LengthOf(frame);
  std::string text;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(length, kMostShown); ++i) {
    std::string_view name = trace.name_of(work.WorkOf(frame, i));
    if (name.size() > kMostNameBytes) {
      std::size_t end = kMostNameBytes;
      while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
      name = name.substr(0, end);
    }
    if (i > 0) text += " | ";
    text += name;
  }
  if (length > kMostShown) text += fmt::format(" | and {} more", length - kMostShown);
  return text;
}

struct Sequence {
  std::uint32_t example = 0;  // a frame that launched it
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
};

struct SequenceKey {
  StringId op = kEmptyString;
  std::uint32_t length = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const SequenceKey&, const SequenceKey&) = default;
  friend std::size_t hash_value(const SequenceKey& key) {
    return static_cast<std::size_t>(Scrambled(key.hash ^ key.op) ^ key.length);
  }
};

std::vector<Table> MapKernelSequences(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const std::string& wanted = options.values.find("op")->second;
  const Windows windows = Windows::OfHost(facts, options.steps);
  const FrameTree frames(trace, [&](Row row) { return trace.kind[row] == EventKind::kCpuOp; });
  const LaunchedWork work(trace, frames);
  boost::unordered_flat_map<SequenceKey, std::uint32_t> known;
  std::vector<Sequence> sequences;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const Row row = frames.row(frame);
    if (work.LengthOf(frame) == 0) continue;
    if (options.steps && windows.OfWork(row) == Windows::kNone) continue;
    if (!wanted.empty() && trace.name_of(row).find(wanted) == std::string_view::npos) continue;
    const auto [place, is_new] =
        known.emplace(SequenceKey{trace.name[row], work.LengthOf(frame), work.HashOf(frame)},
                      static_cast<std::uint32_t>(sequences.size()));
    if (is_new) sequences.push_back({.example = frame});
    Sequence& sequence = sequences[place->second];
    ++sequence.count;
    AddSaturating(sequence.device_ns, work.DurationOf(frame));
  }
  std::sort(sequences.begin(), sequences.end(), [](const Sequence& a, const Sequence& b) {
    return a.device_ns != b.device_ns ? a.device_ns > b.device_ns : a.example < b.example;
  });
  const auto& columns = SchemaOf<SequencePartial>();
  auto table = columns.NewPartial("kernel_sequences");
  const auto most = static_cast<std::size_t>(CountOption(options.values, "sequences"));
  Sequence others;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& sequence = sequences[i];
    if (i >= most) {
      others.count += sequence.count;
      AddSaturating(others.device_ns, sequence.device_ns);
      continue;
    }
    const std::string text = TextOf(trace, work, sequence.example);
    table.Add({columns.op = trace.name_of(frames.row(sequence.example)), columns.kernels = text,
               columns.length = work.LengthOf(sequence.example), columns.count = sequence.count,
               columns.device_ns = sequence.device_ns});
  }
  if (others.count > 0) {
    table.Add({columns.op = kOtherFrames, columns.count = others.count,
               columns.device_ns = others.device_ns});
  }
  return MoveTables(std::move(table));
}

struct SequenceOverRanks {
  std::set<std::int64_t> ranks;
  std::int64_t count = 0;
  std::int64_t device_ns = 0;
};

struct KernelSequencesState {
  using Key = std::tuple<std::string, std::string, std::int64_t>;  // op, kernels, length

  explicit KernelSequencesState(const Options& options) : top(CountOption(options, "top")) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<SequencePartial>();
    const ViewOf<SequencePartial> rows = tables.front();
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const bool is_others = rows.IsNull(row, columns.kernels);
      SequenceOverRanks& sum =
          sequences[{std::string(rows.String(row, columns.op)),
                     is_others ? "" : std::string(rows.String(row, columns.kernels)),
                     is_others ? 0 : rows.Known(row, columns.length).value_or(0)}];
      sum.ranks.insert(capture.rank);
      AddSaturating(sum.count, rows.Int(row, columns.count));
      AddSaturating(sum.device_ns, rows.Int(row, columns.device_ns));
    }
    return OkStatus();
  }

  void Merge(KernelSequencesState&& other) {
    sequences.merge(other.sequences);  // leaves those that are in both
    for (auto& [key, sum] : other.sequences) {
      SequenceOverRanks& into = sequences.at(key);
      into.ranks.merge(sum.ranks);
      AddSaturating(into.count, sum.count);
      AddSaturating(into.device_ns, sum.device_ns);
    }
  }

  Result<Table> Finish(const JobContext&) {
    std::map<std::string, std::int64_t> of_op;
    for (const auto& [key, sum] : sequences) AddSaturating(of_op[std::get<0>(key)], sum.device_ns);
    const auto& columns = SchemaOf<KernelSequences>();
    auto table = columns.NewTable("kernel_sequences");
    for (const auto& [key, sum] : sequences) {
      const auto& [op, kernels, length] = key;
      table.Add(
          {columns.op = op,
           columns.kernels = length == 0 ? Value(kNull) : Value(std::string_view(kernels)),
           columns.length = length == 0 ? Value(kNull) : Value(length),
           columns.ranks = static_cast<std::int64_t>(sum.ranks.size()), columns.count = sum.count,
           columns.device_ns = sum.device_ns,
           columns.mean_ns = static_cast<double>(sum.device_ns) / static_cast<double>(sum.count),
           columns.share_pct = Percent(sum.device_ns, of_op.at(op))});
    }
    table.SortBy({{columns.device_ns, true}, {columns.count, true}});
    if (top > 0) table.Truncate(static_cast<std::size_t>(top));
    return table;
  }

  std::int64_t top = 0;
  std::map<Key, SequenceOverRanks> sequences;
};

}  // namespace

const Analysis& KernelSequencesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernel_sequences",
      .size = Size::kDetail,
      .summary = "which kernels the calls of an op launch, in order, and how often",
      .definition =
          "For every call of an op that launched device work, itself or by ops inside: the names "
          "of that work in the order of the launching calls (kernels of a graph by stream, then "
          "time). Calls of the same op with the same sequence are one row. An op that takes "
          "several ways (another algorithm for another shape, a copy now and then) has several "
          "rows. Ops nest, so rows of different ops may count the same work; --steps takes the "
          "calls that begin in the steps. Names are cut after 200 bytes and sequences after 20 "
          "names; those that look the same then are one row over ranks. Per rank the `sequences` "
          "with the most device time are kept.",
      .example = "rankscope table kernel_sequences traces/ --set op=aten::linear",
      .columns = SchemaOf<KernelSequences>().columns(),
      .options = {{"top", "0", "keep the rows with the most device time; 0 = all",
                   OptionType::kCount}},
      .mapper = {.name = "kernel_sequences",
                 .options = {{"op", "", "only ops whose name contains this text"},
                             {"sequences", "500", "so many rows per rank", OptionType::kCount}},
                 .tables = {SchemaOf<SequencePartial>().BareColumns()},
                 .map = MapKernelSequences},
      .reducer = ReduceBy<KernelSequencesState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope

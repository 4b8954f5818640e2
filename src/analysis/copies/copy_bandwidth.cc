#include "analysis/copies/analyses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "analysis/copies/copy_direction.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/copies.h"
#include "stage/reducer.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct BinPartial : Schema<BinPartial> {
  StringColumn direction = Text("direction");
  IntColumn shift = Int("shift", "", "k: bins are 2^k ns wide");
  IntColumn bin = Int("bin", "", "begin of the bin / 2^k, by the rank's own clock");
  IntColumn bytes = Int("bytes", "bytes");
  IntColumn busy_ns = Int("busy_ns", "ns");
};

// Bins are 2^k ns wide and begin at multiples of that in absolute time, so those of one width can
// be put together to those of a larger one, whatever the rank, and in any order.
// A rank that copies all the time in three directions takes 20 KiB.
constexpr std::int64_t kMostBinsOfMap = 512;
constexpr int kLargestShift = 62;

// The smallest k for which [first, last] ns lie in at most `most` bins, and at least `shift`.
int ShiftFor(std::int64_t first, std::int64_t last, std::int64_t most, int shift) {
  while (shift < kLargestShift && SaturatingSubtract(last >> shift, first >> shift) >= most)
    ++shift;
  return shift;
}

// 128 bits, so that no number of copies overflows. Bytes are counted in parts of 2^-20.
__extension__ using Wide = __int128;
constexpr int kFractionBits = 20;

std::int64_t Narrow(Wide value) {
  return static_cast<std::int64_t>(std::clamp<Wide>(value, 0, INT64_MAX));
}

// What copies of one direction move in each bin. A copy costs the same however many bins it spans:
// what it adds to those that it fills is kept as a change of level.
class Bins {
 public:
  Bins(std::int64_t first, std::size_t count, int shift)
      : first_(first),
        shift_(shift),
        bytes_(count),
        busy_(count),
        bytes_level_(count + 1),
        busy_level_(count + 1) {}

  // [begin, end) lies in the bins and is not empty.
  void Add(std::int64_t begin, std::int64_t end, std::int64_t bytes) {
    const std::int64_t mask = (std::int64_t{1} << shift_) - 1;
    const auto first = static_cast<std::size_t>((begin >> shift_) - first_);
    const auto last = static_cast<std::size_t>(((end - 1) >> shift_) - first_);
    const Wide all = Wide{bytes} << kFractionBits;
    if (first == last) {
      bytes_[first] += all;
      busy_[first] += end - begin;
      return;
    }
    const std::int64_t width = mask + 1;
    const std::int64_t in_first = width - (begin & mask);
    const std::int64_t in_last = ((end - 1) & mask) + 1;
    const auto part = [&](std::int64_t ns) {
      return static_cast<Wide>(static_cast<double>(all) *
                               (static_cast<double>(ns) / static_cast<double>(end - begin)));
    };
    const Wide of_first = part(in_first);
    const Wide of_full = last - first > 1 ? part(width) : 0;
    bytes_[first] += of_first;
    busy_[first] += in_first;
    bytes_level_[first + 1] += of_full;
    bytes_level_[last] -= of_full;
    busy_level_[first + 1] += width;
    busy_level_[last] -= width;
    // What remains, so that no byte is lost.
    bytes_[last] +=
        std::max<Wide>(0, all - of_first - of_full * static_cast<std::int64_t>(last - first - 1));
    busy_[last] += in_last;
  }

  // Calls visit(index of the bin, bytes, busy ns) for those that are not empty.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    Wide bytes_level = 0;
    Wide busy_level = 0;
    Wide sum = 0;  // rounded as a whole, so that the bins sum to it
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_level += bytes_level_[i];
      busy_level += busy_level_[i];
      const Wide before = Round(sum);
      sum += bytes_[i] + bytes_level;
      const Wide busy = busy_[i] + busy_level;
      if (busy > 0)
        visit(first_ + static_cast<std::int64_t>(i), Narrow(Round(sum) - before), Narrow(busy));
    }
  }

 private:
  static Wide Round(Wide value) {
    return (value + (Wide{1} << (kFractionBits - 1))) >> kFractionBits;
  }

  std::int64_t first_;
  int shift_;
  std::vector<Wide> bytes_, busy_;
  std::vector<Wide> bytes_level_, busy_level_;  // changes of what every bin from here on gets
};

std::vector<Table> MapCopyBandwidth(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<BinPartial>();
  auto table = columns.NewPartial(std::string(CopyBandwidth::kName));
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const std::int64_t first = trace.meta.base_ns + trace.begin_ns;
  const std::int64_t last = trace.meta.base_ns + trace.finish_ns;
  const int shift = ShiftFor(first, last, kMostBinsOfMap, 0);
  const std::int64_t first_bin = first >> shift;
  const auto count = static_cast<std::size_t>((last >> shift) - first_bin + 1);
  std::map<std::string_view, Bins> directions;
  for (const DeviceTime& device : facts.recorded_devices()) {
    for (const Row row : device.work) {
      const bool is_copy = trace.kind[row] == EventKind::kMemcpy;
      if (!is_copy && trace.kind[row] != EventKind::kMemset) continue;
      if (windows.OfWork(row) == Windows::kNone || trace.aux[row] == kNoAux) continue;
      const std::int64_t bytes = trace.copies[trace.aux[row]].bytes;
      if (bytes < 0) continue;
      const std::string_view direction =
          is_copy ? DirectionOf(trace.name_of(row)).direction : std::string_view("memset");
      const std::int64_t begin = trace.meta.base_ns + trace.ts_ns[row];
      const std::int64_t end = begin + std::max<std::int64_t>(trace.dur_ns[row], 1);
      directions.try_emplace(direction, first_bin, count, shift)
          .first->second.Add(begin, end, bytes);
    }
  }
  for (const auto& [direction, bins] : directions) {
    const std::string_view name = direction;
    bins.ForEach([&](std::int64_t bin, std::int64_t bytes, std::int64_t busy) {
      table.Add({columns.direction = name, columns.shift = shift, columns.bin = bin,
                 columns.bytes = bytes, columns.busy_ns = busy});
    });
  }
  return MoveTables(std::move(table));
}

struct Bin {
  std::int64_t bytes = 0;
  std::int64_t busy = 0;
};
using BinKey = std::tuple<std::int64_t, std::string, std::int64_t>;  // rank, direction, index

// The bins of all ranks, as wide as they have to be for what came so far; there are never more than
// `most` of a series, so memory does not follow the number of ranks.
class JoinedBins {
 public:
  explicit JoinedBins(std::int64_t most) : most_(most) {}

  void Add(std::int64_t rank, std::string_view direction, int shift, std::int64_t index,
           const Bin& bin) {
    const std::int64_t begin = index * (std::int64_t{1} << shift);
    first_ = std::min(first_, begin);
    last_ = std::max(last_, SaturatingAdd(begin, (std::int64_t{1} << shift) - 1));
    if (const int needed = ShiftFor(first_, last_, most_, std::max(shift, shift_)); needed > shift_)
      Widen(needed);
    Put({rank, std::string(direction), begin >> shift_}, bin);
  }

  int shift() const { return shift_; }
  const std::map<BinKey, Bin>& bins() const { return bins_; }

 private:
  void Put(const BinKey& key, const Bin& bin) {
    Bin& sum = bins_[key];
    AddSaturating(sum.bytes, bin.bytes);
    AddSaturating(sum.busy, bin.busy);
  }
  void Widen(int shift) {
    std::map<BinKey, Bin> narrow;
    narrow.swap(bins_);
    for (const auto& [key, bin] : narrow) {
      const auto& [rank, direction, index] = key;
      Put({rank, direction, index >> (shift - shift_)}, bin);
    }
    shift_ = shift;
  }

  std::int64_t most_;
  int shift_ = 0;
  std::int64_t first_ = INT64_MAX;
  std::int64_t last_ = INT64_MIN;
  std::map<BinKey, Bin> bins_;
};

// The bin of the job's clock that is nearest to a bin of the rank's.
std::int64_t AlignedBin(const JobContext& job, std::int64_t rank, std::int64_t bin, int shift) {
  const auto number = AcrossOf(job).collectives().NumberOf(rank);
  std::int64_t begin = 0;
  const std::int64_t width = std::int64_t{1} << shift;
  if (!number || __builtin_mul_overflow(bin, width, &begin)) return bin;
  return SaturatingAdd(AcrossOf(job).Aligned(*number, begin), width / 2) >> shift;
}

struct CopyBandwidthState {
  explicit CopyBandwidthState(const Options& options)
      : most(std::clamp<std::int64_t>(CountOption(options, "bins"), 1, kMostBinsOfMap)),
        per_rank(CountOption(options, "per_rank") != 0) {}

  // Clocks are known in Finish only, so every capture's bins are kept until then.
  Status Add(const Capture& capture, std::vector<Table> tables) {
    const auto& columns = SchemaOf<BinPartial>();
    const ViewOf<BinPartial> table = tables.front();
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const std::int64_t shift = table.Int(row, columns.shift);
      const std::int64_t bin = table.Int(row, columns.bin);
      // The bin lies in the range of times.
      if (shift < 0 || shift > kLargestShift || bin > INT64_MAX >> shift ||
          bin < INT64_MIN >> shift) {
        return Error(StatusCode::kIo,
                     "{}: the stored copies do not fit together; run again with --no-cache",
                     capture.path);
      }
    }
    if (table.row_count() > 0) bins.Keep(capture, TableOf<BinPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(CopyBandwidthState&& other) { bins.Merge(std::move(other.bins)); }

  Result<Table> Finish(const JobContext& job) {
    const auto& columns = SchemaOf<BinPartial>();
    JoinedBins joined(most);
    for (const auto& [of, table] : bins.values()) {
      const std::int64_t rank = of.first;
      for (std::size_t row = 0; row < table.row_count(); ++row) {
        const auto shift = static_cast<int>(table.Int(row, columns.shift));
        joined.Add(per_rank ? rank : 0, table.String(row, columns.direction), shift,
                   AlignedBin(job, rank, table.Int(row, columns.bin), shift),
                   {table.Int(row, columns.bytes), table.Int(row, columns.busy_ns)});
      }
    }
    const auto& of_bin = SchemaOf<CopyBandwidth>();
    auto result = of_bin.NewTable(std::string(CopyBandwidth::kName));
    const std::int64_t width = std::int64_t{1} << joined.shift();
    for (const auto& [key, bin] : joined.bins()) {
      const auto& [rank, direction, index] = key;
      result.Add({of_bin.rank = per_rank ? Value(rank) : Value(kNull),
                  of_bin.direction = std::string_view(direction),
                  of_bin.start_ns = SaturatingSubtract(index * width, job.origin_ns),
                  of_bin.duration_ns = width, of_bin.bytes = bin.bytes, of_bin.busy_ns = bin.busy,
                  of_bin.bandwidth_bytes_per_s =
                      1e9 * static_cast<double>(bin.bytes) / static_cast<double>(width)});
    }
    return result;
  }

  std::int64_t most = 1;
  bool per_rank = false;
  PerCapture<TableOf<BinPartial>> bins;
};

}  // namespace

const Analysis& CopyBandwidthAnalysis() {
  static const Analysis kAnalysis = {
      .name = "copy_bandwidth",
      .summary = "bandwidth of copies over time, by direction",
      .definition =
          "Time is cut into bins of a power of two ns, at most `bins` of them over all copies; the "
          "bytes of a copy are spread evenly over its duration. bandwidth = bytes / length of the "
          "bin, idle time included, so it is what the links carried. Bins without copies are no "
          "rows. Copies that do not state their bytes are left out. Bins of ranks are put to the "
          "nearest ones of the job's clock (clocks).",
      .example = "rankscope table copy_bandwidth traces/ --set per_rank=1",
      .columns = SchemaOf<CopyBandwidth>().columns(),
      .options = {{"bins", "128", "at most so many bins, up to 512", OptionType::kCount},
                  {"per_rank", "0", "1 = a series for every rank", OptionType::kCount}},
      .mapper = {.name = "copy_bandwidth",
                 .version = 3,
                 .tables = {SchemaOf<BinPartial>().BareColumns()},
                 .map = MapCopyBandwidth},
      .reducer = ReduceBy<CopyBandwidthState>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

}  // namespace rankscope

#include "analysis/copy_bandwidth.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "analysis/copy_direction.h"
#include "analysis/reduce.h"
#include "analysis/vocabulary.h"
#include "analysis/windows.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Int("rank", "", "global rank; null = all ranks together"),
      column::Text("direction", "HtoD, DtoH, DtoD, ..., or memset"),
      column::Int("start_ns", "ns", "begin of the bin, from the job's origin"),
      column::Int("duration_ns", "ns", "length of the bin"),
      column::Int("bytes", "bytes",
                  "bytes moved in the bin: a copy's bytes are spread evenly over its time"),
      column::Int("busy_ns", "ns", "summed time of copies in the bin, over devices and ranks"),
      column::Real("bandwidth_bytes_per_s", "bytes/s", "bytes / duration_ns"),
  };
  return kColumns;
}

// Bins are 2^k ns wide and begin at multiples of that in absolute time, so those of one width can
// be put together to those of a larger one, whatever the rank.
constexpr std::int64_t kMostBinsOfMap = 512;

std::int64_t WidthFor(std::int64_t span, std::int64_t most) {
  const std::int64_t least = std::max<std::int64_t>(1, (span + most - 1) / most);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
}
std::int64_t BinOf(std::int64_t t, std::int64_t width) {
  return t >= 0 ? t / width : -((-t + width - 1) / width);
}

struct Bin {
  double bytes = 0;
  std::int64_t busy = 0;
};

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("copy_bandwidth", {column::Text("direction", ""), column::Int("width", "ns", ""),
                                 column::Int("bin", "", ""), column::Real("bytes", "bytes", ""),
                                 column::Int("busy_ns", "ns", "")});
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  const std::int64_t width = WidthFor(trace.finish_ns - trace.begin_ns, kMostBinsOfMap);
  std::map<std::pair<std::string_view, std::int64_t>, Bin> bins;
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      const bool is_copy = trace.kind[row] == EventKind::kMemcpy;
      if (!is_copy && trace.kind[row] != EventKind::kMemset) continue;
      if (windows.At(trace.ts_ns[row]) == Windows::kNone || trace.aux[row] == kNoAux) continue;
      const std::int64_t bytes = trace.copies[trace.aux[row]].bytes;
      if (bytes < 0) continue;
      const std::string_view direction =
          is_copy ? DirectionOf(trace.name_of(row)).direction : std::string_view("memset");
      const std::int64_t begin = trace.meta.base_ns + trace.ts_ns[row];
      const std::int64_t end = begin + std::max<std::int64_t>(trace.dur_ns[row], 1);
      const double per_ns = static_cast<double>(bytes) / static_cast<double>(end - begin);
      for (std::int64_t bin = BinOf(begin, width); bin * width < end; ++bin) {
        const std::int64_t inside = std::min(end, (bin + 1) * width) - std::max(begin, bin * width);
        Bin& sum = bins[{direction, bin}];
        sum.bytes += per_ns * static_cast<double>(inside);
        sum.busy += inside;
      }
    }
  }
  for (const auto& [key, bin] : bins)
    table.AddRow({key.first, width, key.second, bin.bytes, bin.busy});
  return {table};
}

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options& options) {
  const std::int64_t most =
      std::clamp<std::int64_t>(CountOption(options, "bins"), 1, kMostBinsOfMap);
  const bool per_rank = CountOption(options, "per_rank") != 0;
  struct Piece {
    std::int64_t rank;
    std::string direction;
    std::int64_t begin;
    Bin bin;
  };
  std::vector<Piece> pieces;
  std::int64_t least_width = 1;
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  RS_RETURN_IF_ERROR(
      ForEachRow(partials, job, [&](const Capture& capture, const Table& table, std::size_t row) {
        const std::int64_t width = table.Int(row, 1);
        const std::int64_t begin = table.Int(row, 2) * width;
        least_width = std::max(least_width, width);
        first = std::min(first, begin);
        last = std::max(last, begin + width);
        pieces.push_back({capture.rank,
                          std::string(table.String(row, 0)),
                          begin,
                          {table.Double(row, 3), table.Int(row, 4)}});
      }));
  Table result("copy_bandwidth", Columns());
  if (pieces.empty()) return result;
  const std::int64_t width = std::max(least_width, WidthFor(last - first, most));
  std::map<std::tuple<std::int64_t, std::string, std::int64_t>, Bin> bins;
  for (const Piece& piece : pieces) {
    Bin& sum = bins[{per_rank ? piece.rank : 0, piece.direction, BinOf(piece.begin, width)}];
    sum.bytes += piece.bin.bytes;
    sum.busy += piece.bin.busy;
  }
  for (const auto& [key, bin] : bins) {
    const auto& [rank, direction, index] = key;
    result.AddRow({per_rank ? Value(rank) : Value(kNull), std::string_view(direction),
                   index * width - job.origin_ns, width, static_cast<std::int64_t>(bin.bytes + 0.5),
                   bin.busy, 1e9 * bin.bytes / static_cast<double>(width)});
  }
  return result;
}

}  // namespace

const Analysis& CopyBandwidthAnalysis() {
  static const Analysis kAnalysis = {
      .name = "copy_bandwidth",
      .summary = "bandwidth of copies over time, by direction",
      .definition =
          "Time is cut into bins of a power of two ns, at most `bins` of them over all copies; the "
          "bytes of a copy are spread evenly over its duration. bandwidth = bytes / length of the "
          "bin, idle time included, so it is what the links carried. Bins without copies are no "
          "rows. Copies that do not state their bytes are left out.",
      .example = "rankscope table copy_bandwidth traces/ --set per_rank=1",
      .columns = Columns(),
      .options = {{"bins", "128", "at most so many bins, up to 512", false, OptionType::kCount},
                  {"per_rank", "0", "1 = a series for every rank", false, OptionType::kCount}},
      .map = Map,
      .reduce = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope

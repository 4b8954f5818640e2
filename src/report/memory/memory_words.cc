#include <fmt/core.h>

#include <algorithm>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "report/memory/memory_report.h"
#include "schemas/snapshot.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

// Parts below this share of what they are a part of are not worth a line.
constexpr double kWorthALine = 0.05;
// A history that is off by less than this share of what was held at most fits the segments.
constexpr double kWorthADoubt = 0.001;

std::string Bytes(std::optional<std::int64_t> bytes) {
  return bytes ? HumanBytes(static_cast<double>(*bytes)) : "?";
}

std::string Share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? HumanPercent(100 * static_cast<double>(part) / static_cast<double>(whole))
                   : "?";
}

std::string Time(std::optional<std::int64_t> ns) {
  return ns ? HumanDuration(static_cast<double>(*ns)) : "?";
}

std::string PlaceText(std::string_view place) {
  return place.empty() ? "a place without a recorded stack" : std::string(place);
}

class Writer {
 public:
  explicit Writer(const MemoryReport& report)
      : report_(report), summary_(report.Find(SnapshotSummary::kName)) {}

  std::vector<MemoryWords> Devices() const {
    std::vector<MemoryWords> words;
    for (std::size_t row = 0; row < summary_.rows(); ++row) words.push_back(Device(row));
    return words;
  }

 private:
  MemoryWords Device(std::size_t row) const {
    MemoryWords words;
    const auto& columns = *summary_.operator->();
    const std::int64_t device = *summary_.Int(row, columns.device);
    const std::int64_t reserved = *summary_.Int(row, columns.reserved_bytes);
    if (const auto peak = summary_.Int(row, columns.peak_active_bytes)) {
      const auto peak_ns = summary_.Int(row, columns.peak_ns);
      const auto duration = summary_.Int(row, columns.duration_ns);
      words.headline = fmt::format(
          "GPU {}: at most {} are held at once{}; {} of the device are "
          "reserved",
          device, Bytes(peak),
          duration ? fmt::format(", {} into a recording of {}", Time(peak_ns), Time(duration))
                   : std::string(),
          Bytes(summary_.Int(row, columns.peak_reserved_bytes)));
    } else {
      words.headline = fmt::format(
          "GPU {}: {} are held and {} of the device are reserved; the snapshot has no "
          "history",
          device, Bytes(summary_.Int(row, columns.active_bytes)), Bytes(reserved));
    }
    AddOoms(device, words.reasons);
    AddLeaks(device, words.reasons);
    AddHolders(device, summary_.Int(row, columns.peak_active_bytes).has_value(), words.reasons);
    AddUnused(row, reserved, words.reasons);
    AddDoubts(row, words.reasons);
    return words;
  }

  // The first one: what follows it is mostly the same request again.
  void AddOoms(std::int64_t device, std::vector<std::string>& reasons) const {
    const RowsOf<SnapshotOom> ooms(report_.Find(SnapshotOom::kName));
    for (std::size_t row = 0; row < ooms.rows(); ++row) {
      if (ooms.Int(row, ooms->device) != device) continue;
      const auto all = std::max<std::size_t>(
          static_cast<std::size_t>(summary_.Int(RowOf(device), summary_->ooms).value_or(1)), 1);
      std::string text = fmt::format(
          "out of memory{} in {}: {} were asked for, the device had {} left, and {} of the {} "
          "reserved were unused, at most {} in one piece; ",
          all > 1 ? fmt::format(" {} times, first", all) : "",
          PlaceText(ooms.String(row, ooms->place)), Bytes(ooms.Int(row, ooms->requested_bytes)),
          Bytes(ooms.Int(row, ooms->device_free_bytes)), Bytes(ooms.Int(row, ooms->cached_bytes)),
          Bytes(ooms.Int(row, ooms->reserved_bytes)),
          Bytes(ooms.Int(row, ooms->largest_gap_bytes)));
      reasons.push_back(text + Advice(ooms, row));
      return;
    }
  }

  std::string Advice(const RowsOf<SnapshotOom>& ooms, std::size_t row) const {
    const std::string_view cause = ooms.String(row, ooms->cause);
    if (cause == "fragmentation") {
      const bool is_set =
          summary_.Flag(RowOf(*ooms.Int(row, ooms->device)), summary_->expandable_segments);
      return is_set ? "it is fragmentation, though segments are expandable: free what lives long "
                      "before what lives shortly is allocated, or limit max_split_size_mb"
                    : "it is fragmentation: set "
                      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    }
    if (cause == "streams")
      return "what is cached belongs to other streams: allocate on fewer streams, or call "
             "torch.cuda.empty_cache() before the phases change";
    const std::string missing = Bytes(ooms.Int(row, ooms->missing_bytes));
    if (cause == "others")
      return fmt::format(
          "most of the device is held by others than this process, and {} are "
          "missing: see nvidia-smi for who",
          missing);
    return fmt::format("{} are missing even without fragmentation; most is held by {}: {}", missing,
                       PlaceText(ooms.String(row, ooms->holder)),
                       Bytes(ooms.Int(row, ooms->holder_bytes)));
  }

  void AddLeaks(std::int64_t device, std::vector<std::string>& reasons) const {
    const RowsOf<SnapshotLeaks> leaks(report_.Find(SnapshotLeaks::kName));
    std::int64_t growth = 0;
    std::optional<std::size_t> largest;
    for (std::size_t row = 0; row < leaks.rows(); ++row) {
      if (leaks.Int(row, leaks->device) != device) continue;
      growth += *leaks.Int(row, leaks->growth_bytes);
      if (!largest && *leaks.Int(row, leaks->growth_bytes) > 0) largest = row;
    }
    if (leaks.empty()) return;
    if (growth == 0 && !largest) {
      reasons.emplace_back("the later snapshot holds as much as the first");
      return;
    }
    std::string text = fmt::format("the later snapshot holds {} {}", Bytes(std::abs(growth)),
                                   growth >= 0 ? "more" : "less");
    if (largest) {
      text += fmt::format(
          "; {} grew most: by {} to {}, {} of them new",
          PlaceText(leaks.String(*largest, leaks->place)),
          Bytes(leaks.Int(*largest, leaks->growth_bytes)),
          Bytes(leaks.Int(*largest, leaks->after_bytes)),
          Plural(static_cast<std::size_t>(*leaks.Int(*largest, leaks->new_count)), "allocation"));
    }
    reasons.push_back(text);
  }

  void AddHolders(std::int64_t device, bool has_history, std::vector<std::string>& reasons) const {
    const RowsOf<SnapshotCategories> categories(report_.Find(SnapshotCategories::kName));
    std::int64_t whole = 0;
    for (std::size_t row = 0; row < categories.rows(); ++row) {
      if (categories.Int(row, categories->device) == device)
        whole += *categories.Int(row, categories->peak_bytes);
    }
    std::string parts;
    for (std::size_t row = 0; row < categories.rows(); ++row) {
      if (categories.Int(row, categories->device) != device) continue;
      const std::int64_t bytes = *categories.Int(row, categories->peak_bytes);
      if (static_cast<double>(bytes) < kWorthALine * static_cast<double>(whole) || bytes == 0)
        continue;
      const std::string_view name = categories.String(row, categories->category);
      parts += fmt::format("{}{} {} ({})", parts.empty() ? "" : ", ",
                           name == "unknown" ? "unknown stack" : name, Bytes(bytes),
                           Share(bytes, whole));
    }
    if (!parts.empty())
      reasons.push_back(fmt::format("allocated by what the program did then: {}", parts));
    // What was allocated before stacks were recorded often is the largest, and says least.
    const RowsOf<SnapshotPeak> peak(report_.Find(SnapshotPeak::kName));
    bool is_second = false;
    for (std::size_t row = 0; row < peak.rows(); ++row) {
      const bool has_place = !peak.String(row, peak->place).empty();
      if (peak.Int(row, peak->device) != device || (is_second && !has_place)) continue;
      const auto since = peak.Int(row, peak->since_ns);
      std::string text =
          fmt::format("{} by {}: {} ({}) in {}",
                      is_second     ? "of what has a stack, most is held"
                      : has_history ? "most at the peak is held"
                                    : "most is held",
                      PlaceText(peak.String(row, peak->place)), Bytes(peak.Int(row, peak->bytes)),
                      HumanPercent(peak.Number(row, peak->of_peak_pct).value_or(0)),
                      Plural(static_cast<std::size_t>(*peak.Int(row, peak->count)), "allocation"));
      if (has_history)
        text +=
            fmt::format(", the oldest from {}", since ? Time(since) + " on" : "before the history");
      reasons.push_back(std::move(text));
      if (has_place) return;
      is_second = true;
    }
  }

  void AddUnused(std::size_t row, std::int64_t reserved, std::vector<std::string>& reasons) const {
    const std::int64_t split = *summary_.Int(row, summary_->split_bytes);
    const std::int64_t idle = *summary_.Int(row, summary_->idle_segment_bytes);
    const std::int64_t rounding = *summary_.Int(row, summary_->rounding_bytes);
    const auto is_worth = [&](std::int64_t bytes) {
      return bytes > 0 && static_cast<double>(bytes) >= kWorthALine * static_cast<double>(reserved);
    };
    if (is_worth(split + idle)) {
      std::string text =
          fmt::format("{} ({}) of what is reserved at the end is unused, at most {} in one piece",
                      Bytes(split + idle), Share(split + idle, reserved),
                      Bytes(summary_.Int(row, summary_->largest_free_bytes)));
      if (is_worth(idle))
        text += fmt::format("; {} are whole segments, which torch.cuda.empty_cache() returns",
                            Bytes(idle));
      if (is_worth(split)) {
        const bool is_expandable = summary_.Flag(row, summary_->expandable_segments);
        text += fmt::format("; {} lie between blocks in use{}", Bytes(split),
                            is_expandable ? ""
                                          : ", which PYTORCH_CUDA_ALLOC_CONF="
                                            "expandable_segments:True makes less");
      }
      reasons.push_back(text);
    }
    if (is_worth(rounding))
      reasons.push_back(fmt::format("{} ({}) of what is reserved is lost to rounding of requests",
                                    Bytes(rounding), Share(rounding, reserved)));
  }

  void AddDoubts(std::size_t row, std::vector<std::string>& reasons) const {
    const std::int64_t disagreeing = summary_.Int(row, summary_->disagreeing_bytes).value_or(0);
    const std::int64_t held = std::max(*summary_.Int(row, summary_->active_bytes),
                                       summary_.Int(row, summary_->peak_active_bytes).value_or(0));
    if (disagreeing <= 0 ||
        static_cast<double>(disagreeing) < kWorthADoubt * static_cast<double>(held))
      return;
    reasons.push_back(fmt::format(
        "the history does not fit the segments by {}: recording was off for a while, so levels "
        "before that are too high",
        Bytes(disagreeing)));
  }

  std::size_t RowOf(std::int64_t device) const {
    for (std::size_t row = 0; row < summary_.rows(); ++row) {
      if (summary_.Int(row, summary_->device) == device) return row;
    }
    return 0;
  }

  const MemoryReport& report_;
  RowsOf<SnapshotSummary> summary_;
};

std::string Words(std::string_view id) {
  std::string text(id);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

MemoryWords OfTimeline(const MemoryReport& report) {
  const RowsOf<TimelineCategories> rows(report.Find(TimelineCategories::kName));
  std::int64_t peak = 0, before = 0;
  std::string parts;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::int64_t bytes = *rows.Int(row, rows->peak_bytes);
    peak += bytes;
    before += *rows.Int(row, rows->before_bytes);
    if (rows.Number(row, rows->of_peak_pct).value_or(0) < 100 * kWorthALine) continue;
    parts += fmt::format("{}{} {} ({})", parts.empty() ? "" : ", ",
                         Words(rows.String(row, rows->category)), Bytes(bytes),
                         HumanPercent(*rows.Number(row, rows->of_peak_pct)));
  }
  MemoryWords words;
  words.headline = fmt::format("at most {} are held at once; {} existed before the profile",
                               Bytes(peak), Bytes(before));
  if (!parts.empty()) words.reasons.push_back("at the peak: " + parts);
  return words;
}

}  // namespace

const Table* MemoryReport::Find(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name() == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::vector<MemoryWords> WordsOfMemory(const MemoryReport& report) {
  if (report.is_timeline) return {OfTimeline(report)};
  return Writer(report).Devices();
}

}  // namespace rankscope

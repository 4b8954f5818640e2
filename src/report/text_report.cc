#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "report/kernel_name.h"
#include "table/human_number.h"
#include "table/terminal_text.h"
#include "table/utf8.h"

namespace rankscope {
namespace {

constexpr std::size_t kWidth = 80;

// A column of a table by name; the reports are built from tables whose columns are fixed.
class View {
 public:
  explicit View(const Table& table) : table_(table) {}
  std::size_t rows() const { return table_.row_count(); }
  std::int64_t Int(std::size_t row, std::string_view column) const {
    return table_.Int(row, *table_.Find(column));
  }
  bool Bool(std::size_t row, std::string_view column) const {
    return table_.Bool(row, *table_.Find(column));
  }
  bool IsNull(std::size_t row, std::string_view column) const {
    return table_.IsNull(row, *table_.Find(column));
  }
  std::string_view String(std::size_t row, std::string_view column) const {
    return table_.String(row, *table_.Find(column));
  }

 private:
  const Table& table_;
};

void Heading(std::string& out, std::string_view text) { out += fmt::format("\n{}\n", text); }

std::string Plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", GroupedInteger(static_cast<std::int64_t>(count)), one,
                     count == 1 ? "" : "s");
}

// A paragraph, indented by two, its following lines by four.
void AppendWrapped(std::string& out, std::string_view text) {
  std::string line = " ";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool is_full = CountCodePoints(line) + 1 + CountCodePoints(word) > kWidth;
    if (is_full && line.find_first_not_of(' ') != std::string::npos) {
      out += line + "\n";
      line = "   ";
    }
    line += ' ';
    line += word;
  }
  out += line + "\n";
}

void WriteTitle(std::string& out, const Report& report) {
  out += Plural(report.ranks.size(), "rank");
  if (report.world_size > static_cast<std::int64_t>(report.ranks.size()))
    out += fmt::format(" of {}", report.world_size);
  for (std::size_t i = 0; i < report.devices.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? " on " : ", ", SafeForTerminal(report.devices[i]));
  if (const Table* steps = report.Find("step_times"))
    out += ", " + Plural(steps->row_count(), "step") + " in all";
  out += '\n';
  const Table* captures = report.Find("captures");
  if (captures == nullptr) return;
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < captures->row_count(); ++row)
    left_out += !View(*captures).Bool(row, "analysed");
  if (left_out > 0)
    out += fmt::format("{} left out (rankscope table captures shows which)\n",
                       Plural(left_out, "recording"));
}

void WriteSteps(std::string& out, const Report& report) {
  const Table* table = report.Find("step_times");
  if (table == nullptr) return;
  const View steps(*table);
  std::vector<std::int64_t> durations;
  std::size_t cut_off = 0;
  bool inferred = false;
  for (std::size_t row = 0; row < steps.rows(); ++row) {
    inferred |= steps.Bool(row, "inferred");
    if (steps.Bool(row, "complete")) {
      durations.push_back(steps.Int(row, "duration_ns"));
    } else {
      ++cut_off;
    }
  }
  Heading(out, "STEP TIME");
  if (durations.empty()) {
    out += steps.rows() == 0
               ? "  no steps: the trace has no ProfilerStep marks and no period was found\n"
               : "  every step was cut off by the recording\n";
    return;
  }
  std::sort(durations.begin(), durations.end());
  const std::size_t middle = durations.size() / 2;
  const auto at = [&](std::size_t i) { return static_cast<double>(durations[i]); };
  const double median = durations.size() % 2 == 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  out += fmt::format("  median {}, from {} to {}", HumanDuration(median), HumanDuration(at(0)),
                     HumanDuration(at(durations.size() - 1)));
  if (cut_off > 0) out += fmt::format("; {} cut off by the recording", Plural(cut_off, "step"));
  out +=
      inferred
          ? "\n  steps were inferred from the program's period: there are no ProfilerStep marks\n"
          : "\n";
}

struct Part {
  std::string_view column;
  std::string_view label;
};

constexpr std::array<Part, 10> kParts = {{
    {"compute_ns", "computing"},
    {"exposed_communication_ns", "communication, not hidden"},
    {"exposed_copy_ns", "copies, not hidden"},
    {"idle_host_ns", "idle: host not ready"},
    {"idle_data_ns", "idle: waiting for data"},
    {"idle_sync_ns", "idle: host in a sync call"},
    {"idle_launch_ns", "idle: launching"},
    {"idle_gap_ns", "idle: between kernels"},
    {"idle_stream_ns", "idle: other stream"},
    {"unknown_ns", "idle: unknown"},
}};

std::string Bar(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width) + 0.5);
  std::string bar;
  for (std::size_t i = 0; i < filled; ++i) bar += "█";
  return bar;
}

void WriteShare(std::string& out, std::string_view label, std::int64_t part, std::int64_t total) {
  const double share = static_cast<double>(part) / static_cast<double>(total);
  out += fmt::format("  {:<27}{:>7}  {}\n", label, HumanPercent(100 * share), Bar(share, 40));
}

struct Shares {
  std::int64_t total = 0;
  std::array<std::int64_t, kParts.size()> parts{};
};

using DeviceKey = std::pair<std::int64_t, std::int64_t>;  // rank, device

// Complete steps count; of a recording that has none, everything.
std::map<DeviceKey, Shares> SumByDevice(const View& rows, bool& has_steps, bool& has_none) {
  const auto is_step = [&](std::size_t row) {
    return !rows.IsNull(row, "step") && rows.Bool(row, "complete");
  };
  const auto key_of = [&](std::size_t row) {
    return DeviceKey{rows.Int(row, "rank"), rows.Int(row, "device")};
  };
  std::map<DeviceKey, bool> any_step;
  for (std::size_t row = 0; row < rows.rows(); ++row) any_step[key_of(row)] |= is_step(row);
  std::map<DeviceKey, Shares> sums;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const DeviceKey key = key_of(row);
    (any_step[key] ? has_steps : has_none) = true;
    if (any_step[key] && !is_step(row)) continue;
    Shares& shares = sums[key];
    shares.total += rows.Int(row, "duration_ns");
    for (std::size_t i = 0; i < kParts.size(); ++i)
      shares.parts[i] += rows.Int(row, kParts[i].column);
  }
  return sums;
}

double ComputeShare(const Shares& shares) {
  return shares.total == 0
             ? 0
             : static_cast<double>(shares.parts[0]) / static_cast<double>(shares.total);
}

// At most `most` devices, those whose share of computing differs most from the median.
std::map<DeviceKey, Shares> MostDifferent(const std::map<DeviceKey, Shares>& all,
                                          std::size_t most) {
  std::vector<double> shares;
  shares.reserve(all.size());
  for (const auto& [key, sums] : all) shares.push_back(ComputeShare(sums));
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2),
                   shares.end());
  const double median = shares[shares.size() / 2];
  std::vector<std::pair<double, DeviceKey>> by_distance;
  by_distance.reserve(all.size());
  for (const auto& [key, sums] : all)
    by_distance.emplace_back(-std::abs(ComputeShare(sums) - median), key);
  std::sort(by_distance.begin(), by_distance.end());
  std::map<DeviceKey, Shares> chosen;
  for (std::size_t i = 0; i < std::min(most, by_distance.size()); ++i)
    chosen[by_distance[i].second] = all.at(by_distance[i].second);
  return chosen;
}

void WriteByRank(std::string& out, const std::map<DeviceKey, Shares>& by_device) {
  constexpr std::size_t kMost = 16;
  Heading(out, by_device.size() <= kMost
                   ? "BY RANK (share of time)"
                   : "BY RANK (share of time; the 16 that differ most, rankscope table has all)");
  out += fmt::format("  {:>6} {:>6} {:>10} {:>11} {:>8} {:>8}  {}\n", "rank", "device", "computing",
                     "exp. comm.", "copies", "idle", "main cause of idle");
  for (const auto& [key, sums] : MostDifferent(by_device, kMost)) {
    const Shares& shares = sums;  // clang 14 captures no structured binding
    const auto share = [&](std::int64_t part) {
      return HumanPercent(shares.total == 0 ? 0
                                            : 100 * static_cast<double>(part) /
                                                  static_cast<double>(shares.total));
    };
    std::int64_t idle = 0;
    std::size_t main = 3;
    for (std::size_t i = 3; i < kParts.size(); ++i) {
      idle += shares.parts[i];
      if (shares.parts[i] > shares.parts[main]) main = i;
    }
    out += fmt::format(
        "  {:>6} {:>6} {:>10} {:>11} {:>8} {:>8}  {}\n", key.first, key.second,
        share(shares.parts[0]), share(shares.parts[1]), share(shares.parts[2]), share(idle),
        idle == 0 ? "" : kParts[main].label.substr(std::string_view("idle: ").size()));
  }
}

void WriteBreakdown(std::string& out, const Report& report) {
  const Table* table = report.Find("time_breakdown");
  if (table == nullptr || table->row_count() == 0) return;
  bool has_steps = false;
  bool has_none = false;
  const std::map<DeviceKey, Shares> by_device = SumByDevice(View(*table), has_steps, has_none);
  Shares all;
  for (const auto& [key, shares] : by_device) {
    all.total += shares.total;
    for (std::size_t i = 0; i < kParts.size(); ++i) all.parts[i] += shares.parts[i];
  }
  if (all.total == 0) return;
  Heading(out, !has_steps ? "WHERE DEVICE TIME GOES (whole recording, all ranks)"
               : !has_none
                   ? "WHERE DEVICE TIME GOES (complete steps, all ranks)"
                   : "WHERE DEVICE TIME GOES (complete steps; ranks without: whole recording)");
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    // What would show as 0.0 % is in the table; here it is noise.
    if (all.parts[i] * 2000 >= all.total) WriteShare(out, kParts[i].label, all.parts[i], all.total);
  }
  if (by_device.size() > 1) WriteByRank(out, by_device);
}

constexpr std::array<Part, 7> kHostParts = {{
    {"data_ns", "fetching data"},
    {"blocked_ns", "waiting for the device"},
    {"runtime_ns", "device API calls"},
    {"op_ns", "ops"},
    {"annotated_ns", "annotated code"},
    {"python_ns", "Python"},
    {"other_ns", "nothing recorded"},
}};

// For jobs without device work: what the busiest thread of every rank did.
void WriteHost(std::string& out, const Report& report) {
  const Table* devices = report.Find("time_breakdown");
  const Table* table = report.Find("host_breakdown");
  if (table == nullptr || table->row_count() == 0 ||
      (devices != nullptr && devices->row_count() > 0))
    return;
  const View rows(*table);
  using Sums = std::array<std::int64_t, kHostParts.size()>;
  using Thread = std::array<std::int64_t, 3>;  // capture, process, thread
  std::map<std::int64_t, std::map<Thread, Sums>> by_rank;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Sums& sums = by_rank[rows.Int(row, "rank")][{rows.Int(row, "capture"), rows.Int(row, "process"),
                                                 rows.Int(row, "thread")}];
    for (std::size_t i = 0; i < kHostParts.size(); ++i)
      sums[i] += rows.Int(row, kHostParts[i].column);
  }
  Sums all{};
  for (const auto& [rank, threads] : by_rank) {
    const auto busy = [](const Sums& sums) {
      return std::accumulate(sums.begin(), sums.end() - 1, std::int64_t{0});
    };
    const auto busiest = std::max_element(
        threads.begin(), threads.end(),
        [&](const auto& a, const auto& b) { return busy(a.second) < busy(b.second); });
    for (std::size_t i = 0; i < kHostParts.size(); ++i) all[i] += busiest->second[i];
  }
  std::int64_t total = 0;
  for (const std::int64_t part : all) total += part;
  if (total == 0) return;
  Heading(out, "NO DEVICE WORK WAS RECORDED. THE BUSIEST HOST THREAD SPENDS ITS TIME ON");
  for (std::size_t i = 0; i < kHostParts.size(); ++i) {
    if (all[i] > 0) WriteShare(out, kHostParts[i].label, all[i], total);
  }
}

void WriteKernels(std::string& out, const Report& report) {
  const Table* table = report.Find("kernels_by_name");
  if (table == nullptr || table->row_count() == 0) return;
  const View kernels(*table);
  Heading(out, "TOP KERNELS (share of summed device work)");
  for (std::size_t row = 0; row < std::min<std::size_t>(kernels.rows(), 10); ++row) {
    const double share = table->IsNull(row, *table->Find("share_pct"))
                             ? 0
                             : table->Double(row, *table->Find("share_pct"));
    out += fmt::format("  {:>6} {:>9} {:>8} x  {}\n", HumanPercent(share),
                       HumanDuration(static_cast<double>(kernels.Int(row, "total_ns"))),
                       GroupedInteger(kernels.Int(row, "count")),
                       ShortKernelName(SafeForTerminal(kernels.String(row, "name")), 48));
  }
}

void WriteQuality(std::string& out, const Report& report) {
  const Table* table = report.Find("data_quality");
  if (table == nullptr || table->row_count() == 0) return;
  const View quality(*table);
  Heading(out, "DATA QUALITY");
  // One line per sentence: a thousand ranks with one flaw are one flaw.
  std::map<std::string, std::pair<std::size_t, std::int64_t>> by_message;
  for (std::size_t row = 0; row < quality.rows(); ++row) {
    auto& [files, count] = by_message[std::string(quality.String(row, "message"))];
    ++files;
    count += quality.Int(row, "count");
  }
  std::size_t shown = 0;
  for (const auto& [message, counts] : by_message) {
    if (++shown > 8) {
      out += fmt::format("  ... {} more: rankscope table data_quality\n", by_message.size() - 8);
      break;
    }
    AppendWrapped(out,
                  fmt::format("{} ({}, {})", SafeForTerminal(message), Plural(counts.first, "file"),
                              Plural(static_cast<std::size_t>(counts.second), "time")));
  }
}

}  // namespace

std::string WriteTextReport(const Report& report) {
  std::string out;
  WriteTitle(out, report);
  WriteSteps(out, report);
  WriteBreakdown(out, report);
  WriteHost(out, report);
  WriteKernels(out, report);
  WriteQuality(out, report);
  return out;
}

}  // namespace rankscope

#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "table/human_number.h"
#include "table/terminal_text.h"
#include "table/write_text.h"

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

void WriteTitle(std::string& out, const Report& report) {
  out += Plural(report.ranks.size(), "rank");
  if (report.world_size > static_cast<std::int64_t>(report.ranks.size()))
    out += fmt::format(" of {}", report.world_size);
  for (std::size_t i = 0; i < report.devices.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? " on " : ", ", SafeForTerminal(report.devices[i]));
  if (const Table* steps = report.Find("step_times"))
    out += ", " + Plural(steps->row_count(), "step window");
  out += '\n';
  const Table* captures = report.Find("captures");
  if (captures == nullptr) return;
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < captures->row_count(); ++row)
    left_out += !View(*captures).Bool(row, "analysed");
  if (left_out > 0)
    out += fmt::format("{} left out (rankscope table captures shows which; --capture all)\n",
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
  out += fmt::format("  median {}, from {} to {}",
                     HumanDuration(static_cast<double>(durations[durations.size() / 2])),
                     HumanDuration(static_cast<double>(durations.front())),
                     HumanDuration(static_cast<double>(durations.back())));
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
    {"idle_sync_ns", "idle: after a host sync"},
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

struct Shares {
  std::int64_t total = 0;
  std::array<std::int64_t, kParts.size()> parts{};
};

// Sums of the windows that count: complete steps, or everything when there are none.
void WriteBreakdown(std::string& out, const Report& report) {
  const Table* table = report.Find("time_breakdown");
  if (table == nullptr || table->row_count() == 0) return;
  const View rows(*table);
  const auto counts = [&](std::size_t row) {
    return !rows.IsNull(row, "step") && rows.Bool(row, "complete");
  };
  bool any_step = false;
  for (std::size_t row = 0; row < rows.rows(); ++row) any_step |= counts(row);
  Shares all;
  std::map<std::pair<std::int64_t, std::int64_t>, Shares> by_device;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (any_step && !counts(row)) continue;
    Shares& one = by_device[{rows.Int(row, "rank"), rows.Int(row, "device")}];
    for (Shares* shares : {&all, &one}) {
      shares->total += rows.Int(row, "duration_ns");
      for (std::size_t i = 0; i < kParts.size(); ++i)
        shares->parts[i] += rows.Int(row, kParts[i].column);
    }
  }
  if (all.total == 0) return;
  Heading(out, any_step ? "WHERE DEVICE TIME GOES (complete steps, all ranks)"
                        : "WHERE DEVICE TIME GOES (whole recording, all ranks)");
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (all.parts[i] == 0) continue;
    const double share = static_cast<double>(all.parts[i]) / static_cast<double>(all.total);
    out += fmt::format("  {:<27}{:>7}  {}\n", kParts[i].label, HumanPercent(100 * share),
                       Bar(share, 40));
  }
  if (by_device.size() < 2) return;
  Heading(out, "BY RANK (share of time)");
  out += fmt::format("  {:>6} {:>6} {:>10} {:>11} {:>8} {:>8}  {}\n", "rank", "device", "computing",
                     "exp. comm.", "copies", "idle", "main cause of idle");
  std::size_t shown = 0;
  for (const auto& [key, shares] : by_device) {
    if (++shown > 16) {
      out += fmt::format("  ... {} more: rankscope table time_breakdown\n", by_device.size() - 16);
      break;
    }
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

// For ranks without device work: what the busiest thread did.
void WriteHost(std::string& out, const Report& report) {
  const Table* devices = report.Find("time_breakdown");
  const Table* table = report.Find("host_breakdown");
  if (table == nullptr || table->row_count() == 0 ||
      (devices != nullptr && devices->row_count() > 0))
    return;
  Heading(out, "NO DEVICE WORK WAS RECORDED; WHAT THE HOST THREADS DID");
  out += WriteText(*table, {.max_rows = 12, .max_width = kWidth});
}

void WriteKernels(std::string& out, const Report& report) {
  const Table* table = report.Find("kernels");
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
                       ShortenMiddle(SafeForTerminal(kernels.String(row, "name")), 48));
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
    out += fmt::format("  {}{}\n", SafeForTerminal(message),
                       fmt::format(" ({}, {} times)", Plural(counts.first, "file"),
                                   GroupedInteger(counts.second)));
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

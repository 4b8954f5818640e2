#include "analysis/snoop/numbered_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/saturating.h"
#include "telemetry/telemetry.h"

namespace rankscope {
namespace {

Value RankOf(const snoop_file::Window& window, const JobContext& job) {
  if (window.rank) return *window.rank;
  // By the trace that the same process wrote.
  for (const Capture& capture : job.captures) {
    if (window.pid > 0 && capture.pid == window.pid && !window.host.empty() &&
        capture.host == window.host)
      return capture.rank;
  }
  return kNull;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<NumberedWindow> WindowsOf(const JobContext& job) {
  std::vector<NumberedWindow> windows;
  if (job.telemetry == nullptr) return windows;
  const auto add = [&](const snoop_file::Window& head) -> NumberedWindow& {
    NumberedWindow one;
    one.rank = RankOf(head, job);
    one.begin_ns = SaturatingSubtract(head.begin_unix_ns, job.origin_ns);
    one.head = &head;
    return windows.emplace_back(one);
  };
  for (const snoop_file::SnoopWindow& one : job.telemetry->windows().snoop) add(one).snoop = &one;
  for (const snoop_file::OffCpuWindow& one : job.telemetry->windows().offcpu)
    add(one).offcpu = &one;
  std::ranges::stable_sort(windows, [](const NumberedWindow& a, const NumberedWindow& b) {
    return std::tie(a.begin_ns, a.head->host, a.head->pid) <
           std::tie(b.begin_ns, b.head->host, b.head->pid);
  });
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i].number = static_cast<std::int64_t>(i);
  return windows;
}

std::string FrameText(const snoop_file::Frame& frame) {
  std::string text = frame.function.empty() ? "?" : frame.function;
  const std::string_view file = BaseName(frame.file);
  if (!file.empty() && frame.line) {
    text += fmt::format(" ({}:{})", file, *frame.line);
  } else if (!file.empty()) {
    text += fmt::format(" ({})", file);
  }
  for (char& c : text) {
    if (c == ';' || c == '\n' || c == '\r') c = ':';
  }
  return text;
}

std::string StackText(const snoop_file::Stack& stack) {
  if (stack.empty()) return "";
  std::string text;
  for (const snoop_file::Frame& frame : stack) text += (text.empty() ? "" : ";") + FrameText(frame);
  return text;
}

std::string PlaceText(const snoop_file::Stack& stack) {
  if (stack.empty()) return "";
  const auto python = std::find_if(stack.rbegin(), stack.rend(), [](const snoop_file::Frame& one) {
    return one.language == "python";
  });
  if (python != stack.rend()) return FrameText(*python);
  const auto other = std::find_if(stack.rbegin(), stack.rend(), [&](const snoop_file::Frame& one) {
    return one.file != stack.back().file;
  });
  return FrameText(other != stack.rend() ? *other : stack.back());
}

}  // namespace rankscope

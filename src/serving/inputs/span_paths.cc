#include "serving/inputs/span_paths.h"

#include <utility>

namespace rankscope::serving {
namespace {

// Parents in a circle have no end.
constexpr int kMostServices = 64;

// Span ids are unique within their trace.
std::string KeyOf(const std::string& trace, const std::string& id) { return trace + "/" + id; }

}  // namespace

void SpanPaths::AddService(const std::string& trace, const std::string& id, std::string parent,
                           std::int64_t length_ns) {
  if (trace.empty() || id.empty()) return;
  services_.try_emplace(KeyOf(trace, id), Service{std::move(parent), length_ns});
}

std::string SpanPaths::TopmostAbove(const Caller& caller) const {
  std::string top;
  std::string next = KeyOf(caller.trace, caller.span);
  for (int i = 0; i < kMostServices; ++i) {
    const auto found = services_.find(next);
    if (found == services_.end()) return top;
    top = std::exchange(next, KeyOf(caller.trace, found->second.parent));
  }
  return "";
}

std::int64_t SpanPaths::TellAround(std::vector<Request>& requests) const {
  std::vector<std::string> tops;
  tops.reserve(callers_.size());
  boost::unordered_flat_map<std::string, std::int64_t> requests_below;
  for (const Caller& caller : callers_) {
    tops.push_back(TopmostAbove(caller));
    ++requests_below[tops.back()];
  }
  std::int64_t told = 0;
  for (std::size_t i = 0; i < callers_.size(); ++i) {
    if (tops[i].empty() || callers_[i].has_others || requests_below.at(tops[i]) > 1) continue;
    const std::int64_t length_ns = services_.at(tops[i]).length_ns;
    if (length_ns < callers_[i].length_ns) continue;
    requests[callers_[i].request].around = length_ns - callers_[i].length_ns;
    ++told;
  }
  return told;
}

}  // namespace rankscope::serving

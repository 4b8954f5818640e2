#include "mcp/call.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::mcp {
namespace {

constexpr std::size_t kMostNotices = 6;
constexpr std::size_t kMostLeftOut = 4;

}  // namespace

void Call::OnNotice(std::string_view sentence) {
  const bool is_said = std::ranges::find(notices_, sentence) != notices_.end();
  if (!is_said && notices_.size() < kMostNotices) notices_.emplace_back(sentence);
}

void Call::OnLeftOut(const std::vector<std::string>& sentences) {
  for (std::size_t i = 0; i < std::min(sentences.size(), kMostLeftOut); ++i)
    OnNotice(fmt::format("left out: {}", sentences[i]));
  if (sentences.size() > kMostLeftOut)
    OnNotice(fmt::format("left out: {} more; the table data_quality has all",
                         sentences.size() - kMostLeftOut));
}

}  // namespace rankscope::mcp

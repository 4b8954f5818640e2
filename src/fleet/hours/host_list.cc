#include "fleet/hours/host_list.h"

#include <fmt/core.h>

#include <charconv>

namespace rankscope::fleet {
namespace {

class HostList {
 public:
  explicit HostList(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> Read() {
    while (at_ < text_.size()) {
      RS_RETURN_IF_ERROR(ReadName());
      if (at_ == text_.size()) break;
      if (text_[at_] != ',' || at_ + 1 == text_.size()) return Bad();
      ++at_;
    }
    return std::move(hosts_);
  }

 private:
  Status Bad() const {
    return Error(StatusCode::kBadData, "'{}' is no list of nodes (such as gpu[01-03,7])", text_);
  }

  // "gpu[01-03]-ib" up to the next comma outside of brackets.
  Status ReadName() {
    std::vector<std::string> names = {""};
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',') {
      if (text_[at_] != '[') {
        if (text_[at_] == ']') return Bad();
        for (std::string& name : names) name += text_[at_];
        ++at_;
        continue;
      }
      RS_ASSIGN_OR_RETURN(const std::vector<std::string> numbers, ReadBrackets());
      std::vector<std::string> longer;
      if (names.size() * numbers.size() > kMostHosts) return TooMany();
      for (const std::string& name : names) {
        for (const std::string& number : numbers) longer.push_back(name + number);
      }
      names = std::move(longer);
    }
    if (at_ == begin) return Bad();
    if (hosts_.size() + names.size() > kMostHosts) return TooMany();
    hosts_.insert(hosts_.end(), names.begin(), names.end());
    return OkStatus();
  }

  Result<std::vector<std::string>> ReadBrackets() {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) return Bad();
    std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    std::vector<std::string> numbers;
    while (true) {
      const std::size_t comma = inner.find(',');
      const std::string_view part = inner.substr(0, comma);
      const std::size_t dash = part.find('-');
      const std::string_view low = part.substr(0, dash);
      const std::string_view high = dash == std::string_view::npos ? low : part.substr(dash + 1);
      std::int64_t first = 0, last = 0;
      if (!IsNumber(low, first) || !IsNumber(high, last) || last < first) return Bad();
      if (numbers.size() + static_cast<std::size_t>(last - first) >= kMostHosts) return TooMany();
      for (std::int64_t number = first; number <= last; ++number)
        numbers.push_back(fmt::format("{:0{}}", number, low.size()));
      if (comma == std::string_view::npos) return numbers;
      inner.remove_prefix(comma + 1);
    }
  }

  static bool IsNumber(std::string_view text, std::int64_t& number) {
    if (text.empty() || text.size() > 9) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 0;
  }

  Status TooMany() const {
    return Error(StatusCode::kBadData, "'{}' are more than {} nodes", text_.substr(0, 80),
                 kMostHosts);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> hosts_;
};

}  // namespace

Result<std::vector<std::string>> ExpandHostList(std::string_view text) {
  return HostList(text).Read();
}

}  // namespace rankscope::fleet

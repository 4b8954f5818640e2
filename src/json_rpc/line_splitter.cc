#include "json_rpc/line_splitter.h"

namespace rankscope::json_rpc {

void LineSplitter::Add(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    Keep(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    HandOn(take);
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::Finish(const Take& take) {
  if (!begun_.empty() || is_too_long_) HandOn(take);
}

void LineSplitter::Keep(std::string_view part) {
  if (is_too_long_) return;
  is_too_long_ = part.size() > most_bytes_ - begun_.size();
  if (is_too_long_) {
    begun_ = std::string();
  } else {
    begun_ += part;
  }
}

void LineSplitter::HandOn(const Take& take) {
  std::string_view text = begun_;
  if (text.ends_with('\r')) text.remove_suffix(1);
  take({.text = text, .is_too_long = is_too_long_});
  begun_.clear();
  is_too_long_ = false;
}

}  // namespace rankscope::json_rpc

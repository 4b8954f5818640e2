#include "load/requests/event_stream.h"

namespace rankscope::load {

void EventStream::TakeLine(std::string_view line,
                           const std::function<void(std::string_view data)>& take) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) {
    if (has_data_) take(data_);
    data_.clear();
    has_data_ = false;
    return;
  }
  if (!line.starts_with("data:")) return;
  line.remove_prefix(5);
  if (line.starts_with(' ')) line.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += line;
  has_data_ = true;
}

void EventStream::Take(std::string_view piece,
                       const std::function<void(std::string_view data)>& take) {
  while (true) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) break;
    if (line_.empty()) {
      TakeLine(piece.substr(0, end), take);
    } else {
      line_ += piece.substr(0, end);
      TakeLine(line_, take);
      line_.clear();
    }
    piece.remove_prefix(end + 1);
  }
  line_ += piece;
}

}  // namespace rankscope::load

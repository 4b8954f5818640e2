// LineSplitter: splits arriving bytes into lines of limited length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope::json_rpc {

// For a line that is too long, only that fact is kept.
struct Line {
  std::string_view text;  // without its end; "" for one that is too long
  bool is_too_long = false;
};

class LineSplitter {
 public:
  using Take = std::function<void(const Line& line)>;

  explicit LineSplitter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Passes on each line that ends in `bytes`. A line ends with "\n"; a "\r" before it is removed.
  // Holds at most `most_bytes`.
  void Add(std::string_view bytes, const Take& take);
  // Passes on the incomplete last line, if any: no more bytes will come.
  void Finish(const Take& take);

 private:
  void Keep(std::string_view part);
  void HandOn(const Take& take);

  const std::size_t most_bytes_;
  std::string begun_;
  bool is_too_long_ = false;
};

}  // namespace rankscope::json_rpc

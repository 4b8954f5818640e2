// LineSplitter: bytes as they arrive, as lines of bounded length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope::json_rpc {

// Of a line that is too long nothing is kept but that it was there.
struct Line {
  std::string_view text;  // without its end; "" of one that is too long
  bool is_too_long = false;
};

class LineSplitter {
 public:
  using Take = std::function<void(const Line& line)>;

  explicit LineSplitter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Hands on each line that ends among `bytes`. A line ends with "\n"; a "\r" before it is no part
  // of it. Holds `most_bytes` at most.
  void Add(std::string_view bytes, const Take& take);
  // What stands behind the last end, if anything: nothing more will come.
  void Finish(const Take& take);

 private:
  void Keep(std::string_view part);
  void HandOn(const Take& take);

  const std::size_t most_bytes_;
  std::string begun_;
  bool is_too_long_ = false;
};

}  // namespace rankscope::json_rpc

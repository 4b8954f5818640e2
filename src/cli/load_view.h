// What `load` shows on a terminal while it runs: the level, and how the server takes it. Without a
// terminal a line for each level when it is over.
#pragma once

#include <deque>
#include <string>

#include "load/run_load.h"

namespace rankscope::cli {

class LoadView {
 public:
  LoadView();
  ~LoadView();  // clears the live lines
  LoadView(const LoadView&) = delete;
  LoadView& operator=(const LoadView&) = delete;

  bool is_terminal() const { return is_terminal_; }  // else Show shows nothing
  void Begin(const load::LevelSpec& level, std::int32_t number);
  void Entitle(std::string title);  // in place of a level's
  void Show(const load::LiveNumbers& numbers);
  void End(const serving::LevelResult& result);
  void Clear();  // the live lines

 private:
  const bool is_terminal_;
  int lines_ = 0;  // that stand below the cursor's line
  std::string level_;
  std::deque<double> served_;  // of the last ticks, for a sparkline
};

// "8 requests a second", "16 users", "1 to 20 requests a second".
std::string LevelWords(const load::LevelSpec& level);
// Eight heights of blocks, the greatest being full.
std::string Sparkline(const std::deque<double>& values);

}  // namespace rankscope::cli

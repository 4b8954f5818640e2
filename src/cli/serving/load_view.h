// The live display of `load` on a terminal: the level, and how the server copes with it. Without a
// terminal it prints one line at the end of each level.
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

  bool is_terminal() const { return is_terminal_; }  // false: Show prints nothing
  void Begin(const load::LevelSpec& level, std::int32_t number);
  void Entitle(std::string title);  // replaces the title of a level
  void Show(const load::LiveNumbers& numbers);
  void End(const serving::LevelResult& result);
  void Clear();  // the live lines

 private:
  const bool is_terminal_;
  int lines_ = 0;  // live lines below the cursor's line
  std::string level_;
  std::deque<double> served_;  // last ticks, for a sparkline
};

// "8 requests a second", "16 users", "1 to 20 requests a second".
std::string LevelWords(const load::LevelSpec& level);
// Blocks in eight heights; the largest value is full height.
std::string Sparkline(const std::deque<double>& values);

}  // namespace rankscope::cli

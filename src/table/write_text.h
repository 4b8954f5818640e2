// Tables for people at a terminal: aligned columns under a header, numbers on the right.
//
//   rank  step  exposed  kernels   busy  name
//   ----  ----  -------  -------  -----  -----------------------
//      0   551  12.3 ms    1,234  87.5%  void cutl...rnel<float>
//      1   551        -        9   0.4%  ncclDevKernel_AllReduce
//   ... 12 more rows
//
// A unit is in the header unless the cells show it. No byte of a string reaches the terminal as a
// control (terminal_text.h); widths are counted in code points.
#pragma once

#include <cstddef>
#include <string>

#include "table/table.h"

namespace rankscope {

enum class NumberStyle {
  kHuman,  // human_number.h: "12.3 ms", "1.5 GB", "87.5%", "1,234"
  kRaw,    // every digit, as CSV has it
};

struct TextOptions {
  NumberStyle numbers = NumberStyle::kHuman;
  std::size_t max_rows = 0;         // 0 = all; then a last line says how many more there are
  std::size_t max_width = 100;      // of a line, 0 = any; see text_layout.h
  std::size_t max_text_width = 60;  // of a string cell, 0 = any; its middle is left out
  bool colour = false;              // for terminals that have it (style.h)
};

// Ends with a newline. Cost: O(cells shown), which are kept in memory until the widths are known.
std::string WriteText(const Table& table, const TextOptions& options = {});

}  // namespace rankscope

// Fills the values of a point into texts of an adapter.
//
//   ${NAME}       the value of a parameter, or of [values]
//   ${settings}   the words that pass all parameters to the server; as a word of its own it becomes
//                 several words, within another word they are joined by spaces
//   ${arguments}  likewise, the words after -- on the command line
//   ${port} ${url} ${rankscope}   a free port, the trial server's address, this program
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tune/adapter/adapter.h"

namespace rankscope::tune {

struct Filling {
  std::map<std::string, std::string> values;  // port, url, rankscope and [values]
  std::vector<std::string> arguments;
};

// "256", "0.92", "on".
std::string ValueText(const Parameter& parameter, double value);

// The words of ${settings}: "--max-num-seqs 256".
std::vector<std::string> SettingWords(const Adapter& adapter, const Point& point);

// A list of words. kInvalidArgument for a name that is undefined, or whose value is "".
Result<std::vector<std::string>> FillWords(const Adapter& adapter, const Point& point,
                                           const Filling& filling,
                                           const std::vector<std::string>& words);
Result<std::string> FillText(const Adapter& adapter, const Point& point, const Filling& filling,
                             std::string_view text);
// Environment variables that parameters and [trial] set.
Result<std::map<std::string, std::string>> FillEnvironment(const Adapter& adapter,
                                                           const Point& point,
                                                           const Filling& filling);

// The names that a text refers to, in order of appearance.
std::vector<std::string> NamesIn(std::string_view text);

}  // namespace rankscope::tune

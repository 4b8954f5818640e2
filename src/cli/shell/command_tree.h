// The command line as a data structure for shell completions and the manual page: the declared
// commands with common options, paths, and completions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contract/command.h"

namespace rankscope::cli {

// What a shell completes for a value.
enum class Offer { kNothing, kFiles, kFolders, kWords };

struct Argument {
  std::vector<std::string> names;  // "-o", "--output"; a positional argument has one name: "PATH"
  std::string value;               // placeholder of the value: "FILE"; empty for a flag
  std::string about;
  std::string default_value;
  Offer offer = Offer::kNothing;
  std::vector<std::string> words;  // for Offer::kWords
  bool is_required = false;
  bool repeats = false;

  bool is_flag() const { return value.empty(); }
};

struct Command {
  std::string name;  // "info"; for the root, the program's name
  std::string path;  // "trace info": all names except the program's
  std::string about;
  std::string footer;
  std::string group;  // CommandSpec::group
  std::vector<Argument> options;
  std::vector<Argument> places;  // positional arguments
  std::vector<Command> commands;

  // Whether the last positional argument takes all following words.
  bool repeats() const { return !places.empty() && places.back().repeats; }
};

// Words for types with a fixed set of values, such as all analyses for "ANALYSIS".
using WordsOfType = std::map<std::string, std::vector<std::string>>;

// A type named FILE, PATH or FOLDER completes files. Fixed words of an option and types in `words`
// complete words. A positional argument without such a type is treated by its name.
Command ReadCommandTree(const CommandSpec& program, const WordsOfType& words);

// The command and all its descendants, parents first.
std::vector<const Command*> AllCommands(const Command& root);

}  // namespace rankscope::cli

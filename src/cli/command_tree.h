// The command line as completions of shells and the manual page want it: the declared commands with
// what every command has, paths, and what a shell may offer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contract/command.h"

namespace rankscope::cli {

// What a shell may offer for a value.
enum class Offer { kNothing, kFiles, kFolders, kWords };

struct Argument {
  std::vector<std::string> names;  // "-o", "--output"; of a place its one name: "PATH"
  std::string value;               // what stands for the value: "FILE"; empty for a flag
  std::string about;
  std::string default_value;
  Offer offer = Offer::kNothing;
  std::vector<std::string> words;  // of Offer::kWords
  bool is_required = false;
  bool repeats = false;

  bool is_flag() const { return value.empty(); }
};

struct Command {
  std::string name;  // "info"; of the root the program's
  std::string path;  // "trace info": all names but the program's
  std::string about;
  std::string footer;
  std::string group;  // CommandSpec::group
  std::vector<Argument> options;
  std::vector<Argument> places;  // arguments that are told by their position
  std::vector<Command> commands;

  // Whether the last place takes all words that follow.
  bool repeats() const { return !places.empty() && places.back().repeats; }
};

// Words of types that have a name of their own, such as all analyses for "ANALYSIS".
using WordsOfType = std::map<std::string, std::vector<std::string>>;

// A type named FILE, PATH or FOLDER offers files; the words of an option and the types of `words`
// offer words. A place without such a type goes by its name.
Command ReadCommandTree(const CommandSpec& program, const WordsOfType& words);

// The command and all below it, parents first.
std::vector<const Command*> AllCommands(const Command& root);

}  // namespace rankscope::cli

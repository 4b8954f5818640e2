// An adapter: how a serving program is started with settings, and which of them may be tuned. A
// file of a few lines (docs/tune.md), in TOML:
//
//   name = "my server"
//   [trial]
//   start = ["my-server", "--port", "${port}", "${settings}"]
//   [parameters.slots]
//   flag = "--slots"
//   scale = "log2"
//   least = 1
//   most = 64
//   default = 8
//
// It is data: nothing of it goes through a shell, and ${NAME} stands for what fill.h says alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tune/search/space.h"

namespace rankscope::tune {

// A parameter, and how the server is told of it. Its default is what the server runs with now.
struct Knob {
  Parameter parameter;
  std::string flag;                // its value is the next word; "" not by a flag
  std::vector<std::string> flags;  // of a choice, one for each; "" none
  std::string variable;            // of the environment; "" none
  bool needs_restart = true;
  // Findings of `rankscope serving` for which more or less of it is tried.
  std::vector<std::string> raised_by, lowered_by;
};

struct Readiness {
  std::string path = "/health";     // answers 2xx when the server takes requests
  std::int64_t within_s = 20 * 60;  // else it has not started
};

// A server of the tuner's own.
struct TrialServer {
  std::vector<std::string> start;  // a program, by PATH, and its arguments
  std::map<std::string, std::string> environment;
  std::vector<std::string> live;  // changes parameters that need no restart; empty: none can be
  std::string url = "http://127.0.0.1:${port}";
  Readiness ready;
  std::int64_t stop_within_s = 30;
};

// The server that somebody uses, which --apply changes.
struct Service {
  std::string url;
  std::string file;                // of its settings, which is written anew; "" none
  std::string content;             // of that file
  std::vector<std::string> apply;  // a command that makes them count; empty: it sees the file
  Readiness ready;
  std::int64_t apply_within_s = 10 * 60;
};

struct Adapter {
  std::string name;
  std::string source;                         // the file, or "the adapter vllm"
  std::string text;                           // as it was read
  std::string folder;                         // commands run there
  std::map<std::string, std::string> values;  // of ${NAME}; "" is to be given
  std::vector<Knob> knobs;
  std::vector<Order> orders;
  std::optional<TrialServer> trial;
  std::optional<Service> service;
};

// `source` stands before every error, with the line. kInvalidArgument for what cannot be meant;
// what a text refers to and nothing names is such.
Result<Adapter> ParseAdapter(std::string_view text, const std::string& source,
                             const std::string& folder);

// A file, or the name of a built-in one. kNotFound, with the names there are, for neither.
Result<Adapter> OpenAdapter(const std::string& file_or_name);

// NAME=VALUE of the command line: a value of [values], or what a parameter is now in place of its
// default.
Status SetInAdapter(Adapter& adapter, const std::string& assignment);

Result<Space> SpaceOf(const Adapter& adapter);

}  // namespace rankscope::tune

// An adapter: how to start a serving program with settings, and which of these may be tuned. A file
// of a few lines (docs/tune.md), in TOML:
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
// It is data: nothing in it goes through a shell, and only fill.h defines what ${NAME} stands for.
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

// A parameter, and how to pass it to the server. Its default is the value that is in use now.
struct Knob {
  Parameter parameter;
  std::string flag;                // its value is the next word; "": no flag
  std::vector<std::string> flags;  // for a choice: one flag per option; "" none
  std::string variable;            // environment variable; "" none
  bool needs_restart = true;
  // Findings of `rankscope serving` for which a higher or lower value is tried.
  std::vector<std::string> raised_by, lowered_by;
};

struct Readiness {
  std::string path = "/health";     // answers 2xx when the server accepts requests
  std::int64_t within_s = 20 * 60;  // if it takes longer, the start has failed
};

// A server that the tuner starts itself.
struct TrialServer {
  std::vector<std::string> start;  // a program, found by PATH, and its arguments
  std::map<std::string, std::string> environment;
  std::vector<std::string> live;  // changes parameters without a restart; empty: impossible
  std::string url = "http://127.0.0.1:${port}";
  Readiness ready;
  std::int64_t stop_within_s = 30;
};

// The server in production use, which --apply changes.
struct Service {
  std::string url;
  std::string file;                // its settings file, which is rewritten; "" none
  std::string content;             // of that file
  std::vector<std::string> apply;  // command that activates them; empty: it notices the file
  Readiness ready;
  std::int64_t apply_within_s = 10 * 60;
};

struct Adapter {
  std::string name;
  std::string source;                         // the file, or "the adapter vllm"
  std::string text;                           // unchanged
  std::string folder;                         // working folder of commands
  std::map<std::string, std::string> values;  // of ${NAME}; "": the user must supply it
  std::vector<Knob> knobs;
  std::vector<Order> orders;
  std::optional<TrialServer> trial;
  std::optional<Service> service;
};

// `source` precedes every error, together with the line. kInvalidArgument for invalid adapters, for
// example a text that refers to an undefined name.
Result<Adapter> ParseAdapter(std::string_view text, const std::string& source,
                             const std::string& folder);

// Opens a file, or a built-in adapter by name. kNotFound, with all names, if it is neither.
Result<Adapter> OpenAdapter(const std::string& file_or_name);

// NAME=VALUE from the command line: sets a value of [values], or the current value of a parameter
// instead of its default.
Status SetInAdapter(Adapter& adapter, const std::string& assignment);

Result<Space> SpaceOf(const Adapter& adapter);

}  // namespace rankscope::tune

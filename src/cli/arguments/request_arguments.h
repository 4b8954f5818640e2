// Options for the requests to a serving program, for every command that sends some.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "contract/command.h"
#include "load/base/spec.h"

namespace rankscope::cli {

class RequestArguments {
 public:
  void AddTo(CommandSpec& command);
  // Sets everything except the address and the timing of requests. kInvalidArgument if invalid.
  Status TakeInto(load::LoadSpec& spec) const;

 private:
  Status TakeHeaders(http::Fields* fields) const;

  load::Target target_;
  int prompt_ = 512, output_tokens_ = 128, shared_ = 0, turns_ = 1;
  double prompt_variation_ = 0, output_variation_ = 0;
  std::string think_ = "0s", endpoint_ = "completions", body_, token_file_;
  bool no_stream_ = false, free_length_ = false;
  std::vector<std::string> headers_;
};

// Parses the option values "poisson", "constant", "gamma".
load::Arrivals ArrivalsOf(const std::string& text);

}  // namespace rankscope::cli

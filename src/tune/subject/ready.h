// Whether a server accepts requests.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/status.h"
#include "http/client.h"

namespace rankscope::tune {

struct ReadyCheck {
  std::string url;
  std::string path;
  http::ClientOptions client;  // authorities and fields
};

// One check, at most five seconds: "" if it answers 2xx, otherwise why not ("status 503").
std::string WhyNotReady(const ReadyCheck& check);

// Checks ten times per second until it is ready, `gone` says why it never will be, or `within` is
// over. "" if ready, otherwise why not. kCancelled if `is_stopped`.
Result<std::string> WaitReady(const ReadyCheck& check, std::chrono::seconds within,
                              const std::function<std::string()>& gone,
                              const std::function<bool()>& is_stopped);

}  // namespace rankscope::tune

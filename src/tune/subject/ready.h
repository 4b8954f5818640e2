// Whether a server takes requests.
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

// One look, five seconds at most: "" when it answers 2xx, else how not ("status 503").
std::string WhyNotReady(const ReadyCheck& check);

// Looks ten times a second until it is ready, `gone` says why it never will be, or `within` is
// over. "" when it is, else why not. kCancelled when `is_stopped`.
Result<std::string> WaitReady(const ReadyCheck& check, std::chrono::seconds within,
                              const std::function<std::string()>& gone,
                              const std::function<bool()>& is_stopped);

}  // namespace rankscope::tune

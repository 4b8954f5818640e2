// The loop of a thread that serves an asio context.
#pragma once

#include <exception>

#include "http/asio.h"

namespace rankscope::http {

// Runs what the context has until it is stopped. An exception that leaves a handler (memory ran
// out) costs what it was about, and not the process.
inline void RunToEnd(asio::io_context& context) {
  for (;;) {
    try {
      context.run();
      return;
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the handler is gone with it
    }
  }
}

}  // namespace rankscope::http

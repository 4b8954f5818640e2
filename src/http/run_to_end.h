// The loop of a thread that serves an asio context.
#pragma once

#include <exception>

#include "http/asio.h"

namespace rankscope::http {

// Runs the context's work until it is stopped. An exception of a handler (memory ran out) ends only
// that handler, not the process.
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

// StdioServer: a session over two descriptors, for a client that started this program.
#pragma once

#include <memory>

#include "mcp/session_options.h"
#include "mcp/source.h"

namespace rankscope::mcp {

struct Streams {
  int input = 0;
  int output = 1;
  int stop = -1;  // readable when the server should stop; -1: never
};

class StdioServer {
 public:
  // The source and the descriptors must outlive it.
  StdioServer(Source& source, const SessionOptions& options, Streams streams);
  ~StdioServer();
  StdioServer(const StdioServer&) = delete;
  StdioServer& operator=(const StdioServer&) = delete;

  // Runs until the input has ended and all requests are answered, the output is closed, or `stop`
  // is readable. Returns false if some work cannot be stopped, so that the destructor would wait
  // for it.
  bool Run();

 private:
  class Loop;

  std::unique_ptr<Loop> loop_;
};

}  // namespace rankscope::mcp

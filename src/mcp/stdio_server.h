// StdioServer: a session over two descriptors, as a client has that started this program.
#pragma once

#include <memory>

#include "mcp/session_options.h"
#include "mcp/source.h"

namespace rankscope::mcp {

struct Streams {
  int input = 0;
  int output = 1;
  int stop = -1;  // readable when all is to end; -1: never
};

class StdioServer {
 public:
  // The source and the descriptors outlive it.
  StdioServer(Source& source, const SessionOptions& options, Streams streams);
  ~StdioServer();
  StdioServer(const StdioServer&) = delete;
  StdioServer& operator=(const StdioServer&) = delete;

  // Until the input has ended and what it asked is answered, nobody reads the output any more, or
  // `stop` is readable. False: some work does not let itself be stopped, and the destructor would
  // wait for it.
  bool Run();

 private:
  class Loop;

  std::unique_ptr<Loop> loop_;
};

}  // namespace rankscope::mcp

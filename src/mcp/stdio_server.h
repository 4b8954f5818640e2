// StdioServer: a session over two descriptors, as a client has that started this program.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "mcp/executor.h"
#include "mcp/line_splitter.h"
#include "mcp/session.h"
#include "mcp/worker.h"

namespace rankscope::mcp {

struct Streams {
  int input = 0;
  int output = 1;
  int stop = -1;  // readable when all is to end; -1: never
};

class StdioServer {
 public:
  // The source and the descriptors outlive it.
  StdioServer(Source& source, SessionOptions options, Streams streams);
  ~StdioServer();
  StdioServer(const StdioServer&) = delete;
  StdioServer& operator=(const StdioServer&) = delete;

  // Until the input has ended and what it asked is answered, nobody reads the output any more, or
  // `stop` is readable. False: some work does not let itself be stopped, and the destructor would
  // wait for it.
  bool Run();

 private:
  // What other threads have for this one.
  class Home final : public Executor {
   public:
    Home();
    ~Home() override;
    void Add(std::function<void()> work) override;
    void RunAll();
    int wake() const { return wake_; }

   private:
    const int wake_;  // readable while there is something
    std::mutex mutex_;
    std::vector<std::function<void()>> waiting_;
  };

  bool IsOver() const;
  void Wait();
  void Read();
  void Take(const Line& line);
  void Write(std::string_view message);
  bool WaitForRoom();

  const Streams streams_;
  bool is_stopped_ = false;
  bool is_input_over_ = false;
  bool is_output_gone_ = false;
  LineSplitter lines_;
  Home home_;
  Worker worker_;
  Session session_;
};

}  // namespace rankscope::mcp

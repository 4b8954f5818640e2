// A session driven manually: its worker, its clock, its job.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "mcp/rows.h"
#include "mcp/session.h"

namespace rankscope::mcp {

class ManualExecutor final : public Executor {
 public:
  void Add(std::function<void()> work) override { waiting.push_back(std::move(work)); }
  void RunAll() {
    while (!waiting.empty()) {
      const std::function<void()> work = std::move(waiting.front());
      waiting.pop_front();
      work();
    }
  }
  std::deque<std::function<void()>> waiting;
};

// Returns one row for each table that it is asked for.
class FakeSource final : public Source {
 public:
  Result<FindingsResult> Findings(app::Listener& listener) override {
    listener.OnLeftOut({"rank1.json: no trace"});
    return FindingsResult{.headline = "A step takes 1 ms."};
  }
  Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) override {
    ++asked;
    if (arguments.name == "none") return Error(StatusCode::kInvalidArgument, "there is no 'none'");
    for (std::uint64_t bytes = 0; bytes <= 100; bytes += 50)
      listener.OnReading({.files_done = 0, .files = 1, .bytes_done = bytes, .bytes = 100});
    Table table(arguments.name, {{.name = "n", .type = ColumnType::kInt64}});
    table.AddRow({std::int64_t{asked}});
    return RowsResultOf({.table = std::move(table), .row_count = 1});
  }
  Result<RowsResult> Query(const QueryArguments&, app::Listener&) override {
    throw std::bad_alloc();
  }
  Result<RowsResult> WhatIf(const WhatIfArguments&, app::Listener& listener) override {
    if (at_work) at_work();
    was_stopped = listener.IsStopped();
    return Error(StatusCode::kCancelled, "stopped");
  }
  Result<DiffResult> Diff(const DiffArguments&, app::Listener&) override { return DiffResult{}; }
  Result<FixResult> Fix(const FixArguments&, app::Listener&) override { return FixResult{}; }
  Result<std::string> Report(app::Listener&) override { return std::string("# Report"); }

  std::function<void()> at_work;  // called while a what-if is computed
  int asked = 0;
  bool was_stopped = false;
};

class WithSession : public ::testing::Test {
 protected:
  // Performs the handshake for a protocol version.
  void Begin(std::string_view version) {
    session_.OnLine(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
        std::string(version) + R"("}})");
    session_.OnLine(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    sent_.clear();
  }
  void Request(std::string_view id, std::string_view method, std::string_view params = "{}") {
    session_.OnLine(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id,
                                method, params));
  }
  void CallTool(std::string_view id, std::string_view name, std::string_view arguments = "{}") {
    Request(id, "tools/call", fmt::format(R"({{"name":"{}","arguments":{}}})", name, arguments));
  }
  // Runs all pending work.
  void Work() {
    worker_.RunAll();
    home_.RunAll();
  }
  std::string Last() const { return sent_.empty() ? "" : sent_.back(); }

  FakeSource source_;
  ManualExecutor worker_, home_;
  std::vector<std::string> sent_;
  Clock::time_point now_;
  Session session_{
      {.source = source_,
       .worker = worker_,
       .home = home_,
       .send = [this](std::string_view line) { sent_.emplace_back(line); },
       .now = [this] { return now_; }},
      {.program_version = "1.2.3", .time_limit = std::chrono::seconds(10), .most_calls = 3}};
};

}  // namespace rankscope::mcp

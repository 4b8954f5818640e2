// What the recorder of services costs a request (docs/record-requests.md): each call alone, a
// request as an adapter records it, and that from many threads at once, the writer at work.
#include "rankscope/request_recorder.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

namespace {

using rankscope::requests::HandlerScope;
using rankscope::requests::LockGuard;
using rankscope::requests::Options;
using rankscope::requests::Recorder;
using rankscope::requests::Request;

Recorder& TheRecorder() {
  static Recorder recorder([] {
    Options options;
    options.path = "/tmp/rankscope_bench_recorder_{pid}.jsonl";
    options.service = "bench";
    options.ring = 1 << 16;
    options.most_bytes = 64 << 20;
    options.flush_every = std::chrono::milliseconds(10);
    return options;
  }());
  return recorder;
}

void Clock(benchmark::State& state) {
  for (auto unused : state) benchmark::DoNotOptimize(rankscope::requests::Now());
}
BENCHMARK(Clock);

void Stamp(benchmark::State& state) {
  Request request = TheRecorder().Arrive("Ranker.rank");
  for (auto unused : state) request.Sent();
  request.Finish();
}
BENCHMARK(Stamp);

void FreeLock(benchmark::State& state) {
  Request request = TheRecorder().Arrive("Ranker.rank");
  const HandlerScope handler(request);
  std::mutex mutex;
  for (auto unused : state) const LockGuard<std::mutex> lock(mutex, "index");
  request.Finish();
}
BENCHMARK(FreeLock);

// Arrival, dequeue, begin, end, sent, finish: six calls.
void WholeRequest(benchmark::State& state) {
  Recorder& recorder = TheRecorder();
  for (auto unused : state) {
    Request request = recorder.Arrive("Ranker.rank");
    HandlerScope handler(request);
    handler.End();
    request.Sent();
    request.Finish();
  }
  if (state.thread_index() == 0)
    state.counters["dropped"] = static_cast<double>(recorder.dropped());
}
BENCHMARK(WholeRequest)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();

}  // namespace

int main(int count, char** values) {
  benchmark::Initialize(&count, values);
  benchmark::RunSpecifiedBenchmarks();
  const std::string path = TheRecorder().path();
  std::remove(path.c_str());
  std::remove((path + ".1").c_str());
  return EXIT_SUCCESS;
}

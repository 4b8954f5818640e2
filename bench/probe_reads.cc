// What specifications of devices cost (docs/probes.md): a reading of metrics that are kept, a round
// that reads all sources, beside reading the same files alone, and a call of a library through its
// process.
//
//   bench_probe_reads WORKER [FOLDER of libfake_accel.so]
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "probe/live/live_reader.h"
#include "probe/run/host.h"
#include "probe/run/monitor.h"

namespace rankscope::probe {
namespace {

constexpr int kCounters = 40;

// A device of files below a folder of its own, which goes with it.
class FileDevice {
 public:
  FileDevice() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_probe_XXXXXX").string();
    RS_CHECK(mkdtemp(name.data()) != nullptr, "no folder for the device");
    root_ = name;
    const std::string folder = root_ + "/sys/class/accel/accel0";
    std::filesystem::create_directories(folder);
    std::string text =
        "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n"
        "    instances = glob(\"/sys/class/accel/accel*\")\n";
    for (int i = 0; i < kCounters; ++i) {
      files_.push_back(fmt::format("{}/c{}", folder, i));
      std::ofstream(files_.back()) << 1'000'000 + i << '\n';
      text += fmt::format(
          "    c{0} = file(\"c{0}\", u64, every=ms(10))\n"
          "    vendor_{0} = gauge(rate(c{0}, wrap=32) / 1000, unit=none, lo=0)\n",
          i);
    }
    Diagnostics diagnostics;
    spec_ = CheckText("chip.probe", std::move(text), diagnostics);
    RS_CHECK(!diagnostics.has_errors());
  }
  ~FileDevice() { std::filesystem::remove_all(root_); }

  const Spec& spec() const { return spec_; }
  const std::vector<std::string>& files() const { return files_; }
  std::unique_ptr<SourceReader> Open() const { return OpenReader({.root = root_, .worker = {}}); }

 private:
  std::string root_;
  std::vector<std::string> files_;
  Spec spec_;
};

const FileDevice& TheDevice() {
  static const FileDevice device;
  return device;
}

// A reading of all metrics of the last round, which is not due again.
void ReadKept(benchmark::State& state) {
  static const auto reader = TheDevice().Open();
  static Monitor monitor(std::make_unique<Module>(TheDevice().spec().devices[0], *reader),
                         [] { return std::int64_t{1}; });
  for (auto unused : state)
    benchmark::DoNotOptimize(monitor.Read(std::chrono::nanoseconds(0)).snapshot);
}
BENCHMARK(ReadKept)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();

// Of 40 counters, whose rates are computed.
void RoundOfFiles(benchmark::State& state) {
  const auto reader = TheDevice().Open();
  Module module(TheDevice().spec().devices[0], *reader, [] { return std::int64_t{0}; });
  std::int64_t now = 0;
  for (auto unused : state) module.Refresh(now += 10'000'000);
  state.SetItemsProcessed(state.iterations() * kCounters);
}
BENCHMARK(RoundOfFiles);

// The kernel's part of it: the same files, kept open and read from their beginning.
void FilesAlone(benchmark::State& state) {
  std::vector<int> open_files;
  for (const std::string& file : TheDevice().files())
    open_files.push_back(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  for (auto unused : state) {
    for (const int file : open_files)
      benchmark::DoNotOptimize(pread(file, buffer.data(), buffer.size(), 0));
  }
  for (const int file : open_files) close(file);
  state.SetItemsProcessed(state.iterations() * kCounters);
}
BENCHMARK(FilesAlone);

// A call of a library that does next to nothing: to its process and back.
void CallOfLibrary(benchmark::State& state, const std::string& worker) {
  Diagnostics diagnostics;
  const Spec spec = CheckText("call.probe",
                              "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n"
                              "    drv = library(\"libfake_accel.so\", init=\"accel_init\")\n"
                              "    n = drv.call(\"accel_count\", out(u32), every=ms(10))\n"
                              "    vendor_n = gauge(n, unit=none)\n",
                              diagnostics);
  RS_CHECK(!diagnostics.has_errors());
  const auto reader = OpenReader({.root = "", .worker = {worker}});
  Module module(spec.devices[0], *reader);
  std::int64_t now = 0;
  for (auto unused : state) module.Refresh(now += 10'000'000);
  if (module.instances().empty() || module.instances()[0].metrics[0].value.is_absent())
    state.SkipWithError("the library gave nothing");
}

}  // namespace
}  // namespace rankscope::probe

int main(int count, char** values) {
  benchmark::Initialize(&count, values);
  if (count != 3) {
    fmt::print(stderr, "bench_probe_reads WORKER FOLDER\n");
    return EXIT_FAILURE;
  }
  setenv("LD_LIBRARY_PATH", values[2], 1);
  const std::string worker = values[1];
  benchmark::RegisterBenchmark("CallOfLibrary", [worker](benchmark::State& state) {
    rankscope::probe::CallOfLibrary(state, worker);
  })->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}

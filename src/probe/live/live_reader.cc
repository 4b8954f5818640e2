#include "probe/live/live_reader.h"

#include "probe/library/libraries.h"
#include "probe/source/files.h"
#include "probe/source/paths.h"

namespace rankscope::probe {
namespace {

class LiveReader final : public SourceReader {
 public:
  explicit LiveReader(ReaderOptions options)
      : files_(std::move(options.root)),
        has_worker_(!options.worker.empty()),
        libraries_(std::move(options.worker), std::move(options.clock), options.opening) {}

  std::vector<std::string> Folders(const std::string& pattern) override {
    return Matches(files_.root(), pattern);
  }

  Reading Read(const DeviceSpec& device, int index, const Instance& instance,
               std::span<const Value> arguments) override {
    const Source& source = device.sources[static_cast<std::size_t>(index)];
    if (source.kind == SourceKind::kFile) return files_.Read(source, instance);
    if (has_worker_) return libraries_.Read(device, source, instance, arguments);
    return {.value = {}, .fault = ReadFault::kMissing, .why = "libraries are not loaded here"};
  }

  void Forget(const Instance& instance) override {
    files_.Forget(instance);
    libraries_.Forget(instance);
  }

 private:
  Files files_;
  bool has_worker_;
  Libraries libraries_;
};

}  // namespace

std::unique_ptr<SourceReader> OpenReader(ReaderOptions options) {
  return std::make_unique<LiveReader>(std::move(options));
}

}  // namespace rankscope::probe

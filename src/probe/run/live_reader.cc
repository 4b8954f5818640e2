#include "probe/run/files.h"
#include "probe/run/paths.h"
#include "probe/run/reading.h"

namespace rankscope::probe {
namespace {

class LiveReader final : public SourceReader {
 public:
  explicit LiveReader(const std::string& root) : files_(root) {}

  std::vector<std::string> Folders(const std::string& pattern) override {
    return Matches(files_.root(), pattern);
  }

  Reading Read(const DeviceSpec& device, int source, const Instance& instance,
               std::span<const Value>) override {
    return files_.Read(device.sources[static_cast<std::size_t>(source)], instance);
  }

  void Forget(const Instance& instance) override { files_.Forget(instance); }

 private:
  Files files_;
};

}  // namespace

std::unique_ptr<SourceReader> OpenReader(const std::string& root) {
  return std::make_unique<LiveReader>(root);
}

}  // namespace rankscope::probe

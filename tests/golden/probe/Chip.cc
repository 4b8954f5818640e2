// Made by rankscope from chip.probe, version 1 of the language: change that file, not this one.
#include "Chip.h"

#include <limits>
#include <string>
#include <utility>

#include "probe/compiled/support.h"

namespace rankscope::probes {
namespace {

class ChipProgram final : public probe::Program {
 public:
  ChipProgram() : described(Describe()) {}
  const probe::DeviceSpec& device() const override { return described; }
  std::unique_ptr<Memory> NewMemory() const override { return std::make_unique<Kept>(); }

  probe::Value Where(const Input& input) const override {
    [[maybe_unused]] const auto& samples = input.samples;
    [[maybe_unused]] const std::int64_t index = input.index;
    [[maybe_unused]] probe::FaultCounts& faults = input.faults;
#line 4 "chip.probe"
    return probe::ToValue(probe::Compare<std::string>(probe::As<std::string>(samples.now[kSource0_instances].value), probe::Known(std::string("0x1234")), std::equal_to<std::string>()));
#line 26 "Chip.cc"
  }

  probe::Value Count(const Input&) const override { return {}; }

  probe::Value Argument([[maybe_unused]] int source, [[maybe_unused]] int argument,
                        [[maybe_unused]] const Input& input) const override {
    [[maybe_unused]] const auto& samples = input.samples;
    [[maybe_unused]] const std::int64_t index = input.index;
    [[maybe_unused]] probe::FaultCounts& faults = input.faults;
    if (source == kSource1_handle && argument == 0) {
#line 7 "chip.probe"
      return probe::ToValue(probe::Known(index));
#line 39 "Chip.cc"
    }
    if (source == kSource2_st && argument == 0) {
      [[maybe_unused]] const auto handle_ = probe::As<std::uint64_t>(samples.now[kSource1_handle].value);
#line 8 "chip.probe"
      return probe::ToValue(handle_);
#line 45 "Chip.cc"
    }
    return {};
  }

  void Evaluate(const Input& input, [[maybe_unused]] const std::vector<char>& is_read, Memory& memory,
                std::vector<probe::Value>& metrics) const override {
    [[maybe_unused]] const auto& samples = input.samples;
    [[maybe_unused]] const std::int64_t index = input.index;
    [[maybe_unused]] probe::FaultCounts& faults = input.faults;
    auto& kept = static_cast<Kept&>(memory);
    auto& now = kept.now;
    [[maybe_unused]] auto& before = kept.before;
    [[maybe_unused]] probe::FaultCounts counted;  // of values before: they were counted then
    // handle = drv.call("chip_open", index, out(ptr), cache=forever)
    if (probe::IsRead(is_read, {kSource1_handle})) {
#line 7 "chip.probe"
      now.handle_ = probe::As<std::uint64_t>(samples.now[kSource1_handle].value);
#line 63 "Chip.cc"
    }
    // st = drv.call("chip_stats", handle, out(st_t, version=2), every=ms(500))
    if (probe::IsRead(is_read, {kSource2_st})) {
#line 8 "chip.probe"
      before.st_ = samples.before[kSource2_st].value;
#line 69 "Chip.cc"
#line 8 "chip.probe"
      now.st_ = samples.now[kSource2_st].value;
#line 72 "Chip.cc"
    }
    // busy = [delta(st.busy_ns[i], wrap=48) for i in range(4)]
    if (probe::IsRead(is_read, {kSource2_st})) {
#line 9 "chip.probe"
      now.busy_ = probe::ListByTurns<std::uint64_t, 4>(0, [&]([[maybe_unused]] std::int64_t turn) { return probe::Delta<std::uint64_t>(probe::ElementOf(probe::ListAs<std::uint64_t, 4>(probe::Field(now.st_, 1)), probe::Known(turn), faults), probe::ElementOf(probe::ListAs<std::uint64_t, 4>(probe::Field(before.st_, 1)), probe::Known(turn), counted), 48, faults); });
#line 78 "Chip.cc"
    }
    // device_utilization = gauge(max(busy) / delta(monotonic_ns()), unit=ratio, lo=0, hi=1)
    if (probe::IsRead(is_read, {kSource2_st, kSource4_device_utilization})) {
#line 11 "chip.probe"
      now.device_utilization_ = probe::Bounded<double>(probe::Divide(probe::MostOf(now.busy_), probe::Delta<std::int64_t>(probe::As<std::int64_t>(samples.now[kSource4_device_utilization].value), probe::As<std::int64_t>(samples.before[kSource4_device_utilization].value), 0, faults), faults), double{0x0p+0}, double{0x1p+0}, faults);
#line 84 "Chip.cc"
    }
    // vendor_state = st.state
    if (probe::IsRead(is_read, {kSource2_st})) {
#line 12 "chip.probe"
      now.vendor_state_ = probe::As<std::int64_t>(probe::Field(now.st_, 2));
#line 90 "Chip.cc"
    }
    // health = "ok" if st.state == RUN else absent
    if (probe::IsRead(is_read, {kSource2_st})) {
#line 13 "chip.probe"
      now.health_ = probe::Choose<probe::Maybe<std::string>>(probe::Compare<std::int64_t>(probe::As<std::int64_t>(probe::Field(now.st_, 2)), probe::Known(std::int64_t{1}), std::equal_to<std::int64_t>()), [&] { return probe::Known(std::string("ok")); }, [&] { return probe::Maybe<std::string>(); });
#line 96 "Chip.cc"
    }
    kept.is_new = false;
    metrics[0] = probe::ToValue(now.device_utilization_);
    metrics[1] = probe::ToValue(now.vendor_state_);
    metrics[2] = probe::ToValue(now.health_);
  }

 private:
  enum SourceNumber : std::size_t {
    kSource0_instances,  // instances = glob("/sys/class/accel/accel*", where=text("vendor") == "0x1234")
    kSource1_handle,  // handle = drv.call("chip_open", index, out(ptr), cache=forever)
    kSource2_st,  // st = drv.call("chip_stats", handle, out(st_t, version=2), every=ms(500))
    kSource3_unused,  // unused = file("unused", u64)
    kSource4_device_utilization,  // device_utilization = gauge(max(busy) / delta(monotonic_ns()), unit=ratio, lo=0, hi=1)
  };

  // Values of one instance.
  struct Names {
    probe::Maybe<std::uint64_t> handle_{};
    probe::Value st_{};
    probe::List<std::uint64_t, 4> busy_{};
    probe::Maybe<double> device_utilization_{};
    probe::Maybe<std::int64_t> vendor_state_{};
    probe::Maybe<std::string> health_{};
  };
  struct Kept final : Memory {
    Names now, before;
    bool is_new = true;
  };

  static probe::DeviceSpec Describe() {
  probe::DeviceSpec device;
  device.name = "Chip";
  device.vendor = "acme";
  device.pattern = "/sys/class/accel/accel*";
  device.instances = probe::InstanceKind::kGlob;
  device.where = 0;  // there is such a condition
  device.discovery = {0};
  {
    probe::EnumDef type;
    type.name = "codes";
    type.items.push_back({"TIMEOUT", std::int64_t{10}});
    device.enums.push_back(std::move(type));
  }
  {
    probe::EnumDef type;
    type.name = "state";
    type.items.push_back({"IDLE", std::int64_t{0}});
    type.items.push_back({"RUN", std::int64_t{1}});
    device.enums.push_back(std::move(type));
  }
  {
    probe::StructDef type;
    type.name = "st_t";
    type.fields.push_back({"version", {.width = probe::Width::kU32, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1}, 0});
    type.fields.push_back({"busy_ns", {.width = probe::Width::kU64, .count = 4, .is_array = true, .enum_of = -1, .struct_of = -1}, 8});
    type.fields.push_back({"state", {.width = probe::Width::kU32, .count = 1, .is_array = false, .enum_of = 1, .struct_of = -1}, 40});
    type.bytes = 48;
    device.structs.push_back(std::move(type));
  }
  {
    probe::Library library;
    library.name = "drv";
    library.files.push_back("libchip.so");
    library.ok = 0;
    library.timeout_ns = 1000000000;
    library.codes = 0;
    device.libraries.push_back(std::move(library));
  }
  {
    probe::Source source;
    source.kind = probe::SourceKind::kFile;
    source.name = "instances";
    source.type = {.kind = probe::TypeKind::kStr, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    source.layout = {.width = probe::Width::kChars, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1};
    source.every_ns = 10000000000;
    source.path = "vendor";
    device.sources.push_back(std::move(source));
  }
  {
    probe::Source source;
    source.kind = probe::SourceKind::kCall;
    source.name = "handle";
    source.type = {.kind = probe::TypeKind::kPtr, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    source.layout = {.width = probe::Width::kPtr, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1};
    source.every_ns = 0;
    source.is_needed = true;
    source.library = 0;
    source.function = "chip_open";
    source.arguments.push_back({.is_pointer = false, .sources = {}});
    source.arguments.push_back({.kind = probe::CallArgument::Kind::kOut, .layout = {.width = probe::Width::kPtr, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1}, .version = std::nullopt});
    device.sources.push_back(std::move(source));
  }
  {
    probe::Source source;
    source.kind = probe::SourceKind::kCall;
    source.name = "st";
    source.type = {.kind = probe::TypeKind::kStruct, .of = 0, .item = probe::TypeKind::kAny, .count = 0};
    source.layout = {.width = probe::Width::kU64, .count = 1, .is_array = false, .enum_of = -1, .struct_of = 0};
    source.every_ns = 500000000;
    source.is_needed = true;
    source.library = 0;
    source.function = "chip_stats";
    source.arguments.push_back({.is_pointer = true, .sources = {1}});
    source.arguments.push_back({.kind = probe::CallArgument::Kind::kOut, .layout = {.width = probe::Width::kU64, .count = 1, .is_array = false, .enum_of = -1, .struct_of = 0}, .version = 2});
    device.sources.push_back(std::move(source));
  }
  {
    probe::Source source;
    source.kind = probe::SourceKind::kFile;
    source.name = "unused";
    source.type = {.kind = probe::TypeKind::kU64, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    source.layout = {.width = probe::Width::kU64, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1};
    source.every_ns = 10000000000;
    source.path = "unused";
    device.sources.push_back(std::move(source));
  }
  {
    probe::Source source;
    source.kind = probe::SourceKind::kClock;
    source.name = "device_utilization";
    source.type = {.kind = probe::TypeKind::kI64, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    source.layout = {.width = probe::Width::kI64, .count = 1, .is_array = false, .enum_of = -1, .struct_of = -1};
    source.every_ns = 500000000;
    source.is_needed = true;
    device.sources.push_back(std::move(source));
  }
  {
    probe::Export metric;
    metric.name = "device_utilization";
    metric.kind = probe::MetricKind::kGauge;
    metric.unit = "ratio";
    metric.help = "share of the time in which it computed";
    metric.type = {.kind = probe::TypeKind::kF64, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    metric.sources = {2, 4};
    device.exports.push_back(std::move(metric));
  }
  {
    probe::Export metric;
    metric.name = "vendor_state";
    metric.kind = probe::MetricKind::kState;
    metric.type = {.kind = probe::TypeKind::kEnum, .of = 1, .item = probe::TypeKind::kAny, .count = 0};
    metric.sources = {2};
    device.exports.push_back(std::move(metric));
  }
  {
    probe::Export metric;
    metric.name = "health";
    metric.kind = probe::MetricKind::kState;
    metric.help = "ok, degraded or failed";
    metric.type = {.kind = probe::TypeKind::kStr, .of = -1, .item = probe::TypeKind::kAny, .count = 0};
    metric.sources = {2};
    device.exports.push_back(std::move(metric));
  }
  return device;
  }

  const probe::DeviceSpec described;
};

}  // namespace

std::unique_ptr<const probe::Program> MakeChipProgram() { return std::make_unique<ChipProgram>(); }

std::unique_ptr<probe::Monitor> OpenChip(probe::SourceReader& reader) {
  return std::make_unique<probe::Monitor>(std::make_unique<probe::Module>(MakeChipProgram(), reader));
}

}  // namespace rankscope::probes

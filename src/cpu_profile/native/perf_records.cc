#include "cpu_profile/native/perf_records.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace rankscope::cpu_profile {
namespace {

constexpr std::size_t kMostFrames = 512;

class Words {
 public:
  explicit Words(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  bool Take(T& value) {
    if (bytes_.size() < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return true;
  }
  std::size_t left() const { return bytes_.size() / sizeof(std::uint64_t); }
  bool TakeBytes(std::uint64_t count, std::span<const std::byte>& bytes) {
    if (count > bytes_.size()) return false;
    bytes = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

// The kernel's numbers, in their order, as DWARF has them.
constexpr std::array<int, kRegisters> kDwarfOf = {0, 3, 2,  1,  4,  5,  6,  7, 16,
                                                  8, 9, 10, 11, 12, 13, 14, 15};

bool TakeStack(Words& words, PerfSample& sample) {
  std::uint64_t abi = 0, size = 0, filled = 0;
  if (!words.Take(abi)) return false;
  for (std::size_t i = 0; abi != PERF_SAMPLE_REGS_ABI_NONE && i < kDwarfOf.size(); ++i) {
    std::uint64_t value = 0;
    if (!words.Take(value)) return false;
    // Of a program of 32 bits nothing is followed.
    if (abi == PERF_SAMPLE_REGS_ABI_64) sample.registers.Set(kDwarfOf[i], value);
  }
  std::span<const std::byte> bytes;
  if (!words.Take(size) || !words.TakeBytes(size, bytes)) return false;
  if (size > 0 && !words.Take(filled)) return false;
  if (sample.registers.Has(kStackPointer))
    sample.stack = {sample.registers.value[kStackPointer], bytes.first(std::min(filled, size))};
  return true;
}

bool TakeSample(std::span<const std::byte> body, PerfParts parts, PerfSample& sample) {
  Words words(body);
  std::uint32_t process = 0;
  std::uint64_t count = 0;
  if (!words.Take(process) || !words.Take(sample.thread) || !words.Take(sample.time) ||
      !words.Take(count) || count > words.left())
    return false;
  // Marks between them say whose addresses follow.
  constexpr auto kFirstMark = static_cast<std::uint64_t>(-4095);
  bool is_user = true;
  sample.addresses.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t address = 0;
    words.Take(address);
    if (address >= kFirstMark) {
      is_user = address == static_cast<std::uint64_t>(PERF_CONTEXT_USER);
    } else if (is_user && sample.addresses.size() < kMostFrames) {
      sample.addresses.push_back(address);
    }
  }
  sample.registers = {};
  sample.stack = {};
  return parts == PerfParts::kChain || TakeStack(words, sample);
}

}  // namespace

std::uint64_t ParsePerfRecords(std::span<const std::byte> bytes, PerfParts parts,
                               const std::function<void(const PerfSample&)>& take) {
  std::uint64_t lost = 0;
  PerfSample sample;
  while (bytes.size() >= sizeof(perf_event_header)) {
    perf_event_header head{};
    std::memcpy(&head, bytes.data(), sizeof(head));
    if (head.size < sizeof(head) || head.size > bytes.size()) break;
    const auto body = bytes.subspan(sizeof(head), head.size - sizeof(head));
    bytes = bytes.subspan(head.size);
    if (head.type == PERF_RECORD_SAMPLE && TakeSample(body, parts, sample)) take(sample);
    if (head.type != PERF_RECORD_LOST) continue;
    Words words(body);
    std::uint64_t id = 0, count = 0;
    if (words.Take(id) && words.Take(count)) lost += count;
  }
  return lost;
}

}  // namespace rankscope::cpu_profile

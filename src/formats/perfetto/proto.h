// Writes the wire format of protobuf, as far as needed, and lists the field numbers of Perfetto's
// trace.proto that we write.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rankscope::perfetto {

inline void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Fields of a message; a nested message is a string of its own bytes.
class Message {
 public:
  explicit Message(std::string& out) : out_(out) {}
  void Uint(unsigned field, std::uint64_t value) {
    AppendVarint(field << 3, out_);
    AppendVarint(value, out_);
  }
  // int32, int64, enum: two's complement of 64 bits.
  void Int(unsigned field, std::int64_t value) { Uint(field, static_cast<std::uint64_t>(value)); }
  void Fixed64(unsigned field, std::uint64_t value) {
    AppendVarint(field << 3 | 1, out_);
    for (int i = 0; i < 64; i += 8) out_.push_back(static_cast<char>(value >> i));
  }
  void Double(unsigned field, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    Fixed64(field, bits);
  }
  void Bytes(unsigned field, std::string_view bytes) {
    AppendVarint(field << 3 | 2, out_);
    AppendVarint(bytes.size(), out_);
    out_.append(bytes);
  }

 private:
  std::string& out_;
};

struct Trace {
  static constexpr unsigned kPacket = 1;
};
struct Packet {
  static constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12,
                            kFlags = 13, kTrackDescriptor = 60;
  static constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // kFlags
};
struct TrackDescriptor {
  static constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kParent = 5;
};
struct ProcessDescriptor {
  static constexpr unsigned kPid = 1, kName = 6;
};
struct TrackEvent {
  static constexpr unsigned kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11,
                            kFlow = 47, kFlowEnd = 48;
  static constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3;  // kType
};
struct Interned {
  static constexpr unsigned kCategories = 1, kNames = 2, kAnnotationNames = 3;
  static constexpr unsigned kId = 1, kText = 2;  // of each
};
struct Annotation {
  static constexpr unsigned kNameId = 1, kBool = 2, kUint = 3, kInt = 4, kDouble = 5, kString = 6,
                            kEntries = 11, kItems = 12;
};

}  // namespace rankscope::perfetto

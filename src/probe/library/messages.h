// Messages over pipes between a client and the process that runs a maker's library. Both sides are
// the same program, so there are no versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

// Values in their memory layout, one after the other; each text follows its length.
class Packer {
 public:
  void Number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  // After the end they return 0 and "", and is_good() stays false.
  std::uint64_t Number();
  std::string Text();
  bool is_good() const { return is_good_; }

 private:
  std::string_view left_;
  bool is_good_ = true;
};

struct LibraryOpen {
  std::vector<std::string> files;  // the first one that loads is used
  std::string init, shutdown;      // "": none
  std::int64_t ok = 0;             // status that init must return
};

struct LibraryArgument {
  enum class Kind : std::uint8_t { kNumber, kText, kOut } kind = Kind::kNumber;
  std::uint64_t number = 0;  // of kOut: bytes of the buffer
  std::string text;
  std::uint32_t first_word = 0;  // of kOut: initial first word of the buffer
};

struct LibraryCall {
  std::string function;
  std::vector<LibraryArgument> arguments;
};

enum class Answer : std::uint8_t { kDone, kNoLibrary, kNoFunction, kInitFailed, kCorrupt };

struct LibraryAnswer {
  Answer answer = Answer::kDone;
  std::uint64_t result = 0;  // the register with the function's result
  std::string out;           // the buffer
  std::string why;
};

std::string Pack(const LibraryOpen& open);
std::string Pack(const LibraryCall& call);
std::string Pack(const LibraryAnswer& answer);
std::optional<LibraryOpen> UnpackOpen(std::string_view bytes);
std::optional<LibraryCall> UnpackCall(std::string_view bytes);
std::optional<LibraryAnswer> UnpackAnswer(std::string_view bytes);

inline constexpr std::size_t kMostFrameBytes = std::size_t{1} << 20;
// A frame is its length and its bytes. False: the other side has gone.
bool WriteFrame(int descriptor, std::string_view bytes);

}  // namespace rankscope::probe

// NameScrubber: replaces every word in a trace's texts that is not known to be public.
//
// Words are separated at punctuation, capital letters and digits: "alice_SoftmaxKernel" is alice,
// Softmax, Kernel. A replacement is x and ten digits of a keyed hash, the same everywhere. A
// replaced word of code keeps the part that determines its kernel class: mygemmthing becomes
// x0123456789gemm. Numbers stay; IPv4 addresses are replaced.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "tools/scrub/siphash.h"

namespace rankscope::tools {

// A record of all replacements. Thread-safe.
class ReplacementLog {
 public:
  void Add(std::string_view word, std::string_view replacement);
  // A JSON object: word -> replacement.
  std::string Json() const;
  bool is_full() const { return is_full_; }

 private:
  static constexpr std::size_t kMost = 5'000'000;
  mutable std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> replaced_;
  bool is_full_ = false;
};

enum class NameKind : std::uint8_t {
  kGeneric,  // annotations, processes, files, anything else
  kCode,     // ops, kernels, calls, types
  kPython,   // "file.py(12): function", "nn.Module: Linear_0", "<built-in function len>"
  kHost,     // replaced as a whole
};

// One per thread.
class NameScrubber {
 public:
  // `log` may be null.
  NameScrubber(const SipKey& key, ReplacementLog* log) : key_(key), log_(log) {}

  // Valid until the next call.
  const std::string& Scrub(std::string_view text, NameKind kind);

 private:
  std::string Make(std::string_view text, NameKind kind);
  void Words(std::string_view text, bool is_code, std::string& out);
  void Chunk(std::string_view chunk, bool is_code, std::string& out);
  void Python(std::string_view text, std::string& out);
  std::string Replacement(std::string_view word);

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  SipKey key_;
  ReplacementLog* log_;
  boost::unordered_flat_map<std::string, std::string, TextHash, std::equal_to<>> known_[4];
  std::string scratch_;
};

}  // namespace rankscope::tools

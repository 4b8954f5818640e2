#include "probe/library/worker.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "probe/library/messages.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kGuardBytes = 64;
constexpr unsigned char kGuard = 0xA5;
constexpr std::size_t kMostArguments = 6;

// Integers, pointers and enums are in the same registers whatever their type is.
using Function = std::uint64_t (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                                   std::uint64_t, std::uint64_t);

// clang's sanitizer compares the types of functions with those by which they are called.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
std::uint64_t
CallFunction(Function function, const std::array<std::uint64_t, kMostArguments>& a) {
  return function(a[0], a[1], a[2], a[3], a[4], a[5]);
}

bool ReadWhole(int descriptor, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = read(descriptor, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> ReadFrame(int descriptor) {
  std::array<char, 8> head{};
  if (!ReadWhole(descriptor, head.data(), head.size())) return std::nullopt;
  const std::uint64_t size = Unpacker({head.data(), head.size()}).Number();
  if (size > kMostFrameBytes) return std::nullopt;
  std::string bytes(size, '\0');
  if (!ReadWhole(descriptor, bytes.data(), size)) return std::nullopt;
  return bytes;
}

class Worker {
 public:
  LibraryAnswer Open(const LibraryOpen& open) {
    std::string why;
    for (const std::string& file : open.files) {
      library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr) break;
      const char* const error = dlerror();
      why = error == nullptr ? file : error;
    }
    if (library_ == nullptr) return {.answer = Answer::kNoLibrary, .why = why};
    shutdown_ = open.shutdown;
    if (open.init.empty()) return {};
    const Function init = Find(open.init);
    if (init == nullptr) return {.answer = Answer::kNoFunction, .why = open.init};
    const std::uint64_t result = CallFunction(init, {});
    const auto status = static_cast<std::int32_t>(result);
    is_open_ = status == open.ok;
    if (is_open_) return {};
    return {.answer = Answer::kInitFailed, .result = result, .why = open.init};
  }

  LibraryAnswer Call(const LibraryCall& call) {
    const Function function = Find(call.function);
    if (function == nullptr) return {.answer = Answer::kNoFunction, .why = call.function};
    std::array<std::uint64_t, kMostArguments> registers{};
    std::string out;
    std::size_t out_bytes = 0;
    for (std::size_t i = 0; i < std::min(call.arguments.size(), kMostArguments); ++i) {
      const LibraryArgument& one = call.arguments[i];
      registers[i] = one.number;
      if (one.kind == LibraryArgument::Kind::kText)
        registers[i] = reinterpret_cast<std::uint64_t>(one.text.c_str());
      if (one.kind != LibraryArgument::Kind::kOut) continue;
      out_bytes = std::min<std::size_t>(one.number, kMostFrameBytes / 2);
      // Guards on both sides; a buffer of this size is aligned for any type at 64.
      out.assign(kGuardBytes, static_cast<char>(kGuard));
      out.append(out_bytes, '\0');
      out.append(kGuardBytes, static_cast<char>(kGuard));
      if (out_bytes >= sizeof one.first_word)
        std::memcpy(out.data() + kGuardBytes, &one.first_word, sizeof one.first_word);
      registers[i] = reinterpret_cast<std::uint64_t>(out.data() + kGuardBytes);
    }
    const std::uint64_t result = CallFunction(function, registers);
    if (!HasGuards(out)) return {.answer = Answer::kCorrupt, .why = call.function};
    return {.answer = Answer::kDone,
            .result = result,
            .out = out.empty() ? "" : out.substr(kGuardBytes, out_bytes)};
  }

  void Shutdown() {
    if (!is_open_ || shutdown_.empty()) return;
    if (const Function function = Find(shutdown_)) CallFunction(function, {});
  }

 private:
  Function Find(const std::string& name) const {
    return reinterpret_cast<Function>(dlsym(library_, name.c_str()));
  }

  static bool HasGuards(const std::string& out) {
    const auto is_guard = [](char c) { return static_cast<unsigned char>(c) == kGuard; };
    return out.empty() || (std::all_of(out.begin(), out.begin() + kGuardBytes, is_guard) &&
                           std::all_of(out.end() - kGuardBytes, out.end(), is_guard));
  }

  void* library_ = nullptr;  // never closed: its threads may live
  bool is_open_ = false;
  std::string shutdown_;
};

}  // namespace

int ServeLibrary() {
  // Whoever started it may be killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Worker worker;
  auto frame = ReadFrame(STDIN_FILENO);
  const auto open = frame ? UnpackOpen(*frame) : std::nullopt;
  if (!frame) return 0;
  if (!open) return 1;
  const LibraryAnswer opened = worker.Open(*open);
  if (!WriteFrame(answers, Pack(opened)) || opened.answer != Answer::kDone) return 1;
  while ((frame = ReadFrame(STDIN_FILENO))) {
    const auto call = UnpackCall(*frame);
    if (!call) return 1;
    const LibraryAnswer answer = worker.Call(*call);
    // Behind what was written over nothing holds any more.
    if (!WriteFrame(answers, Pack(answer)) || answer.answer == Answer::kCorrupt) _exit(1);
  }
  worker.Shutdown();
  return 0;
}

}  // namespace rankscope::probe

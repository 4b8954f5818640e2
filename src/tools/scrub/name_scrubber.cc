#include "tools/scrub/name_scrubber.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/letter_case.h"
#include "base/text.h"
#include "json/writer.h"
#include "tools/scrub/words.h"

namespace rankscope::tools {
namespace {

// Namespaces whose names are public all the way down.
constexpr std::string_view kPublicSpaces[] = {
    "at",   "aten",  "c10",     "c10d",   "prims",   "std",     "thrust", "cub",  "cutlass",
    "cute", "cudnn", "rocprim", "hipcub", "rocblas", "hipblas", "cuda",   "nccl", "autograd"};

// What kernel classes are told by, where it is part of a longer word.
constexpr std::string_view kTelling[] = {
    "attention",  "flashattn",   "fmha",         "softmax",   "layernorm", "rmsnorm",
    "batchnorm",  "groupnorm",   "instancenorm", "gemm",      "gemv",      "matmul",
    "convol",     "winograd",    "allreduce",    "allgather", "alltoall",  "reducescatter",
    "embedding",  "elementwise", "pointwise",    "dropout",   "gelu",      "silu",
    "relu",       "sigmoid",     "index",        "gather",    "scatter",   "sort",
    "topk",       "transpose",   "pool",         "permute",   "memset",    "memcpy",
    "activation", "quantize"};

// Folders of packages that everybody can read, as Python prints them.
constexpr std::string_view kPublicPackages[] = {
    "torch/",        "torchvision/",  "torchaudio/",         "numpy/",         "triton/",
    "transformers/", "accelerate/",   "deepspeed/",          "apex/",          "einops/",
    "xformers/",     "flash_attn/",   "transformer_engine/", "megatron/core/", "vllm/",
    "sglang/",       "torchrec/",     "fbgemm_gpu/",         "tqdm/",          "multiprocessing/",
    "concurrent/",   "asyncio/",      "importlib/",          "threading.py(",  "contextlib.py(",
    "queue.py(",     "selectors.py(", "socket.py(",          "typing.py(",     "logging/",
    "json/",         "collections/",  "functools.py(",       "runpy.py(",      "<frozen importlib",
    "<frozen runpy", "<string>("};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsForeign(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool IsPartOfWord(char c) { return IsLetter(c) || IsDigit(c) || IsForeign(c); }

std::size_t RunOf(std::string_view text, std::size_t at, bool (*is)(char)) {
  std::size_t end = at;
  while (end < text.size() && is(text[end])) ++end;
  return end - at;
}

// The length of an IPv4 address that begins here, or 0.
std::size_t AddressAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (end >= text.size() || text[end++] != '.')) return 0;
    const std::size_t digits = RunOf(text, end, IsDigit);
    if (digits == 0 || digits > 3) return 0;
    end += digits;
  }
  return end - at;
}

// The end of the word that begins here: HTTPServer is HTTP, Server; conv2d is conv2, d.
std::size_t WordEnd(std::string_view text, std::size_t at) {
  std::size_t end = at;
  if (IsForeign(text[end])) return end + RunOf(text, end, IsForeign);
  if (IsDigit(text[end])) return end + RunOf(text, end, IsDigit);
  const std::size_t capitals = RunOf(text, end, IsUpper);
  end += capitals;
  const bool is_lower_next = end < text.size() && IsLetter(text[end]);
  if (capitals > 1 && is_lower_next) --end;
  if (capitals <= 1) end += RunOf(text, end, [](char c) { return IsLetter(c) && !IsUpper(c); });
  return end + RunOf(text, end, IsDigit);
}

bool IsKnown(std::string_view word, bool is_code) {
  if (IsDigit(word.front())) return true;
  std::string_view letters = word;
  while (!letters.empty() && IsDigit(letters.back())) letters.remove_suffix(1);
  const std::size_t digits = word.size() - letters.size();
  const std::size_t most_digits = is_code ? 5 : 3;  // s16816gemm; u1234567 may be somebody
  if (letters.size() <= 1) return digits <= most_digits && !IsForeign(word.front());
  const std::string lower = LowerCase(letters);
  return is_code ? IsCodeWord(lower) : IsGenericWord(lower);
}

std::string TellingPartsOf(std::string_view word) {
  std::string parts;
  const std::string lower = LowerCase(word);
  for (std::size_t at = 0; at < lower.size();) {
    const auto* const found =
        std::find_if(std::begin(kTelling), std::end(kTelling), [&](std::string_view part) {
          return std::string_view(lower).substr(at).starts_with(part);
        });
    if (found == std::end(kTelling)) {
      ++at;
      continue;
    }
    parts += *found;
    at += found->size();
  }
  return parts;
}

}  // namespace

void ReplacementLog::Add(std::string_view word, std::string_view replacement) {
  const std::lock_guard lock(mutex_);
  if (replaced_.size() >= kMost) {
    is_full_ = true;
    return;
  }
  replaced_.try_emplace(std::string(word), replacement);
}

std::string ReplacementLog::Json() const {
  const std::lock_guard lock(mutex_);
  std::string json;
  json::Writer writer(json);
  writer.BeginObject();
  for (const auto& [word, replacement] : replaced_) writer.Line().Member(word, replacement);
  writer.EndObject();
  return json + "\n";
}

const std::string& NameScrubber::Scrub(std::string_view text, NameKind kind) {
  auto& known = known_[static_cast<std::size_t>(kind)];
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  constexpr std::size_t kMostRemembered = 50'000;
  if (known.size() >= kMostRemembered) known.clear();
  return known.emplace(std::string(text), Make(text, kind)).first->second;
}

std::string NameScrubber::Make(std::string_view text, NameKind kind) {
  std::string out;
  switch (kind) {
    case NameKind::kHost:
      if (!text.empty()) out = "host-" + Replacement(text);
      break;
    case NameKind::kPython:
      Python(text, out);
      break;
    case NameKind::kCode:
    case NameKind::kGeneric:
      Words(text, kind == NameKind::kCode, out);
      break;
  }
  return out;
}

// Stacks are frames with ; between them.
void NameScrubber::Python(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view frame = text.substr(0, end);
    const bool is_code = frame.starts_with("nn.Module: ") || frame.starts_with("<built-in ");
    std::size_t package = frame.find("-packages/");
    package = package == std::string_view::npos ? 0 : package + 10;
    const bool is_public =
        std::any_of(std::begin(kPublicPackages), std::end(kPublicPackages),
                    [&](std::string_view root) { return frame.substr(package).starts_with(root); });
    Words(is_public ? frame.substr(0, package) : frame, is_code, out);
    if (is_public) out += frame.substr(package);
    if (end < text.size()) out += ';';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void NameScrubber::Words(std::string_view text, bool is_code, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    if (!IsPartOfWord(text[at])) {
      out += text[at++];
      continue;
    }
    const bool begins_number = at == 0 || (text[at - 1] != '.' && !IsPartOfWord(text[at - 1]));
    if (const std::size_t address = begins_number ? AddressAt(text, at) : 0; address > 0) {
      out += Replacement(text.substr(at, address));
      at += address;
      continue;
    }
    const std::size_t size = RunOf(text, at, IsPartOfWord);
    const std::string_view chunk = text.substr(at, size);
    const bool is_space = is_code && text.substr(at + size).starts_with("::") &&
                          std::find(std::begin(kPublicSpaces), std::end(kPublicSpaces), chunk) !=
                              std::end(kPublicSpaces);
    if (is_space) {
      const std::size_t chain =
          RunOf(text, at, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == ':'; });
      out += text.substr(at, chain);
      at += chain;
      continue;
    }
    Chunk(chunk, is_code, out);
    at += size;
  }
}

// Unknown words that follow each other are one.
void NameScrubber::Chunk(std::string_view chunk, bool is_code, std::string& out) {
  const bool is_hex =
      chunk.starts_with("0x") &&
      chunk.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (is_hex) {
    out += chunk;
    return;
  }
  if (std::any_of(chunk.begin(), chunk.end(), IsForeign)) {
    out += Replacement(chunk);
    return;
  }
  std::size_t unknown = 0;  // begin of the unknown words before `at`
  const auto replace = [&](std::size_t until) {
    if (unknown == until) return;
    const std::string_view word = chunk.substr(unknown, until - unknown);
    out += Replacement(word);
    if (is_code) out += TellingPartsOf(word);
  };
  for (std::size_t at = 0; at < chunk.size();) {
    const std::size_t end = WordEnd(chunk, at);
    const std::string_view word = chunk.substr(at, end - at);
    // A number or a single letter behind an unknown word is part of it.
    const bool is_inside = unknown < at && (IsDigit(word.front()) || word.size() == 1);
    if (!is_inside && IsKnown(word, is_code)) {
      replace(at);
      out += word;
      unknown = end;
    }
    at = end;
  }
  replace(chunk.size());
}

std::string NameScrubber::Replacement(std::string_view word) {
  constexpr std::uint64_t kTenDigits = (std::uint64_t{1} << 40) - 1;
  const std::string lower = LowerCase(word);
  std::string replacement = fmt::format("x{:010x}", SipHash(key_, lower) & kTenDigits);
  if (log_ != nullptr) log_->Add(lower, replacement);
  return replacement;
}

}  // namespace rankscope::tools

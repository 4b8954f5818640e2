#include "fleet/rows/kernel_key.h"

#include <cxxabi.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "base/text.h"

namespace rankscope::fleet {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT: the demangler's own memory
};

std::string Demangled(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  const std::string mangled(name.substr(0, name.find('.')));  // .kd, .constprop.0
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? std::string(text.get()) : std::string(name);
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string Replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.replace(at, what.size(), by);
  return text;
}

// 128x64
bool HasTile(std::string_view word) {
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == 'x' && IsDigit(word[i - 1]) && IsDigit(word[i + 1])) return true;
  }
  return false;
}

bool IsFunctor(std::string_view word) {
  return Contains(word, "Functor") || Contains(word, "functor");
}

// The words of template arguments that tell families apart, each once, in their order.
std::vector<std::string_view> TellingWords(std::string_view arguments) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < arguments.size();) {
    std::size_t end = i;
    while (end < arguments.size() && IsWord(arguments[end])) ++end;
    const std::string_view word = arguments.substr(i, end - i);
    if ((IsFunctor(word) || HasTile(word)) && (words.empty() || words.back() != word))
      words.push_back(word);
    i = end == i ? i + 1 : end;
  }
  return words;
}

// Name and template arguments of `text`, up to the argument list.
std::pair<std::string, std::string> Divide(std::string_view text) {
  std::string name, arguments;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_operator = name.ends_with("operator") || name.ends_with("operator(");
    if (c == '<' && !is_operator) {
      ++depth;
      arguments += ' ';
    } else if (c == '>' && depth > 0 && text[i - 1] != '-') {
      --depth;
      arguments += ' ';
    } else if (depth > 0) {
      arguments += c;
    } else if (c == '(' && !is_operator) {
      break;
    } else {
      name += c;
    }
  }
  return {name, arguments};
}

// "triton_poi_fused_add_12", "triton_red_fused_sum_3d4" and "loop_fusion.7" end in counters.
void StarCounters(std::string& name) {
  if (!name.starts_with("triton_") && !Contains(name, "fusion") && !Contains(name, "fused_"))
    return;
  std::size_t end = name.size();
  while (end > 0 && (IsDigit(name[end - 1]) ||
                     (name[end - 1] == 'd' && end < name.size() && IsDigit(name[end]))))
    --end;
  if (end == name.size() || end == 0 || (name[end - 1] != '_' && name[end - 1] != '.')) return;
  if (HasTile(std::string_view(name).substr(end))) return;
  name.replace(end, std::string::npos, "*");
}

// Keeps nvjet_tst_128x256_64x4 of what NVIDIA's generator calls its kernels.
void EndBehindTiles(std::string& name) {
  if (!name.starts_with("nvjet_")) return;
  int tiles = 0;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    if (HasTile(std::string_view(name).substr(begin, end - begin)) && ++tiles == 2) {
      name.resize(end);
      return;
    }
    begin = end + 1;
  }
}

struct Spelling {
  std::string_view part;
  std::string_view dtype;
};
// In small letters; the first that occurs decides.
constexpr std::array kSpellings = {
    Spelling{"e4m3", "fp8"},    Spelling{"e5m2", "fp8"},  Spelling{"fp8", "fp8"},
    Spelling{"float8", "fp8"},  Spelling{"bf16", "bf16"}, Spelling{"bfloat16", "bf16"},
    Spelling{"fp16", "fp16"},   Spelling{"half", "fp16"}, Spelling{"_f16", "fp16"},
    Spelling{"hgemm", "fp16"},  Spelling{"h884", "fp16"}, Spelling{"h1688", "fp16"},
    Spelling{"s16816", "fp16"}, Spelling{"tf32", "tf32"}, Spelling{"double", "fp64"},
    Spelling{"dgemm", "fp64"},  Spelling{"fp64", "fp64"}, Spelling{"_f64", "fp64"},
    Spelling{"int8", "int8"},   Spelling{"_s8", "int8"},  Spelling{"float", "fp32"},
    Spelling{"sgemm", "fp32"},  Spelling{"fp32", "fp32"}, Spelling{"_f32", "fp32"},
};

}  // namespace

std::string KernelKey(std::string_view name, std::string_view work) {
  if (work == "copy") return std::string(name);
  std::string text = Demangled(name);
  text = Replaced(std::move(text), "(anonymous namespace)::", "");
  text = Replaced(std::move(text), "<unnamed>::", "");
  text.resize(std::min(text.size(), text.find(" [clone")));
  if (text.starts_with("void ")) text.erase(0, 5);
  auto [family, arguments] = Divide(text);
  StarCounters(family);
  EndBehindTiles(family);
  const std::vector<std::string_view> words = TellingWords(arguments);
  if (!words.empty()) {
    family += '<';
    for (std::size_t i = 0; i < words.size() && i < 2; ++i) {
      if (i > 0) family += ", ";
      family += words[i];
    }
    family += '>';
  }
  while (!family.empty() && family.back() == ' ') family.pop_back();
  return family.empty() ? std::string(name) : family;
}

std::string_view DtypeOf(std::string_view name) {
  // Arguments are scalars and pointers of any type: an optimizer in fp32 takes its rate as a
  // double.
  const auto [family, arguments] = Divide(Demangled(name));
  const std::string small = LowerCase(family + ' ' + arguments);
  for (const Spelling& spelling : kSpellings) {
    if (Contains(small, spelling.part)) return spelling.dtype;
  }
  return "";
}

}  // namespace rankscope::fleet

#include "job/parallel_dimension.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "base/letter_case.h"

namespace rankscope {
namespace {

struct Word {
  std::string_view text;
  Dimension dimension;
};
constexpr std::array kWords = {
    Word{"tp", Dimension::kTensor},       Word{"tensor", Dimension::kTensor},
    Word{"cp", Dimension::kContext},      Word{"context", Dimension::kContext},
    Word{"sp", Dimension::kContext},      Word{"sequence", Dimension::kContext},
    Word{"ulysses", Dimension::kContext}, Word{"ep", Dimension::kExpert},
    Word{"expert", Dimension::kExpert},   Word{"moe", Dimension::kExpert},
    Word{"pp", Dimension::kPipeline},     Word{"pipeline", Dimension::kPipeline},
    Word{"pipe", Dimension::kPipeline},   Word{"dp", Dimension::kData},
    Word{"data", Dimension::kData},       Word{"ddp", Dimension::kData},
    Word{"fsdp", Dimension::kData},       Word{"hsdp", Dimension::kData},
    Word{"shard", Dimension::kData},      Word{"replicate", Dimension::kData},
};

}  // namespace

std::string_view ToString(Dimension dimension) {
  static constexpr std::array<std::string_view, kDimensionCount> kNames = {"tp", "cp", "ep", "pp",
                                                                           "dp"};
  return kNames[static_cast<std::size_t>(dimension)];
}

GroupLabel LabelOf(std::string_view description) {
  GroupLabel label;
  bool is_model = false;
  std::string word;
  const auto take = [&]() -> bool {
    if (word == "embedding") return false;  // of the first and the last stage
    is_model |= word == "model";
    label.is_shard |= word == "shard" || word == "fsdp";
    label.is_replicate |= word == "replicate";
    for (const Word& known : kWords) {
      if (word == known.text) label.dimensions.Add(known.dimension);
    }
    word.clear();
    return true;
  };
  for (const char c : description) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += LowerCase(c);
    } else if (!take()) {
      return {};
    }
  }
  if (!take()) return {};
  if (label.dimensions.empty() && is_model) {
    label.dimensions.Add(Dimension::kTensor);
    label.dimensions.Add(Dimension::kPipeline);
  }
  return label;
}

}  // namespace rankscope

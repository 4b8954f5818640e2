// The dimensions along which a job is parallel, and their names in descriptions of process groups.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class Dimension : std::uint8_t { kTensor, kContext, kExpert, kPipeline, kData };
inline constexpr int kDimensionCount = 5;
std::string_view ToString(Dimension dimension);  // "tp", "cp", "ep", "pp", "dp"

// A set of dimensions.
class DimensionSet {
 public:
  constexpr void Add(Dimension dimension) { bits_ |= Bit(dimension); }
  constexpr bool Has(Dimension dimension) const { return (bits_ & Bit(dimension)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool IsOnly(Dimension dimension) const { return bits_ == Bit(dimension); }
  friend bool operator==(const DimensionSet&, const DimensionSet&) = default;

 private:
  static constexpr std::uint8_t Bit(Dimension dimension) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(dimension));
  }
  std::uint8_t bits_ = 0;
};

// The dimensions in which the group's ranks differ, by its description. Anything but a letter or
// digit separates words: "TENSOR_MODEL_PARALLEL_GROUP" (Megatron) and "mesh_tp" (DeviceMesh) are
// {tp}, "DATA_PARALLEL_GROUP_WITH_CP" and "mesh_dp_shard_cp" are {cp, dp}, "MODEL_PARALLEL_GROUP"
// is {tp, pp}, "EXPERT_DATA_PARALLEL_GROUP" is {ep, dp}.
struct GroupLabel {
  DimensionSet dimensions;    // empty: it says nothing, or says that the group is no dimension
  bool is_shard = false;      // of data parallelism: parameters are sharded over it
  bool is_replicate = false;  // ... or replicated
};
GroupLabel LabelOf(std::string_view description);

}  // namespace rankscope

// RawEvent: the fields of one event before its kind is known; keys may come in any
// order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::kineto {

// Arguments that some kind of row keeps. Do not copy or move while set. Tokens are JSON text inside
// the chunk; an empty token means absent.
struct RawArgs {
  std::string_view correlation, external_id, record_id, device, stream, bytes, bandwidth;
  std::string_view context, registers, shared_memory, blocks_per_sm, warps_per_sm, occupancy;
  std::array<std::string_view, 3> grid, block;
  std::string_view collective, in_elements, out_elements, dtype, group_name, group_desc,
      group_ranks, in_split, out_split;
  std::string_view group_size, sequence, source_rank, destination_rank;
  std::string_view input_dims, input_types, input_strides, concrete_inputs, sequence_number,
      forward_thread;
  std::string_view address, total_allocated, total_reserved, device_type, device_id;
  std::string_view python_id, python_parent, python_module;
  std::string_view wait_stream, wait_record, wait_event;
  std::string_view name, labels, kernel;
  std::string_view connection;                         // Ascend's and XLA's
  std::string_view task_type;                          // Ascend's; XLA's hlo_category
  std::string_view data_type, algorithm, count, peer;  // Ascend's
  std::string_view details, step;                      // XLA's

  // Sets one of the tokens above, and remembers it for Clear.
  void Set(std::string_view& slot, std::string_view token) {
    slot = token;
    set_[set_count_ & (set_.size() - 1)] = &slot;
    ++set_count_;
  }
  // Empties the tokens that were set: cheaper than all fifty, since an event has only a few.
  void Clear() {
    if (set_count_ > set_.size()) {
      *this = RawArgs();
      return;
    }
    for (std::size_t i = 0; i < set_count_; ++i) *set_[i] = {};
    set_count_ = 0;
  }

 private:
  std::array<std::string_view*, 64> set_;
  std::size_t set_count_ = 0;
};

// Reuse it: clearing the arguments costs more than reading a small event.
struct RawEvent {
  std::string_view phase, name, category, pid, tid, ts, dur, id;
  bool has_args = false;
  RawArgs args;  // all empty unless has_args
  // For a counter event (ph C, or a profiler's range): the scalars among its arguments, names
  // unescaped. Valid as long as the parser keeps the text.
  std::vector<std::pair<std::string_view, std::string_view>> counters;
};

// A token without its quotes; the text may still contain escapes.
inline std::string_view Unquote(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' ? token.substr(1, token.size() - 2) : token;
}

}  // namespace rankscope::kineto

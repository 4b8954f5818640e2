// Names of XLA's instructions, the device work in profiles of TPUs and GPUs: either the full text,
// "%fusion.3 = bf16[8,128]{1,0:T(8,128)} fusion(bf16[8,128] %a), kind=kLoop", or only the name,
// "fusion.3". Operands and layouts in the text name other instructions, so they are ignored. All
// views point into the given name.
//
// Source: the grammar of HLO text and the list of opcodes in the documentation of OpenXLA
// (https://openxla.org/xla/operation_semantics).
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

struct HloName {
  std::string_view stem;    // of "%all-reduce-start.3 = ...": "all-reduce-start"
  std::string_view opcode;  // "all-reduce-start"; the stem if there is only the name
  std::string_view kind;    // of a fusion: "kLoop"; or ""
  std::string_view target;  // of a custom call: "__cublas$gemm"; or ""
  bool is_text = false;     // the whole text is there
};

// O(length). Works for any name: for names of other origin the stem is the name.
HloName ParseHloName(std::string_view name);

enum class HloRole : std::uint8_t {
  kCompute,
  kCollective,   // all-reduce, all-gather, reduce-scatter, all-to-all, collective-permute, send,
                 // recv: alone, as a start or done, or in a fusion
  kCopy,         // between memories or with the host: copy-start, copy-done, infeed, outfeed
  kControlFlow,  // while, conditional, call: its time is that of the instructions inside
};
// `category` is the profile's category of the instruction ("hlo_category"), or "".
HloRole RoleOf(const HloName& name, std::string_view category);

}  // namespace rankscope

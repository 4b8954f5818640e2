// Python frames of libraries: the standard library and well-known packages.
#pragma once

#include <string_view>

namespace rankscope {

// Of the standard library: "threading.py(323): wait", "json/decoder.py(9): decode", and everything
// in the interpreter's own folder.
bool IsFrameOfStandardLibrary(std::string_view frame);

// Of a package that programs import: "numpy/core/fromnumeric.py(9): sum",
// "transformers/models/llama/modeling_llama.py(191): forward", everything in site-packages. Not for
// frameworks that users modify (Megatron-LM, vLLM).
bool IsFrameOfLibrary(std::string_view frame);

}  // namespace rankscope

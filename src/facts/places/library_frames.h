// Frames of Python that are nobody's own code: the standard library's and well-known packages'.
#pragma once

#include <string_view>

namespace rankscope {

// Of the standard library: "threading.py(323): wait", "json/decoder.py(9): decode", and whatever
// lies in the interpreter's own folder.
bool IsFrameOfStandardLibrary(std::string_view frame);

// Of a package that programs import: "numpy/core/fromnumeric.py(9): sum",
// "transformers/models/llama/modeling_llama.py(191): forward", whatever lies in site-packages. Not
// of frameworks whose users change them (Megatron-LM, vLLM).
bool IsFrameOfLibrary(std::string_view frame);

}  // namespace rankscope

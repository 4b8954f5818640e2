// Kernels of libraries that change the layout of tensors, or pad them, around convolutions.
#pragma once

#include "insight/base/rule_input.h"

namespace rankscope {

// cuDNN's (nchwToNhwc, nhwcToNchw, nchwToFold), and MIOpen's (batched_transpose).
bool ChangesLayout(const NodeKind& kind);
// cuDNN's nhwcAddPadding and the like.
bool PadsChannels(const NodeKind& kind);

}  // namespace rankscope

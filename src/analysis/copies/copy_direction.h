// The direction of a copy, from its name.
#pragma once

#include <string_view>

namespace rankscope {

struct CopyDirection {
  std::string_view direction;  // "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "AtoH", ..., or "unknown"
  std::string_view memory;     // "Pageable -> Device"; empty when the name does not say
};

// "Memcpy HtoD (Pageable -> Device)" (Kineto, CUDA and ROCm), "CopyHostToDevice" (old ROCm). Views
// point into `name` or into constants.
CopyDirection DirectionOf(std::string_view name);

}  // namespace rankscope

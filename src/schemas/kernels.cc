#include "schemas/kernels.h"

namespace rankscope {

template const KernelsByName& SchemaOf<KernelsByName>();
template const KernelPlaces& SchemaOf<KernelPlaces>();
template const KernelSketches& SchemaOf<KernelSketches>();
template const KernelSteps& SchemaOf<KernelSteps>();

}  // namespace rankscope

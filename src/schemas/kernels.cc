#include "schemas/kernels.h"

namespace rankscope {

template const KernelsByName& SchemaOf<KernelsByName>();
template const KernelSteps& SchemaOf<KernelSteps>();

}  // namespace rankscope

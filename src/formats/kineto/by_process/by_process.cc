#include "formats/kineto/by_process/by_process.h"

#include "formats/kineto/by_process/ascend.h"
#include "formats/kineto/by_process/legacy_autograd.h"

namespace rankscope::kineto {

void ReadByProcess(UnsortedTrace& unsorted) {
  if (!ReadAscend(unsorted)) ReadLegacyAutograd(unsorted);
}

}  // namespace rankscope::kineto

#include "schemas/copies.h"

namespace rankscope {

template const Copies& SchemaOf<Copies>();
template const Memsets& SchemaOf<Memsets>();
template const CopyBandwidth& SchemaOf<CopyBandwidth>();

}  // namespace rankscope

#include "schemas/findings.h"

namespace rankscope {

template const Findings& SchemaOf<Findings>();
template const Contributions& SchemaOf<Contributions>();
template const NotEvaluated& SchemaOf<NotEvaluated>();
template const Gains& SchemaOf<Gains>();
template const WhatIf& SchemaOf<WhatIf>();
template const ReplayFidelity& SchemaOf<ReplayFidelity>();

}  // namespace rankscope

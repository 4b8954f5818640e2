// The size of a change of level, and the evidence for it.
#pragma once

#include <span>

namespace rankscope::fleet {

// Spread of values around their median, as a standard deviation that is robust against outliers:
// 1.4826 * median(|value - median|). 0 for fewer than two values.
double RobustSigma(std::span<const double> values);

// The natural logarithm of the Bayes factor for two levels against one, by the Schwarz criterion
// (Wagenmakers 2007): (n ln(S1 / S2) - ln n) / 2, where S1 and S2 are the sums of squares around
// one mean and around two. Positive means evidence for a change; ln 10 = 2.3 is strong. 0 if one
// side is empty; infinite if two means leave no spread but one mean does.
double LogBayesFactor(std::span<const double> before, std::span<const double> after);

}  // namespace rankscope::fleet

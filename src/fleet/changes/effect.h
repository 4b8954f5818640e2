// How large and how believable a change of level is.
#pragma once

#include <span>

namespace rankscope::fleet {

// The spread of values around their median as a standard deviation that no outlier decides:
// 1.4826 * median(|value - median|). 0 for fewer than two values.
double RobustSigma(std::span<const double> values);

// The natural logarithm of the Bayes factor for two levels against one, by the Schwarz criterion
// (Wagenmakers 2007): (n ln(S1 / S2) - ln n) / 2, S1 and S2 being the sums of squares around one
// mean and around two. Positive speaks for a change; ln 10 = 2.3 is strong. 0 when one side is
// empty; infinite when two means leave no spread and one does.
double LogBayesFactor(std::span<const double> before, std::span<const double> after);

}  // namespace rankscope::fleet

// What rules compare with: every threshold of the findings, in one place.
#pragma once

namespace rankscope {

// Of the mean step: less than low is not told.
inline constexpr double kHighGain = 0.10;
inline constexpr double kMediumGain = 0.03;
inline constexpr double kLowGain = 0.01;

// Of what a cause gains alone, the part that it must still gain when those that were told before
// it are gone; else these explain it.
inline constexpr double kOwnPart = 0.35;

// A device is slow when its kernels of equal shapes take this much longer than its peers', and this
// share of their time is in kernels that do.
inline constexpr double kSlowDevice = 1.04;
inline constexpr double kSlowDeviceShare = 0.7;

// The same of a host, whose calls scatter more.
inline constexpr double kSlowHost = 1.25;
inline constexpr double kSlowHostShare = 0.7;

// A host stops for a pause when a stretch inside no op takes so much longer than its like,
// of a step, and in ns.
inline constexpr double kPauseOfStep = 0.03;
inline constexpr double kLeastPauseNs = 1e6;

}  // namespace rankscope

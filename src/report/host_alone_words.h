// What is said where no finding can be: of recordings without device work, and of time of which
// nothing recorded tells why it passes.
#pragma once

#include <string>

#include "report/report.h"

namespace rankscope {

// The collectives of process groups on the host, how long their ranks are in them and how much of
// it is waiting; the largest phase of steps; the op that takes most itself. "" when none is known.
std::string DescribeHostAlone(const Report& report);

// In which op or call hosts are for most of the time that devices idle for no reason that the trace
// shows; "" where it is no such one, or not most of it.
std::string DescribeBlockedHost(const Report& report);

// What communication takes that nothing hides, from a tenth of device time on; else "".
std::string DescribeExposed(const Report& report);

// When devices idle for half of their time and more, and causes that gain `gain_pct` explain less
// than a third of that; "" else.
std::string DescribeIdle(const Report& report, double gain_pct);

}  // namespace rankscope

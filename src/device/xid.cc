#include "device/xid.h"

#include <algorithm>
#include <array>

namespace rankscope::device {
namespace {

// By NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors), as of September 2026: what asks
// for a reset or worse has failed, what goes on and is to be looked at is degraded. 155 is not
// here: it also tells of links that were put to sleep.
constexpr std::array<Xid, 16> kXids = {{
    {48, Verdict::kFailed, "an error of two bits in memory"},
    {62, Verdict::kFailed, "its microcontroller halted"},
    {63, Verdict::kDegraded, "a row of memory is to be remapped, at the next reset"},
    {64, Verdict::kFailed, "a row of memory could not be remapped"},
    {74, Verdict::kDegraded, "an error of NVLink"},
    {79, Verdict::kFailed, "it fell off the bus"},
    {92, Verdict::kDegraded, "many errors of one bit in memory"},
    {94, Verdict::kDegraded, "an error of memory that was contained to one program"},
    {95, Verdict::kFailed, "an error of memory that was not contained: it needs a reset"},
    {119, Verdict::kFailed, "its system processor (GSP) does not answer"},
    {120, Verdict::kFailed, "its system processor (GSP) failed"},
    {140, Verdict::kFailed, "an error of memory that was not recovered"},
    {143, Verdict::kFailed, "it could not be initialised"},
    {154, Verdict::kDegraded, "the driver asks for a reset or a drain of it"},
    {156, Verdict::kDegraded, "a part of it was retired, and is replaced at the next reset"},
    {157, Verdict::kDegraded, "a part of it could not be retired"},
}};

}  // namespace

const Xid* FindXid(unsigned number) {
  const auto found = std::ranges::find(kXids, number, &Xid::number);
  return found == kXids.end() ? nullptr : &*found;
}

}  // namespace rankscope::device

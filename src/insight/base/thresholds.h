// All thresholds of the findings.
#pragma once

#include <cstddef>

namespace rankscope {

// Shares of the mean step; findings below low are not reported.
inline constexpr double kHighGain = 0.10;
inline constexpr double kMediumGain = 0.03;
inline constexpr double kLowGain = 0.01;

// The part of a cause's gain alone that must remain after the causes reported before it are
// removed; otherwise these explain it.
inline constexpr double kOwnPart = 0.35;
// Or it is about other work: more than this part of its removed work is not removed by them.
inline constexpr double kOtherWork = 0.9;

// A device is slow when its kernels of equal shapes take this much longer than its peers', and this
// share of their time is in kernels that do.
inline constexpr double kSlowDevice = 1.04;
inline constexpr double kSlowDeviceShare = 0.7;

// The same for a host, since its calls scatter more.
inline constexpr double kSlowHost = 1.25;
inline constexpr double kSlowHostShare = 0.7;

// A host has a pause if a stretch outside of ops exceeds equal stretches by this share of a step,
// and by this many ns.
inline constexpr double kPauseOfStep = 0.03;
inline constexpr double kLeastPauseNs = 1e6;

// A link is slow if its transfers take this much longer than equal ones elsewhere.
inline constexpr double kSlowLink = 1.3;

// A single transfer is jitter if it takes this multiple of equal ones, and this much longer, with
// enough equal ones to compare.
inline constexpr double kJitterTimes = 2;
inline constexpr double kLeastJitterNs = 20e3;
inline constexpr std::size_t kEnoughLike = 4;

// Small collectives: their maximum size, their minimum number per op, group and step, and the size
// after merging.
inline constexpr double kSmallBytes = 4e6;
inline constexpr std::size_t kManySmall = 24;
inline constexpr double kBucketBytes = 25e6;
// Latency of a collective with only one known size: NCCL's over NVLink or a fast network.
inline constexpr double kUsualLatencyNs = 15e3;
// The same of gloo, whose threads exchange over TCP: 37 kB between two ranks of one host took 0.3
// to 0.5 ms, of which the bytes are a tenth.
inline constexpr double kUsualHostLatencyNs = 250e3;

// Smaller broadcasts are bookkeeping.
inline constexpr double kBroadcastBytes = 1e6;

// A rank has more work than its peers from this multiple of their mean.
inline constexpr double kMuchMoreWork = 1.1;

// A kernel is short if launching it takes about as long. A job is launch-bound if kManyShort of its
// kernels are short; with kSomeShort, if that costs kMuchLaunching of its steps.
inline constexpr double kShortKernelNs = 10e3;
inline constexpr double kManyLaunches = 32;  // short kernels of a step on a rank
inline constexpr double kManyShort = 0.5;
inline constexpr double kSomeShort = 0.3;
inline constexpr double kMuchLaunching = 0.2;

// Kernels of an optimizer's step, of a rank, that are one per operation and parameter.
inline constexpr std::size_t kManyUpdates = 48;
// The same of an optimizer that takes lists: a dozen operations for each of a few groups is usual.
inline constexpr std::size_t kManyOfGroups = 192;
// The time of a fused update as a share of an unfused one: it reads weight, gradient and two
// moments and writes three (28 bytes a parameter in fp32) where eight operations move 76.
inline constexpr double kFusedUpdate = 28.0 / 76;

// The expected share of its roof for a product without a comparison, and the maximum; which
// products are slow, and long enough to report.
inline constexpr double kUsualEfficiency = 0.5;
inline constexpr double kUsualEfficiencyOfConvolutions = 0.4;
inline constexpr double kMostOfRoof = 0.8;
// The minimum share of product time on matrix cores for these to predict others.
inline constexpr double kEnoughToCompare = 0.1;
// No product takes less, however small.
inline constexpr double kShortestProductNs = 2e3;
inline constexpr double kLowEfficiency = 0.4;
inline constexpr double kLeastRoofNs = 2e3;

// Of the memory's bandwidth: kernels that reach less are slow, and what others of the kind reach:
// on an H200 batch norms in channels last 17 % forward and 32 % backward (their inputs are read
// twice), layer norms' backward 26 %, rows added to many targets 33 %. Shorter kernels say little.
inline constexpr double kLowBandwidth = 0.15;
inline constexpr double kUsualBandwidth = 0.25;
inline constexpr double kLeastSlowNs = 50e3;

// The minimum share of a step for reporting ops that sort or decompose.
inline constexpr double kCostlyOp = 0.05;

// A copy to the host of this duration brings data, not a value.
inline constexpr double kLongCopyNs = 50e3;

// Growth of memory: by step, against the level, and how likely by chance.
inline constexpr double kLeastLeakBytes = 1e6;
inline constexpr double kLeakOfLevel = 0.005;
inline constexpr double kLeakChance = 0.1;
// Growth of memory in a window of snoop: the shortest that is looked at, bytes in a second that are
// worth a finding, how much of what a place keeps the level of the device grows by at least, and
// how far the window may be from the recording, in which steps ran.
inline constexpr double kLeastWindowNs = 2e9;
inline constexpr double kLeastKeptBytesPerS = 1e6;
inline constexpr double kKeptInLevel = 0.5;
inline constexpr double kWindowNearNs = 60e9;
// Used if the trace does not state the size of the device's memory.
inline constexpr double kUsualDeviceBytes = 80e9;

// A stage has more layers than the others from this multiple.
inline constexpr double kMoreLayers = 1.1;
// With so many micro-batches per stage the bubble is small.
inline constexpr double kEnoughBatches = 4;
// The share of the schedule's gain from them: each runs less efficiently.
inline constexpr double kPartOfBubble = 0.65;

// The share of the vector units' peak of a plain fp32 product with unknown shapes.
inline constexpr double kUsualVectorEfficiency = 0.8;

// Allocating calls per freeing call if allocations fail.
inline constexpr double kRetries = 1.4;

// Without recorded shapes, kernels at one place differ in work if one takes this multiple of their
// median.
inline constexpr double kDiffersByTime = 1.15;
// A device is slow in most places of the program, not in some kernels only.
inline constexpr double kSlowDevicePlaces = 0.75;

// Elementwise kernels and data movement are significant from this share of computing; below it they
// are usual between the products of any model.
inline constexpr double kMuchElementwise = 0.45;
// Below it, chains of so many kernels over as many values each, that cost this share of a step. Up
// to a tenth is usual where nothing is fused: what lies between is reported with low severity, and
// below it the same, from a smaller share on, of chains that come so often in a step.
inline constexpr std::size_t kLongChain = 4;
inline constexpr double kMuchInChains = 0.15;
inline constexpr double kUsualInChains = 0.12;
inline constexpr double kLeastInChains = 0.03;
inline constexpr double kManyAlikeChains = 4;

// Getting a ready batch takes a host less than this.
inline constexpr double kReadyBatchNs = 400e3;

// The first recorded step allocates like later ones up to this multiple of their calls.
inline constexpr double kAsLaterSteps = 1.5;

// host-sync: in this part of a step, its last, a second wait is what every training loop does.
inline constexpr double kTailOfStep = 0.25;
// From this number of waits per step they are reported, whatever they gain.
inline constexpr double kManyWaits = 10;
inline constexpr double kLeastTold = 0.001;  // but at least this gain

// A clock is low below this share of its value elsewhere or of its maximum.
inline constexpr double kHeldDownClock = 0.97;

// Threads wait much for cores from these shares of the time on: a process's own, or, of hosts, the
// time in which some task waited, which data loaders alone may do.
inline constexpr double kMuchCoreWait = 0.1;
inline constexpr double kMuchPressure = 0.3;

// A device is underused when so much of it is active at most, while kernels run so much of the time
// at least and so much of its memory is used at most.
inline constexpr double kUnderused = 0.35;
inline constexpr double kMostlyComputing = 0.6;
inline constexpr double kRoomInMemory = 0.6;

}  // namespace rankscope

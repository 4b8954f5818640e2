// What rules compare with: every threshold of the findings, in one place.
#pragma once

#include <cstddef>

namespace rankscope {

// Of the mean step: less than low is not told.
inline constexpr double kHighGain = 0.10;
inline constexpr double kMediumGain = 0.03;
inline constexpr double kLowGain = 0.01;

// Of what a cause gains alone, the part that it must still gain when those that were told before
// it are gone; else these explain it.
inline constexpr double kOwnPart = 0.35;
// Or it is about other work than they: of what it takes away more than this part is nowhere taken
// away by them.
inline constexpr double kOtherWork = 0.9;

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

// A link is slow when transfers over it take this much longer than the same elsewhere.
inline constexpr double kSlowLink = 1.3;

// A single transfer is jitter when it takes this many times its like, and this much longer, where
// there are enough alike to tell.
inline constexpr double kJitterTimes = 2;
inline constexpr double kLeastJitterNs = 20e3;
inline constexpr std::size_t kEnoughLike = 4;

// Collectives are small up to so many bytes, and many from so many of one op, group and step on;
// what they would be gathered to.
inline constexpr double kSmallBytes = 4e6;
inline constexpr std::size_t kManySmall = 24;
inline constexpr double kBucketBytes = 25e6;
// Of a collective of which only one size is known: NCCL's over NVLink or a fast network.
inline constexpr double kUsualLatencyNs = 15e3;
// The same of gloo, whose threads exchange over TCP: 37 kB between two ranks of one host took 0.3
// to 0.5 ms, of which the bytes are a tenth.
inline constexpr double kUsualHostLatencyNs = 250e3;

// Smaller broadcasts are bookkeeping.
inline constexpr double kBroadcastBytes = 1e6;

// A rank has more work than its peers from this multiple of their mean on.
inline constexpr double kMuchMoreWork = 1.1;

// A kernel is short when launching it takes about as long. A job is bound by launches when
// kManyShort of its kernels are short; where kSomeShort are, it is when that costs kMuchLaunching
// of its steps.
inline constexpr double kShortKernelNs = 10e3;
inline constexpr double kManyLaunches = 32;  // short kernels of a step on a rank
inline constexpr double kManyShort = 0.5;
inline constexpr double kSomeShort = 0.3;
inline constexpr double kMuchLaunching = 0.2;

// Kernels of an optimizer's step, of a rank, that are one per operation and parameter.
inline constexpr std::size_t kManyUpdates = 48;
// The same of an optimizer that takes lists: a dozen operations for each of a few groups is usual.
inline constexpr std::size_t kManyOfGroups = 192;
// Of the time of an unfused update that a fused one takes: it reads weight, gradient and two
// moments and writes three (28 bytes a parameter in fp32) where eight operations move 76.
inline constexpr double kFusedUpdate = 28.0 / 76;

// What a product may be expected to reach of its roof where no other tells, and at most; which ones
// are slow, and worth looking at.
inline constexpr double kUsualEfficiency = 0.5;
inline constexpr double kUsualEfficiencyOfConvolutions = 0.4;
inline constexpr double kMostOfRoof = 0.8;
// Of the time of products, the part on matrix cores from which these tell what others would reach.
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

// Of a step, from which ops that sort or decompose are told.
inline constexpr double kCostlyOp = 0.05;

// A copy to the host that takes so long brings data, not a value.
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
// Where the trace does not state the size of the device's memory.
inline constexpr double kUsualDeviceBytes = 80e9;

// A stage has more layers than the others from this multiple on.
inline constexpr double kMoreLayers = 1.1;
// With so many micro-batches per stage the bubble is small.
inline constexpr double kEnoughBatches = 4;
// Of what the schedule would gain by them: each runs less efficiently.
inline constexpr double kPartOfBubble = 0.65;

// What a plain fp32 product reaches of the vector units' peak, where its shapes are not known.
inline constexpr double kUsualVectorEfficiency = 0.8;

// Calls that ask for memory, for one that gives back, where allocations fail.
inline constexpr double kRetries = 1.4;

// Kernels at one place differ in work when one takes this many times the median of them, where
// shapes were not recorded.
inline constexpr double kDiffersByTime = 1.15;
// A device is slow in most places of the program, not in some kernels only.
inline constexpr double kSlowDevicePlaces = 0.75;

// Elementwise kernels and data movement are much from this share of the computing on; below it they
// are what every model has between its products.
inline constexpr double kMuchElementwise = 0.45;
// Below it, chains of so many kernels over as many values each, that cost this share of a step: a
// tenth is usual where nothing is fused.
inline constexpr std::size_t kLongChain = 4;
inline constexpr double kMuchInChains = 0.15;

// Handing over a batch that is ready takes a host less than this.
inline constexpr double kReadyBatchNs = 400e3;

// The first recorded step asks for memory as later ones do up to this multiple of their calls.
inline constexpr double kAsLaterSteps = 1.5;

// host-sync: in this part of a step, its last, a second wait is what every training loop does.
inline constexpr double kTailOfStep = 0.25;
// From so many waits a step on they are told, however little they gain.
inline constexpr double kManyWaits = 10;
inline constexpr double kLeastTold = 0.001;  // but nothing is nothing

// A clock is held down below this part of what it is elsewhere or could be.
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

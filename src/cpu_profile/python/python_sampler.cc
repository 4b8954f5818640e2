#include "cpu_profile/python/python_sampler.h"

#include <algorithm>

#include "cpu_profile/image/maps.h"
#include "cpu_profile/image/proc_text.h"
#include "cpu_profile/python/find_python.h"
#include "cpu_profile/samples/clock.h"
#include "cpu_profile/samples/thread_state.h"

namespace rankscope::cpu_profile {

Result<std::unique_ptr<PythonSampler>> PythonSampler::Start(pid_t pid, std::int64_t period_ns,
                                                            const ProcessThreads& threads) {
  const std::vector<Mapping> maps =
      ParseMaps(ReadProcText(fmt::format("/proc/{}/maps", pid), 16 << 20));
  if (maps.empty())
    return Error(StatusCode::kIo,
                 "the mappings of process {} may not be read: it is another user's, or gone", pid);
  ProcessMemory memory(pid);
  RS_RETURN_IF_ERROR(memory.Try(maps.front().begin));
  RS_ASSIGN_OR_RETURN(const PythonPlace place, FindPython(pid, maps, memory));
  return std::unique_ptr<PythonSampler>(new PythonSampler(pid, period_ns, threads, place));
}

PythonSampler::PythonSampler(pid_t pid, std::int64_t period_ns, const ProcessThreads& threads,
                             const PythonPlace& place)
    : pid_(pid),
      threads_(threads),
      memory_(pid),
      paged_(memory_),
      reader_(paged_, profile_.stacks, place) {
  profile_.kind = "python";
  profile_.period_ns = period_ns;
}

bool PythonSampler::TakeSample() {
  paged_.Forget();
  const std::int64_t now_ns = UnixNow();
  if (!reader_.Read(now_)) return false;
  for (const PythonThread& thread : now_) {
    if (profile_.samples.size() >= kMostSamples) break;
    const auto [known, is_new] =
        known_.try_emplace(thread.native_id, static_cast<std::uint32_t>(profile_.threads.size()));
    if (is_new) profile_.threads.push_back({thread.native_id, ""});
    profile_.samples.push_back({now_ns, known->second, WithState(thread), thread.holds_lock});
  }
  return true;
}

Node PythonSampler::WithState(const PythonThread& thread) {
  const ThreadOfProcess* const here = threads_.Inside(thread.native_id);
  const std::string_view frame = here == nullptr ? "" : FrameOf(StateOf(pid_, here->id));
  if (frame.empty() || thread.stack == kNoFrames) return thread.stack;
  return profile_.stacks.Add(thread.stack, profile_.stacks.AddFunction(frame, ""), 0);
}

void PythonSampler::DropBefore(std::int64_t time_ns) {
  std::erase_if(profile_.samples, [&](const Sample& one) { return one.time_ns < time_ns; });
}

Profile PythonSampler::Take() {
  for (Thread& thread : profile_.threads) {
    if (const ThreadOfProcess* known = threads_.Inside(thread.id)) thread.name = known->name;
  }
  profile_.lost = reader_.torn();
  return std::move(profile_);
}

}  // namespace rankscope::cpu_profile

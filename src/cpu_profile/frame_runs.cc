#include "cpu_profile/frame_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace rankscope::cpu_profile {
namespace {

// A sampler that is held up misses some; a thread that sleeps has none of cpu time.
constexpr std::int64_t kMostPeriodsApart = 3;

struct OpenRun {
  FrameRun run;
  std::vector<std::pair<std::int32_t, std::uint32_t>> lines;  // with how many samples
};

class RunMaker {
 public:
  explicit RunMaker(const Profile& profile) : profile_(profile) {}

  void Take(const Sample& sample) {
    const bool is_next = has_last_ && sample.thread == last_.thread;
    const std::int64_t apart = is_next ? sample.time_ns - last_.time_ns : 0;
    const std::vector<Node> frames = profile_.stacks.FramesOf(sample.stack);
    std::size_t same = 0;
    if (is_next && apart <= kMostPeriodsApart * profile_.period_ns) {
      while (same < open_.size() && same < frames.size() &&
             open_[same].run.function == profile_.stacks.frame(frames[same]).function)
        ++same;
    }
    CloseFrom(same, is_next ? std::min(apart, profile_.period_ns) : profile_.period_ns);
    for (std::size_t depth = 0; depth < frames.size(); ++depth) {
      const StackTree::Frame& frame = profile_.stacks.frame(frames[depth]);
      if (depth >= open_.size()) {
        open_.push_back({{.thread = sample.thread,
                          .depth = static_cast<std::uint32_t>(depth + 1),
                          .function = frame.function,
                          .begin_ns = sample.time_ns},
                         {}});
      }
      Count(open_[depth], frame.line, sample.holds_lock);
    }
    last_ = sample;
    has_last_ = true;
  }

  std::vector<FrameRun> Finish() {
    CloseFrom(0, profile_.period_ns);
    Bound(kMostRuns);
    std::ranges::sort(runs_, {}, [](const FrameRun& run) {
      return std::tuple(run.thread, run.begin_ns, run.depth);
    });
    return std::move(runs_);
  }

 private:
  static void Count(OpenRun& open, std::int32_t line, bool with_lock) {
    ++open.run.samples;
    if (with_lock) ++open.run.with_lock;
    for (auto& [known, count] : open.lines) {
      if (known != line) continue;
      ++count;
      return;
    }
    open.lines.emplace_back(line, 1);
  }
  void CloseFrom(std::size_t depth, std::int64_t extent_ns) {
    for (std::size_t i = depth; i < open_.size(); ++i) {
      OpenRun& open = open_[i];
      open.run.end_ns = last_.time_ns + extent_ns;
      open.run.line = std::ranges::max_element(open.lines, {}, [](const auto& one) {
                        return one.second;
                      })->first;
      runs_.push_back(open.run);
    }
    open_.resize(std::min(open_.size(), depth));
    // Stacks that are deep and change all the time are rare, and would fill the memory.
    if (runs_.size() >= 2 * kMostRuns) Bound(kMostRuns);
  }
  // Outer frames say the most. What is bounded at one time stays: what comes later is as deep.
  void Bound(std::size_t most) {
    if (runs_.size() <= most) return;
    std::ranges::nth_element(runs_, runs_.begin() + static_cast<std::ptrdiff_t>(most), {},
                             &FrameRun::depth);
    runs_.resize(most);
  }

  const Profile& profile_;
  bool has_last_ = false;
  Sample last_;
  std::vector<OpenRun> open_;
  std::vector<FrameRun> runs_;
};

// A semicolon and a line's end part things in such text.
void AppendPlain(std::string& text, std::string_view name) {
  for (const char c : name) text += c == ';' || c == '\n' || c == '\r' ? ' ' : c;
}

}  // namespace

std::vector<FrameRun> RunsOf(const Profile& profile, std::int64_t begin_ns, std::int64_t end_ns) {
  std::vector<Sample> samples;
  std::ranges::copy_if(profile.samples, std::back_inserter(samples), [&](const Sample& sample) {
    return sample.time_ns >= begin_ns && sample.time_ns < end_ns;
  });
  std::ranges::stable_sort(
      samples, {}, [](const Sample& sample) { return std::pair(sample.thread, sample.time_ns); });
  RunMaker maker(profile);
  for (const Sample& sample : samples) maker.Take(sample);
  return maker.Finish();
}

std::string LabelOf(const Function& function) {
  if (function.first_line <= 0) return function.name;
  std::string_view file = function.file;
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = file.rfind(folder);
    if (at != std::string_view::npos) file.remove_prefix(at + folder.size());
  }
  // /usr/lib/python3.11/threading.py
  const std::size_t at = file.rfind("/lib/python3.");
  const std::size_t slash = at == std::string_view::npos ? at : file.find('/', at + 13);
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return fmt::format("{}({}): {}", file, function.first_line, function.name);
}

std::string CollapsedText(const Profile& profile) {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::pair<std::uint32_t, Node>, std::uint64_t> nodes;
  for (const Sample& sample : profile.samples) ++nodes[{sample.thread, sample.stack}];
  for (const auto& [key, count] : nodes) {
    const Thread& thread = profile.threads[key.first];
    std::string line;
    AppendPlain(line, thread.name.empty() ? fmt::format("thread {}", thread.id) : thread.name);
    for (const Node node : profile.stacks.FramesOf(key.second)) {
      const Function& function = profile.stacks.function(profile.stacks.frame(node).function);
      line += ';';
      AppendPlain(line, LabelOf(function));
    }
    counts[line] += count;
  }
  std::string text;
  for (const auto& [line, count] : counts) text += fmt::format("{} {}\n", line, count);
  return text;
}

}  // namespace rankscope::cpu_profile

#include "snoop_file/window.h"

#include "snoop_file/fields.h"

namespace rankscope::json {

template <>
const Fields<snoop_file::Window>& FieldsOf() {
  using T = snoop_file::Window;
  static const Fields<T> fields =
      Fields<T>("WindowHead", "a window of one process: whose, and when", Use::kReport)
          .Add<&T::format>({.name = "format", .doc = "what the document is, with its version"})
          .Add<&T::pid>(snoop_file::Count("pid", "of the process, as its host numbers it"))
          .Add<&T::host>({.name = "host", .doc = "by its own name", .is_null_when_empty = true})
          .Add<&T::rank>(
              snoop_file::Count("rank",
                                "RANK, SLURM_PROCID or what MPI calls it, of its environment; "
                                "null: it says none"))
          .Add<&T::world_size>(
              snoop_file::Count("world_size", "how many ranks its environment says that there are"))
          .Add<&T::job>({.name = "job",
                         .doc = "SLURM_JOB_ID or TORCHELASTIC_RUN_ID of its environment",
                         .is_null_when_empty = true})
          .Add<&T::command>({.name = "command",
                             .doc = "its words",
                             .most_bytes = 4096,
                             .is_null_when_empty = true})
          .Add<&T::begin_unix_ns>(snoop_file::Count(
              "begin_unix_ns", "when the window began, since 1970 by the host's clock", "ns"))
          .Add<&T::window_ns>(snoop_file::Count("window_ns", "how long it was", "ns"))
          .Add<&T::asked_ns>(snoop_file::Count("asked_ns", "how long it was to be", "ns"))
          .Add<&T::cut>({.name = "cut",
                         .doc = "why it ended early, a sentence; null: it did not",
                         .is_null_when_empty = true})
          .Add<&T::notes>({.name = "notes",
                           .doc = "what is to be known besides, sentences",
                           .most_items = snoop_file::kMostSentences});
  return fields;
}

template <>
const Fields<snoop_file::Frame>& FieldsOf() {
  using T = snoop_file::Frame;
  static const Fields<T> fields =
      Fields<T>("SnoopFrame", "a frame of a stack", Use::kReport)
          .Add<&T::function>({.name = "function", .doc = "its name"})
          .Add<&T::file>({.name = "file",
                          .doc = "of Python its source, of native code its library",
                          .is_null_when_empty = true})
          .Add<&T::line>(snoop_file::Count("line", "of Python; null: not known"))
          .Add<&T::language>({.name = "language", .doc = "python or native"});
  return fields;
}

}  // namespace rankscope::json

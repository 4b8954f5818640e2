#include "service/runs/run_notes.h"

namespace rankscope::service {

Status AddNote(store::Run& run, store::RunNote& note, std::size_t most) {
  if (run.notes.size() >= most)
    return Error(StatusCode::kResource, "a run has up to {} notes", most);
  note.id = NextId(run.notes);
  run.notes.push_back(note);
  return OkStatus();
}

}  // namespace rankscope::service

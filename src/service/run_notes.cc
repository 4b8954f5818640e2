#include "service/run_notes.h"

namespace rankscope::service {

Status AddNote(store::Run& run, store::RunNote& note) {
  if (run.notes.size() >= kMostNotes)
    return Error(StatusCode::kResource, "a run has up to {} notes", kMostNotes);
  note.id = NextId(run.notes);
  run.notes.push_back(note);
  return OkStatus();
}

}  // namespace rankscope::service

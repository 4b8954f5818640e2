// The input and the result of making patches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::fix {

// A line of the user's code; the file has its path on the machine that recorded it.
struct RecordedLine {
  std::string file;
  std::int64_t line = 0;
};

// A cause from a report.
struct Finding {
  std::string id;
  std::string gain;                 // in words: "18.2%, 4.34 ms per step"
  std::vector<RecordedLine> lines;  // where stacks show it
};

// The capabilities of the job's devices; those that all devices share.
struct DeviceAbility {
  std::string name;  // of the first device, "" if unknown
  bool has_bf16 = true;
  bool has_tf32 = true;
  bool is_nvidia = true;
  bool is_cuda = true;  // PyTorch calls it "cuda"
};

// A file of the source folder.
struct SourceText {
  std::string path;  // relative to the folder, with `/`
  std::string text;
};

struct Request {
  std::vector<Finding> findings;  // most severe first
  DeviceAbility device;
  std::string kind;  // the only kind to make, a name of AllKinds; "": all
};

// One change of a file.
struct Hunk {
  std::string finding;
  std::string gain;
  std::string kind;       // a name of AllKinds
  std::string what;       // "DataLoader gets pin_memory=True"
  std::string undo;       // "remove pin_memory=True"
  std::int64_t line = 0;  // in the original file
};

struct FilePatch {
  std::string path;  // relative to the source folder, with `/`
  std::string before;
  std::string after;
  std::vector<Hunk> hunks;  // at least one
};

// A change that the user must make by hand.
struct Left {
  std::string file;       // "" if it concerns no single file
  std::int64_t line = 0;  // 0 if it concerns no single line
  std::string finding;    // "" for a file that could not be read
  std::string why;        // a sentence
};

struct Patches {
  std::vector<FilePatch> files;  // by path
  std::vector<Left> left;
};

}  // namespace rankscope::fix

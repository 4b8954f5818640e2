// What is to be mended, and what comes of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::fix {

// A line of the user's code, as the machine that recorded it calls the file.
struct RecordedLine {
  std::string file;
  std::int64_t line = 0;
};

// A cause that a report tells.
struct Finding {
  std::string id;
  std::string gain;                 // in words: "18.2%, 4.34 ms per step"
  std::vector<RecordedLine> lines;  // where stacks show it
};

// What the job's devices can do; of several the least.
struct DeviceAbility {
  std::string name;  // of the first, "" where none is known
  bool has_bf16 = true;
  bool has_tf32 = true;
  bool is_nvidia = true;
  bool is_cuda = true;  // PyTorch calls it "cuda"
};

// A file as it lies in the source folder.
struct SourceText {
  std::string path;  // below the folder, with `/`
  std::string text;
};

struct Request {
  std::vector<Finding> findings;  // the gravest first
  DeviceAbility device;
  std::string kind;  // of AllKinds, the one that is made; "": all
};

// One change of a file.
struct Hunk {
  std::string finding;
  std::string gain;
  std::string kind;       // a name of AllKinds
  std::string what;       // "DataLoader gets pin_memory=True"
  std::string undo;       // "remove pin_memory=True"
  std::int64_t line = 0;  // of the file as it was
};

struct FilePatch {
  std::string path;  // below the source folder, with `/`
  std::string before;
  std::string after;
  std::vector<Hunk> hunks;  // at least one
};

// What is to be changed by hand.
struct Left {
  std::string file;       // "" where it is no matter of a file
  std::int64_t line = 0;  // 0 where it is no matter of a line
  std::string finding;    // "" of a file that could not be read
  std::string why;        // a sentence
};

struct Patches {
  std::vector<FilePatch> files;  // by path
  std::vector<Left> left;
};

}  // namespace rankscope::fix

// Who would have to hand on which pieces of work, so that all who share it have about as much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "insight/base/cause.h"
#include "insight/base/rule_input.h"

namespace rankscope {

// A piece that is with one or the other as a whole.
struct MovablePiece {
  std::size_t holder = 0;
  double ns = 0;
  std::string name;
};
struct PieceMove {
  std::size_t piece = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

// Moves that bring the largest of `loads` down, each by over 1 %, and change them: from the one who
// has most to the one who has least the piece that leaves both with least. At most kMostMoves:
// O(kMostMoves * pieces). `loads` are by holder and hold their pieces.
inline constexpr std::size_t kMostMoves = 12;
std::vector<PieceMove> MovesToEven(std::vector<MovablePiece> pieces, std::vector<double>& loads);

// Of sharded tables that these ranks have more of: the tables that change hands, where each has
// kernels of its own on the rank with most; else how much of their time goes to the others, who
// all have as much then. Null where nothing changes.
std::optional<Proposal> AssignTables(const RuleInput& input,
                                     const std::vector<std::uint32_t>& heavy);

// Of layers of a pipeline: how many from which stage to which; each stage keeps one. Null where the
// number of layers of each is not known, or no move makes the longest stage shorter.
std::optional<Proposal> AssignLayers(const RuleInput& input);

}  // namespace rankscope

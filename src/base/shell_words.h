// Words quoted for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// 'text' as one word, whatever it contains.
std::string SingleQuoted(std::string_view text);
// The same, quoted only where it must be.
std::string ShellWord(std::string_view text);
// A command line of them.
std::string ShellWords(const std::vector<std::string>& words);

}  // namespace rankscope

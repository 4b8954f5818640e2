#include "cli/shell/manual.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "cli/base/command.h"

namespace rankscope::cli {
namespace {

// Text as it stands: hyphens to copy, no line that would be a request.
std::string Plain(std::string_view text) {
  std::string out;
  bool is_start = true;
  for (const char c : text) {
    if (is_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else {
      out += c;
    }
    is_start = c == '\n';
  }
  return out;
}

std::string Bold(std::string_view text) { return "\\fB" + Plain(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Plain(text) + "\\fR"; }

char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

std::string Sentence(std::string_view text) {
  std::string out = Plain(text);
  if (!out.empty()) out[0] = Upper(out[0]);
  if (!out.empty() && out.back() != '.') out += '.';
  return out + "\n";
}

std::string PlaceText(const Argument& place) {
  const std::string name = Italic(place.names[0]) + (place.repeats ? "..." : "");
  return place.is_required ? name : "[" + name + "]";
}

// "rankscope trace info [OPTIONS] PATH...", with the options that must be given.
std::string Usage(const Command& command, const std::string& program) {
  std::string out = Bold(program + (command.path.empty() ? "" : " " + command.path));
  if (!command.options.empty()) out += " [" + Italic("OPTION") + "]...";
  for (const Argument& option : command.options) {
    if (option.is_required) out += " " + Bold(option.names.back()) + " " + Italic(option.value);
  }
  for (const Argument& place : command.places) out += " " + PlaceText(place);
  return out + "\n";
}

std::string OptionText(const Argument& option) {
  std::string tag;
  for (const std::string& name : option.names) {
    if (!tag.empty()) tag += ", ";
    tag += Bold(name);
  }
  if (!option.is_flag()) tag += " " + Italic(option.value);
  std::string about = Sentence(option.about);
  if (!option.words.empty()) {
    std::string words;
    for (const std::string& word : option.words) words += (words.empty() ? "" : ", ") + Bold(word);
    about += "Takes " + words + ".\n";
  }
  if (!option.default_value.empty()) about += "Default: " + Bold(option.default_value) + ".\n";
  return ".TP\n" + tag + "\n" + about;
}

// Footers are laid out by hand: an example, and what follows it.
std::string Footer(const Command& command) {
  if (command.footer.empty()) return "";
  return ".PP\n.nf\n" + Plain(command.footer) + "\n.fi\n";
}

// Every command has --help, which is said once.
bool IsHelp(const Argument& option) { return option.names.back() == "--help"; }

std::string Section(const Command& command, const std::string& program) {
  std::string out = fmt::format(".SS {}\n{}.PP\n{}", Plain(command.path), Usage(command, program),
                                Sentence(command.about));
  for (const Argument& place : command.places) {
    out += ".TP\n" + Italic(place.names[0]) + "\n" + Sentence(place.about);
  }
  for (const Argument& option : command.options) {
    if (!IsHelp(option)) out += OptionText(option);
  }
  return out + Footer(command);
}

// Of the commands of a group.
std::string Heading(std::string_view group) {
  std::string title(group);
  for (char& c : title) c = Upper(c);
  return ".SH COMMANDS" + (title.empty() ? "" : ": " + Plain(title)) + "\n";
}

// What the program is, without its own name before and the full stop: "rankscope \- WHAT".
std::string_view InOneLine(const Command& root) {
  std::string_view text = root.about;
  if (text.starts_with(root.name + " ")) text.remove_prefix(root.name.size() + 1);
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string ManualPage(const Command& root, std::string_view version) {
  std::string title = root.name;
  for (char& c : title) c = Upper(c);
  std::string out = fmt::format(
      ".\\\" Made by: {0} manual\n.TH {1} 1 \"\" \"{0} {2}\" \"User Commands\"\n.SH NAME\n{0} \\- "
      "{3}\n.SH SYNOPSIS\n.nf\n",
      root.name, title, version, Plain(InOneLine(root)));
  std::string sections;
  std::string_view group;
  bool is_first = true;
  for (const Command& top : root.commands) {
    if (std::exchange(is_first, false) || top.group != group) sections += Heading(top.group);
    group = top.group;
    for (const Command* command : AllCommands(top)) {
      if (!command->commands.empty()) continue;
      out += Usage(*command, root.name);
      sections += Section(*command, root.name);
    }
  }
  out += ".fi\n.SH DESCRIPTION\n" + Sentence(root.about) + Footer(root) + ".SH OPTIONS\n";
  for (const Argument& option : root.options) out += OptionText(option);
  out += sections + ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes)
    out += fmt::format(".TP\n.B {}\n{}", static_cast<int>(code), Sentence(meaning));
  return out;
}

}  // namespace rankscope::cli

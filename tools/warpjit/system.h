// What each operating system does in its own way: system_posix.cpp, system_windows.cpp. Failures are numbers of errno.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpjit::tool::system {

using PathCharacter = std::filesystem::path::value_type;

// ---- Process --------------------------------------------------------------------------------------------

// The arguments after the program's name, as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);
unsigned process_number();

// stdin, stdout and stderr that are closed become descriptors of which reads and writes fail. They carry bytes as
// they are. Writes to closed pipes and beyond limits of files are errors of these writes. `stop` gets SIGINT or
// SIGTERM; on Windows, Ctrl-C is the former, and other ends of the console are the latter. Both functions are called
// from handlers of signals, or on Windows on threads of their own.
void prepare(void (*stop)(int signal), void (*alarm)());
// Calls `alarm` after that many seconds, above 0, instead of before.
void set_alarm(double seconds);
// No signal comes between in this thread.
void block_signals();
// Until the process ends.
[[noreturn]] void wait_for_end();
// Removes a file if `unfinished` is not null, and ends the process. A pipe full of what nobody reads gets no message.
[[noreturn]] void end_now(const PathCharacter* unfinished, std::string_view message, int exit_code);

// ---- Files ----------------------------------------------------------------------------------------------

inline constexpr int kStdout = 1, kStderr = 2;

// An open file; a failing close counts.
class File {
 public:
  // create: the file must not be there. overwrite: it must be there, and loses what it holds.
  enum class Use { read, create, overwrite };
  File(const std::filesystem::path& path, Use use);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }  // negative: it could not be opened, see errno
  int close();                            // errno, or 0

 private:
  int number_;
};

// How many bytes came, at most `size`; 0 at the end; a negative errno.
std::ptrdiff_t read_some(int file, std::byte* bytes, std::size_t size);
// errno, or 0.
int write_all(int file, std::string_view bytes);
bool is_terminal(int file);

// What stands under a name, links resolved.
struct Existing {
  bool exists = false, regular = false;
  unsigned permissions = 0;  // nothing on Windows
};
Existing existing(const std::filesystem::path& path);
int check_writable(const std::filesystem::path& path);  // errno, or 0
int set_permissions(int file, unsigned permissions);    // errno, or 0
// Takes the place of a file that may be there. errno, or 0.
int rename_over(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace warpjit::tool::system

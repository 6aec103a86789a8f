// What ends a command before it is done: a signal, a time limit, memory that is not there. A command may end
// by itself soon after it is asked to; if not, the process ends at once, from the signal handler.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace warpjit::tool {

// SIGINT and SIGTERM ask to stop, failing allocations and exceptions that nothing catches end the process with
// a message; writes to closed pipes and beyond limits of files are errors of these writes. stdin, stdout and
// stderr that are closed become descriptors of which reads and writes fail.
void prepare_process();

// --timeout: asks to stop after that many seconds, above 0.
void stop_after(double seconds);

// True if the command was asked to stop. Loops without end look at it.
bool stopping();
// The same for RunOptions::cancel.
const std::atomic<std::uint32_t>* cancel_word();
// Why it stops: `cancelled`.
Error stop_error();
bool interrupted();  // by a signal
// Ends the process that was asked to stop: exit code 128 and the number of the signal, or 3.
[[noreturn]] void end_stopped();

// Ends the process. Async-signal-safe; of several calls the first one counts.
[[noreturn]] void end_process(std::string_view message, int exit_code);
[[noreturn]] void end_without_memory();

// The file that is being written. It is removed if the process ends at once. `path` must outlive it.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path::value_type* path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
};

}  // namespace warpjit::tool

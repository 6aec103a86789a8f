#include "stop.h"

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "output.h"
#include "system.h"

namespace warpjit::tool {
namespace {

constexpr int kBadInputCode = 2, kStoppedCode = 3;
constexpr double kGrace = 0.05;  // seconds that a command has to end by itself

constinit std::atomic<std::uint32_t> cancel{0};
constinit std::atomic<int> signal_number{0};
constinit std::atomic<bool> out_of_time{false}, ended{false};
constinit std::atomic<const system::PathCharacter*> unfinished{nullptr};
static_assert(std::atomic<const system::PathCharacter*>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

constexpr std::string_view kInterrupted = "warpjit: interrupted\n",
                           kOutOfTime = "warpjit: cancelled: the time of --timeout is over\n",
                           kNoMemory = "warpjit: resource limit: out of memory\n";

void handle_stop(int number) {
  int none = 0;
  if (!signal_number.compare_exchange_strong(none, number)) end_stopped();
  cancel = 1;
  system::set_alarm(kGrace);
}

// The time of --timeout, or the grace after it or after a signal, is over.
void handle_alarm() {
  if (interrupted() || out_of_time.exchange(true)) end_stopped();
  cancel = 1;
  system::set_alarm(kGrace);
}

// An exception that nothing catches was thrown: in a thread of a library, or where nothing may throw.
[[noreturn]] void handle_terminate() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::system_error& problem) {
    end_process("warpjit: resource limit: " + text::shortened(problem.what()) + "\n", kBadInputCode);
  } catch (const std::exception& problem) {
    end_process("warpjit: internal error: " + text::shortened(problem.what()) + "\n", kStoppedCode);
  } catch (...) {
  }
  end_process("warpjit: internal error: an unknown exception\n", kStoppedCode);
}

}  // namespace

void prepare_process() {
  std::set_new_handler(end_without_memory);
  std::set_terminate(handle_terminate);
  system::prepare(handle_stop, handle_alarm);
}

void stop_after(double seconds) { system::set_alarm(seconds); }

bool stopping() { return cancel != 0; }
const std::atomic<std::uint32_t>* cancel_word() { return &cancel; }

Error stop_error() {
  return {ErrorCode::cancelled, interrupted() ? "interrupted" : "the time of --timeout is over", {}};
}
bool interrupted() { return signal_number != 0; }
void end_stopped() {
  if (const int number = signal_number; number != 0) end_process(kInterrupted, 128 + number);
  end_process(kOutOfTime, kStoppedCode);
}

void end_process(std::string_view message, int exit_code) {
  system::block_signals();
  if (ended.exchange(true)) system::wait_for_end();  // another thread ends it
  system::end_now(unfinished, message, exit_code);
}
void end_without_memory() { end_process(kNoMemory, kBadInputCode); }

UnfinishedFile::UnfinishedFile(const system::PathCharacter* path) { unfinished = path; }
UnfinishedFile::~UnfinishedFile() { unfinished = nullptr; }

}  // namespace warpjit::tool

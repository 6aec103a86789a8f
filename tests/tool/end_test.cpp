// How the built tool ends where output fails, where it is asked to end, and where memory is missing.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tool/cli.h"

namespace warpjit::tool {

extern const char* const kFailingMemory;  // a library to load before the tool; empty: not here

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// ThreadSanitizer delivers signals where the program calls a function that it watches.
#ifdef __SANITIZE_THREAD__
constexpr bool kDelaysSignals = true;
#else
constexpr bool kDelaysSignals = false;
#endif

const std::string kCapture = tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap");
const std::string kPhong = tests::source_file("examples/tesla/graphics/phong.json");

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class EndTest : public ToolTest {
 protected:
  // The tool in a process of its own. stdout is `out`, a file name, or a pipe of which nobody has the other end.
  class Process {
   public:
    Process(const EndTest& test, const std::string& arguments, const std::string& out) {
      const std::string command = "exec " + std::string(kToolEmulator) + " '" + kToolPath + "' " + arguments +
                                  " 2>'" + test.path("stderr.txt") + "' </dev/null" +
                                  (out.empty() ? "" : " >" + out);
      int ends[2];
      EXPECT_EQ(pipe(ends), 0);
      child_ = fork();
      if (child_ == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(test.path("").c_str()) == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
      }
      close(ends[0]);
      close(ends[1]);
    }
    void send(int signal) const { kill(child_, signal); }
    // The exit code; -1: it was ended by a signal.
    int wait() const {
      int status = 0;
      waitpid(child_, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

   private:
    pid_t child_ = -1;
  };

  std::string errors() const { return read(path("stderr.txt")); }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path("")), fs::directory_iterator()));
  }
};

TEST_F(EndTest, OutputThatFailsIsAnError) {
  fs::copy(kExamples + "mvp_light.shbin", path("a.shbin"));
  write_move("move.json");
  for (const std::string arguments :
       {"--help", "--help-all", "--version", "info", "info --json", "info a.shbin", "disasm a.shbin",
        "launch a.shbin", "ir a.shbin", "host a.shbin", "run move.json", "run move.json --json",
        "verify move.json", "verify move.json --json",
        "bench move.json --seconds 0 --counts 1 --engines guest"})
    for (const char* out : {"/dev/full", "&-", ""}) {
      EXPECT_EQ(Process(*this, arguments, out).wait(), 2) << arguments << " " << out;
      const std::string message = errors();
      EXPECT_NE(message.find("warpjit: input/output: stdout: "), std::string::npos) << arguments << message;
      EXPECT_EQ(message.find("stdout: "), message.rfind("stdout: ")) << message;
    }
}

TEST_F(EndTest, FilesThatCannotBeWrittenAreErrors) {
  fs::copy(kExamples + "mvp_light.shbin", path("a.shbin"));
  write_move("move.json");
  for (const char* file : {"/dev/full", "none/file", "."})
    for (const std::string arguments :
         {"launch a.shbin -o ", "disasm a.shbin -o ", "host a.shbin --statistics -o ", "run move.json -o ",
          "run move.json --json -o "}) {
      const Outcome outcome = run(arguments + file);
      EXPECT_EQ(outcome.code, 2) << arguments << file;
      EXPECT_NE(outcome.err.find("input/output: " + std::string(file) + ": "), std::string::npos)
          << outcome.err;
    }
  for (const std::string& arguments :
       {"render '" + kPhong + "' --size 16x16 -o /dev/full", "import '" + kCapture + "' -o /dev/full"})
    EXPECT_EQ(run(arguments).code, 2) << arguments;
}

// A limit of file sizes is met in the middle of the file.
TEST_F(EndTest, FilesAreWholeOrAsBefore) {
  fs::copy(kExamples + "mvp_light.shbin", path("a.shbin"));
  write("list.pica", "before");
  const std::size_t files = files_in_folder() + 2;  // stdout.txt, stderr.txt
  const Outcome outcome = run("disasm a.shbin -o list.pica", "ulimit -f 1;");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("list.pica: "), std::string::npos) << outcome.err;
  EXPECT_EQ(read(path("list.pica")), "before");
  EXPECT_EQ(files_in_folder(), files);
  ASSERT_EQ(run("disasm a.shbin -o list.pica").code, 0);
  EXPECT_GT(fs::file_size(path("list.pica")), 1024U);
  EXPECT_EQ(files_in_folder(), files);
  fs::create_symlink("list.pica", path("link"));
  ASSERT_EQ(run("launch a.shbin -o link").code, 0);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_NE(read(path("list.pica")).find("\"warpjit\": 1"), std::string::npos);
}

TEST_F(EndTest, TimeLimits) {
  if (kDelaysSignals) GTEST_SKIP();
  write_endless("endless.json");
  for (const std::string arguments :
       {"run endless.json --engine guest", "run endless.json --engine ir", "run endless.json",
        "verify endless.json", "verify endless.json --json", "bench endless.json"}) {
    const Clock::time_point start = Clock::now();
    const Outcome outcome = run(arguments + " --fuel 0xffffffffffffffff --timeout 0.3");
    EXPECT_EQ(outcome.code, 3) << arguments;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("warpjit: cancelled: the time of --timeout is over\n"), std::string::npos)
        << outcome.err;
    EXPECT_LT(seconds_since(start), 1.5) << arguments;
  }
  // What was seen until then is told.
  write("endless.tesla", ".kernel main\nagain:\n  bra #again\n  exit nop\n");
  write(
      "kernel.json",
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"file":"endless.tesla"},"grid":[1],"block":[32]})");
  const Outcome observed = run("run kernel.json --stats --fuel 0xffffffffffffffff --timeout 0.3");
  EXPECT_EQ(observed.code, 3) << observed.err;
  EXPECT_NE(observed.out.find("instructions of warps"), std::string::npos) << observed.out;
  write_move("move.json");
  EXPECT_EQ(run("run move.json --timeout 100").code, 0);
  for (const char* time : {"0", "-1", "nan", "inf", "1e10", "1s", "''"})
    EXPECT_EQ(run(std::string("run move.json --timeout ") + time).code, 2) << time;
}

TEST_F(EndTest, SignalsEndEveryCommand) {
  if (kDelaysSignals) GTEST_SKIP();
  write_endless("endless.json");
  write_move("move.json");
  std::string text = R"({"warpjit":1,"x":[)";
  for (int k = 0; k < 3'000'000; ++k) text += "[1.5],";
  write("long.json", text + "0]}");
  struct Case {
    std::string arguments;
    int signal;
  };
  for (const Case& item : {Case{"run endless.json --engine guest --fuel 0xffffffffffffffff", SIGINT},
                           Case{"run endless.json --fuel 0xffffffffffffffff", SIGINT},
                           Case{"verify endless.json --fuel 0xffffffffffffffff", SIGTERM},
                           Case{"verify move.json --random 16777216 --engines guest,ir", SIGINT},
                           Case{"bench move.json --seconds 60", SIGINT}, Case{"run long.json", SIGTERM}}) {
    const Process tool(*this, item.arguments, path("stdout.txt"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const Clock::time_point start = Clock::now();
    tool.send(item.signal);
    EXPECT_EQ(tool.wait(), 128 + item.signal) << item.arguments;
    EXPECT_LT(seconds_since(start), *kToolEmulator != 0 ? 5 : 0.5) << item.arguments;  // 0.06 s alone
    EXPECT_TRUE(errors().ends_with("warpjit: interrupted\n")) << errors();
  }
}

// Allocation n fails, alone or with all after it: the tool gives the right output, or a message and another
// exit code. WARPJIT_EVERY_ALLOCATION=1: for every n; else a share of them.
TEST_F(EndTest, FailingMemory) {
  if (*kFailingMemory == 0) GTEST_SKIP() << "allocations cannot be replaced here";
  const bool every = std::getenv("WARPJIT_EVERY_ALLOCATION") != nullptr;
  constexpr unsigned long kShare = 16;  // runs of a command
  fs::copy(kExamples + "mvp_light.shbin", path("a.shbin"));
  fs::copy(kExamples + "mvp_light.v.pica", path("a.v.pica"));
  write_move("move.json");
  const auto number_of = [&](const std::string& name) {
    return std::strtoul(read(path(name)).c_str(), nullptr, 10);
  };
  const std::string preload = "LD_PRELOAD='" + std::string(kFailingMemory) + "' ";
  ASSERT_EQ(run("--version", preload + "WARPJIT_FAIL_COUNT=before").code, 0);
  const unsigned long before = number_of("before");  // of the command line alone
  ASSERT_GT(before, 100U);
  for (const std::string& arguments :
       {std::string("--version"), std::string("info a.shbin --json"), std::string("disasm a.shbin"),
        std::string("asm a.v.pica --json"), std::string("launch a.shbin"), std::string("ir a.shbin"),
        std::string("host a.shbin"), std::string("info '" + kCapture + "'"),
        std::string("run move.json --engine guest"), std::string("run move.json --engine ir"),
        std::string("run move.json --all"), std::string("run move.json --background"),
        std::string("run move.json --count 100000 --threads 3"), std::string("verify move.json"),
        std::string("verify a.shbin --random 10 --json"),
        std::string("render '" + kCapture + "' -o picture.png"),
        std::string("render '" + kPhong + "' --size 16x16 -o picture.png"), std::string("run a --fuel -1")}) {
    const Outcome right = run(arguments, preload + "WARPJIT_FAIL_COUNT=count");
    const std::string picture = read(path("picture.png"));
    const unsigned long count = number_of("count");
    const unsigned long first = arguments == "--version" || every ? 1 : std::min(before, count - kShare);
    const unsigned long step = every ? 1 : std::max(1UL, (count - first) / kShare);
    for (const char* all : {"0", "1"})
      for (unsigned long n = first; n <= count; n += step) {
        fs::remove(path("picture.png"));
        const Outcome outcome = run(arguments, "ulimit -t 20; " + preload + "WARPJIT_FAIL_ALL=" + all +
                                                   " WARPJIT_FAIL_AT=" + std::to_string(n));
        const std::string place =
            arguments + ", allocation " + std::to_string(n) + (*all == '1' ? " on" : "");
        EXPECT_LE(outcome.code, 4) << place;  // signals are above 128
        EXPECT_GE(outcome.code, 0) << place;
        if (outcome.code != 0) {
          EXPECT_FALSE(outcome.err.empty()) << place;
          continue;
        }
        EXPECT_EQ(right.code, 0) << place;
        const bool tells_times = arguments.find("render") != std::string::npos;
        EXPECT_TRUE(tells_times || outcome.out == right.out) << place << outcome.out;
        EXPECT_EQ(read(path("picture.png")), picture) << place;
      }
  }
}

}  // namespace
}  // namespace warpjit::tool

// The built tool on a terminal: progress, and the end that Ctrl-C asks for. For Windows, scripts/test-windows has the same.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "tool/cli.h"

namespace warpjit::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr char kCtrlC = 3;

class ConsoleTest : public ToolTest {
 protected:
  // The tool in a session of its own, with the terminal as its stdin, stdout and stderr.
  class Terminal {
   public:
    Terminal(const ConsoleTest& test, const std::string& arguments) {
      const std::string command = std::string("exec ") + kToolEmulator + " '" + kToolPath + "' " + arguments;
      terminal_ = posix_openpt(O_RDWR | O_NOCTTY);
      EXPECT_GE(terminal_, 0);
      EXPECT_EQ(grantpt(terminal_), 0);
      EXPECT_EQ(unlockpt(terminal_), 0);
      const std::string name = ptsname(terminal_);
      const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
      EXPECT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
      child_ = fork();
      if (child_ == 0) {
        setsid();
        const int end = open(name.c_str(), O_RDWR);
        ioctl(end, TIOCSCTTY, 0);
        for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(end, file);
        close(terminal_);
        setenv("TERM", "xterm", 1);
        if (chdir(test.path("").c_str()) == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
      }
    }
    ~Terminal() {
      if (child_ > 0) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
      }
      close(terminal_);
    }
    void type(char key) const { EXPECT_EQ(::write(terminal_, &key, 1), 1); }
    const std::string& shown() const { return shown_; }
    // Reads until what is shown has that text. False: not within that many seconds, or the tool ended.
    bool shows(const std::string& text, double seconds) {
      const Clock::time_point start = Clock::now();
      while (shown_.find(text) == std::string::npos) {
        const double left = seconds - std::chrono::duration<double>(Clock::now() - start).count();
        if (left <= 0 || !read_some(left)) return false;
      }
      return true;
    }
    // The exit code; -1: it was ended by a signal, -2: it did not end within that many seconds.
    int wait(double seconds) {
      const Clock::time_point start = Clock::now();
      while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
        int status = 0;
        if (waitpid(child_, &status, WNOHANG) == child_) {
          child_ = -1;
          while (read_some(0)) {
          }
          return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        read_some(0.002);
      }
      return -2;
    }

   private:
    bool read_some(double seconds) {
      pollfd wanted{terminal_, POLLIN, 0};
      if (poll(&wanted, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
      char bytes[4096];
      const ssize_t size = ::read(terminal_, bytes, sizeof bytes);
      if (size <= 0) return false;
      shown_.append(bytes, static_cast<std::size_t>(size));
      return true;
    }

    int terminal_ = -1;
    pid_t child_ = -1;
    std::string shown_;
  };
};

TEST_F(ConsoleTest, ShowsProgressAndEndsOnCtrlC) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "signals are delivered where the program calls a function that is watched";
#endif
  const bool emulated = *kToolEmulator != 0;
  const std::string phong = tests::source_file("examples/tesla/graphics/phong.json");
  for (const std::string engine : {"guest", "ir"}) {
    Terminal tool(*this, "render '" + phong + "' --size 4096x4096 --engine " + engine + " -o picture.png");
    EXPECT_TRUE(tool.shows(" %", emulated ? 120 : 30)) << tool.shown();
    const Clock::time_point start = Clock::now();
    tool.type(kCtrlC);
    EXPECT_EQ(tool.wait(30), 128 + SIGINT) << tool.shown();
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(),
              emulated ? 5 : 0.5);  // 0.06 s alone
    EXPECT_NE(tool.shown().find("warpjit: interrupted"), std::string::npos) << tool.shown();
    EXPECT_FALSE(std::filesystem::exists(path("picture.png")));
  }
}

}  // namespace
}  // namespace warpjit::tool

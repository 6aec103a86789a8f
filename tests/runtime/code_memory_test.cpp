#include "runtime/code/code_memory.h"

#include <gtest/gtest.h>
#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace warpjit::runtime {
namespace {

// A function that returns `value`.
std::vector<std::uint8_t> returns(std::uint32_t value) {
#if defined(__x86_64__)
  std::vector<std::uint8_t> code = {0xB8, 0, 0, 0, 0, 0xC3};
  std::memcpy(&code[1], &value, 4);
#else
  std::vector<std::uint8_t> code(8);
  const std::uint32_t words[] = {0x52800000u | (value & 0xFFFF) << 5, 0xD65F03C0u};
  std::memcpy(code.data(), words, 8);
#endif
  return code;
}

std::uint32_t call(const CodeMemory::Block& block) {
  std::uint32_t (*function)();
  const std::byte* address = block.address();
  std::memcpy(&function, &address, sizeof function);
  synchronize_fetch();
  return function();
}

// Every mode runs wherever the system has it, but for dual mapping under qemu before 8.1, which goes on
// running what it has translated when code is written through another view.
class CodeMemoryModes : public testing::TestWithParam<warpjit::CodeMemory> {
 protected:
  void SetUp() override {
    auto memory = CodeMemory::create(GetParam());
    for (const char* reason : {"is not seen", "not supported on"})
      if (!memory && memory.error().message.find(reason) != std::string::npos)
        GTEST_SKIP() << memory.error().message;
    ASSERT_TRUE(memory) << to_string(memory.error());
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, CodeMemoryModes,
                         testing::Values(warpjit::CodeMemory::dual, warpjit::CodeMemory::flip),
                         [](const auto& info) {
                           return info.param == warpjit::CodeMemory::dual ? "dual" : "flip";
                         });

TEST_P(CodeMemoryModes, PlacesCodeAtMultiplesOfAnAlignment) {
  auto memory = CodeMemory::create(GetParam());
  ASSERT_TRUE(memory) << to_string(memory.error());
  std::vector<CodeMemory::Block> kept;
  for (std::uint32_t n = 0; n < 60; ++n) {
    const std::size_t alignment = std::size_t{64} << n % 7;
    auto block = (*memory)->place(returns(n), {"p", {}}, alignment);
    ASSERT_TRUE(block);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->address()) % alignment, 0u);
    EXPECT_EQ(call(*block), n);
    if (n % 3 != 0) kept.push_back(std::move(*block));  // others are given back
  }
  const auto numbers = {1u, 2u, 4u, 5u, 7u, 8u};
  auto block = kept.begin();
  for (const std::uint32_t n : numbers) EXPECT_EQ(call(*block++), n);
}

TEST_P(CodeMemoryModes, RunsCodeAlsoAtReusedAddresses) {
  auto memory = CodeMemory::create(GetParam());
  ASSERT_TRUE(memory) << to_string(memory.error());
  EXPECT_EQ((*memory)->mode(), GetParam());
  std::set<const std::byte*> seen;
  bool reused = false;
  for (std::uint32_t n = 0; n < 200; ++n) {
    auto block = (*memory)->place(returns(n), {"p", {}});
    ASSERT_TRUE(block);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->address()) % 64, 0u);
    ASSERT_EQ(call(*block), n);
    reused |= !seen.insert(block->address()).second;
  }
  EXPECT_TRUE(reused);
}

// Both processes place code, run it, and still run what was placed before; the parent lets go of some of
// that.
#if defined(__unix__)
TEST_P(CodeMemoryModes, ProcessesThatForkDoNotSeeEachOthersCode) {
  auto memory = CodeMemory::create(GetParam());
  ASSERT_TRUE(memory);
  std::vector<CodeMemory::Block> before;
  for (std::uint32_t n = 0; n < 100; ++n) {
    auto block = (*memory)->place(returns(n), {"p", {}});
    ASSERT_TRUE(block);
    before.push_back(std::move(*block));
  }
  // Places 200 pieces; true if these and what is left of `before` return what they should.
  const auto works = [&](std::uint32_t first) {
    std::vector<CodeMemory::Block> made;
    for (std::uint32_t n = 0; n < 200; ++n) {
      auto block = (*memory)->place(returns(first + n), {"p", {}});
      if (!block) return false;
      made.push_back(std::move(*block));
    }
    bool right = true;
    for (std::uint32_t n = 0; n < 200; ++n) right = right && call(made[n]) == first + n;
    for (std::uint32_t n = 0; n < 100; ++n)
      if (before[n].address() != nullptr) right = right && call(before[n]) == n;
    return right;
  };
  int parent_is_done[2], child_is_done[2];
  ASSERT_EQ(pipe(parent_is_done), 0);
  ASSERT_EQ(pipe(child_is_done), 0);
  char byte = 0;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = read(parent_is_done[0], &byte, 1) == 1 && works(2000);
    right = write(child_is_done[1], &byte, 1) == 1 && right;
    right = read(parent_is_done[0], &byte, 1) == 1 && right && works(3000);
    _exit(right ? 0 : 1);
  }
  for (std::uint32_t n = 0; n < 100; n += 2) before[n] = {};
  EXPECT_TRUE(works(1000));
  EXPECT_EQ(write(parent_is_done[1], &byte, 1), 1);
  EXPECT_EQ(read(child_is_done[0], &byte, 1), 1);
  EXPECT_TRUE(works(4000));
  EXPECT_EQ(write(parent_is_done[1], &byte, 1), 1);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "what the child ran";
  for (const int end : {parent_is_done[0], parent_is_done[1], child_is_done[0], child_is_done[1]}) close(end);
}
#endif

TEST_P(CodeMemoryModes, NothingIsWritableAndExecutable) {
  auto memory = CodeMemory::create(GetParam());
  ASSERT_TRUE(memory);
  auto block = (*memory)->place(returns(1), {"p", {}});
  ASSERT_TRUE(block);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char access[8] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%llx-%llx %7s", &begin, &end, access), 3);
    EXPECT_FALSE(access[1] == 'w' && access[2] == 'x') << line;
    const auto address = reinterpret_cast<std::uintptr_t>(block->address());
    if (address >= begin && address < end) {
      EXPECT_EQ(std::string(access, 3), "r-x");
    }
  }
}

TEST_P(CodeMemoryModes, FindsGuestPlaces) {
  auto memory = CodeMemory::create(GetParam());
  ASSERT_TRUE(memory);
  std::vector<std::uint8_t> code(300, 0x90);
  auto first = (*memory)->place(code, {"first", {{10, 100}, {20, 101}, {200, ir::kNoAddress}}});
  auto second = (*memory)->place(code, {"second", {}});
  ASSERT_TRUE(first && second);
  const auto at = [&](const CodeMemory::Block& block, std::size_t offset) {
    return (*memory)->find(block.address() + offset);
  };
  EXPECT_EQ(at(*first, 0)->guest_address, ir::kNoAddress);
  EXPECT_EQ(at(*first, 10)->guest_address, 100u);
  EXPECT_EQ(at(*first, 19)->guest_address, 100u);
  EXPECT_EQ(at(*first, 199)->guest_address, 101u);
  EXPECT_EQ(at(*first, 299)->guest_address, ir::kNoAddress);
  EXPECT_EQ(at(*first, 299)->program, "first");
  EXPECT_EQ(at(*second, 299)->program, "second");
  EXPECT_FALSE((*memory)->find(nullptr));
  EXPECT_FALSE((*memory)->find(&code));
  const std::byte* gone = second->address();
  *second = CodeMemory::Block();
  EXPECT_FALSE((*memory)->find(gone));
}

TEST(CodeMemory, FallsBackAndGivesTheReason) {
  const auto flip = CodeMemory::create(warpjit::CodeMemory::automatic, false, {.dual = true, .flip = false});
  ASSERT_TRUE(flip);
  EXPECT_EQ((*flip)->mode(), warpjit::CodeMemory::flip);
  const auto none = CodeMemory::create(warpjit::CodeMemory::automatic, false, {.dual = true, .flip = true});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::target_unavailable);
  EXPECT_NE(none.error().message.find("dual mapping"), std::string::npos) << none.error().message;
  const auto dual = CodeMemory::create(warpjit::CodeMemory::dual, false, {.dual = true, .flip = false});
  EXPECT_FALSE(dual);
  EXPECT_FALSE(CodeMemory::create(warpjit::CodeMemory::none));
}

// Without a value the variable is removed.
void set_variable(const char* name, const char* value) {
#if defined(_WIN32)
  _putenv_s(name, value != nullptr ? value : "");
#else
  if (value != nullptr) {
    setenv(name, value, 1);
  } else {
    unsetenv(name);
  }
#endif
}

TEST(CodeMemory, AutomaticIsWhatTheEnvironmentNames) {
  using Mode = warpjit::CodeMemory;
  const char* text = std::getenv("WARPJIT_CODE_MEMORY");
  const std::optional<std::string> before = text != nullptr ? std::optional<std::string>(text) : std::nullopt;
  const auto with = [](const char* value, Mode mode) {
    set_variable("WARPJIT_CODE_MEMORY", value);
    return mode_by_environment(mode);
  };
  EXPECT_EQ(*with("", Mode::automatic), Mode::automatic);
  EXPECT_EQ(*with("flip", Mode::automatic), Mode::flip);
  EXPECT_EQ(*with("dual", Mode::automatic), Mode::dual);
  EXPECT_EQ(*with("none", Mode::automatic), Mode::none);
  EXPECT_EQ(*with("none", Mode::flip), Mode::flip);
  const auto unknown = with("both", Mode::automatic);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::target_unavailable);
  EXPECT_NE(unknown.error().message.find("both"), std::string::npos);
  set_variable("WARPJIT_CODE_MEMORY", nullptr);
  EXPECT_EQ(*mode_by_environment(Mode::automatic), Mode::automatic);
  if (before) set_variable("WARPJIT_CODE_MEMORY", before->c_str());
}

TEST(CodeMemory, BlocksKeepTheMemoryAlive) {
  auto memory = CodeMemory::create(warpjit::CodeMemory::automatic);
  ASSERT_TRUE(memory);
  auto block = (*memory)->place(returns(7), {"p", {}});
  ASSERT_TRUE(block);
  memory->reset();
  EXPECT_EQ(call(*block), 7u);
}

#if defined(__linux__)
TEST(CodeMemory, WritesThePerfMapOnRequest) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  unlink(path.c_str());
  {
    auto memory = CodeMemory::create(warpjit::CodeMemory::automatic, true);
    ASSERT_TRUE(memory);
    ASSERT_TRUE((*memory)->place(std::vector<std::uint8_t>(6), {"a\nb", {}}));
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(" 6 warpjit:a?b\n"), std::string::npos) << text.str();
  unlink(path.c_str());
}
#endif

}  // namespace
}  // namespace warpjit::runtime

// The programs of the shared corpus, with memory before and after.
#include <cstring>
#include <nlohmann/json.hpp>

#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/interpret/interpret.h"
#include "tesla/translate_test.h"

namespace warpjit::tesla {
namespace {

using Json = nlohmann::json;

std::vector<std::byte> bytes_of_words(const Json& words) {
  std::vector<std::byte> bytes(4 * words.size());
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto value = static_cast<std::uint32_t>(std::stoul(words[k].get<std::string>(), nullptr, 16));
    std::memcpy(bytes.data() + 4 * k, &value, 4);
  }
  return bytes;
}

std::vector<std::byte> bytes_of_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t k = 0; k + 1 < text.size(); k += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(k, 2), nullptr, 16)));
  return bytes;
}

Program program_file(const std::string& path, std::uint32_t registers) {
  const std::string bytes = read_text(path);
  auto program = read_words({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()},
                            ProgramType::compute, path);
  EXPECT_TRUE(program.ok());
  program->registers = registers;
  return *program;
}

struct Spaces {
  std::vector<std::pair<unsigned, std::vector<std::byte>>> bytes;
};

// Runs twice, with the code for this host and the portable one, and checks memory and counts; then as IR.
void check(const Program& program, Launch launch, const Spaces& before, const Spaces& after,
           const Json& golden) {
  auto interpreter = Interpreter::prepare(program);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  for (const HostCode code : {HostCode::best, HostCode::portable}) {
    Spaces memory = before;
    for (auto& [space, bytes] : memory.bytes) launch.globals[space] = {{.address = 0, .bytes = bytes}};
    RunReport report;
    const Status status = interpreter->run(launch, report, code);
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    EXPECT_FALSE(report.first_fault) << to_string(*report.first_fault);
    for (std::size_t k = 0; k < after.bytes.size(); ++k)
      EXPECT_TRUE(memory.bytes[k].second == after.bytes[k].second)
          << "g" << after.bytes[k].first << " differs";
    EXPECT_EQ(report.warp_instructions, golden["warp_instructions"].get<std::uint64_t>());
    if (golden.contains("lane_operations")) {
      EXPECT_EQ(report.lane_instructions, golden["lane_operations"].get<std::uint64_t>());
    }
    EXPECT_EQ(report.deepest_stack, golden["max_control_stack"].get<std::uint32_t>());
  }
  for (const bool optimize : {false, true}) {
    Spaces memory = before;
    for (auto& [space, bytes] : memory.bytes) launch.globals[space] = {{.address = 0, .bytes = bytes}};
    const IrOutcome outcome = run_ir(program, {}, launch, {.optimize = optimize, .verify = true});
    ASSERT_TRUE(outcome.status.ok()) << to_string(outcome.status.error());
    EXPECT_FALSE(outcome.faulted);
    for (std::size_t k = 0; k < after.bytes.size(); ++k)
      EXPECT_TRUE(memory.bytes[k].second == after.bytes[k].second)
          << "g" << after.bytes[k].first << " differs in the IR";
  }
}

void set_shape(Launch& launch, const Json& golden) {
  for (std::size_t k = 0; k < 2; ++k) launch.grid[k] = golden["grid"][k].get<std::uint32_t>();
  for (std::size_t k = 0; k < 3; ++k) launch.block[k] = golden["block"][k].get<std::uint32_t>();
}

class TeslaSharedPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_folder().empty()) GTEST_SKIP() << "the shared corpus is not there";
  }
};

TEST_F(TeslaSharedPrograms, Micro) {
  for (const char* name : {"callret", "carry64", "constidx", "halves", "nested_break"}) {
    SCOPED_TRACE(name);
    const std::string base = shared_folder() + "/micro/" + name;
    const Json golden = Json::parse(read_text(base + ".json"));
    Launch launch;
    set_shape(launch, golden);
    std::vector<std::byte> c0;
    if (golden["c0"].is_string()) c0 = bytes_of_hex(golden["c0"].get<std::string>());
    launch.constants[0] = c0;
    launch.shared_bytes = 4096;
    check(program_file(base + ".bin", golden["gpr_alloc"].get<std::uint32_t>()), launch,
          {{{0, bytes_of_words(golden["g0_before"])}}}, {{{0, bytes_of_words(golden["g0_after"])}}}, golden);
  }
}

// Their sources assemble, to the very words where those hold no short forms, which {short} would ask for.
TEST_F(TeslaSharedPrograms, MicroSources) {
  for (const char* name : {"callret", "carry64", "constidx", "halves", "nested_break"}) {
    const std::string base = shared_folder() + "/micro/" + name;
    const auto assembled = assemble(read_text(base + ".s"), name);
    ASSERT_TRUE(assembled.ok()) << to_string(assembled.error());
    if (std::string(name) != "halves") {
      EXPECT_EQ(assembled->programs.at(0).code, program_file(base + ".bin", 64).code) << name;
    }
  }
}

TEST_F(TeslaSharedPrograms, Compute) {
  for (const char* name : {"collatz", "mandel_cs", "matmul_84", "reduce_84", "saxpy", "saxpy_84"}) {
    SCOPED_TRACE(name);
    const std::string folder = shared_folder() + "/compute/" + name;
    const Json golden = Json::parse(read_text(folder + "/golden.json"));
    Launch launch;
    set_shape(launch, golden);
    const std::vector<std::byte> c0 = bytes_of_words(golden["c0"]);
    launch.constants[0] = c0;
    for (const Json& half : golden["s_params_at_0x10"]) {
      const auto value = static_cast<std::uint32_t>(std::stoul(half.get<std::string>(), nullptr, 16));
      launch.parameters.push_back(static_cast<std::byte>(value & 0xff));
      launch.parameters.push_back(static_cast<std::byte>(value >> 8 & 0xff));
    }
    launch.shared_bytes = 16 * 1024;
    Spaces before, after;
    for (const auto& [space, words] : golden["g_before"].items()) {
      before.bytes.emplace_back(std::stoul(space), bytes_of_words(words));
      after.bytes.emplace_back(std::stoul(space), bytes_of_words(golden["g_after"][space]));
    }
    check(program_file(folder + "/comp.bin", golden["gpr_alloc"].get<std::uint32_t>()), launch, before, after,
          golden);
  }
}

// What NVIDIA's compiler made, with parameters that are addresses of g14: guest interpreter against the IR.
TEST_F(TeslaSharedPrograms, Kernels) {
  unsigned ran = 0, unsupported = 0;
  for (const std::string& line : split(read_text(shared_folder() + "/kernels/index.tsv"), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::string path = split(line, '\t')[0], name = path.substr(path.find('/') + 1);
    const std::string text = read_text(shared_folder() + "/kernels/" + name + ".cubin");
    if (text.empty()) continue;
    const auto container = read_text_cubin(text, name);
    ASSERT_TRUE(container.ok()) << to_string(container.error());
    for (const Program& program : container->programs) {
      SCOPED_TRACE(name + " " + program.name);
      auto interpreter = Interpreter::prepare(program);
      if (!interpreter) continue;  // textures
      Launch launch;
      launch.grid = {2, 1, 1};
      launch.block = {48, 1, 1};
      launch.fuel = 1000;
      for (std::uint32_t k = 0; k < std::min(program.shared_bytes, 96U) / 4; ++k)
        for (unsigned byte = 0; byte < 4; ++byte)
          launch.parameters.push_back(static_cast<std::byte>((0x1000 + 0x400 * k) >> 8 * byte & 0xff));
      std::vector<std::uint32_t> before(16 * 1024);
      for (std::uint32_t k = 0; k < before.size(); ++k) before[k] = k * 0x9e3779b9;
      std::vector<std::uint32_t> guest = before, ir = before;
      launch.globals[14] = {{.address = 0x1000, .bytes = std::as_writable_bytes(std::span(guest))}};
      RunReport report;
      const Status status = interpreter->run(launch, report);
      launch.globals[14] = {{.address = 0x1000, .bytes = std::as_writable_bytes(std::span(ir))}};
      const IrOutcome outcome = run_ir(program, {}, launch, {.verify = true});
      ++ran;
      if (!outcome.status.ok() && outcome.status.error().code == ErrorCode::unsupported) {
        ++unsupported;
        std::printf("%s: %s\n", name.c_str(), to_string(outcome.status.error()).c_str());
        continue;
      }
      ASSERT_EQ(outcome.status.ok(), status.ok())
          << (outcome.status.ok() ? "" : to_string(outcome.status.error()))
          << (status.ok() ? "" : to_string(status.error()));
      EXPECT_TRUE(!status.ok() || guest == ir) << "the IR's results are different";
      EXPECT_EQ(outcome.faulted, report.first_fault.has_value());
    }
  }
  EXPECT_GT(ran, 40U);
  EXPECT_LT(unsupported, 5U);
}

}  // namespace
}  // namespace warpjit::tesla

// The containers of the examples are what their sources say. With WARPJIT_WRITE_GXP in the environment they
// are written anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/source_dir.h"
#include "usse/gxp_builder.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

std::string file_of(const std::string& name) { return tests::source_file("examples/vita/shaders/" + name); }

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void check(const std::string& name, GxpBuilder gxp) {
  const auto program = assemble(contents(file_of(name + ".usse")), name);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  gxp.primary(program->primary);
  const std::vector<std::byte> bytes = gxp.finish();
  const std::string wanted(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (std::getenv("WARPJIT_WRITE_GXP") != nullptr)
    std::ofstream(file_of(name + ".gxp"), std::ios::binary) << wanted;
  EXPECT_TRUE(contents(file_of(name + ".gxp")) == wanted) << name << ".gxp is not what its source says";
}

TEST(UsseExamples, Containers) {
  check("mesh_vertex",
        GxpBuilder(false).registers(12, 20, 8).uniforms(20).vertex_outputs(0xfff, 8, 1 | 1 << 3));
  check("mesh_fragment", GxpBuilder(true).registers(4, 4, 8).texture(0).fragment_inputs({2, 1}, 1));
  check("glow", GxpBuilder(true).registers(4, 4, 8).uniforms(4).fragment_inputs({2}, 1));
}

}  // namespace
}  // namespace warpjit::usse

#include "pica200/pica_test.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "support/source_dir.h"

namespace warpjit::pica200 {

std::string read_example(const std::string& name) {
  std::ifstream file(tests::source_file("examples/pica200/" + name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Program program_of(const std::string& source) {
  const SourceFile file{"test.pica", source};
  auto container = assemble(std::span(&file, 1));
  EXPECT_TRUE(container.ok()) << to_string(container.error());
  if (!container) return {};
  auto program = select_program(*container);
  EXPECT_TRUE(program.ok());
  return program ? *program : Program{};
}

Program program_of_main(const std::string& body) {
  return program_of(".verbatim\n.proc main\n" + body + "\nend\n.end\n");
}

Finished run(const Program& program, const ThreadState& start, const Uniforms& uniforms, std::uint64_t fuel) {
  Finished result{{}, start};
  const auto interpreter = Interpreter::prepare(program, program.entry);
  result.status = interpreter ? interpreter->run(uniforms, result.state, fuel) : Status(interpreter.error());
  return result;
}

bool same(float got, float wanted) {
  return bits(got) == bits(wanted) || (std::isnan(got) && std::isnan(wanted));
}

const std::vector<float>& edge_values() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> values = {0.0F,
                                            -0.0F,
                                            1.0F,
                                            -1.0F,
                                            0.5F,
                                            -0.1F,
                                            0.9F,
                                            -2.5F,
                                            3.0F,
                                            127.5F,
                                            -129.0F,
                                            1e10F,
                                            -1e30F,
                                            1e-30F,
                                            kInfinity,
                                            -kInfinity,
                                            from_bits(0x7fc00000),
                                            from_bits(0xffc12345),
                                            from_bits(1),
                                            from_bits(0x807fffff),
                                            from_bits(0x00800000),
                                            from_bits(0x7f7fffff)};
  return values;
}

}  // namespace warpjit::pica200

// Any bytes as a container: read, choose, list, write, read again; then the front of the compiler.
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/shader.h"
#include "target.h"

int warpjit::fuzz::fuzz_shbin(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto container = pica200::read_shbin(fuzz::bytes(data, size), "fuzz.shbin");
  if (!container) {
    fuzz::require(!container.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const auto again = pica200::read_shbin(pica200::write_shbin(*container, {.labels = true}), "again.shbin");
  fuzz::require(again.ok() && again->code == container->code, "what was read can be written and read");
  for (std::size_t index = 0; index < container->programs.size() && index < 4; ++index) {
    auto program = pica200::select_program(*container, {.index = index, .entry = {}, .stage = {}});
    if (!program) continue;
    pica200::disassemble(*program);
    if (program->stage == pica200::Stage::geometry) continue;
    const auto shader = pica200::Shader::make(std::move(*program));
    if (!shader) continue;
    frontend::Facts facts{.work = frontend::RowFacts{.output_count = 1}};
    static_cast<void>((*shader)->translate(facts, false));
    static_cast<void>((*shader)->prepare_interpreter(facts));
  }
  return 0;
}

// Any bytes as an ELF cubin: read and list.
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/container/cubin.h"
#include "target.h"

int warpjit::fuzz::fuzz_tesla_elf_cubin(const std::uint8_t* data, std::size_t size) {
  using namespace warpjit;
  const auto container = tesla::read_elf_cubin(fuzz::bytes(data, size), "fuzz.cubin");
  if (!container) {
    fuzz::require(!container.error().message.empty() && !container.error().where.empty(),
                  "an error says what is wrong and where");
    return 0;
  }
  for (std::size_t k = 0; k < container->programs.size() && k < 4; ++k) {
    fuzz::require(tesla::check_limits(container->programs[k]).ok(), "what was read is within the limits");
    tesla::disassemble(container->programs[k]);
  }
  return 0;
}

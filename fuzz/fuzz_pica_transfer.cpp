// Any words of the engines that move memory: what is refused writes nothing, and nothing outside is touched.
#include <memory>

#include "reader.h"
#include "target.h"
#include "warpjit/pica200.hpp"

int warpjit::fuzz::fuzz_pica_transfer(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kAddress = 0x18000000;
  Reader reader(data, size);
  // Exactly as long as declared, so that a sanitizer sees accesses outside.
  const std::size_t bytes = reader.take<std::uint16_t>() % 0x2000u;
  const auto memory = std::make_unique<std::byte[]>(bytes);
  for (std::size_t n = 0; n < bytes; ++n) memory[n] = static_cast<std::byte>(n * 7);
  const pica200::GpuMemory range{kAddress, memory.get(), bytes};
  pica200::Gpu gpu;
  require(gpu.set_memory({&range, 1}).ok(), "one range of memory is taken");
  const auto address = [&] {
    const auto offset = reader.take<std::uint16_t>();
    return reader.take<std::uint8_t>() == 0 ? reader.take<std::uint32_t>() : kAddress + offset;
  };
  while (reader.left() != 0) {
    const std::unique_ptr<std::byte[]> before(new std::byte[bytes]);
    for (std::size_t n = 0; n < bytes; ++n) before[n] = memory[n];
    Status status;
    switch (reader.take<std::uint8_t>() % 3) {
      case 0: {
        pica200::MemoryFill job;
        job.start = address();
        job.end = address();
        job.value = reader.take<std::uint32_t>();
        job.control = reader.take<std::uint32_t>();
        status = gpu.fill(job);
        break;
      }
      case 1: {
        pica200::DisplayTransfer job;
        job.input = address();
        job.output = address();
        job.input_size = reader.take<std::uint32_t>() & 0x00FF00FF;
        job.output_size = reader.take<std::uint32_t>() & 0x00FF00FF;
        job.flags = reader.take<std::uint32_t>();
        status = gpu.transfer(job);
        break;
      }
      default: {
        pica200::TextureCopy job;
        job.input = address();
        job.output = address();
        job.size = reader.take<std::uint32_t>() & 0xFFFF;
        job.input_line = reader.take<std::uint32_t>();
        job.output_line = reader.take<std::uint32_t>();
        status = gpu.copy(job);
        break;
      }
    }
    if (status) continue;
    require(!status.error().where.empty(), "an error names the place");
    for (std::size_t n = 0; n < bytes; ++n) require(memory[n] == before[n], "what is refused writes nothing");
  }
  return 0;
}

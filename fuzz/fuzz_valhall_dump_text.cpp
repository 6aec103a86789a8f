// Any bytes as a text of PAN_MESA_DEBUG=trace,dump: its memory by chain, and as a capture. Input: the text.
#include "device/valhall/capture.h"
#include "device/valhall/dump_capture.h"
#include "frontend/valhall/container/dump_text.h"
#include "target.h"

namespace {

using namespace warpjit;

constexpr std::uint64_t kMostOfTextImage = 1 << 20;

void require_ordered(const valhall::ChainMemory& memory) {
  std::uint64_t end = 0, used = 0;
  for (const valhall::MemoryPiece& piece : memory.pieces) {
    fuzz::require(piece.size != 0 && piece.address >= end, "pieces are in order and do not overlap");
    end = piece.address + piece.size;
    fuzz::require(end > piece.address, "pieces do not wrap");
    used += memory.bytes_of(piece).size();
  }
  fuzz::require(used == memory.bytes.size(), "every byte is in one piece");
}

// All of what a memory has is what the image reads.
void require_equal(const valhall::ChainMemory& memory, const valhall::Image& image) {
  for (const valhall::MemoryPiece& piece : memory.pieces) {
    const auto bytes = memory.bytes_of(piece);
    const auto found = image.find(piece.address, piece.size);
    if (!found) continue;  // at a multiple of 4 GiB there are two windows
    fuzz::require(piece.zero ? std::ranges::all_of(*found, [](std::byte b) { return b == std::byte{0}; })
                             : std::ranges::equal(*found, bytes),
                  "memory is that of the text");
  }
}

}  // namespace

int warpjit::fuzz::fuzz_valhall_dump_text(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 17) return 0;
  const std::span<const std::byte> text = fuzz::bytes(data, size);
  const valhall::ImageLimits limits{.bytes = kMostOfTextImage, .window_bytes = kMostOfTextImage};
  valhall::DumpTextReader reader(limits);
  const Status status = reader.read(text, "text");
  if (!status) fuzz::require(!status.error().message.empty(), "an error says what is wrong");
  const std::vector<valhall::DumpedChain> chains = reader.take_chains();
  for (const valhall::DumpedChain& chain : chains) require_ordered(chain.memory);
  if (!valhall::is_dump_text(text)) return 0;
  const valhall::CaptureBytes file{text, "text"};
  auto capture = valhall::read_captures(std::span(&file, 1), limits);
  if (!capture) return 0;
  fuzz::require(status.ok(), "a capture has a text without errors");
  fuzz::require(capture->changes.size() == capture->chains.size() && chains.size() == capture->chains.size(),
                "each chain has its memory");
  for (std::size_t n = 0; n < chains.size(); ++n) {
    valhall::apply_changes(capture->changes[n], capture->image);
    require_equal(chains[n].memory, capture->image);
  }
  return 0;
}

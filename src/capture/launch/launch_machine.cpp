#include "capture/launch/launch_machine.h"

#include <algorithm>

namespace warpjit::capture {

LaunchMachine::LaunchMachine(const LaunchScene& scene, std::string file)
    : scene_(scene), file_(std::move(file)) {
  constexpr std::size_t kAligned = 64;
  for (const MemoryPiece& from : scene.memory) {
    Piece& piece = pieces_.emplace_back();
    piece.address = from.address;
    piece.size = from.bytes.size();
    piece.storage = LazyBytes(piece.size + 2 * kAligned);
    const auto base = reinterpret_cast<std::uintptr_t>(piece.storage.data());
    const std::size_t up = (kAligned - base % kAligned) % kAligned;
    piece.data = piece.storage.data() + up + static_cast<std::size_t>(from.address % kAligned);
    lazy::write(piece.data, from.bytes);
  }
}

std::byte* LaunchMachine::find(const BufferPlace& place) const {
  const auto next = std::ranges::upper_bound(pieces_, place.address, {}, &Piece::address);
  if (place.size == 0 || next == pieces_.begin()) return nullptr;
  const Piece& piece = *std::prev(next);
  const std::uint64_t from = place.address - piece.address;
  if (from >= piece.size || place.size > piece.size - from) return nullptr;
  return piece.data + from;
}

std::span<const std::byte> LaunchMachine::bytes_of(const BufferPlace& place) const {
  const std::byte* const data = find(place);
  return data == nullptr ? std::span<const std::byte>()
                         : std::span(data, static_cast<std::size_t>(place.size));
}

void LaunchMachine::apply(const MemoryChange& change) {
  std::byte* const to = find({change.address, change.size});
  if (to == nullptr) return;  // the reader has made memory of all changes
  if (change.bytes.empty())
    lazy::clear(to, static_cast<std::size_t>(change.size));
  else
    lazy::write(to, change.bytes);
}

std::uint64_t LaunchMachine::address_of(const std::byte* data) const {
  for (const Piece& piece : pieces_)
    if (data >= piece.data && data < piece.data + piece.size)
      return piece.address + static_cast<std::uint64_t>(data - piece.data);
  return 0;
}

Error LaunchMachine::at_launch(std::size_t number, Error error) const {
  error.where =
      file_ + ", launch " + std::to_string(number) + (error.where.empty() ? "" : ", ") + error.where;
  return error;
}

Result<Launch> LaunchMachine::make(const RecordedLaunch& launch, std::size_t number) const {
  auto made =
      make_launch(launch, scene_.programs, [this](const BufferPlace& buffer) { return find(buffer); });
  if (!made) return at_launch(number, made.error());
  return made;
}

Result<Report> LaunchMachine::run(const Launch& launch, std::size_t number, const Engine& engine,
                                  const RunOptions& options) const {
  auto report = engine.run(launch, options);
  if (!report) return at_launch(number, report.error());
  return report;
}

Result<Report> LaunchMachine::run(const RecordedLaunch& launch, std::size_t number, const Engine& engine,
                                  const RunOptions& options) const {
  WARPJIT_TRY(const Launch made, make(launch, number));
  return run(made, number, engine, options);
}

}  // namespace warpjit::capture

// Launches of a capture that run: memory of their own, one after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/launch/launch_scene.h"
#include "warpjit/engine.hpp"

namespace warpjit::capture {

class LaunchMachine {
 public:
  // The scene must outlive it. `file` is for messages.
  LaunchMachine(const LaunchScene& scene, std::string file);
  LaunchMachine(const LaunchMachine&) = delete;
  LaunchMachine& operator=(const LaunchMachine&) = delete;

  void apply(const MemoryChange& change);
  // A launch on this memory. Errors name the file and the launch, also those of run.
  Result<Launch> make(const RecordedLaunch& launch, std::size_t number) const;
  Result<Report> run(const Launch& launch, std::size_t number, const Engine& engine,
                     const RunOptions& options) const;
  Result<Report> run(const RecordedLaunch& launch, std::size_t number, const Engine& engine,
                     const RunOptions& options) const;
  // Null: they do not lie in memory.
  std::byte* find(const BufferPlace& place) const;
  std::span<const std::byte> bytes_of(const BufferPlace& place) const;
  // The address of a byte of its memory; 0: it is none.
  std::uint64_t address_of(const std::byte* data) const;

 private:
  Error at_launch(std::size_t number, Error error) const;

  struct Piece {
    std::uint64_t address = 0;
    std::size_t size = 0;
    LazyBytes storage;
    std::byte* data = nullptr;  // in it, aligned as the address is
  };
  const LaunchScene& scene_;
  std::string file_;
  std::vector<Piece> pieces_;  // ascending
};

}  // namespace warpjit::capture

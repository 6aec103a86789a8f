// Counts what the threads of a launch do, by the events of their guest interpreter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/interpret/observer.h"
#include "frontend/shader.h"

namespace warpjit::runtime {

class Profiler final : public interpret::Observer {
 public:
  // For a launch of this program; both must outlive it.
  Profiler(const frontend::Shader& shader, const frontend::Grid& grid);

  // What was seen since it was made, without the texts of instructions.
  Profile result() const;

  bool observes(const interpret::ObservedGroup& group) override;
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override;
  bool step() override;

 private:
  using Event = interpret::Event;
  using Line = Profile::Instruction;
  // A group that runs, or waits for others of its block.
  struct Group {
    interpret::ObservedGroup place;
    std::vector<std::uint32_t> written;  // bits of each word, lane by lane
    std::uint32_t interval = 1;          // barriers passed, plus one
  };
  // The last accesses of a byte of shared memory. Interval 0: none.
  struct Access {
    std::uint32_t interval = 0, address = 0, thread = 0, group = 0;
    bool atomic = false;
  };
  struct SharedByte {
    Access store, load;
    Access other_load;  // of another group than load, in the same interval
    bool written = false;
  };
  struct RaceKey {
    std::uint32_t first, second;
    auto operator<=>(const RaceKey&) const = default;
  };

  void begin_block(const ir::BlockPosition& block);
  std::uint32_t& written(Group& group, unsigned word, unsigned lane) const;
  void see_registers(Group& group, Line& line);
  void see_shared(const Group& group, const Event::Memory& access, Line& line);
  void see_race(const Group& group, const Access& first, bool first_stores, const Access& second,
                bool second_stores, std::uint32_t address);
  std::string thread_text(const Group& group, unsigned lane) const;

  const frontend::Shader& shader_;
  const frontend::Grid& grid_;
  unsigned words_;
  std::vector<bool> of_thread_;  // by word: instructions write it
  std::map<std::uint32_t, Line> lines_;
  std::unordered_map<std::uint32_t, Group> groups_;  // by the number of their first thread in their block
  Group* newest_ = nullptr;
  std::vector<std::byte> header_;  // as large as shared memory
  std::vector<SharedByte> shared_;
  std::vector<std::uint64_t> active_lanes_;
  std::uint64_t rows_ = 0;  // of groups before the newest one
  std::uint32_t deepest_stack_ = 0;
  std::map<RaceKey, Profile::Race> races_;
  std::uint64_t further_races_ = 0;
};

}  // namespace warpjit::runtime

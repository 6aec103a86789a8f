#include "profile.h"
#include "output.h"

#include <algorithm>

namespace warpjit::tool {
namespace {

struct Totals {
  std::uint64_t warps = 0, active = 0, executed = 0, diverged = 0, faults = 0, uninitialized = 0;
  double mean_active() const {
    return warps == 0 ? 0 : static_cast<double>(active) / static_cast<double>(warps);
  }
};

Totals totals_of(const Profile& profile) {
  Totals totals;
  for (std::size_t n = 0; n < profile.active_lanes.size(); ++n) {
    totals.warps += profile.active_lanes[n];
    totals.active += profile.active_lanes[n] * n;
  }
  for (const Profile::Instruction& i : profile.instructions) {
    totals.executed += i.lanes;
    totals.diverged += i.diverged;
    totals.faults += i.faults;
    totals.uninitialized += i.uninitialized_registers + i.uninitialized_shared;
  }
  return totals;
}

void print_active_lanes(const Profile& profile, const Totals& totals) {
  constexpr std::size_t kWidth = 50;
  print_out("active lanes of executed instructions\n");
  const std::uint64_t most = *std::max_element(profile.active_lanes.begin(), profile.active_lanes.end());
  for (std::size_t n = 0; n < profile.active_lanes.size(); ++n) {
    const std::uint64_t count = profile.active_lanes[n];
    if (count == 0) continue;
    print_out("  {:2} {:>12} {:5.1f} %  {}\n", n, count,
              100 * static_cast<double>(count) / static_cast<double>(totals.warps),
              std::string(std::max<std::size_t>(1, count * kWidth / most), '#'));
  }
}

}  // namespace

void print_profile(const Profile& profile) {
  const Totals totals = totals_of(profile);
  print_out(
      "{} instructions of warps, {} of lanes; {:.1f} of {} lanes active; {} branches parted a warp; control "
      "stack up to {} entries\n",
      totals.warps, totals.executed, totals.mean_active(), profile.active_lanes.size() - 1, totals.diverged,
      profile.deepest_stack);
  print_active_lanes(profile, totals);
  print_out("{:>8} {:>12} {:>6} {:>10}  {}\n", "address", "warps", "lanes", "diverged", "instruction");
  for (const Profile::Instruction& i : profile.instructions) {
    print_out("{:>#8x} {:>12} {:>6.1f} {:>10}  {}\n", i.address, i.warps,
              static_cast<double>(i.lanes) / static_cast<double>(i.warps),
              i.diverged == 0 ? std::string() : std::to_string(i.diverged), i.text);
    if (i.faults != 0) print_out("{:40} ! {} accesses outside memory or not aligned\n", "", i.faults);
    if (!i.first_uninitialized.empty())
      print_out("{:40} ! {} reads of what was not written, the first {}\n", "",
                i.uninitialized_registers + i.uninitialized_shared, i.first_uninitialized);
  }
  for (const Profile::Race& race : profile.races)
    print_out("race in shared memory between {:#x} and {:#x}, {} times: {}\n", race.first, race.second,
              race.count, race.example);
  if (profile.further_races != 0) print_out("and {} more races\n", profile.further_races);
}

Json profile_json(const Profile& profile) {
  const Totals totals = totals_of(profile);
  Json instructions = Json::array(), races = Json::array();
  for (const Profile::Instruction& i : profile.instructions) {
    Json line{{"address", i.address}, {"text", i.text},         {"warps", i.warps},
              {"lanes", i.lanes},     {"diverged", i.diverged}, {"faults", i.faults}};
    line["uninitialized_registers"] = i.uninitialized_registers;
    line["uninitialized_shared"] = i.uninitialized_shared;
    if (!i.first_uninitialized.empty()) line["first_uninitialized"] = i.first_uninitialized;
    instructions.push_back(std::move(line));
  }
  for (const Profile::Race& race : profile.races)
    races.push_back(
        {{"first", race.first}, {"second", race.second}, {"count", race.count}, {"example", race.example}});
  return {{"warp_instructions", totals.warps},         {"lane_instructions", totals.executed},
          {"mean_active_lanes", totals.mean_active()}, {"divergences", totals.diverged},
          {"deepest_stack", profile.deepest_stack},    {"active_lanes", profile.active_lanes},
          {"instructions", std::move(instructions)},   {"races", std::move(races)},
          {"further_races", profile.further_races}};
}

}  // namespace warpjit::tool

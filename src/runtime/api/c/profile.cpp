// The C interface: profiles of launches.
#include "runtime/api/c/boundary.h"

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_profile_create(warpjit_profile** profile, warpjit_error* error) {
  return make(profile, "profile", error, {}, []() -> Result<Profile> { return Profile(); });
}
void warpjit_profile_destroy(warpjit_profile* profile) { delete profile; }

warpjit_status warpjit_engine_profile(const warpjit_engine* engine, const warpjit_launch* launch,
                                      warpjit_profile* profile, warpjit_report* report,
                                      warpjit_error* error) {
  return call(error, {{engine, "engine"}, {launch, "launch"}, {profile, "profile"}}, [&]() -> Status {
    WARPJIT_CHECK(check_room(report, "report"));
    profile->profile = Profile();
    WARPJIT_TRY(const Report done, engine->engine.profile(launch->launch, profile->profile));
    write(to_c(done), report);
    return {};
  });
}

warpjit_status warpjit_profile_get_info(const warpjit_profile* profile, warpjit_profile_info* info,
                                        warpjit_error* error) {
  return fill(info, "info", error, {{profile, "profile"}}, [&] {
    const Profile& from = profile->profile;
    warpjit_profile_info result{};
    result.instruction_count = from.instructions.size();
    result.race_count = from.races.size();
    result.further_races = from.further_races;
    result.active_lanes = from.active_lanes.data();
    result.active_lane_count = from.active_lanes.size();
    result.deepest_stack = from.deepest_stack;
    return result;
  });
}

warpjit_status warpjit_profile_get_instruction(const warpjit_profile* profile, size_t index,
                                               warpjit_profile_instruction* instruction,
                                               warpjit_error* error) {
  using Given = warpjit_profile_instruction;
  return fill(instruction, "instruction", error, {{profile, "profile"}}, [&]() -> Result<Given> {
    WARPJIT_TRY(const Profile::Instruction* from,
                element(std::span(std::as_const(profile->profile.instructions)), index));
    Given result{};
    result.address = from->address;
    result.text = from->text.c_str();
    result.warps = from->warps;
    result.lanes = from->lanes;
    result.diverged = from->diverged;
    result.faults = from->faults;
    result.uninitialized_registers = from->uninitialized_registers;
    result.uninitialized_shared = from->uninitialized_shared;
    result.first_uninitialized = from->first_uninitialized.c_str();
    return result;
  });
}

warpjit_status warpjit_profile_get_race(const warpjit_profile* profile, size_t index,
                                        warpjit_profile_race* race, warpjit_error* error) {
  return fill(race, "race", error, {{profile, "profile"}}, [&]() -> Result<warpjit_profile_race> {
    WARPJIT_TRY(const Profile::Race* from, element(std::span(std::as_const(profile->profile.races)), index));
    warpjit_profile_race result{};
    result.first = from->first;
    result.second = from->second;
    result.count = from->count;
    result.example = from->example.c_str();
    return result;
  });
}

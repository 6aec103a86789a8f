// Launches of captures as launch files, and back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "capture/launch/launch_machine.h"
#include "launch/launch_file.h"
#include "launch/write_launch.h"

namespace warpjit::tool {

// A launch with the memory that the machine has now. Errors: unsupported for what launch files have no words
// for.
Result<LaunchFile> launch_file_of(const capture::LaunchScene& scene, const capture::RecordedLaunch& launch,
                                  const capture::LaunchMachine& machine);
// Its text and the files beside it, whose names begin with `stem`.
Result<Json> capture_launch_json(const LaunchFile& launch, SideFiles& side);

// True if the file is a capture of launches.
bool is_launch_capture(const std::string& file);
Result<capture::LaunchScene> load_launches(const std::string& file);
// Launch `number` of a capture as a launch file `out` with its side files, as it is when those before it have run.
// Errors: no such launch; those of runs.
Status write_capture_launch(const std::string& file, std::size_t number, const std::string& out);
// Runs launch files once, one after the other, and gives what they did as the bytes of a capture. Further ones draw to the
// targets of the first one. Errors: those of the runs; bad_input for targets of another size or format.
Result<std::vector<std::byte>> launches_as_capture(const std::vector<std::string>& files);
// The same, to a file.
Status import_launches(const std::vector<std::string>& files, const std::string& out);

}  // namespace warpjit::tool

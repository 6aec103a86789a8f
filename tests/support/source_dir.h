// Where this project's files lie. Only one generated source knows, so that tests compile alike in every
// checkout.
#pragma once

#include <string>

namespace warpjit::tests {

extern const char* const kSourceDir;  // without a slash at its end

inline std::string source_file(const std::string& path) { return std::string(kSourceDir) + "/" + path; }

}  // namespace warpjit::tests

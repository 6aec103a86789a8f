// Where this project's files lie. Only one generated source knows, so that tests compile alike in every
// checkout.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace warpjit::tests {

extern const char* const kSourceDir;  // without a slash at its end

inline std::string source_file(const std::string& path) { return std::string(kSourceDir) + "/" + path; }

// Test data that is too large for the repository: in the folder that the environment variable WARPJIT_SHARED
// names, else in `shared` beside the checkout. Tests that need it are skipped where it is missing.
inline std::string shared_file(const std::string& path) {
  const char* folder = std::getenv("WARPJIT_SHARED");
  return (folder != nullptr ? std::string(folder) : source_file("../shared")) + "/" + path;
}

// Real programs with their results: the whole collection where it is, else the part of it in tests/corpus.
inline bool has_whole_corpus() { return std::filesystem::is_directory(shared_file("corpus")); }
inline std::string corpus_file(const std::string& path) {
  return has_whole_corpus() ? shared_file("corpus/" + path) : source_file("tests/corpus/" + path);
}

}  // namespace warpjit::tests

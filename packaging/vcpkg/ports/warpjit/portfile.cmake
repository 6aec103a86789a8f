# An overlay port of the tree that it lies in. The environment variable WARPJIT_ASMJIT_DIR names a source tree of asmjit (1.9
# to 1.12).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
if(NOT EXISTS "$ENV{WARPJIT_ASMJIT_DIR}/CMakeLists.txt")
  message(FATAL_ERROR "warpjit: WARPJIT_ASMJIT_DIR must name a source tree of asmjit, 1.9 to 1.12 (and be kept: VCPKG_KEEP_ENV_VARS)")
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES zydis WARPJIT_ZYDIS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DWARPJIT_ASMJIT_DIR=$ENV{WARPJIT_ASMJIT_DIR}
    -DWARPJIT_TOOLS=OFF
    -DWARPJIT_TESTS=OFF
    -DWARPJIT_BENCH=OFF
    -DWARPJIT_UNITY=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/warpjit)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE")

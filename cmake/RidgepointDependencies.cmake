# Every foreign library, found once. Each becomes an imported target that exactly one folder links.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(MPI REQUIRED COMPONENTS C)

pkg_check_modules(LIBYAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(LIBCRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

# Debian's plain "hdf5" is the MPI build; a cluster usually has one HDF5 and FindHDF5 finds it.
pkg_check_modules(HDF5_SERIAL IMPORTED_TARGET hdf5-serial)
if(TARGET PkgConfig::HDF5_SERIAL)
  add_library(rp_hdf5_library ALIAS PkgConfig::HDF5_SERIAL)
else()
  find_package(HDF5 REQUIRED COMPONENTS C)
  add_library(rp_hdf5_library INTERFACE)
  target_include_directories(rp_hdf5_library INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(rp_hdf5_library INTERFACE ${HDF5_C_LIBRARIES})
endif()

# CBLAS: OpenBLAS unless told otherwise, for instance -DRP_CBLAS=blis or a full path.
set(RP_CBLAS "openblas" CACHE STRING "CBLAS: a pkg-config name, or the path of a library")
if(EXISTS "${RP_CBLAS}")
  add_library(rp_cblas INTERFACE)
  target_link_libraries(rp_cblas INTERFACE "${RP_CBLAS}")
else()
  pkg_check_modules(CBLAS REQUIRED IMPORTED_TARGET ${RP_CBLAS})
  add_library(rp_cblas ALIAS PkgConfig::CBLAS)
endif()

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
if(NOT RANDOM123_INCLUDE_DIR)
  message(FATAL_ERROR "Random123 (header-only) not found: install librandom123-dev or set RANDOM123_INCLUDE_DIR")
endif()

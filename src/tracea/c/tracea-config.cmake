# SPDX-License-Identifier: MIT
# tracea for C and C++, every call, by way of Python. Point CMake at it with -Dtracea_DIR="$(python -m tracea.c_interface)", then
#   find_package(tracea REQUIRED)
#   target_link_libraries(program PRIVATE tracea::tracea)
# The interpreter is the one that CMake finds, or -DPython3_EXECUTABLE=...; its packages have to hold tracea.
find_package(Python3 3.11 COMPONENTS Interpreter Development.Embed REQUIRED)
find_package(Threads REQUIRED)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -m tracea.c_interface --headers
  OUTPUT_VARIABLE _tracea_headers OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _tracea_failed)
if(_tracea_failed)
  set(tracea_FOUND FALSE)
  set(tracea_NOT_FOUND_MESSAGE "${Python3_EXECUTABLE} has no package tracea; pip install tracea, or name another with -DPython3_EXECUTABLE")
  return()
endif()
if(NOT TARGET tracea::tracea)
  enable_language(C)
  add_library(tracea SHARED "${CMAKE_CURRENT_LIST_DIR}/tracea_python.c")
  add_library(tracea::tracea ALIAS tracea)
  set_target_properties(tracea PROPERTIES C_STANDARD 11 C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
  target_compile_definitions(tracea PRIVATE "TRACEA_PYTHON=\"${Python3_EXECUTABLE}\"")
  target_include_directories(tracea PUBLIC "${_tracea_headers}")
  target_link_libraries(tracea PRIVATE Python3::Python Threads::Threads)
endif()

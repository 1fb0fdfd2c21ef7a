# gloss_module(NAME [TORCH] SOURCES file... [USES module-or-library...])
#   one folder of src/ as a static library gloss_NAME, alias gloss::NAME; links only what it may include.
# gloss_test(NAME SOURCES file... [USES ...])
#   one test program per module; every TEST_CASE becomes a ctest test, its tags become labels.
# With TORCH, all files share one precompiled header (src/torch.h), which halves their compile time.

function(gloss_add_torch target)
  target_link_libraries(${target} PUBLIC gloss_torch)
  target_precompile_headers(${target} REUSE_FROM gloss_torch_header)
endfunction()

function(gloss_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;USES")
  add_library(gloss_${name} STATIC ${arg_SOURCES})
  add_library(gloss::${name} ALIAS gloss_${name})
  target_link_libraries(gloss_${name} PUBLIC gloss_compile ${arg_USES})
  if(arg_TORCH)
    gloss_add_torch(gloss_${name})
  endif()
endfunction()

function(gloss_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES;USES")
  add_executable(${name}_test ${arg_SOURCES})
  target_include_directories(${name}_test PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name}_test PRIVATE gloss_compile gloss_test_main ${arg_USES})
  if(arg_TORCH)
    gloss_add_torch(${name}_test)
  endif()
  target_compile_definitions(${name}_test PRIVATE GLOSS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GLOSS_BINARY="$<TARGET_FILE:gloss>")
  # One thread each: the tests run side by side, and tensors this small gain nothing from more.
  catch_discover_tests(${name}_test TEST_PREFIX "${name}: " PROPERTIES LABELS ${name} TIMEOUT 240 ENVIRONMENT OMP_NUM_THREADS=1)
endfunction()

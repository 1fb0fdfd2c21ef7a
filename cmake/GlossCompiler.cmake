# Warnings, sanitizers and the compiler cache. Everything hangs on INTERFACE targets: nothing is set globally.

add_library(gloss_compile INTERFACE)
target_compile_features(gloss_compile INTERFACE cxx_std_20)
target_compile_options(gloss_compile INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                               -Wno-restrict  # GCC 12 reports it inside its own std::string
                                               $<$<BOOL:${GLOSS_WERROR}>:-Werror>)
target_include_directories(gloss_compile INTERFACE "${PROJECT_SOURCE_DIR}/src")
if(GLOSS_SANITIZE)
  target_compile_options(gloss_compile INTERFACE -fsanitize=${GLOSS_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(gloss_compile INTERFACE -fsanitize=${GLOSS_SANITIZE})
  target_compile_definitions(gloss_compile INTERFACE GLOSS_SANITIZED)
endif()

find_program(GLOSS_CCACHE ccache)
if(GLOSS_CCACHE)
  # Precompiled headers need relaxations, or ccache never finds a hit; CCACHE_DEPEND spares a preprocessor run that costs as
  # much as reading the precompiled header once more.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  ${GLOSS_CCACHE})
endif()

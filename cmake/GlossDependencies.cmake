# Third-party libraries as imported targets. LibTorch is described by hand: the CMake package of its wheel
# insists on a CUDA toolkit, and gloss needs none to build.

function(gloss_missing what package)
  message(FATAL_ERROR "${what} not found. On Debian or Ubuntu: scripts/setup.sh (or apt-get install ${package})")
endfunction()

if(NOT EXISTS "${GLOSS_LIBTORCH}/include/ATen/ATen.h")
  message(FATAL_ERROR "no LibTorch in '${GLOSS_LIBTORCH}'. Run scripts/setup.sh, "
                      "or name the folder of yours with -DGLOSS_LIBTORCH=DIR (the one with include/ and lib/)")
endif()
set(torch_include "${GLOSS_LIBTORCH}/include")
if(EXISTS "${torch_include}/fmt")
  # LibTorch's own fmt would shadow the one that spdlog was built with: show it everything but that folder.
  set(torch_include "${PROJECT_BINARY_DIR}/libtorch-include")
  file(MAKE_DIRECTORY "${torch_include}")
  file(GLOB entries "${GLOSS_LIBTORCH}/include/*")
  list(REMOVE_ITEM entries "${GLOSS_LIBTORCH}/include/fmt")
  foreach(entry IN LISTS entries)
    get_filename_component(name "${entry}" NAME)
    file(CREATE_LINK "${entry}" "${torch_include}/${name}" SYMBOLIC)
  endforeach()
endif()
find_library(torch_cpu_library torch_cpu PATHS "${GLOSS_LIBTORCH}/lib" NO_DEFAULT_PATH NO_CACHE REQUIRED)
find_library(c10_library c10 PATHS "${GLOSS_LIBTORCH}/lib" NO_DEFAULT_PATH NO_CACHE REQUIRED)

# libtorch_cuda.so is never linked: it is opened at run time when a CUDA device is wanted (nn/device.cpp).
add_library(gloss_torch INTERFACE)
target_include_directories(gloss_torch SYSTEM INTERFACE "${torch_include}" "${torch_include}/torch/csrc/api/include")
target_compile_definitions(gloss_torch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
# at::parallel_for in our own code runs in parallel only when compiled with OpenMP; LibTorch brings the one runtime.
target_compile_options(gloss_torch INTERFACE -fopenmp)
file(GLOB torch_gomp_library "${GLOSS_LIBTORCH}/lib/libgomp*.so*")
target_link_libraries(gloss_torch INTERFACE ${torch_cpu_library} ${c10_library} ${torch_gomp_library})
target_link_options(gloss_torch INTERFACE "LINKER:-rpath,${GLOSS_LIBTORCH}/lib")

find_path(sentencepiece_include sentencepiece_processor.h NO_CACHE)
find_library(sentencepiece_library sentencepiece NO_CACHE)
find_library(sentencepiece_train_library sentencepiece_train NO_CACHE)
if(NOT sentencepiece_include OR NOT sentencepiece_train_library)
  gloss_missing(SentencePiece libsentencepiece-dev)
endif()
add_library(gloss_sentencepiece INTERFACE)
target_include_directories(gloss_sentencepiece SYSTEM INTERFACE "${sentencepiece_include}")
target_link_libraries(gloss_sentencepiece INTERFACE ${sentencepiece_library} ${sentencepiece_train_library})

find_path(cli11_include CLI/CLI.hpp NO_CACHE)
if(NOT cli11_include)
  gloss_missing(CLI11 libcli11-dev)
endif()
add_library(gloss_cli11 INTERFACE)
target_include_directories(gloss_cli11 SYSTEM INTERFACE "${cli11_include}")

find_path(json_include nlohmann/json.hpp NO_CACHE)
if(NOT json_include)
  gloss_missing("nlohmann/json" nlohmann-json3-dev)
endif()
add_library(gloss_json INTERFACE)
target_include_directories(gloss_json SYSTEM INTERFACE "${json_include}")

find_package(spdlog REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(Threads REQUIRED)
if(GLOSS_TESTS)
  find_package(Catch2 REQUIRED)
endif()

// Settings of jemalloc, which it reads before main(). (MALLOC_CONF in the environment overrules them.)

#include <jemalloc/jemalloc.h>

// Tensors of many sizes come and go with every batch. Their memory is kept instead of being handed back and faulted in
// again, and lies in huge pages, without which a good part of the time goes to finding pages.
const char* malloc_conf = "thp:always,oversize_threshold:0,dirty_decay_ms:-1,muzzy_decay_ms:-1";

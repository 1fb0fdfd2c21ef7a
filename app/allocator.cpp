// Settings of jemalloc, which it reads before main(). (MALLOC_CONF in the environment overrules them.)

#include <jemalloc/jemalloc.h>

// Tensors of many sizes come and go with every batch. Their memory lies in huge pages, without which a good part of the time
// goes to finding pages, and what was idle for ten seconds is the kernel's to take but comes back without a fault. (Without
// that limit it falls into ever smaller parts: training of an RNN grew to 2 GB. Now it stays below 700 MB.)
const char* malloc_conf = "thp:always,oversize_threshold:0,dirty_decay_ms:10000,muzzy_decay_ms:-1";

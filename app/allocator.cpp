// Settings of jemalloc, which it reads before main(). (MALLOC_CONF in the environment overrules them.)

#include <jemalloc/jemalloc.h>

// Tensors of many sizes come and go with every batch. Their memory is kept while it is in use now and then, instead of being
// handed back at once and faulted in again, and lies in huge pages, without which a good part of the time goes to finding
// pages. (Kept for ever, it would lie in ever smaller parts: training of an RNN grew to 2 GB.)
const char* malloc_conf = "thp:always,oversize_threshold:0,dirty_decay_ms:10000,muzzy_decay_ms:-1";

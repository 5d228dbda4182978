/* ctf_internal.h - the state of a memtrace reader, shared by ctf.c and ctf_events.c. */
#ifndef BACTRIAN_MEMPROF_REPORT_LOAD_CTF_INTERNAL_H
#define BACTRIAN_MEMPROF_REPORT_LOAD_CTF_INTERNAL_H

#include "memprof/report/load/load.h"

enum ctf_rule {
#define RULE(id, grade, name, demand) CTF_##id,
#include "memprof/report/load/ctf_rules.def"
    CTF_RULES
};

enum {
    CTF_TABLE = 31,        /* entries of a move-to-front table; as a code: a new entry */
    CTF_BUCKETS = 1 << 14, /* of the cache of call stacks */
    CTF_MAX_DOMAINS = 256,
    CTF_MAX_DEPTH = 1000000,
    CTF_TIME_BITS = 25,
};

/* The state of a domain's writer, as its events reveal it. */
struct ctf_domain {
    unsigned number;
    uint64_t last_time; /* of its events */
    uint16_t next[CTF_BUCKETS];
    uint64_t code[CTF_BUCKETS];
    struct report_numbers stack; /* the node of each frame of the last stack, outermost first */
};

/* The locations of a code: a slice of the reader's, outermost first. */
struct ctf_code {
    uint64_t code;
    uint32_t first, count;
};

struct ctf_file_entry {
    uint32_t file; /* a name of the model */
    uint32_t names[CTF_TABLE];
    unsigned name_count;
};

struct ctf_reader {
    const unsigned char *bytes;
    size_t length, at, packet_end;
    report_ctf_listener listener;
    void *context;
    struct report_error *error;
    struct report_model *model;
    bool failed;  /* a fatal violation in this packet */
    bool stopped; /* and no listener: give up */
    unsigned version;
    uint64_t start_us, pid;
    /* The packet. */
    uint64_t begin_us, end_us, id_begin, id_end, now_us, allocations;
    struct ctf_domain *domain;
    uint64_t next_id; /* by the packets' headers, version 1 and 2 */
    struct ctf_domain *domains[CTF_MAX_DOMAINS];
    size_t domain_count;
    struct ctf_file_entry files[CTF_TABLE];
    unsigned file_count;
    REPORT_VECTOR(struct ctf_code) codes;
    struct report_hash code_hash;
    struct report_numbers locations;
    REPORT_VECTOR(uint64_t) ids; /* of each sample; empty while each id is the sample's number */
    struct report_hash id_hash;
};

/* Reports a violation at the reader's offset. */
void ctf_violate(struct ctf_reader *r, enum ctf_rule rule, const char *detail, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads a number of n bytes, lowest first; 0 and a violation (EVENT) if the packet has fewer
 * left. */
uint64_t ctf_take(struct ctf_reader *r, unsigned n);
/* Reads a string; "" and a violation if it has no end. */
const char *ctf_take_string(struct ctf_reader *r);
/* Reads one event other than the trace info. */
void ctf_read_event(struct ctf_reader *r);

#endif

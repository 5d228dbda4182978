/* ctf.c - reads memtrace traces: packets, their headers, the events in them.
 *
 *   file    = packet*            packet = header, events
 *   header  = magic size t_begin t_end flush version pid [domain] verifier ids
 *
 * All numbers are little-endian without padding; the first packet describes the trace. Written from
 * the format's description and the behaviour of the official readers (ctf_rules.def).
 *
 * A call stack is the number of frames that it shares with the last one, then codewords: each a
 * bucket of the domain's cache, with a literal code or a number of predictions that follow. The
 * cache holds a code for each bucket, and the bucket that followed it last time. */
#include "gc/assert.h"
#include "memprof/report/load/load.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The state of a domain's writer, reconstructed from its events. */
struct ctf_domain {
    unsigned number;
    uint32_t thread;    /* of the model: the domain as a whole */
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
    bool stopped; /* failed, and nothing receives violations: stop reading */
    unsigned version;
    uint64_t start_us, pid;
    /* Of the current packet. */
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
    uint64_t frames; /* of all call stacks, without those that each shares with the last one */
    REPORT_VECTOR(uint64_t) ids; /* of each sample; empty while each id is the sample's number */
    struct report_hash id_hash;
};

static const unsigned char magic[] = {0xC1, 0x1F, 0xFC, 0xC1};
enum { HEADER_BYTES = 66, MAX_PACKET = 32768, NO_VERIFIER = 0xFFFF };

static const struct {
    const char *name, *demand;
    enum report_ctf_grade grade;
} rules[CTF_RULES] = {
#define RULE(id, grade, name, demand) {name, demand, REPORT_CTF_##grade},
#include "memprof/report/load/ctf_rules.def"
};

/* Reports a violation at the reader's offset. */
static void __attribute__((format(printf, 3, 4)))
violate(struct ctf_reader *r, enum ctf_rule rule, const char *detail, ...) {
    struct report_ctf_violation v = {rules[rule].name, rules[rule].demand, rules[rule].grade, r->at,
                                     ""};
    va_list arguments;
    va_start(arguments, detail);
    vsnprintf(v.detail, sizeof v.detail, detail, arguments);
    va_end(arguments);
    if (r->failed) return;
    if (v.grade == REPORT_CTF_FATAL) {
        r->failed = true;
        if (r->listener == NULL) {
            r->stopped = true;
            report_fail(r->error, "", "`bactrian prof check` lists what is wrong with it",
                        "damaged at byte %zu: %s%s%s", v.offset, v.demand,
                        v.detail[0] != 0 ? "; found " : "", v.detail);
        }
    }
    if (r->listener != NULL) r->listener(r->context, &v);
}

/* Reads a number of n bytes, lowest first; 0 and a violation (EVENT) if the packet has fewer
 * left. */
static uint64_t take(struct ctf_reader *r, unsigned n) {
    ASSERT(n <= 8 && r->at <= r->packet_end && r->packet_end <= r->length);
    if (r->failed) return 0;
    if (r->packet_end - r->at < n) {
        violate(r, CTF_EVENT, "%zu bytes where %u are needed", r->packet_end - r->at, n);
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++) value |= (uint64_t)r->bytes[r->at + i] << (8 * i);
    r->at += n;
    return value;
}

/* Reads a string; "" and a violation if it is not terminated. */
static const char *take_string(struct ctf_reader *r) {
    if (r->failed) return "";
    const unsigned char *start = r->bytes + r->at;
    const unsigned char *end = memchr(start, 0, r->packet_end - r->at);
    if (end == NULL) {
        violate(r, CTF_STRING, "no NUL");
        return "";
    }
    r->at += end - start + 1;
    return (const char *)start;
}

/* ---- Events: locations, allocations, promotions, collections. ---- */

enum { EV_INFO, EV_LOCATION, EV_ALLOC, EV_PROMOTE, EV_COLLECT, EV_SHORT = 100, SHORT_MAX = 16 };
enum { KNOWN_LINE_BITS = 20, KNOWN_START_BITS = 8, KNOWN_END_BITS = 10 };

static uint64_t take_vint(struct ctf_reader *r) {
    unsigned first = take(r, 1);
    if (first < 253) return first;
    if (first == 253) return take(r, 2);
    if (first == 255) return take(r, 8);
    uint64_t n = take(r, 4);
    if (n >= 1u << 31) violate(r, CTF_VINT, "%" PRIu64 " in 4 bytes", n);
    return n;
}

static bool is_code(const void *owner, uint32_t number, const void *key) {
    return ((const struct ctf_reader *)owner)->codes.at[number].code == *(const uint64_t *)key;
}

static bool is_id(const void *owner, uint32_t number, const void *key) {
    return ((const struct ctf_reader *)owner)->ids.at[number] == *(const uint64_t *)key;
}

/* The entry of a code; NULL if it was not sent. */
static const struct ctf_code *find_code(const struct ctf_reader *r, uint64_t code) {
    uint32_t found = report_hash_find(&r->code_hash, report_hash_number(code), is_code, r, &code);
    return found != REPORT_NO_NUMBER ? &r->codes.at[found] : NULL;
}

static uint32_t take_file(struct ctf_reader *r, unsigned code) {
    struct ctf_file_entry entry = {0};
    unsigned from = code;
    if (code < CTF_TABLE) {
        if (code >= r->file_count) {
            violate(r, CTF_FILE_CODE, "%u of %u", code, r->file_count);
            return 0;
        }
        entry = r->files[code];
    } else {
        /* The writer of version 1 reuses the names of the file that it drops. */
        if (r->version == 1 && r->file_count == CTF_TABLE) entry = r->files[CTF_TABLE - 1];
        entry.file = report_model_name(r->model, take_string(r));
        if (r->file_count < CTF_TABLE) r->file_count++;
        from = r->file_count - 1;
    }
    ASSERT(from < CTF_TABLE && r->file_count <= CTF_TABLE);
    memmove(&r->files[1], &r->files[0], from * sizeof entry);
    r->files[0] = entry;
    return entry.file;
}

/* A name of the file that take_file moved to the front. */
static uint32_t take_name(struct ctf_reader *r, unsigned code) {
    struct ctf_file_entry *entry = &r->files[0];
    unsigned from = code;
    uint32_t name;
    if (code < CTF_TABLE) {
        if (code >= entry->name_count) {
            violate(r, CTF_NAME_CODE, "%u of %u", code, entry->name_count);
            return 0;
        }
        name = entry->names[code];
    } else {
        name = report_model_name(r->model, take_string(r));
        if (entry->name_count < CTF_TABLE) entry->name_count++;
        from = entry->name_count - 1;
    }
    ASSERT(from < CTF_TABLE && entry->name_count <= CTF_TABLE);
    memmove(&entry->names[1], &entry->names[0], from * sizeof name);
    entry->names[0] = name;
    return name;
}

static int known(uint64_t field, unsigned bits) {
    return field == (1u << bits) - 1 ? -1 : (int)field;
}

static uint32_t take_location(struct ctf_reader *r) {
    uint64_t bits = take(r, 6);
    if (r->failed) return 0;
    struct report_location location = {
        .line = known(bits & 0xFFFFF, KNOWN_LINE_BITS),
        .start = known(bits >> 20 & 0xFF, KNOWN_START_BITS),
        .end = known(bits >> 28 & 0x3FF, KNOWN_END_BITS),
    };
    location.file = take_file(r, bits >> 38 & 31);
    if (r->failed) return 0;
    location.function = take_name(r, bits >> 43 & 31);
    return r->failed ? 0 : report_model_location(r->model, &location);
}

static void read_location(struct ctf_reader *r) {
    uint64_t code = take(r, 8);
    unsigned n = take(r, 1);
    uint32_t found[256];
    if (r->failed) return;
    if (code >> 62 != 0) violate(r, CTF_CODE_RANGE, "%#" PRIx64, code);
    for (unsigned i = 0; i < n && !r->failed; i++) found[i] = take_location(r);
    if (r->failed) return;
    const struct ctf_code *old = find_code(r, code);
    if (old != NULL) {
        if (old->count != n || memcmp(&r->locations.at[old->first], found, n * sizeof *found) != 0)
            violate(r, CTF_REPEATED, "code %#" PRIx64, code);
        return;
    }
    report_hash_add(&r->code_hash, report_hash_number(code), r->codes.count);
    report_append(&r->codes, (struct ctf_code){code, r->locations.count, n});
    for (unsigned i = 0; i < n; i++) report_append(&r->locations, found[i]);
}

/* The node of the domain's whole stack. */
static uint32_t top_of(const struct ctf_domain *d) {
    return d->stack.count > 0 ? d->stack.at[d->stack.count - 1] : 0;
}

/* A few bytes can stand for 256 frames, as in the trace of a deep recursion. Only distinct call
 * stacks take memory, so these bounds are generous. */
enum { FREE_FRAMES = 4 << 20, FRAMES_PER_BYTE = 256, NODES_PER_BYTE = 2 };

/* Pushes the frame of a code on the domain's stack. */
static void push_code(struct ctf_reader *r, uint64_t code) {
    struct ctf_domain *d = r->domain;
    const struct ctf_code *entry = find_code(r, code);
    if (entry == NULL) {
        violate(r, CTF_UNKNOWN, "code %#" PRIx64, code);
        return;
    }
    if (d->stack.count == CTF_MAX_DEPTH) {
        violate(r, CTF_DEPTH, "%d", CTF_MAX_DEPTH + 1);
        return;
    }
    r->frames += entry->count;
    if (r->frames > FREE_FRAMES + FRAMES_PER_BYTE * (uint64_t)r->length ||
        r->model->nodes.count > FREE_FRAMES + NODES_PER_BYTE * (uint64_t)r->length) {
        violate(r, CTF_EXPANDS, "%zu bytes", r->length);
        return;
    }
    uint32_t node = top_of(d);
    ASSERT(entry->first + entry->count <= r->locations.count);
    for (uint32_t i = 0; i < entry->count; i++)
        node = report_model_push(r->model, node, r->locations.at[entry->first + i]);
    report_append(&d->stack, node);
}

static void read_stack(struct ctf_reader *r, uint64_t prefix, unsigned codewords) {
    struct ctf_domain *d = r->domain;
    unsigned pred = 0;
    if (prefix > d->stack.count)
        violate(r, CTF_PREFIX, "%" PRIu64 " of %zu frames", prefix, d->stack.count);
    else d->stack.count = prefix;
    for (unsigned i = 0; i < codewords && !r->failed; i++) {
        unsigned word = take(r, 2), bucket = word >> 2, tag = word & 3;
        unsigned more = tag == 2 ? 0 : tag;
        ASSERT(pred < CTF_BUCKETS && bucket < CTF_BUCKETS);
        d->next[pred] = bucket;
        pred = bucket;
        if (tag == 3) {
            uint64_t code = take(r, 8);
            if (r->failed) return;
            d->code[bucket] = code;
            more = 0;
        } else if (tag == 2) {
            more = take(r, 1);
        }
        if (!r->failed) push_code(r, d->code[bucket]);
        for (; more > 0 && !r->failed; more--) {
            pred = d->next[pred];
            push_code(r, d->code[pred]);
        }
    }
}

/* The sample with an id, or -1. */
static int64_t find_sample(const struct ctf_reader *r, uint64_t id) {
    if (r->ids.count == 0) return id < r->model->samples.count ? (int64_t)id : -1;
    uint32_t found = report_hash_find(&r->id_hash, report_hash_number(id), is_id, r, &id);
    return found != REPORT_NO_NUMBER ? (int64_t)found : -1;
}

/* Assigns an id to the next sample. */
static void add_id(struct ctf_reader *r, uint64_t id) {
    size_t number = r->model->samples.count;
    ASSERT(r->ids.count == 0 || r->ids.count == number);
    if (r->ids.count == 0 && id == number) return;
    while (r->ids.count <= number) {
        uint64_t next = r->ids.count < number ? r->ids.count : id;
        report_hash_add(&r->id_hash, report_hash_number(next), r->ids.count);
        report_append(&r->ids, next);
    }
}

static int64_t nanoseconds(const struct ctf_reader *r) {
    uint64_t us = r->now_us > r->start_us ? r->now_us - r->start_us : 0;
    return us < INT64_MAX / 1000 ? (int64_t)us * 1000 : INT64_MAX - 1;
}

/* Skips an event: its id breaks a rule. */
static void skip(struct ctf_reader *r, enum ctf_rule rule, uint64_t id) {
    violate(r, rule, "id %" PRIu64, id);
    r->model->skipped++;
}

static void read_alloc(struct ctf_reader *r, unsigned kind) {
    struct report_sample s = {
        .promoted = REPORT_NEVER, .died = REPORT_NEVER, .hits = 1, .weight = 1, .tag = -1};
    unsigned codewords;
    uint64_t prefix, hits = 1, source = REPORT_MINOR;
    if (kind == EV_ALLOC) {
        s.wosize = take_vint(r);
        hits = take_vint(r);
        source = take(r, 1);
        prefix = take_vint(r);
        codewords = take(r, 2);
    } else {
        s.wosize = kind - EV_SHORT;
        prefix = take_vint(r);
        codewords = take(r, 1);
    }
    if (r->failed) return;
    if (hits < 1 || hits > UINT32_MAX) violate(r, CTF_SAMPLES, "%" PRIu64, hits);
    if (source > REPORT_EXTERNAL) violate(r, CTF_SOURCE, "%" PRIu64, source);
    read_stack(r, prefix, codewords);
    if (r->failed) return;
    s.hits = hits < 1 ? 1 : hits > UINT32_MAX ? UINT32_MAX : hits;
    s.source = source > REPORT_EXTERNAL ? REPORT_EXTERNAL : source;
    s.young = s.source == REPORT_MINOR;
    s.node = top_of(r->domain);
    s.thread = r->domain->thread;
    s.born = nanoseconds(r);
    uint64_t id = r->id_begin + r->allocations++;
    if (find_sample(r, id) >= 0) {
        skip(r, CTF_ID_TWICE, id);
        return;
    }
    add_id(r, id);
    report_model_sample(r->model, &s);
}

/* A promotion or a death. */
static void read_later(struct ctf_reader *r, unsigned kind) {
    uint64_t delta = take_vint(r);
    if (r->failed) return;
    uint64_t id = r->id_begin + r->allocations - 1 - delta;
    int64_t number = find_sample(r, id);
    if (number < 0) {
        skip(r, CTF_FUTURE, id);
        return;
    }
    ASSERT((size_t)number < r->model->samples.count);
    struct report_stored_sample *s = &r->model->samples.at[number];
    uint32_t now = report_model_moment(r->model, nanoseconds(r));
    if (kind == EV_PROMOTE && (s->promoted != 0 || s->died != 0)) skip(r, CTF_PROMOTED_TWICE, id);
    else if (kind == EV_COLLECT && s->died != 0) skip(r, CTF_COLLECTED_TWICE, id);
    else if (kind == EV_PROMOTE) report_model_promote(r->model, (uint32_t)number, now);
    else s->died = now;
}

/* Sets the time of an event from its 25 low bits. */
static void read_time(struct ctf_reader *r, uint64_t low) {
    const uint64_t mask = (1u << CTF_TIME_BITS) - 1;
    uint64_t time = (r->begin_us & ~mask) + low;
    if (low < (r->begin_us & mask)) time += mask + 1;
    if (time < r->begin_us || time > r->end_us)
        violate(r, CTF_EVENT_TIME, "%" PRId64 " us after its end", (int64_t)(time - r->end_us));
    if (time < r->domain->last_time)
        violate(r, CTF_EVENT_ORDER, "%" PRIu64 " us back", r->domain->last_time - time);
    else r->domain->last_time = time;
    r->now_us = time;
}

/* Reads one event other than the trace info. */
static void read_event(struct ctf_reader *r) {
    uint64_t header = take(r, 4);
    unsigned kind = header >> CTF_TIME_BITS;
    if (r->failed) return;
    read_time(r, header & ((1u << CTF_TIME_BITS) - 1));
    if (kind == EV_LOCATION) read_location(r);
    else if (kind == EV_ALLOC || (kind > EV_SHORT && kind <= EV_SHORT + SHORT_MAX))
        read_alloc(r, kind);
    else if (kind == EV_PROMOTE || kind == EV_COLLECT) read_later(r, kind);
    else if (kind == EV_INFO) violate(r, CTF_INFO, "a second description");
    else violate(r, CTF_EVENT_KIND, "kind %u", kind);
}

/* ---- Packets. ---- */

static struct ctf_domain *find_domain(struct ctf_reader *r, unsigned number) {
    for (size_t i = 0; i < r->domain_count; i++)
        if (r->domains[i]->number == number) return r->domains[i];
    if (r->domain_count == CTF_MAX_DOMAINS) {
        violate(r, CTF_DOMAINS, "%d", CTF_MAX_DOMAINS + 1);
        return NULL;
    }
    struct ctf_domain *domain = report_alloc(sizeof *domain);
    domain->number = number;
    if (r->version >= 3) /* earlier ones do not have it */
        domain->thread = report_model_thread(r->model, (struct mp_thread){1 + number, 0});
    domain->last_time = r->start_us;
    return r->domains[r->domain_count++] = domain;
}

static void read_info(struct ctf_reader *r) {
    struct report_model *model = r->model;
    uint64_t bits;
    uint64_t header = take(r, 4);
    if (!r->failed && header >> CTF_TIME_BITS != 0) {
        violate(r, CTF_INFO, "an event of another kind");
        return;
    }
    bits = take(r, 8);
    memcpy(&model->rate, &bits, sizeof bits);
    unsigned word_bits = take(r, 1);
    const char *program = take_string(r), *host = take_string(r);
    const char *parameters = take_string(r);
    model->pid = r->pid = take(r, 8);
    const char *context = r->version >= 2 ? take_string(r) : "";
    if (r->failed) return;
    if (!(model->rate >= MP_RATE_MIN && model->rate <= 1)) {
        violate(r, CTF_INFO_RATE, "%g", model->rate);
        return;
    }
    if (word_bits != 32 && word_bits != 64) violate(r, CTF_INFO_WORD, "%u bits", word_bits);
    report_replace(&model->program, report_copy(program));
    report_replace(&model->host, report_copy(host));
    report_replace(&model->runtime_parameters, report_copy(parameters));
    report_replace(&model->context, report_copy(context));
    model->word_bytes = word_bits == 32 ? 4 : 8;
    model->epoch_us = r->start_us = r->begin_us;
    if (r->id_begin != 0 || r->id_end != 0) violate(r, CTF_INFO_IDS, "other ids");
    if (r->at != r->packet_end) violate(r, CTF_INFO_REST, "%zu bytes more", r->packet_end - r->at);
}

/* The checks of a packet that need only its header. */
static void check_header(struct ctf_reader *r, size_t start, bool first) {
    if (r->packet_end - start > MAX_PACKET)
        violate(r, CTF_LARGE, "%zu bytes", r->packet_end - start);
    if (r->begin_us > r->end_us) violate(r, CTF_PACKET_TIME, "begin after end");
    if (r->end_us > r->begin_us && r->end_us - r->begin_us >= 1u << CTF_TIME_BITS)
        violate(r, CTF_SPAN, "%.1f s", (r->end_us - r->begin_us) / 1e6);
    if (r->id_begin > r->id_end) violate(r, CTF_ID_ORDER, "begin above end");
    if (!first && r->version < 3 && r->id_begin != r->next_id)
        violate(r, CTF_ID_GAP, "%" PRIu64 " after %" PRIu64, r->id_begin, r->next_id);
}

static void check_verifier(struct ctf_reader *r, unsigned ix, unsigned pred, uint64_t value) {
    if (ix == NO_VERIFIER || r->domain == NULL) return;
    if (ix >= CTF_BUCKETS) violate(r, CTF_VERIFIER, "bucket %u", ix);
    else if (r->domain->next[ix] != pred || r->domain->code[ix] != value)
        violate(r, CTF_VERIFIER, "bucket %u holds something else", ix);
}

static void read_events(struct ctf_reader *r) {
    ASSERT(r->domain != NULL);
    r->allocations = 0;
    if (r->begin_us < r->domain->last_time)
        violate(r, CTF_PACKET_ORDER, "%" PRIu64 " us back", r->domain->last_time - r->begin_us);
    while (!r->failed && r->at < r->packet_end) read_event(r);
    if (!r->failed && r->id_end - r->id_begin != r->allocations)
        violate(r, CTF_ID_COUNT, "%" PRIu64 " ids, %" PRIu64 " allocations",
                r->id_end - r->id_begin, r->allocations);
    r->next_id = r->id_end;
}

/* Reads a packet after its magic and size. */
static void read_packet(struct ctf_reader *r, size_t start, bool first) {
    r->begin_us = take(r, 8);
    r->end_us = take(r, 8);
    take(r, 4);
    unsigned version = take(r, 2);
    if (version < 1 || version > 3 || (!first && version != r->version)) {
        violate(r, CTF_VERSION, "version %u", version);
        return;
    }
    r->version = version;
    uint64_t pid = take(r, 8);
    unsigned domain = version >= 3 ? take(r, 2) : 0;
    unsigned ix = take(r, 2), pred = take(r, 2);
    uint64_t value = take(r, 8);
    r->id_begin = take(r, 8);
    r->id_end = take(r, 8);
    if (r->failed) return;
    if (!first && pid != r->pid) {
        violate(r, CTF_PID, "process %" PRIu64, pid);
        r->model->skipped++;
        return;
    }
    check_header(r, start, first);
    if (first) {
        read_info(r);
        return;
    }
    r->domain = find_domain(r, domain);
    if (r->domain == NULL) return;
    check_verifier(r, ix, pred, value);
    read_events(r);
}

/* The offset of the next magic number, or of the file's end. */
static size_t find_magic(const struct ctf_reader *r, size_t from) {
    const void *found = from < r->length
                            ? memmem(r->bytes + from, r->length - from, magic, sizeof magic)
                            : NULL;
    return found != NULL ? (size_t)((const unsigned char *)found - r->bytes) : r->length;
}

static bool cut_off(struct ctf_reader *r) {
    r->model->truncated = true;
    r->at = r->length;
    return false;
}

/* Whether the packet at r->at is complete; otherwise r->at becomes the offset where reading
 * continues. An incomplete last packet is what a killed program leaves: not damage, unless it is
 * the only one. */
static bool enter_packet(struct ctf_reader *r, bool first) {
    size_t left = r->length - r->at, start = r->at;
    r->packet_end = r->length;
    if (left < HEADER_BYTES) {
        if (first || r->listener != NULL)
            violate(r, first ? CTF_HEADER : CTF_CUT, "%zu bytes", left);
        return cut_off(r);
    }
    if (memcmp(r->bytes + start, magic, sizeof magic) != 0) {
        const uint8_t *bytes = r->bytes + start;
        violate(r, CTF_MAGIC, "%02X %02X %02X %02X", bytes[0], bytes[1], bytes[2], bytes[3]);
        r->at = find_magic(r, start + 1);
        return false;
    }
    r->at += sizeof magic;
    uint64_t bits = take(r, 4);
    unsigned header = HEADER_BYTES + (r->bytes[start + 28] >= 3 ? 2 : 0);
    if (bits % 8 != 0 || bits / 8 < header) {
        violate(r, CTF_SIZE, "%" PRIu64 " bits", bits);
        r->at = find_magic(r, start + 1);
        return false;
    }
    if (bits / 8 > left) {
        if (first || r->listener != NULL)
            violate(r, CTF_CUT, "%zu of %" PRIu64 " bytes", left, bits / 8);
        return cut_off(r);
    }
    r->packet_end = start + bits / 8;
    return true;
}

static void free_reader(struct ctf_reader *r) {
    for (size_t i = 0; i < r->domain_count; i++) {
        report_free(r->domains[i]->stack.at, r->domains[i]);
    }
    report_free(r->codes.at, r->code_hash.slots, r->locations.at, r->ids.at, r->id_hash.slots, r);
}

bool report_ctf_recognises(const unsigned char *bytes, size_t length) {
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

struct report_model *report_ctf_read(const unsigned char *bytes, size_t length,
                                     report_ctf_listener listener, void *context,
                                     struct report_error *error) {
    struct ctf_reader *r = report_alloc(sizeof *r);
    bool first = true;
    r->bytes = bytes;
    r->length = length;
    r->listener = listener;
    r->context = context;
    r->error = error;
    struct report_model *model = r->model = report_model_create();
    report_fail(error, "", "record the program again", "not a whole memtrace trace");
    while (!r->stopped && r->at < r->length) {
        size_t start = r->at;
        r->failed = false;
        if (enter_packet(r, first)) {
            size_t end = r->packet_end;
            read_packet(r, start, first);
            r->at = end;
            if (first && r->failed) break;
            first = false;
        } else if (first) {
            break;
        }
    }
    bool usable = !r->stopped && !first;
    report_replace(&model->format, report_format("memtrace v%u", r->version));
    free_reader(r);
    if (!usable) {
        report_model_free(model);
        return NULL;
    }
    report_model_finish(model);
    return model;
}

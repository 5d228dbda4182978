/* ctf_events.c - the events of a memtrace packet: locations, allocations, promotions, collections.
 *
 * A call stack is the number of frames that it shares with the last one, then codewords: each a
 * bucket of the domain's cache, with a literal code or a number of predictions that follow. The
 * cache holds a code for each bucket, and the bucket that followed it last time. */
#include "gc/assert.h"
#include "memprof/report/load/ctf_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EV_INFO, EV_LOCATION, EV_ALLOC, EV_PROMOTE, EV_COLLECT, EV_SHORT = 100, SHORT_MAX = 16 };
enum { KNOWN_LINE_BITS = 20, KNOWN_START_BITS = 8, KNOWN_END_BITS = 10 };

static uint64_t take_vint(struct ctf_reader *r) {
    unsigned first = ctf_take(r, 1);
    if (first < 253) return first;
    if (first == 253) return ctf_take(r, 2);
    if (first == 255) return ctf_take(r, 8);
    uint64_t n = ctf_take(r, 4);
    if (n >= 1u << 31) ctf_violate(r, CTF_VINT, "%" PRIu64 " in 4 bytes", n);
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
            ctf_violate(r, CTF_FILE_CODE, "%u of %u", code, r->file_count);
            return 0;
        }
        entry = r->files[code];
    } else {
        entry.file = report_model_name(r->model, ctf_take_string(r));
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
            ctf_violate(r, CTF_NAME_CODE, "%u of %u", code, entry->name_count);
            return 0;
        }
        name = entry->names[code];
    } else {
        name = report_model_name(r->model, ctf_take_string(r));
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
    uint64_t bits = ctf_take(r, 6);
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
    uint64_t code = ctf_take(r, 8);
    unsigned n = ctf_take(r, 1);
    uint32_t found[256];
    if (r->failed) return;
    if (code >> 62 != 0) ctf_violate(r, CTF_CODE_RANGE, "%#" PRIx64, code);
    if (n == 0) ctf_violate(r, CTF_INLINED, "none");
    for (unsigned i = 0; i < n && !r->failed; i++) found[i] = take_location(r);
    if (r->failed) return;
    const struct ctf_code *old = find_code(r, code);
    if (old != NULL) {
        if (old->count != n || memcmp(&r->locations.at[old->first], found, n * sizeof *found) != 0)
            ctf_violate(r, CTF_REPEATED, "code %#" PRIx64, code);
        return;
    }
    report_hash_add(&r->code_hash, report_hash_number(code), r->codes.count);
    report_append(&r->codes, (struct ctf_code){code, r->locations.count, n});
    for (unsigned i = 0; i < n; i++) report_append(&r->locations, found[i]);
}

/* The node of the domain's stack. */
static uint32_t top_of(const struct ctf_domain *d) {
    return d->stack.count > 0 ? d->stack.at[d->stack.count - 1] : 0;
}

/* Pushes the frame of a code on the domain's stack. */
static void push_code(struct ctf_reader *r, uint64_t code) {
    struct ctf_domain *d = r->domain;
    const struct ctf_code *entry = find_code(r, code);
    if (entry == NULL) {
        ctf_violate(r, CTF_UNKNOWN, "code %#" PRIx64, code);
        return;
    }
    if (d->stack.count == CTF_MAX_DEPTH) {
        ctf_violate(r, CTF_DEPTH, "more");
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
        ctf_violate(r, CTF_PREFIX, "%" PRIu64 " of %zu frames", prefix, d->stack.count);
    else d->stack.count = prefix;
    for (unsigned i = 0; i < codewords && !r->failed; i++) {
        unsigned word = ctf_take(r, 2), bucket = word >> 2, tag = word & 3;
        unsigned more = tag == 2 ? 0 : tag;
        ASSERT(pred < CTF_BUCKETS && bucket < CTF_BUCKETS);
        d->next[pred] = bucket;
        pred = bucket;
        if (tag == 3) {
            uint64_t code = ctf_take(r, 8);
            if (r->failed) return;
            d->code[bucket] = code;
            more = 0;
        } else if (tag == 2) {
            more = ctf_take(r, 1);
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

/* Records the id of the next sample. */
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

/* Leaves out an event about a block's id. */
static void skip(struct ctf_reader *r, enum ctf_rule rule, uint64_t id) {
    ctf_violate(r, rule, "id %" PRIu64, id);
    r->model->skipped++;
}

static void read_alloc(struct ctf_reader *r, unsigned kind) {
    struct report_sample s = {.promoted = REPORT_NEVER, .died = REPORT_NEVER, .hits = 1, .tag = -1};
    unsigned codewords;
    uint64_t prefix, hits = 1, source = REPORT_MINOR;
    if (kind == EV_ALLOC) {
        s.wosize = take_vint(r);
        hits = take_vint(r);
        source = ctf_take(r, 1);
        prefix = take_vint(r);
        codewords = ctf_take(r, 2);
    } else {
        s.wosize = kind - EV_SHORT;
        prefix = take_vint(r);
        codewords = ctf_take(r, 1);
    }
    if (r->failed) return;
    if (hits < 1 || hits > UINT32_MAX) ctf_violate(r, CTF_SAMPLES, "%" PRIu64, hits);
    if (source > REPORT_EXTERNAL) ctf_violate(r, CTF_SOURCE, "%" PRIu64, source);
    read_stack(r, prefix, codewords);
    if (r->failed) return;
    s.hits = hits < 1 ? 1 : hits > UINT32_MAX ? UINT32_MAX : hits;
    s.source = source > REPORT_EXTERNAL ? REPORT_EXTERNAL : source;
    s.young = s.source == REPORT_MINOR;
    s.node = top_of(r->domain);
    s.domain = r->domain->number;
    s.born = nanoseconds(r);
    uint64_t id = r->id_begin + r->allocations++;
    if (find_sample(r, id) >= 0) {
        skip(r, CTF_ID_TWICE, id);
        return;
    }
    add_id(r, id);
    report_append(&r->model->samples, s);
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
    struct report_sample *s = &r->model->samples.at[number];
    if (kind == EV_PROMOTE && (s->promoted != REPORT_NEVER || s->died != REPORT_NEVER))
        skip(r, CTF_PROMOTED_TWICE, id);
    else if (kind == EV_COLLECT && s->died != REPORT_NEVER) skip(r, CTF_COLLECTED_TWICE, id);
    else if (kind == EV_PROMOTE) s->promoted = nanoseconds(r);
    else s->died = nanoseconds(r);
}

/* Sets the time of an event from its 25 low bits. */
static void read_time(struct ctf_reader *r, uint64_t low) {
    const uint64_t mask = (1u << CTF_TIME_BITS) - 1;
    uint64_t time = (r->begin_us & ~mask) + low;
    if (low < (r->begin_us & mask)) time += mask + 1;
    if (time < r->begin_us || time > r->end_us)
        ctf_violate(r, CTF_EVENT_TIME, "%" PRId64 " us after its end", (int64_t)(time - r->end_us));
    if (time < r->domain->last_time)
        ctf_violate(r, CTF_EVENT_ORDER, "%" PRIu64 " us back", r->domain->last_time - time);
    else r->domain->last_time = time;
    r->now_us = time;
}

void ctf_read_event(struct ctf_reader *r) {
    uint64_t header = ctf_take(r, 4);
    unsigned kind = header >> CTF_TIME_BITS;
    if (r->failed) return;
    read_time(r, header & ((1u << CTF_TIME_BITS) - 1));
    if (kind == EV_LOCATION) read_location(r);
    else if (kind == EV_ALLOC || (kind > EV_SHORT && kind <= EV_SHORT + SHORT_MAX))
        read_alloc(r, kind);
    else if (kind == EV_PROMOTE || kind == EV_COLLECT) read_later(r, kind);
    else if (kind == EV_INFO) ctf_violate(r, CTF_INFO, "a second one");
    else ctf_violate(r, CTF_EVENT_KIND, "kind %u", kind);
}

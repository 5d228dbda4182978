/* ctf.c - reads memtrace traces: packets and their headers; ctf_events.c reads what is in them.
 *
 *   file    = packet*            packet = header, events
 *   header  = magic size t_begin t_end flush version pid [domain] verifier ids
 *
 * All numbers are little-endian without padding; the first packet describes the trace. Written from
 * the format's description and from how the official readers behave (ctf_rules.def). */
#include "gc/assert.h"
#include "memprof/report/load/ctf_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[] = {0xC1, 0x1F, 0xFC, 0xC1};
enum { HEADER_BYTES = 66, MAX_PACKET = 32768, NO_VERIFIER = 0xFFFF };

static const struct {
    const char *name, *demand;
    enum report_ctf_grade grade;
} rules[CTF_RULES] = {
#define RULE(id, grade, name, demand) {name, demand, REPORT_CTF_##grade},
#include "memprof/report/load/ctf_rules.def"
};

void ctf_violate(struct ctf_reader *r, enum ctf_rule rule, const char *detail, ...) {
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

uint64_t ctf_take(struct ctf_reader *r, unsigned n) {
    ASSERT(n <= 8 && r->at <= r->packet_end && r->packet_end <= r->length);
    if (r->failed) return 0;
    if (r->packet_end - r->at < n) {
        ctf_violate(r, CTF_EVENT, "%zu bytes where %u are needed", r->packet_end - r->at, n);
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++) value |= (uint64_t)r->bytes[r->at + i] << (8 * i);
    r->at += n;
    return value;
}

const char *ctf_take_string(struct ctf_reader *r) {
    if (r->failed) return "";
    const unsigned char *start = r->bytes + r->at;
    const unsigned char *end = memchr(start, 0, r->packet_end - r->at);
    if (end == NULL) {
        ctf_violate(r, CTF_STRING, "no NUL");
        return "";
    }
    r->at += end - start + 1;
    return (const char *)start;
}

static struct ctf_domain *find_domain(struct ctf_reader *r, unsigned number) {
    for (size_t i = 0; i < r->domain_count; i++)
        if (r->domains[i]->number == number) return r->domains[i];
    if (r->domain_count == CTF_MAX_DOMAINS) {
        ctf_violate(r, CTF_DOMAINS, "one more");
        return NULL;
    }
    struct ctf_domain *domain = report_alloc(sizeof *domain);
    domain->number = number;
    domain->last_time = r->start_us;
    return r->domains[r->domain_count++] = domain;
}

static void read_info(struct ctf_reader *r) {
    struct report_model *model = r->model;
    uint64_t bits;
    uint64_t header = ctf_take(r, 4);
    if (!r->failed && header >> CTF_TIME_BITS != 0) {
        ctf_violate(r, CTF_INFO, "another event");
        return;
    }
    bits = ctf_take(r, 8);
    memcpy(&model->rate, &bits, sizeof bits);
    unsigned word_bits = ctf_take(r, 1);
    const char *program = ctf_take_string(r), *host = ctf_take_string(r);
    const char *parameters = ctf_take_string(r);
    model->pid = r->pid = ctf_take(r, 8);
    const char *context = r->version >= 2 ? ctf_take_string(r) : "";
    if (r->failed) return;
    if (!(model->rate > 0 && model->rate <= 1)) {
        ctf_violate(r, CTF_INFO_RATE, "%g", model->rate);
        return;
    }
    if (word_bits != 32 && word_bits != 64) ctf_violate(r, CTF_INFO_WORD, "%u bits", word_bits);
    report_replace(&model->program, report_copy(program));
    report_replace(&model->host, report_copy(host));
    report_replace(&model->runtime_parameters, report_copy(parameters));
    report_replace(&model->context, report_copy(context));
    model->word_bytes = word_bits == 32 ? 4 : 8;
    model->epoch_us = r->start_us = r->begin_us;
    if (r->id_begin != 0 || r->id_end != 0) ctf_violate(r, CTF_INFO_IDS, "other ids");
    if (r->at != r->packet_end)
        ctf_violate(r, CTF_INFO_REST, "%zu bytes more", r->packet_end - r->at);
}

/* The checks of a packet that need only its header. */
static void check_header(struct ctf_reader *r, size_t start, bool first) {
    if (r->packet_end - start > MAX_PACKET)
        ctf_violate(r, CTF_LARGE, "%zu bytes", r->packet_end - start);
    if (r->begin_us > r->end_us) ctf_violate(r, CTF_PACKET_TIME, "begin above end");
    if (r->end_us > r->begin_us && r->end_us - r->begin_us >= 1u << CTF_TIME_BITS)
        ctf_violate(r, CTF_SPAN, "%.1f s", (r->end_us - r->begin_us) / 1e6);
    if (r->id_begin > r->id_end) ctf_violate(r, CTF_ID_ORDER, "begin above end");
    if (!first && r->version < 3 && r->id_begin != r->next_id)
        ctf_violate(r, CTF_ID_GAP, "%" PRIu64 " after %" PRIu64, r->id_begin, r->next_id);
}

static void check_verifier(struct ctf_reader *r, unsigned ix, unsigned pred, uint64_t value) {
    if (ix == NO_VERIFIER || r->domain == NULL) return;
    if (ix >= CTF_BUCKETS) ctf_violate(r, CTF_VERIFIER, "bucket %u", ix);
    else if (r->domain->next[ix] != pred || r->domain->code[ix] != value)
        ctf_violate(r, CTF_VERIFIER, "bucket %u holds something else", ix);
}

static void read_events(struct ctf_reader *r) {
    ASSERT(r->domain != NULL);
    r->allocations = 0;
    if (r->begin_us < r->domain->last_time)
        ctf_violate(r, CTF_PACKET_ORDER, "%" PRIu64 " us back", r->domain->last_time - r->begin_us);
    while (!r->failed && r->at < r->packet_end) ctf_read_event(r);
    if (!r->failed && r->id_end - r->id_begin != r->allocations)
        ctf_violate(r, CTF_ID_COUNT, "%" PRIu64 " ids, %" PRIu64 " allocations",
                    r->id_end - r->id_begin, r->allocations);
    r->next_id = r->id_end;
}

/* Reads a packet after its magic and size. */
static void read_packet(struct ctf_reader *r, size_t start, bool first) {
    r->begin_us = ctf_take(r, 8);
    r->end_us = ctf_take(r, 8);
    ctf_take(r, 4);
    unsigned version = ctf_take(r, 2);
    if (version < 1 || version > 3 || (!first && version != r->version)) {
        ctf_violate(r, CTF_VERSION, "version %u", version);
        return;
    }
    r->version = version;
    uint64_t pid = ctf_take(r, 8);
    unsigned domain = version >= 3 ? ctf_take(r, 2) : 0;
    unsigned ix = ctf_take(r, 2), pred = ctf_take(r, 2);
    uint64_t value = ctf_take(r, 8);
    r->id_begin = ctf_take(r, 8);
    r->id_end = ctf_take(r, 8);
    if (r->failed) return;
    if (!first && pid != r->pid) {
        ctf_violate(r, CTF_PID, "process %" PRIu64, pid);
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

/* Whether the packet at r->at is whole; otherwise r->at becomes the offset to go on at. An
 * incomplete last packet is what a killed program leaves: no damage, unless it is the first. */
static bool enter_packet(struct ctf_reader *r, bool first) {
    size_t left = r->length - r->at, start = r->at;
    r->packet_end = r->length;
    if (left < HEADER_BYTES) {
        if (first || r->listener != NULL)
            ctf_violate(r, first ? CTF_HEADER : CTF_CUT, "%zu bytes", left);
        return cut_off(r);
    }
    if (memcmp(r->bytes + start, magic, sizeof magic) != 0) {
        ctf_violate(r, CTF_MAGIC, "other bytes");
        r->at = find_magic(r, start + 1);
        return false;
    }
    r->at += sizeof magic;
    uint64_t bits = ctf_take(r, 4);
    unsigned header = HEADER_BYTES + (r->bytes[start + 28] >= 3 ? 2 : 0);
    if (bits % 8 != 0 || bits / 8 < header) {
        ctf_violate(r, CTF_SIZE, "%" PRIu64 " bits", bits);
        r->at = find_magic(r, start + 1);
        return false;
    }
    if (bits / 8 > left) {
        if (first || r->listener != NULL)
            ctf_violate(r, CTF_CUT, "%zu of %" PRIu64 " bytes", left, bits / 8);
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

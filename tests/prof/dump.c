/* dump.c - prints a profile, one event per line, and how the reading ended, for the tests.
 *
 *   prof_dump [-q] FILE       -q: totals only */
#include "memprof/format/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    uint64_t samples, hits, promoted, died_minor, died_major, spans, pauses, counters;
    uint64_t live;
    struct mp_counters first, last;
    bool finished, ended;
};

static void print_stack(const struct mp_reader *r, uint32_t node) {
    for (; node != 0; node = mp_reader_stack(r, node)->caller) {
        const struct mp_location *l = mp_reader_location(r, mp_reader_stack(r, node)->location);
        printf(" %s@%s:%u:%u-%u", l->definition, l->file, l->line, l->start, l->end);
    }
}

static void print_sample(const struct mp_reader *r, const struct mp_sample *s) {
    printf("sample %" PRIu64 " words=%" PRIu64 " n=%" PRIu64 " source=%d young=%d tag=%d "
           "domain=%" PRId64 " thread=%" PRId64 ":",
           s->id, s->words, s->samples, s->source, s->young, s->tag, (int64_t)s->thread.domain - 1,
           (int64_t)s->thread.number - 1);
    print_stack(r, s->stack);
}

static void print_site(const struct mp_event *e, const struct mp_location *l) {
    printf("site words=%" PRIu64 " blocks=%" PRIu64 ": %s@%s:%u:%u-%u", e->site.words,
           e->site.blocks, l->definition, l->file, l->line, l->start, l->end);
}

static void print_event(const struct mp_reader *r, const struct mp_event *e) {
    printf("%" PRIu64 " ", e->time_us);
    switch (e->kind) {
    case MP_EVENT_SAMPLE: print_sample(r, &e->sample); break;
    case MP_EVENT_HELD: printf("held %" PRIu64 " %d", e->held.id, e->held.by->kind); break;
    case MP_EVENT_PROMOTED: printf("promoted %" PRIu64, e->promoted.id); break;
    case MP_EVENT_DIED: printf("died %" PRIu64 " %d", e->died.id, e->died.generation); break;
    case MP_EVENT_GC_SPAN:
        printf("gc %d %" PRIu64 "ns %" PRIu64, e->gc_span.phase, e->gc_span.duration_ns,
               e->gc_span.words);
        break;
    case MP_EVENT_SETTINGS: printf("settings live=%d", e->settings.live); break;
    case MP_EVENT_BEFORE: printf("before %" PRIu64, e->before.words); break;
    case MP_EVENT_RESIDENT: printf("resident %" PRIu64, e->resident.bytes); break;
    case MP_EVENT_TICKS:
        printf("ticks running=%" PRIu64 " collecting=%" PRIu64 " stack=%" PRIu64, e->ticks.running,
               e->ticks.collecting, e->ticks.stack);
        break;
    case MP_EVENT_PAUSE:
        printf("gc %d %" PRIu64 "ns %" PRIu64 " processor=%" PRIu64 " owner=%d cause=%d",
               MP_GC_PAUSE, e->pause.duration_ns, e->pause.words, e->pause.processor_ns,
               e->pause.owner, e->cause);
        break;
    case MP_EVENT_MARKING:
        printf("marking %" PRIu64 "us %" PRIu64, e->marking.duration, e->marking.words);
        break;
    case MP_EVENT_WRITTEN: printf("wrote %s", e->written.path.bytes); break;
    case MP_EVENT_ROOT ... MP_EVENT_CONTENTS: printf("of a snapshot"); break;
    case MP_EVENT_MAXIMUM: printf("maximum %" PRIu64, e->maximum.words); break;
    case MP_EVENT_PHASE_ENTER: printf("enter %s", mp_reader_string(r, e->phase.name)); break;
    case MP_EVENT_PHASE_LEAVE: printf("leave %s", mp_reader_string(r, e->phase.name)); break;
    case MP_EVENT_COUNT: printf("count %" PRIu64, e->count.more); break;
    case MP_EVENT_COUNTERS:
        printf("counters minor=%" PRIu64 " promoted=%" PRIu64 " major=%" PRIu64 " external=%" PRIu64
               " live=%" PRIu64 " heap=%" PRIu64,
               e->counters.minor_words, e->counters.promoted_words, e->counters.major_words,
               e->counters.external_words, e->counters.live_words, e->counters.heap_words);
        break;
    case MP_EVENT_SITE: print_site(e, mp_reader_location(r, e->site.location)); break;
    case MP_EVENT_SELECTION: printf("selection of %" PRIu64, e->selection.hits); break;
    case MP_EVENT_EXCESS: printf("excess %" PRIu64, e->excess.hits); break;
    case MP_EVENT_OMITTED: printf("omitted %" PRIu64, e->omitted.pauses); break;
    case MP_EVENT_FINISH:
        printf("finish %d %u", e->finish.outcome, (unsigned)e->finish.status);
        break;
    case MP_EVENT_COST:
        printf("cost %" PRIu64 "ns of %" PRIu64 "ns", e->cost.overhead_ns, e->cost.process_ns);
        break;
    case MP_EVENT_END:
        printf("end overhead=%" PRIu64 " lost=%" PRIu64, e->end.overhead_ns, e->end.lost_samples);
        break;
    }
    putchar('\n');
}

static void count(struct totals *t, const struct mp_event *e) {
    switch (e->kind) {
    case MP_EVENT_SAMPLE: t->samples++, t->hits += e->sample.samples, t->live++; break;
    case MP_EVENT_PROMOTED: t->promoted++; break;
    case MP_EVENT_DIED:
        t->live--;
        if (e->died.generation == MP_DIED_MINOR) t->died_minor++;
        else t->died_major++;
        break;
    case MP_EVENT_GC_SPAN: t->spans++; break;
    case MP_EVENT_PAUSE: t->spans++, t->pauses++; break;
    case MP_EVENT_COUNTERS:
        if (t->counters++ == 0) t->first = e->counters;
        t->last = e->counters;
        break;
    case MP_EVENT_FINISH: t->finished = true; break;
    case MP_EVENT_END: t->ended = true; break;
    default: break;
    }
}

static void print_totals(const struct mp_reader *r, const struct totals *t) {
    const struct mp_record_start *s = mp_reader_start(r);
    struct mp_coverage c;
    mp_reader_coverage(r, &c);
    uint64_t words = t->last.minor_words + t->last.major_words - t->last.promoted_words -
                     (t->first.minor_words + t->first.major_words - t->first.promoted_words);
    printf("program=%s pid=%" PRIu64 " parent=%" PRIu64 " rate=%g seed=%" PRIu64 "\n",
           s->program.bytes, s->pid, s->parent_pid, s->rate, s->seed);
    printf("samples=%" PRIu64 " hits=%" PRIu64 " promoted=%" PRIu64 " died_minor=%" PRIu64
           " died_major=%" PRIu64 " live=%" PRIu64 "\n",
           t->samples, t->hits, t->promoted, t->died_minor, t->died_major, t->live);
    printf("words=%" PRIu64 " external=%" PRIu64 " spans=%" PRIu64 " pauses=%" PRIu64
           " counters=%" PRIu64 "\n",
           words, t->last.external_words, t->spans, t->pauses, t->counters);
    printf("locations=%u nodes=%u finished=%d ended=%d\n", mp_reader_location_count(r),
           mp_reader_stack_count(r), t->finished, t->ended);
    printf(
        "status=%s chunks=%" PRIu64 " read=%" PRIu64 " ignored=%" PRIu64 " events=%" PRIu64 " %s\n",
        mp_read_status_text(c.status), c.chunks, c.read_bytes, c.ignored_bytes, c.events, c.detail);
}

static uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length + 1);
    bool read = bytes != NULL && fread(bytes, 1, *length, file) == *length;
    fclose(file);
    return read ? bytes : NULL;
}

int main(int argc, char **argv) {
    bool quiet = argc > 1 && strcmp(argv[1], "-q") == 0;
    struct mp_read_error error;
    struct mp_event event;
    struct totals totals = {0};
    size_t length;
    if (argc < 2) return 2;
    uint8_t *bytes = read_file(argv[argc - 1], &length);
    if (bytes == NULL) return perror(argv[argc - 1]), 2;
    struct mp_reader *r = mp_reader_of_bytes(bytes, length, &error);
    if (r == NULL) {
        printf("status=%s %s\n", mp_read_status_text(error.status), error.detail);
        return 1;
    }
    while (mp_reader_next(r, &event)) {
        if (!quiet) print_event(r, &event);
        count(&totals, &event);
    }
    print_totals(r, &totals);
    mp_reader_close(r);
    free(bytes);
    return 0;
}

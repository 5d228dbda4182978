/* examples.c - see examples.h. Bytes are those of the program: all that could control a terminal is
 * escaped here, as OCaml escapes it in a string. */
#include "memprof/report/heap/examples.h"

#include "memprof/format/printable.h"
#include "memprof/report/heap/types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CHARACTERS = 48, MOST_SLOTS = 16, ARRAY_WORDS = 17, TAG_CLOSURE = 247 };

struct heap_content heap_content(const struct heap_graph *g, uint32_t node) {
    if (node <= g->roots) return (struct heap_content){.kind = HEAP_NO_CONTENT};
    return heap_content_of(&g->contents, node - g->roots - 1,
                           g->kind_list.at[heap_kind_of(g, node)].tag, heap_words(g, node) - 1);
}

static void put_text(struct report_buffer *to, const char *text) {
    report_put(to, text, strlen(text));
}

static void put_formatted(struct report_buffer *to, char *text) {
    put_text(to, text);
    free(text);
}

/* ---- Strings and numbers. ---- */

/* The control character of that many bytes at p. */
static void put_control(struct report_buffer *to, const char *p, size_t bytes) {
    const unsigned char *s = (const unsigned char *)p;
    const unsigned direction = mp_direction_control(p);
    if (*p == '\n') put_text(to, "\\n");
    else if (*p == '\t') put_text(to, "\\t");
    else if (bytes == 1) put_formatted(to, report_format("\\x%02x", *s));
    else put_formatted(to, report_format("\\u{%04x}", direction != 0 ? direction : s[1]));
}

static void put_string(struct report_buffer *to, const struct heap_content *string) {
    char bytes[MP_CONTENT_BYTES + 1] = "";
    const bool longer = string->length > string->count;
    memcpy(bytes, string->bytes, string->count);
    report_put_byte(to, '"');
    for (uint32_t i = 0; i < string->count;) {
        const size_t control = mp_control_bytes(bytes + i), n = mp_utf8_bytes(bytes + i);
        const unsigned char first = (unsigned char)bytes[i];
        /* The first bytes may end within a character. */
        if (n == 0 && longer && i + 4 > string->count && first >= 0xc2 && first < 0xf5) break;
        if (control > 0 && n > 0) put_control(to, bytes + i, control);
        else if (n == 0) put_formatted(to, report_format("\\x%02x", first));
        else {
            if (bytes[i] == '"' || bytes[i] == '\\') report_put_byte(to, '\\');
            report_put(to, bytes + i, n);
        }
        i += n > 0 ? (uint32_t)n : 1;
    }
    put_text(to, longer ? "\"..." : "\"");
}

static void put_float(struct report_buffer *to, double x) {
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    put_text(to, text);
    if (isfinite(x) && strpbrk(text, ".e") == NULL) report_put_byte(to, '.');
}

static void put_floats(struct report_buffer *to, const struct heap_content *floats, bool array) {
    if (array) put_text(to, "[|");
    for (uint32_t i = 0; i < floats->count; i++) {
        if (i > 0) put_text(to, "; ");
        put_float(to, floats->floats[i]);
    }
    if (floats->length > floats->count) put_text(to, "; ...");
    if (array) put_text(to, "|]");
}

/* The content of a block itself. False: it has none, or is made of fields. */
static bool put_own(struct report_buffer *to, const struct heap_graph *g, uint32_t node) {
    enum { TAG_DOUBLE = 253 };
    const struct heap_content content = heap_content(g, node);
    if (content.kind == HEAP_NO_CONTENT || content.kind == HEAP_FIELDS) return false;
    const struct heap_kind *kind = &g->kind_list.at[heap_kind_of(g, node)];
    if (content.kind == HEAP_STRING) put_string(to, &content);
    else if (content.kind == HEAP_FLOATS) put_floats(to, &content, kind->tag != TAG_DOUBLE);
    else {
        /* `_i`, `_j`, `_n`: Int32, Int64, Nativeint, with the letter of their literals. */
        const char type = kind->name != NULL && kind->name[0] == '_' ? kind->name[1] : 0;
        const char *letter = type == 'i' ? "l" : type == 'j' ? "L" : type == 'n' ? "n" : "";
        put_formatted(to, report_format("%lld%s", (long long)content.number, letter));
    }
    return true;
}

/* `'a'`, `'\n'`, `'\x7f'`. */
static char *character_text(int64_t code) {
    if (code == '\n' || code == '\t') return report_copy(code == '\n' ? "'\\n'" : "'\\t'");
    if (code < ' ' || code > '~') return report_format("'\\x%02x'", (unsigned)code);
    return report_format(code == '\'' || code == '\\' ? "'\\%c'" : "'%c'", (int)code);
}

/* The number in a field; type: its type, if it is one of OCaml's own, or NULL. What the type does
 * not have is shown as it is. */
static char *number_text(const char *type, int64_t number) {
    static const struct {
        const char *type;
        int64_t number;
        const char *text;
    } constants[] = {{"bool", 0, "false"}, {"bool", 1, "true"}, {"unit", 0, "()"}};
    for (size_t i = 0; type != NULL && i < sizeof constants / sizeof *constants; i++)
        if (number == constants[i].number && strcmp(type, constants[i].type) == 0)
            return report_copy(constants[i].text);
    bool is_character = type != NULL && strcmp(type, "char") == 0 && number >= 0 && number < 256;
    return is_character ? character_text(number) : report_format("%lld", (long long)number);
}

/* ---- Fields. ---- */

/* The integer in a field, or the constructor that it is. */
static char *field_text(const struct heap_graph *g, uint32_t node, uint32_t field, int64_t number) {
    const char *constructor = heap_constant(g, node, field, number);
    return constructor != NULL ? report_copy(constructor)
                               : number_text(heap_built_in(g, node, field), number);
}

/* The first fields of a block: their texts, or NULL where nothing is known. */
struct slots {
    char *texts[MOST_SLOTS];
    const char *names[MOST_SLOTS]; /* or NULL */
    uint32_t first, count;
    bool named, known;
};

/* The name of a field in a record or an object; NULL: it has none, or none that can be shown as it
 * is, or is the argument of a constructor. */
static const char *label(const struct heap_graph *g, uint32_t node, uint32_t field) {
    const struct heap_name *name = heap_field_name(g, node, field);
    if (name == NULL) return NULL;
    const char *dot = strrchr(name->text, '.'), *text = dot != NULL ? dot + 1 : name->text;
    for (const char *c = text; *c != 0; c++)
        if (mp_control_bytes(c) > 0) return NULL;
    return *text == '_' || (*text >= 'a' && *text <= 'z') ? text : NULL;
}

static struct slots slots_of(const struct heap_graph *g, uint32_t node) {
    const struct heap_content content = heap_content(g, node);
    const uint64_t wosize = heap_words(g, node) - 1;
    struct slots s = {.first = heap_first_field(g, node),
                      .count = wosize < MOST_SLOTS ? (uint32_t)wosize : MOST_SLOTS};
    for (uint32_t i = 0; content.kind == HEAP_FIELDS && i < content.count; i++)
        if (content.fields[i] < s.count)
            s.texts[content.fields[i]] = field_text(g, node, content.fields[i], content.numbers[i]);
    for (uint32_t e = g->first[node]; e < g->first[node + 1] && g->fields[e] < s.count; e++) {
        struct report_buffer text = {0};
        if (put_own(&text, g, g->edges[e])) {
            report_put_byte(&text, 0);
            report_replace(&s.texts[g->fields[e]], (char *)text.data);
        }
    }
    for (uint32_t i = s.first; i < s.count; i++) {
        s.names[i] = label(g, node, i);
        s.named |= s.names[i] != NULL;
        s.known |= s.texts[i] != NULL;
    }
    return s;
}

/* Of a block with names only fields with one are shown, if their content is known. */
static void put_slots(struct report_buffer *to, const struct slots *s, bool array, bool all) {
    const char *between = s->named || array ? "; " : ", ";
    bool whole = all, first = true;
    put_text(to, s->named ? "{" : array ? "[|" : "(");
    for (uint32_t i = s->first; i < s->count; i++) {
        if (s->named && (s->names[i] == NULL || s->texts[i] == NULL)) {
            whole = false;
            continue;
        }
        if (!first) put_text(to, between);
        first = false;
        if (to->length > MOST_CHARACTERS || (!s->named && i == MP_CONTENT_FIELDS)) {
            put_text(to, "...");
            whole = true;
            break;
        }
        if (s->named) put_formatted(to, report_format("%.40s = ", s->names[i]));
        put_text(to, s->texts[i] != NULL ? s->texts[i] : "_");
    }
    if (!whole && !first) put_text(to, s->named ? "; _" : "; ...");
    put_text(to, s->named ? "}" : array ? "|]" : ")");
}

static char *finish(struct report_buffer *text) {
    report_put_byte(text, 0);
    return (char *)text->data;
}

char *heap_string_text(const struct heap_content *string) {
    struct report_buffer text = {0};
    put_string(&text, string);
    return finish(&text);
}

char *heap_example_text(const struct heap_graph *g, uint32_t node) {
    struct report_buffer text = {0};
    if (!g->contents.written || node <= g->roots || put_own(&text, g, node)) return finish(&text);
    struct slots slots = slots_of(g, node);
    const uint64_t wosize = heap_words(g, node) - 1;
    const unsigned tag = g->kind_list.at[heap_kind_of(g, node)].tag;
    bool shown = slots.known && (slots.named || tag != TAG_CLOSURE);
    for (uint32_t i = 0; slots.named && shown; i++) {
        shown = i < slots.count;
        if (shown && slots.names[i] != NULL && slots.texts[i] != NULL) break;
    }
    if (shown)
        put_slots(&text, &slots, heap_is_array(g, node) || wosize >= ARRAY_WORDS,
                  wosize == slots.count);
    report_free_list((void *const *)slots.texts, slots.count);
    return finish(&text);
}

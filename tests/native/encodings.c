/* encodings.c - N1: prints what the operations of vm/engine/native/emit.h encode, one line each,
 * `BYTES<tab>INSTRUCTION`, as objdump would show it; encodings.py compares. N7: all that they
 * encode is decoded by decode.h, and they make each encoding that it knows. */
#include "vm/engine/native/decode.h"
#include "vm/engine/native/emit.h"
#include "vm/engine/native/padding.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                   "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const low[] = {"al",  "cl",  "dl",   "bl",   "spl",  "bpl",  "sil",  "dil",
                                  "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"};
static const char *const narrow[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                     "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
static const char *const half[] = {"ax",  "cx",  "dx",   "bx",   "sp",   "bp",   "si",   "di",
                                   "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"};
static const char *const conditions[] = {
    [C_BELOW] = "b",        [C_ABOVE_EQUAL] = "ae",   [C_EQUAL] = "e",       [C_NOT_EQUAL] = "ne",
    [C_BELOW_EQUAL] = "be", [C_ABOVE] = "a",          [C_PARITY] = "p",      [C_NO_PARITY] = "np",
    [C_LESS] = "l",         [C_GREATER_EQUAL] = "ge", [C_LESS_EQUAL] = "le", [C_GREATER] = "g"};

static const struct {
    enum native_alu op;
    const char *name;
} ops[] = {{ALU_ADD, "add"}, {ALU_OR, "or"},   {ALU_AND, "and"},
           {ALU_SUB, "sub"}, {ALU_XOR, "xor"}, {ALU_COMPARE, "cmp"}};
enum { ALU_OPS = sizeof ops / sizeof *ops };

static uint8_t buffer[64];
static struct emitter e;

static void begin(void) {
    e = (struct emitter){.start = buffer, .at = buffer, .end = buffer + sizeof buffer};
}

static uint32_t made[256], refused; /* by row of encodings.def; instructions */

/* Counts the instructions since begin by their encodings. */
static void decode_bytes(void) {
    struct native_decoded d;
    for (const uint8_t *p = buffer; p < e.at; p += d.length) {
        if (!native_decode(p, e.at, &d)) {
            refused++;
            return;
        }
        made[d.row]++;
    }
}

/* Prints the bytes since begin. */
static void put_bytes(void) {
    decode_bytes();
    for (const uint8_t *p = buffer; p < e.at; p++) printf("%02x", *p);
    putchar('\t');
}

#define SHOW(operation, ...) \
    do {                     \
        begin();             \
        operation;           \
        put_bytes();         \
        printf(__VA_ARGS__); \
        putchar('\n');       \
    } while (0)

/* Before an operation: its instruction has a prefix of padding. */
static void put_prefix(void) { *e.at++ = PADDING_PREFIX; }

static const char *place_text(struct native_place p) {
    static char text[64];
    int32_t d = p.displacement;
    bool shown = d != 0 || (p.base & 7) == R_BP;
    int n = snprintf(text, sizeof text, "[%s", wide[(int)p.base]);
    if (p.index != R_NONE)
        n += snprintf(text + n, sizeof text - (size_t)n, "+%s*%d", wide[(int)p.index],
                      1 << p.scale);
    if (shown)
        n += snprintf(text + n, sizeof text - (size_t)n, "%c0x%x", d < 0 ? '-' : '+',
                      d < 0 ? -(uint32_t)d : (uint32_t)d);
    snprintf(text + n, sizeof text - (size_t)n, "]");
    return text;
}

static void show_place(struct native_place p, int r) {
    const char *at = place_text(p);
    SHOW(emit_load(&e, r, p), "mov %s,QWORD PTR %s", wide[r], at);
    SHOW((put_prefix(), emit_load(&e, r, p)), "cs mov %s,QWORD PTR %s", wide[r], at);
    SHOW((put_prefix(), emit_float_load(&e, r, p)), "cs movsd xmm%d,QWORD PTR %s", r, at);
    SHOW(emit_load_byte(&e, r, p), "movzx %s,BYTE PTR %s", narrow[r], at);
    SHOW(emit_load_16(&e, r, p), "movzx %s,WORD PTR %s", narrow[r], at);
    SHOW(emit_load_32(&e, r, p), "mov %s,DWORD PTR %s", narrow[r], at);
    SHOW(emit_load_signed_32(&e, r, p), "movsxd %s,DWORD PTR %s", wide[r], at);
    SHOW(emit_store(&e, p, r), "mov QWORD PTR %s,%s", at, wide[r]);
    SHOW(emit_store_byte(&e, p, r), "mov BYTE PTR %s,%s", at, low[r]);
    SHOW(emit_store_16(&e, p, r), "mov WORD PTR %s,%s", at, half[r]);
    SHOW(emit_store_32(&e, p, r), "mov DWORD PTR %s,%s", at, narrow[r]);
    SHOW(emit_store_constant(&e, p, 0x12345), "mov QWORD PTR %s,0x12345", at);
    if (p.index != R_NONE || p.displacement != 0)
        SHOW(emit_address(&e, r, p), "lea %s,%s", wide[r], at);
    for (unsigned i = 0; i < ALU_OPS; i++)
        SHOW(emit_alu_load(&e, ops[i].op, r, p), "%s %s,QWORD PTR %s", ops[i].name, wide[r], at);
    SHOW(emit_compare_memory(&e, p, 7), "cmp QWORD PTR %s,0x7", at);
    SHOW(emit_compare_memory(&e, p, 0x400), "cmp QWORD PTR %s,0x400", at);
    SHOW(emit_compare_memory_32(&e, p, 3), "cmp DWORD PTR %s,0x3", at);
    SHOW(emit_compare_memory_32(&e, p, 0x4000), "cmp DWORD PTR %s,0x4000", at);
    SHOW(emit_compare_byte(&e, p, 247), "cmp BYTE PTR %s,0xf7", at);
    SHOW(emit_add_memory(&e, p, 2), "add QWORD PTR %s,0x2", at);
    SHOW(emit_test_memory_byte(&e, p, 1), "test BYTE PTR %s,0x1", at);
    SHOW(emit_jump_memory(&e, p), "jmp QWORD PTR %s", at);
    SHOW(emit_float_load(&e, r, p), "movsd xmm%d,QWORD PTR %s", r, at);
    SHOW(emit_float_store(&e, p, r), "movsd QWORD PTR %s,xmm%d", at, r);
}

static void show_places(void) {
    static const int32_t displacements[] = {0, 8, -8, 127, 128, -128, -129, 0x12340};
    for (int base = 0; base < R_COUNT; base++)
        for (unsigned i = 0; i < sizeof displacements / sizeof *displacements; i++) {
            show_place(at_base(base, displacements[i]), (base + 5) % R_COUNT);
            int index = (base + 3 * (int)i) % R_COUNT;
            if (index != R_C_STACK)
                show_place(at_index(base, index, i % 4, displacements[i]), (base + 9) % R_COUNT);
        }
}

static void show_alu(int a, int b) {
    for (unsigned i = 0; i < ALU_OPS; i++) {
        SHOW(emit_alu(&e, ops[i].op, a, b), "%s %s,%s", ops[i].name, wide[a], wide[b]);
        SHOW(emit_alu_byte_constant(&e, ops[i].op, a, 100), "%s %s,0x64", ops[i].name, low[a]);
        SHOW(emit_alu_constant(&e, ops[i].op, a, 100), "%s %s,0x64", ops[i].name, wide[a]);
        SHOW(emit_alu_constant(&e, ops[i].op, a, 1000), "%s %s,0x3e8", ops[i].name, wide[a]);
        SHOW(emit_alu_constant(&e, ops[i].op, a, -2), "%s %s,0xfffffffffffffffe", ops[i].name,
             wide[a]);
    }
}

static void show_registers(int a, int b) {
    show_alu(a, b);
    if (a != b) SHOW(emit_move(&e, a, b), "mov %s,%s", wide[a], wide[b]);
    if (a != b) SHOW((put_prefix(), emit_move(&e, a, b)), "cs mov %s,%s", wide[a], wide[b]);
    if (b != R_A && b != R_ARG3) {
        begin();
        emit_divide(&e, b);
        put_bytes();
        printf("cqo ; idiv %s\n", wide[b]);
    }
    SHOW(emit_multiply(&e, a, b), "imul %s,%s", wide[a], wide[b]);
    SHOW(emit_multiply_constant(&e, a, b, 100), "imul %s,%s,0x64", wide[a], wide[b]);
    SHOW(emit_multiply_constant(&e, a, b, -1000), "imul %s,%s,0xfffffffffffffc18", wide[a],
         wide[b]);
    SHOW(emit_multiply_high(&e, b), "imul %s", wide[b]);
    SHOW(emit_negate(&e, a), "neg %s", wide[a]);
    SHOW(emit_shift(&e, SHIFT_LEFT, a, 3), "shl %s,0x3", wide[a]);
    SHOW(emit_shift(&e, SHIFT_RIGHT, a, 10), "shr %s,0xa", wide[a]);
    SHOW(emit_shift(&e, SHIFT_RIGHT_SIGNED, a, 63), "sar %s,0x3f", wide[a]);
    SHOW(emit_shift_by_temp(&e, SHIFT_LEFT, a), "shl %s,cl", wide[a]);
    SHOW(emit_test_byte(&e, a, 1), "test %s,0x1", low[a]);
    SHOW(emit_push(&e, a), "push %s", wide[a]);
    SHOW(emit_pop(&e, a), "pop %s", wide[a]);
    SHOW(emit_jump_register(&e, a), "jmp %s", wide[a]);
    SHOW(emit_constant(&e, a, 5), "mov %s,0x5", narrow[a]);
    SHOW(emit_constant(&e, a, -5), "mov %s,0xfffffffffffffffb", wide[a]);
    SHOW(emit_constant(&e, a, INT64_C(0x123456789abcdef0)), "movabs %s,0x123456789abcdef0",
         wide[a]);
    if (a != b) SHOW(emit_float_move(&e, a, b), "movapd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_ADD, a, b), "addsd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_SUB, a, b), "subsd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_MUL, a, b), "mulsd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_DIV, a, b), "divsd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_SQRT, a, b), "sqrtsd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_XOR, a, b), "xorpd xmm%d,xmm%d", a, b);
    SHOW(emit_float_op(&e, FLOAT_AND, a, b), "andpd xmm%d,xmm%d", a, b);
    SHOW(emit_float_compare(&e, a, b), "ucomisd xmm%d,xmm%d", a, b);
    SHOW(emit_float_of_int(&e, a, b), "cvtsi2sd xmm%d,%s", a, wide[b]);
    SHOW(emit_float_of_bits(&e, a, b), "movq xmm%d,%s", a, wide[b]);
    SHOW(emit_bits_of_float(&e, a, b), "movq %s,xmm%d", wide[a], b);
    SHOW(emit_packed(&e, PACKED_ADD, a, b), "paddq xmm%d,xmm%d", a, b);
    SHOW(emit_packed(&e, PACKED_SUB, a, b), "psubq xmm%d,xmm%d", a, b);
    SHOW(emit_packed(&e, PACKED_AND, a, b), "pand xmm%d,xmm%d", a, b);
    SHOW(emit_packed(&e, PACKED_OR, a, b), "por xmm%d,xmm%d", a, b);
    SHOW(emit_packed(&e, PACKED_XOR, a, b), "pxor xmm%d,xmm%d", a, b);
    SHOW(emit_packed_shift(&e, SHIFT_LEFT, a, 13), "psllq xmm%d,0xd", a);
    SHOW(emit_packed_shift(&e, SHIFT_RIGHT, a, 63), "psrlq xmm%d,0x3f", a);
}

static void show_jumps(void) {
    for (unsigned c = 0; c < sizeof conditions / sizeof *conditions; c++) {
        if (conditions[c] == NULL) continue;
        for (int r = 0; r < R_COUNT; r++)
            SHOW(emit_set(&e, (enum native_condition)c, r), "set%s %s ; movzx %s,%s", conditions[c],
                 low[r], narrow[r], low[r]);
        begin();
        uint8_t *site = emit_jump_if_forward(&e, (enum native_condition)c);
        emit_link(&e, site, buffer + 0x20);
        put_bytes();
        printf("j%s 0x20\n", conditions[c]);
    }
    SHOW(emit_jump(&e, buffer + 0x30), "jmp 0x30");
    SHOW(emit_rare_jump(&e, buffer + 0x30, NULL), "jmp 0x30");
    SHOW(emit_rare_jump(&e, buffer + 0x30, buffer), "jmp 0x0");
    SHOW(emit_call(&e, buffer + 0x30), "call 0x30");
    SHOW(emit_return(&e), "ret");
    static const char *const nops[] = {
        "nop",
        "xchg ax,ax",
        "nop DWORD PTR [rax]",
        "nop DWORD PTR [rax+0x0]",
        "nop DWORD PTR [rax+rax*1+0x0]",
        "nop WORD PTR [rax+rax*1+0x0]",
        "nop DWORD PTR [rax+0x0]",
        "nop DWORD PTR [rax+rax*1+0x0]",
        "nop WORD PTR [rax+rax*1+0x0]",
        "cs nop WORD PTR [rax+rax*1+0x0]",
        "cs cs nop WORD PTR [rax+rax*1+0x0]",
    };
    for (unsigned n = 1; n <= sizeof nops / sizeof *nops; n++)
        SHOW((put_nops(e.at, n), e.at += n), "%s", nops[n - 1]);
    SHOW(emit_push_flags(&e), "pushf");
    SHOW(emit_pop_flags(&e), "popf");
    SHOW(emit_call_c(&e, 0x123456789a), "movabs r11,0x123456789a ; call r11");
    begin();
    uint8_t *site = emit_code_address(&e, R_TEMP2);
    emit_link(&e, site, buffer + 0x17);
    put_bytes();
    printf("lea r11,[rip+0x10] # 0x17\n");
}

/* The status: 0 if each instruction was decoded, and each encoding was made. */
static int judge(void) {
    int status = refused != 0;
    if (refused != 0) fprintf(stderr, "%" PRIu32 " instructions are not decoded\n", refused);
    for (size_t row = 0; row < native_encoding_count(); row++) {
        if (made[row] != 0) continue;
        fprintf(stderr, "row %zu of encodings.def is not made\n", row);
        status = 1;
    }
    return status;
}

int main(void) {
    show_places();
    for (int a = 0; a < R_COUNT; a++)
        for (int b = 0; b < R_COUNT; b++) show_registers(a, b);
    show_jumps();
    return judge();
}

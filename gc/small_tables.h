/* small_tables.h - the first sizes of what grows, and the sizes of pieces of work.
 *
 * They cost or save time and change nothing else. In a build with -Dsmall_tables=true each of them
 * is so small that the ways which only large data takes otherwise are taken by every program:
 * tables begin with one row, the young area has 512 words, work is done in the smallest pieces. */
#ifndef BACTRIAN_GC_SMALL_TABLES_H
#define BACTRIAN_GC_SMALL_TABLES_H

#ifdef BACTRIAN_SMALL_TABLES
enum { GC_SMALL_TABLES = 1 };
#define IF_SMALL_TABLES(tiny, usual) (tiny)
#else
enum { GC_SMALL_TABLES = 0 };
#define IF_SMALL_TABLES(tiny, usual) (usual)
#endif

#endif

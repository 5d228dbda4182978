/* small_tables.h - initial capacities, and sizes of pieces of work, in two variants.
 *
 * They affect speed only. In a build with -Dsmall_tables=true they are minimal, so that every
 * program exercises the code that otherwise runs with large data only: tables begin with one row,
 * the minor heap has 512 words, work is done in the smallest pieces. */
#ifndef BACTRIAN_GC_SMALL_TABLES_H
#define BACTRIAN_GC_SMALL_TABLES_H

#ifdef BACTRIAN_SMALL_TABLES
enum { GC_SMALL_TABLES = 1 };
#define IF_SMALL_TABLES(small, usual) (small)
#else
enum { GC_SMALL_TABLES = 0 };
#define IF_SMALL_TABLES(small, usual) (usual)
#endif

#endif

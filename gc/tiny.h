/* tiny.h - the first sizes of what grows, and the sizes of pieces of work.
 *
 * They cost or save time and change nothing else. In a build with -Dtiny=true each of them is so
 * small that the ways which only large data takes otherwise are taken by every program: tables
 * begin with one row, the young area has 512 words, work is done in the smallest pieces. */
#ifndef BACTRIAN_GC_TINY_H
#define BACTRIAN_GC_TINY_H

#ifdef BACTRIAN_TINY
enum { GC_TINY = 1 };
#define IF_TINY(tiny, usual) (tiny)
#else
enum { GC_TINY = 0 };
#define IF_TINY(tiny, usual) (usual)
#endif

#endif

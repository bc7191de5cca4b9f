/* tree.c - an AVL tree of areas (Adelson-Velsky and Landis, 1962): the heights of two siblings
 * differ by one at most. Each area also stores the widest gap in its subtree. */
#include "mem/tree.h"
#include "cpu/window.h"
#include "mem/heap.h"
#include "above.h"

enum { BELOW, ABOVE }; /* a child's addresses */

struct area *memory_area(const struct memory *memory, uintptr_t address)
{
        struct area *found = NULL;
        for (struct area *area = memory->tree; area;) {
                bool ends = area->end <= address;
                if (!ends)
                        found = area;
                area = area->child[ends];
        }
        return found;
}

struct area *tree_at(const struct memory *memory, uintptr_t address)
{
        struct area *area = memory->tree;
        while (area && (address < area->start || address >= area->end))
                area = area->child[address >= area->start];
        return area;
}

struct area *tree_before(const struct memory *memory, uintptr_t address)
{
        struct area *found = NULL;
        for (struct area *area = memory->tree; area;) {
                bool starts = area->start < address;
                if (starts)
                        found = area;
                area = area->child[starts];
        }
        return found;
}

uintptr_t tree_floor(const struct area *area)
{
        uintptr_t distance = area->flags & AREA_GROWS_DOWN ? STACK_GUARD : 0;
        return area->start > distance ? area->start - distance : 0;
}

static size_t gap(uintptr_t from, uintptr_t to)
{
        return to > from ? to - from : 0;
}

static unsigned height(const struct area *area)
{
        return area ? area->height : 0;
}

static void add_room(struct area *area, size_t room)
{
        if (area->room < room)
                area->room = room;
}

/* Computes an area's data about its subtree. */
static void update(struct area *area)
{
        const struct area *below = area->child[BELOW], *higher = area->child[ABOVE];
        unsigned lower = height(below), upper = height(higher);
        uintptr_t floor = tree_floor(area);
        area->height = 1 + (lower > upper ? lower : upper);
        area->low = below ? below->low : floor;
        area->high = higher ? higher->high : area->end;
        area->room = below ? below->room : 0;
        add_room(area, below ? gap(below->high, floor) : 0);
        add_room(area, higher ? higher->room : 0);
        add_room(area, higher ? gap(area->end, higher->low) : 0);
}

/* Moves a child to its parent's place. */
static struct area *rotate(struct area *area, int side)
{
        struct area *child = area->child[side];
        area->child[side] = child->child[!side];
        child->child[!side] = area;
        update(area);
        update(child);
        return child;
}

/* Balances a tree after the height of one subtree changed by one. Returns the new top. */
static struct area *balance(struct area *area)
{
        update(area);
        for (int side = BELOW; side <= ABOVE; side++) {
                struct area *child = area->child[side];
                if (height(child) <= height(area->child[!side]) + 1)
                        continue;
                if (height(child->child[!side]) > height(child->child[side]))
                        area->child[side] = rotate(child, !side);
                return rotate(area, side);
        }
        return area;
}

static struct area *tree_link(struct area *tree, struct area *area)
{
        if (!tree)
                return balance(area);
        struct area **child = &tree->child[area->start > tree->start];
        *child = tree_link(*child, area);
        return balance(tree);
}

/* The list's link to the first area behind an address. */
static struct area **link_behind(struct memory *memory, uintptr_t address)
{
        struct area *before = tree_before(memory, address);
        return before ? &before->next : &memory->areas;
}

void tree_add(struct memory *memory, struct area *area)
{
        struct area **link = link_behind(memory, area->start);
        area->next = *link;
        *link = area;
        area->child[BELOW] = area->child[ABOVE] = NULL;
        memory->tree = tree_link(memory->tree, area);
}

static struct area *take_lowest(struct area *tree, struct area **lowest)
{
        if (!tree->child[BELOW]) {
                *lowest = tree;
                return tree->child[ABOVE];
        }
        tree->child[BELOW] = take_lowest(tree->child[BELOW], lowest);
        return balance(tree);
}

static struct area *tree_take(struct area *tree, const struct area *area)
{
        struct area *heir;
        if (tree != area) {
                struct area **child = &tree->child[area->start > tree->start];
                *child = tree_take(*child, area);
                return balance(tree);
        }
        if (!tree->child[ABOVE])
                return tree->child[BELOW];
        struct area *higher = take_lowest(tree->child[ABOVE], &heir);
        heir->child[BELOW] = tree->child[BELOW];
        heir->child[ABOVE] = higher;
        return balance(heir);
}

void tree_remove(struct memory *memory, struct area *area)
{
        *link_behind(memory, area->start) = area->next;
        memory->tree = tree_take(memory->tree, area);
}

static void update_to(struct area *tree, const struct area *area)
{
        if (tree != area)
                update_to(tree->child[area->start > tree->start], area);
        update(tree);
}

void tree_changed(struct memory *memory, struct area *area)
{
        update_to(memory->tree, area);
}

static void tell(const struct area *area, enum file_use use)
{
        bool writable = (area->flags & (AREA_SHARED | AREA_READ_ONLY)) == AREA_SHARED;
        if (area->node)
                above.file(use + writable, area->node, NULL);
}

void area_hold(const struct area *area)
{
        tell(area, FILE_MAPPED);
}

void area_free(struct area *area)
{
        tell(area, FILE_UNMAPPED);
        heap_free(area);
}

/* An interrupt window, once for about sixteen areas. */
static void let_in(const struct area *area)
{
        if (area->height > 4)
                interrupt_window();
}

/* Copies areas in address order; *last is the end of the list. */
static bool tree_copy_of(struct area **to, const struct area *from, struct area ***last)
{
        struct area *area = heap_take(sizeof *area);
        if (!area)
                return false;
        let_in(from);
        *area = *from;
        area_hold(area);
        area->child[BELOW] = area->child[ABOVE] = area->next = NULL;
        *to = area;
        if (from->child[BELOW] && !tree_copy_of(&area->child[BELOW], from->child[BELOW], last))
                return false;
        **last = area;
        *last = &area->next;
        return !from->child[ABOVE] || tree_copy_of(&area->child[ABOVE], from->child[ABOVE], last);
}

bool tree_copy(struct memory *to, const struct memory *from)
{
        struct area **last = &to->areas;
        return !from->tree || tree_copy_of(&to->tree, from->tree, &last);
}

void tree_free(struct area *tree)
{
        if (!tree)
                return;
        let_in(tree);
        tree_free(tree->child[BELOW]);
        tree_free(tree->child[ABOVE]);
        area_free(tree);
}

/* room() between two addresses, among the areas there. */
static uintptr_t room_between(uintptr_t from, uintptr_t to, const struct area *tree, size_t size)
{
        if (gap(from, to) < size)
                return 0;
        if (!tree)
                return to - size;
        if (tree->room < size && gap(from, tree->low) < size && gap(tree->high, to) < size)
                return 0;
        uintptr_t higher = room_between(tree->end, to, tree->child[ABOVE], size);
        if (higher)
                return higher;
        uintptr_t floor = tree_floor(tree);
        return room_between(from, floor < to ? floor : to, tree->child[BELOW], size);
}

uintptr_t tree_room(const struct memory *memory, size_t size, uintptr_t top)
{
        return room_between(MEMORY_LOWEST, top < memory->limit ? top : memory->limit, memory->tree,
                            size);
}

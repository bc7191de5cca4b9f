/*
 * serial.c - COM1 (kernel/core/machine/serial.h) on ports that are absent, slow or stuck: what is
 * taken is in order, what is not is counted, and no port costs more looks than it may.
 */
#include "unit.h"
#include "arch.h"
#define in8 in8_of_the_processor
#define out8 out8_to_the_processor
#include "cpu/cpu.h"
#undef in8
#undef out8

static uint8_t in8(uint16_t port);
static void out8(uint16_t port, uint8_t value);
#include "machine/serial.c"

#define NEVER UINT32_MAX

static struct port {
        bool there;
        uint8_t reads;     /* where it is not: each register */
        unsigned takes;    /* looks that a byte takes to leave it */
        unsigned stops_at; /* byte; for so many looks */
        unsigned stops_for;
} port;
static unsigned busy; /* looks */
static uint8_t scratch;
static unsigned long looks, taken;
static char line[400000];

void interrupt_window(void)
{
}

static uint8_t in8(uint16_t at)
{
        if (!port.there)
                return port.reads;
        if (at == SCRATCH)
                return scratch;
        if (at != LINE_STATUS)
                return 0;
        looks++;
        if (!busy)
                return HOLDING_EMPTY | ALL_EMPTY;
        busy -= busy != NEVER;
        return 0;
}

static void out8(uint16_t at, uint8_t value)
{
        static bool latch; /* the divisor's: its two bytes are none of the line's */
        if (at == COM1 + 3)
                latch = value & 0x80;
        if (at == SCRATCH)
                scratch = value;
        if (at != COM1 || latch)
                return;
        assert_true(port.there && !busy);
        line[taken++] = (char)value;
        busy = taken == port.stops_at ? port.stops_for : port.takes;
}

static void plug(struct port one)
{
        port = one;
        busy = 0;
        looks = taken = lost = 0;
        patience = PATIENCE;
        serial_init();
        looks = 0;
}

/* So many bytes, all different enough, in pieces. */
static void send(unsigned count)
{
        char piece[50];
        for (unsigned i = 0; i < count; i += sizeof piece) {
                for (unsigned c = 0; c < sizeof piece; c++)
                        piece[c] = (char)('A' + (i + c) % 47);
                serial_write(piece, sizeof piece);
        }
        serial_drain();
}

/* Nothing is doubled or turned round: what was taken is a part of what was sent, in order. */
static void assert_in_order(unsigned count)
{
        unsigned long at = 0;
        for (unsigned i = 0; i < count && at < taken; i++)
                at += line[at] == (char)('A' + i % 47);
        assert_int_equal(at, taken);
}

static void one_that_is_not_there(void **state)
{
        (void)state;
        for (unsigned i = 0; i < 2; i++) {
                plug((struct port){.reads = i ? 0xff : 0});
                assert_true(serial_absent());
                send(1000);
                assert_int_equal(taken + lost + looks, 0);
        }
}

static void one_that_takes_all(void **state)
{
        (void)state;
        for (unsigned takes = 0; takes <= REGAINED; takes += takes < 100 ? 100 : REGAINED - 100) {
                plug((struct port){.there = true, .takes = takes});
                assert_false(serial_absent());
                send(10000);
                assert_int_equal(taken, 10000);
                assert_in_order(10000);
                assert_int_equal(serial_lost(), 0);
        }
        plug((struct port){.there = true});
        serial_write("a\nb", 3);
        assert_memory_equal(line, "a\r\nb", 4);
}

/* The first wait is the last: a second, and then a look for each byte. */
static void one_that_is_stuck(void **state)
{
        (void)state;
        for (unsigned after = 1; after < 5000; after += 1250) {
                plug((struct port){
                        .there = true, .takes = 100, .stops_at = after, .stops_for = NEVER});
                send(100000);
                assert_int_equal(taken, after);
                assert_int_equal(serial_lost(), 100000 - after);
                assert_in_range(looks, PATIENCE, PATIENCE + 100000 + 110 * after);
        }
}

static void one_that_goes_on(void **state)
{
        (void)state;
        plug((struct port){
                .there = true, .takes = 100, .stops_at = 500, .stops_for = PATIENCE / 2});
        send(10000);
        assert_int_equal(serial_lost(), 0);
        plug((struct port){
                .there = true, .takes = 100, .stops_at = 500, .stops_for = PATIENCE + 3000});
        send(10000);
        assert_in_range(serial_lost(), 2500, 3500);
        assert_int_equal(taken + lost, 10000);
        assert_in_order(10000);
}

/* However slow it is, in all it costs a second, and 20 times what its bytes take at its rate. */
static void one_that_is_slow(void **state)
{
        (void)state;
        static const unsigned slow[] = {REGAINED * 2, REGAINED * 10, PATIENCE / 2, PATIENCE - 1,
                                        PATIENCE + 1};
        for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++) {
                plug((struct port){.there = true, .takes = slow[i]});
                send(200000);
                assert_true(taken && serial_lost());
                assert_int_equal(taken + lost, 200000);
                assert_in_order(200000);
                assert_in_range(looks, 0, 2 * PATIENCE + 200000 + taken * (REGAINED + 1));
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_that_is_not_there), cmocka_unit_test(one_that_takes_all),
                cmocka_unit_test(one_that_is_stuck),     cmocka_unit_test(one_that_goes_on),
                cmocka_unit_test(one_that_is_slow),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}

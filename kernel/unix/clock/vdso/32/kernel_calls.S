/*
 * kernel_calls.S - the image's functions for 32-bit programs besides the time: the way in that
 * AT_SYSINFO names, and the returns from a signal's handler, with call frame information for the
 * unwinder (Linux's vDSO has the three by these names; System V ABI, "DWARF Definition").
 *
 * GNU as, for its .cfi directives.
 */
#include "const.h"

        .text
        .globl __kernel_vsyscall, __kernel_sigreturn, __kernel_rt_sigreturn
        .type __kernel_vsyscall, @function
        .type __kernel_sigreturn, @function
        .type __kernel_rt_sigreturn, @function

        .balign 16
__kernel_vsyscall:
        .cfi_startproc
        int     $VECTOR_INT80
        ret
        .cfi_endproc
        .size __kernel_vsyscall, . - __kernel_vsyscall

/* CFA and registers are in a struct sigcontext, which is `at` above esp. DW_OP_breg4 is 0x74. */
#define SLEB(n) ((n) & 0x7f) | 0x80, ((n) >> 7) & 0x7f
#define CFA_IN(at) .cfi_escape 0x0f, 4, 0x74, SLEB((at) + 28), 0x06
#define REGISTER_IN(number, at) .cfi_escape 0x10, number, 3, 0x74, SLEB(at)
#define CONTEXT(at)                                                                                \
        CFA_IN(at);                                                                                \
        REGISTER_IN(0, (at) + 44);                                                                 \
        REGISTER_IN(1, (at) + 40);                                                                 \
        REGISTER_IN(2, (at) + 36);                                                                 \
        REGISTER_IN(3, (at) + 32);                                                                 \
        REGISTER_IN(5, (at) + 24);                                                                 \
        REGISTER_IN(6, (at) + 20);                                                                 \
        REGISTER_IN(7, (at) + 16);                                                                 \
        REGISTER_IN(8, (at) + 56)

/* Entered by the handler's RET, so an unwinder looks up the byte before. */
        .balign 16
        .cfi_startproc simple
        .cfi_signal_frame
        CONTEXT(4)
        nop
__kernel_sigreturn:
        popl    %eax
        CONTEXT(0)
        movl    $119, %eax
        int     $VECTOR_INT80
        .cfi_endproc
        .size __kernel_sigreturn, . - __kernel_sigreturn

        .balign 16
        .cfi_startproc simple
        .cfi_signal_frame
        CONTEXT(160)
        nop
__kernel_rt_sigreturn:
        movl    $173, %eax
        int     $VECTOR_INT80
        .cfi_endproc
        .size __kernel_rt_sigreturn, . - __kernel_rt_sigreturn

        .section .note.GNU-stack, "", @progbits

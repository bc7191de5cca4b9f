; pair.asm - the controls: readings of a measurement without measured code
;
; pair    two stamps with nothing between them: the cost of a stamp, and of the empty call
; loop    a known number of instructions: 1 + 2 * LOOP_ROUNDS
; twice   the same loop with twice the rounds: 1 + 4 * LOOP_ROUNDS
;
; Clobber rax; no kernel half.

%include "asm.inc"

USER pair_call
        PROBE   MP1
        PROBE   MP8
        ret

USER loop_call
        PROBE   MP1
        mov     uax, LOOP_ROUNDS
.next:  dec     uax
        jnz     .next
        PROBE   MP8
        ret

USER twice_call
        PROBE   MP1
        mov     uax, 2 * LOOP_ROUNDS
.next:  dec     uax
        jnz     .next
        PROBE   MP8
        ret

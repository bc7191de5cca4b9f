; site_standard.asm - a call in place of a SYSCALL that a compiler wrote
;
; A trusted program that was not recompiled makes system calls by `mov $N,%eax; syscall`. At
; execve() the kernel writes `jmp [slot]` over these seven bytes (arch/amd64/site.c). The jump's
; last two bytes are still 0F 05, SYSCALL: a jump there, or the restart of an interrupted call,
; finds the old instruction. The slot points to a kernel stub, one for each site. Unlike CALL, JMP
; writes nothing below the stack pointer, into the red zone. The record of the site, behind the
; slot, has the return address and the number.
;
; A stub and what it calls do the work of call/standard. execve() checked the number. IF is
; unchanged. If a signal arrives while a stub is on the program's stack, the program is moved back
; to its site, or on to its end (trap_bad_stack in registers.c): neither a handler nor the program's
; unwinder ever sees an address in here.
;
;       rax     result                  rcx, r11, the arithmetic flags clobbered, DF cleared
;       arguments as in abi.inc

%include "asm.inc"

extern site_row                         ; select.c

; SITE_CALL record - switches from the program's stack to the kernel's, and back
%macro SITE_CALL 1
        mov     rcx, rsp
        CFI_CFA_IN rcx
        mov     rsp, [cpu_stack]
        push    rcx
        CFI_CFA_ON_TOP 0
        mov     eax, [%1 + SITE_NUMBER]
        call    %[COPY]_trusted_site_common
        pop     rsp
%endmacro

; The stub of the row itself: its program is the user half, its number getpid's.
KERNEL site_standard_entry, CFI_SITE site_row + SITE_BACK
        PROBE   MP2
        SITE_CALL site_row
global %[COPY]_site_row_out
%[COPY]_site_row_out:
        CFI_SITE_AGAIN site_row + SITE_BACK
        PROBE   MP7
        jmp     [site_row + SITE_BACK]
        CFI_END

KERNEL site_common, CFI_CALLED
        extern  %[COPY]_direct_calls
        cld
        PUSHES  rdi, rsi, rdx, r8, r9, r10
        mov     rcx, r10
        PROBE   MP3
        call    [%[COPY]_direct_calls + rax * WORD]
        PROBE   MP6
        cmp     byte [cpu_work], 0
        jne     %[COPY]_trusted_site_work
        POPS    r10, r9, r8, rdx, rsi, rdi
        ret

; Builds the frame of a SYSCALL, for pending work: C finds the record, with the return address, by
; the stub.
KERNEL site_work, CFI_CALLED
        extern  site_frame
%assign cfi_depth 7 * WORD
        CFI_LINE db DW_CFA_def_cfa_offset, ULEB(cfi_depth)
        CFI_IP_ON_TOP
        POPS    r10, r9, r8, rdx, rsi, rdi
        pop     rcx
        CFI_LINE CFI_CFA_ON_TOP_EXPRESSION 0
        pop     r11
        CFI_CFA_IN r11
        push    KERNEL_DS
        push    r11
        pushfx
        push    RFLAGS_FIXED
        popfx
        push    KERNEL_CS
        push    rcx
        CFI_FRAME 0
        SAVE_FRAME
        CALL_WITH_FRAME site_frame
        jmp     entry_work
        CFI_END

; The row is armed like the direct call, by its pointer, which is this site's slot.
USER site_standard_call
        PROBE   MP1
        jmp     [cpu_direct]
.back:  TABLE   .landings, HALF, .back
        PROBE   MP8
        ret

; The stubs of programs' sites: number n uses record n of the running process.
%ifidn COPY, clean
        section .exit progbits alloc exec nowrite align=SITE_STUB
        align   SITE_STUB
%define RECORD SITES_AT + n * SITE_RECORD
global site_stubs
site_stubs:
%assign n 0
%rep SITES_MOST
        CFI_SITE RECORD + SITE_BACK
        SITE_CALL RECORD
        CFI_SITE_AGAIN RECORD + SITE_BACK
        jmp     [RECORD + SITE_BACK]
        CFI_END
%assign n n + 1
%endrep
%if $ - site_stubs != SITES_MOST * SITE_STUB
%error a stub is not as long as SITE_STUB says
%endif
%endif

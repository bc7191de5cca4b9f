; site_standard.asm - a call in place of a SYSCALL that a compiler wrote
;
; A trusted program that nobody has recompiled makes its system calls by `mov $N,%eax; syscall`. At
; execve() the kernel writes `jmp [slot]` over these seven bytes (arch/amd64/site.c). The jump's last
; two bytes are still 0F 05, SYSCALL: so whoever jumps there, or is sent back there to make an
; interrupted call again, finds what was there before. The slot leads to a stub of the kernel's, one
; for each site. JMP, other than CALL, writes nothing below the stack pointer: there lies the red
; zone. Where the program goes on stands in the site's record, behind the slot, with the number.
;
; A stub and what it calls do the work of call/standard. The number was looked at by execve().
; Interrupts stay as they are. Where a signal finds a stub with the program's stack still, or again,
; the program is taken back to its site, or on to behind it (trap_bad_stack in registers.c): no
; handler, and no unwinder of the program's, ever sees an address in here.
;
;       rax     result                  rcx, r11, the arithmetic flags clobbered, DF cleared
;       arguments as in abi.inc

%include "asm.inc"

extern site_row                         ; select.c

; SITE_CALL record - from the program's stack to the kernel's, and back
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

; The row's own stub, whose program is its user half and whose number is getpid's.
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

; The frame that SYSCALL would have made, for work that is pending: C finds by the stub which record
; says where the program goes on.
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

; The row is armed as the direct call is, by its pointer: that is the slot of this site.
USER site_standard_call
        PROBE   MP1
        jmp     [cpu_direct]
.back:  TABLE   .landings, HALF, .back
        PROBE   MP8
        ret

; The stubs of the programs' sites: number n has the record n of the process that runs.
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

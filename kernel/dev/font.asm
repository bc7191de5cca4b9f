; font.asm - the font for framebuffers: u_vga16 from Debian's console-setup-linux
;
; font.psf is Uni2-VGA16.psf, unpacked by make. Its licence (copyright.fonts in that package):
;
; Copyright (C) 2000, 2001 by Dmitry Bolkhovityanov. All Rights Reserved.
;
; Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
; associated documentation files (the "Software"), to deal in the Software without restriction,
; including without limitation the rights to use, copy, modify, merge, publish, distribute,
; sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
; furnished to do so, subject to the following conditions:
;
; The above copyright notice and this permission notice shall be included in all copies or
; substantial portions of the Software.
;
; THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
; NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
; NONINFRINGEMENT. IN NO EVENT SHALL THE XFREE86 PROJECT BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
; LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
; CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
;
; Except as contained in this notice, the name of Dmitry Bolkhovityanov shall not be used in
; advertising or otherwise to promote the sale, use or other dealings in this Software without prior
; written authorization from the Dmitry Bolkhovityanov.

section .rodata

global font
font:   incbin  "font.psf", 0, 4 + 256 * 16

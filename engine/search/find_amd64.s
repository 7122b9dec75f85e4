//go:build amd64 && !purego

#include "textflag.h"

// func pairScan(b *byte, n int, p *pair) int
//
// AX walks over positions, R8 and R9 point at the two compared bytes of position 0.
TEXT ·pairScan(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ p+16(FP), DI
	MOVQ 0(DI), R8
	MOVQ 8(DI), R9
	ADDQ SI, R8
	ADDQ SI, R9
	VMOVDQU 16(DI), Y0
	VMOVDQU 48(DI), Y1
	VMOVDQU 80(DI), Y2
	VMOVDQU 112(DI), Y3
	XORQ AX, AX
	MOVQ CX, DX
	SUBQ $64, DX
	JLT  pairTail

pairLoop:
	VPOR     (R8)(AX*1), Y0, Y4
	VPOR     (R9)(AX*1), Y2, Y5
	VPOR     32(R8)(AX*1), Y0, Y6
	VPOR     32(R9)(AX*1), Y2, Y7
	VPCMPEQB Y4, Y1, Y4
	VPCMPEQB Y5, Y3, Y5
	VPCMPEQB Y6, Y1, Y6
	VPCMPEQB Y7, Y3, Y7
	VPAND    Y4, Y5, Y4
	VPAND    Y6, Y7, Y6
	VPOR     Y4, Y6, Y8
	VPTEST   Y8, Y8
	JNZ      pairBoth
	ADDQ     $64, AX
	CMPQ     AX, DX
	JLE      pairLoop

pairTail:
	// Fewer than 64 positions are left: at most two blocks of 32, the last of which ends with the text and may
	// overlap what has been looked at.
	MOVQ CX, DX
	SUBQ $32, DX

pairLast:
	CMPQ AX, CX
	JGE  pairNone
	CMPQ AX, DX
	JLE  pairBlock
	MOVQ DX, AX

pairBlock:
	VPOR      (R8)(AX*1), Y0, Y4
	VPOR      (R9)(AX*1), Y2, Y5
	VPCMPEQB  Y4, Y1, Y4
	VPCMPEQB  Y5, Y3, Y5
	VPAND     Y4, Y5, Y4
	VPMOVMSKB Y4, BX
	TESTL     BX, BX
	JNZ       pairFound
	ADDQ      $32, AX
	JMP       pairLast

pairBoth:
	VPMOVMSKB Y4, BX
	VPMOVMSKB Y6, DX
	SHLQ      $32, DX
	ORQ       DX, BX

pairFound:
	BSFQ BX, BX
	ADDQ BX, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

pairNone:
	MOVQ $-1, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

// func groupScan(b *byte, n int, gr *group) int
//
// Every byte selects, by its low and its high half, the sets of needles that have it at one of two offsets. Where the sets
// of both offsets meet, a needle may begin.
TEXT ·groupScan(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ gr+16(FP), DI
	MOVQ 0(DI), R8
	MOVQ 8(DI), R9
	ADDQ SI, R8
	ADDQ SI, R9
	VMOVDQU 16(DI), Y0
	VMOVDQU 48(DI), Y1
	VMOVDQU 80(DI), Y2
	VMOVDQU 112(DI), Y3
	MOVQ $0x0f0f0f0f0f0f0f0f, DX
	VMOVQ DX, X4
	VPBROADCASTQ X4, Y4
	VPXOR Y13, Y13, Y13
	XORQ AX, AX
	MOVQ CX, DX
	SUBQ $32, DX

groupLoop:
	CMPQ AX, CX
	JGE  groupNone
	CMPQ AX, DX
	JLE  groupBlock
	MOVQ DX, AX

groupBlock:
	VMOVDQU   (R8)(AX*1), Y5
	VMOVDQU   (R9)(AX*1), Y7
	VPSRLW    $4, Y5, Y6
	VPSRLW    $4, Y7, Y8
	VPAND     Y4, Y5, Y5
	VPAND     Y4, Y6, Y6
	VPAND     Y4, Y7, Y7
	VPAND     Y4, Y8, Y8
	VPSHUFB   Y5, Y0, Y9
	VPSHUFB   Y6, Y1, Y10
	VPSHUFB   Y7, Y2, Y11
	VPSHUFB   Y8, Y3, Y12
	VPAND     Y9, Y10, Y9
	VPAND     Y11, Y12, Y11
	VPAND     Y9, Y11, Y9
	VPTEST    Y9, Y9
	JNZ       groupFound
	ADDQ      $32, AX
	JMP       groupLoop

groupFound:
	VPCMPEQB  Y13, Y9, Y9
	VPMOVMSKB Y9, BX
	NOTL      BX
	BSFL      BX, BX
	ADDQ      BX, AX
	MOVQ      AX, ret+24(FP)
	VZEROUPPER
	RET

groupNone:
	MOVQ $-1, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SSE to SSSE3 instructions that the library calls a helper for and that the host executes as well (sse.c
 * defines the helpers, sse_test.c tries them).  Each row: X(helper's name without prefix and suffix, the
 * instruction).  Operands and their types are those of QEMU 5.0.1's target/i386/ops_sse.h.
 */
#ifndef VSYSEMU_ENGINE_SSE_LIST_H
#define VSYSEMU_ENGINE_SSE_LIST_H

/* xmm = xmm op xmm, integers. */
#define SSE_INTEGER(X) \
	X(paddb_xmm, paddb) X(paddw_xmm, paddw) X(paddl_xmm, paddd) X(paddq_xmm, paddq) \
	X(psubb_xmm, psubb) X(psubw_xmm, psubw) X(psubl_xmm, psubd) X(psubq_xmm, psubq) \
	X(paddusb_xmm, paddusb) X(paddsb_xmm, paddsb) X(psubusb_xmm, psubusb) X(psubsb_xmm, psubsb) \
	X(paddusw_xmm, paddusw) X(paddsw_xmm, paddsw) X(psubusw_xmm, psubusw) X(psubsw_xmm, psubsw) \
	X(pminub_xmm, pminub) X(pmaxub_xmm, pmaxub) X(pminsw_xmm, pminsw) X(pmaxsw_xmm, pmaxsw) \
	X(pand_xmm, pand) X(pandn_xmm, pandn) X(por_xmm, por) X(pxor_xmm, pxor) \
	X(pcmpgtb_xmm, pcmpgtb) X(pcmpgtw_xmm, pcmpgtw) X(pcmpgtl_xmm, pcmpgtd) \
	X(pcmpeqb_xmm, pcmpeqb) X(pcmpeqw_xmm, pcmpeqw) X(pcmpeql_xmm, pcmpeqd) \
	X(pmullw_xmm, pmullw) X(pmulhuw_xmm, pmulhuw) X(pmulhw_xmm, pmulhw) X(pavgb_xmm, pavgb) \
	X(pavgw_xmm, pavgw) X(pmuludq_xmm, pmuludq) X(pmaddwd_xmm, pmaddwd) X(psadbw_xmm, psadbw) \
	X(punpcklbw_xmm, punpcklbw) X(punpcklwd_xmm, punpcklwd) X(punpckldq_xmm, punpckldq) \
	X(punpcklqdq_xmm, punpcklqdq) X(punpckhbw_xmm, punpckhbw) X(punpckhwd_xmm, punpckhwd) \
	X(punpckhdq_xmm, punpckhdq) X(punpckhqdq_xmm, punpckhqdq) \
	X(packsswb_xmm, packsswb) X(packuswb_xmm, packuswb) X(packssdw_xmm, packssdw)

/* xmm = xmm op count, the count being the low quadword of the other operand or an immediate byte. */
#define SSE_SHIFT(X) \
	X(psrlw_xmm, psrlw) X(psraw_xmm, psraw) X(psllw_xmm, psllw) X(psrld_xmm, psrld) X(psrad_xmm, psrad) \
	X(pslld_xmm, pslld) X(psrlq_xmm, psrlq) X(psllq_xmm, psllq)

/* xmm = xmm op xmm, floating point: all of the register; its low double; its low float. */
#define SSE_PACKED(X) \
	X(addpd, addpd) X(addps, addps) X(subpd, subpd) X(subps, subps) X(mulpd, mulpd) X(mulps, mulps) \
	X(divpd, divpd) X(divps, divps) X(minpd, minpd) X(minps, minps) X(maxpd, maxpd) X(maxps, maxps) \
	X(sqrtpd, sqrtpd) X(sqrtps, sqrtps) \
	X(cmpeqpd, cmpeqpd) X(cmpeqps, cmpeqps) X(cmpltpd, cmpltpd) X(cmpltps, cmpltps) \
	X(cmplepd, cmplepd) X(cmpleps, cmpleps) X(cmpunordpd, cmpunordpd) X(cmpunordps, cmpunordps) \
	X(cmpneqpd, cmpneqpd) X(cmpneqps, cmpneqps) X(cmpnltpd, cmpnltpd) X(cmpnltps, cmpnltps) \
	X(cmpnlepd, cmpnlepd) X(cmpnleps, cmpnleps) X(cmpordpd, cmpordpd) X(cmpordps, cmpordps) \
	X(cvtdq2ps, cvtdq2ps) X(cvtps2dq, cvtps2dq) X(cvttps2dq, cvttps2dq) \
	X(cvtpd2ps, cvtpd2ps) X(cvtpd2dq, cvtpd2dq) X(cvttpd2dq, cvttpd2dq)
#define SSE_DOUBLE(X) \
	X(addsd, addsd) X(subsd, subsd) X(mulsd, mulsd) X(divsd, divsd) X(minsd, minsd) X(maxsd, maxsd) \
	X(sqrtsd, sqrtsd) X(cmpeqsd, cmpeqsd) X(cmpltsd, cmpltsd) X(cmplesd, cmplesd) \
	X(cmpunordsd, cmpunordsd) X(cmpneqsd, cmpneqsd) X(cmpnltsd, cmpnltsd) X(cmpnlesd, cmpnlesd) \
	X(cmpordsd, cmpordsd)
#define SSE_FLOAT(X) \
	X(addss, addss) X(subss, subss) X(mulss, mulss) X(divss, divss) X(minss, minss) X(maxss, maxss) \
	X(sqrtss, sqrtss) X(cmpeqss, cmpeqss) X(cmpltss, cmpltss) X(cmpless, cmpless) \
	X(cmpunordss, cmpunordss) X(cmpneqss, cmpneqss) X(cmpnltss, cmpnltss) X(cmpnless, cmpnless) \
	X(cmpordss, cmpordss)
/* Half a register to a whole one; one element to one of another size. */
#define SSE_WIDEN(X) X(cvtps2pd, cvtps2pd) X(cvtdq2pd, cvtdq2pd)
#define SSE_TO_DOUBLE(X) X(cvtss2sd, cvtss2sd)
#define SSE_TO_FLOAT(X) X(cvtsd2ss, cvtsd2ss)

/* EFLAGS = comparison of the low double, float. */
#define SSE_COMPARE_DOUBLE(X) X(comisd, comisd) X(ucomisd, ucomisd)
#define SSE_COMPARE_FLOAT(X) X(comiss, comiss) X(ucomiss, ucomiss)

/* A general register from the low double, float: 32 and 64 bits; and back. */
#define SSE_FROM_DOUBLE_32(X) X(cvtsd2si, cvtsd2si) X(cvttsd2si, cvttsd2si)
#define SSE_FROM_DOUBLE_64(X) X(cvtsd2sq, cvtsd2si) X(cvttsd2sq, cvttsd2si)
#define SSE_FROM_FLOAT_32(X) X(cvtss2si, cvtss2si) X(cvttss2si, cvttss2si)
#define SSE_FROM_FLOAT_64(X) X(cvtss2sq, cvtss2si) X(cvttss2sq, cvttss2si)
#define SSE_INTO_DOUBLE_32(X) X(cvtsi2sd, cvtsi2sdl)
#define SSE_INTO_DOUBLE_64(X) X(cvtsq2sd, cvtsi2sdq)
#define SSE_INTO_FLOAT_32(X) X(cvtsi2ss, cvtsi2ssl)
#define SSE_INTO_FLOAT_64(X) X(cvtsq2ss, cvtsi2ssq)

#endif

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fixp.c - exponentials and logarithms without floating point
 *
 * The decay of a plant needs 1 - exp(-x) with a small *relative* error even
 * for x of 1e-8, and that is what nst_lose_q64() gives: a Taylor series
 * below 1/8, and L(2x) = L(x) * (2 - L(x)) above, which never subtracts
 * nearly equal numbers.
 *
 * Powers of two go through a table of 32 steps an octave and a cubic between
 * them; logarithms the other way round.
 */
#include "exposure.h"
#include "fixp.h"

#define LN2_Q32 0xb17217f8u
#define LOG2E_Q63 0xb8aa3b295c17f0bbull
#define LOG2E_Q30 0x5c551d95u

#define SERIES_TERMS 12

/* 2^64 / n, n = 1 (as close as it gets) .. SERIES_TERMS */
static const u64 recip_q64[SERIES_TERMS] = {
	0xffffffffffffffffull, 0x8000000000000000ull, 0x5555555555555555ull,
	0x4000000000000000ull, 0x3333333333333333ull, 0x2aaaaaaaaaaaaaaaull,
	0x2492492492492492ull, 0x2000000000000000ull, 0x1c71c71c71c71c71ull,
	0x1999999999999999ull, 0x1745d1745d1745d1ull, 0x1555555555555555ull,
};

/* 2^(k/32) in Q31 */
static const u32 exp2_q31[32] = {
	0x80000000u, 0x82cd8699u, 0x85aac368u, 0x88980e81u,
	0x8b95c1e4u, 0x8ea4398bu, 0x91c3d374u, 0x94f4efa9u,
	0x9837f052u, 0x9b8d39bau, 0x9ef53261u, 0xa2704303u,
	0xa5fed6aau, 0xa9a15ab5u, 0xad583eeau, 0xb123f582u,
	0xb504f334u, 0xb8fbaf47u, 0xbd08a39fu, 0xc12c4ccau,
	0xc5672a11u, 0xc9b9bd86u, 0xce248c15u, 0xd2a81d92u,
	0xd744fccbu, 0xdbfbb798u, 0xe0ccdeecu, 0xe5b906e7u,
	0xeac0c6e8u, 0xefe4b99cu, 0xf5257d15u, 0xfa83b2dbu,
};

/* c = 1 + (k + 1/2)/32: 1/c in Q32, and log2(c) of that rounded 1/c in Q32 */
static const struct {
	u32 inv_q32;
	u32 log2_q32;
} log2_tab[32] = {
	{ 0xfc0fc0fcu, 0x05b9e5a2u }, { 0xf4898d60u, 0x10eb389fu },
	{ 0xed7303b6u, 0x1bc84240u }, { 0xe6c2b448u, 0x2655d3c5u },
	{ 0xe070381cu, 0x309857a0u }, { 0xda740da7u, 0x3a93dc99u },
	{ 0xd4c77b03u, 0x444c1f6cu }, { 0xcf6474a9u, 0x4dc4933au },
	{ 0xca4587e7u, 0x570068e7u }, { 0xc565c87bu, 0x6002958du },
	{ 0xc0c0c0c1u, 0x68cdd82au }, { 0xbc52640cu, 0x7164beb4u },
	{ 0xb81702e0u, 0x79c9aa88u }, { 0xb40b40b4u, 0x81fed45du },
	{ 0xb02c0b03u, 0x8a064fd5u }, { 0xac769184u, 0x91e20ea1u },
	{ 0xa8e83f57u, 0x9993e356u }, { 0xa57eb503u, 0xa11d83f4u },
	{ 0xa237c32bu, 0xa8808c38u }, { 0x9f1165e7u, 0xafbe7fa1u },
	{ 0x9c09c09cu, 0xb6d8cb54u }, { 0x991f1a51u, 0xbdd0c7cau },
	{ 0x964fda6cu, 0xc4a7ba58u }, { 0x939a85c4u, 0xcb5ed695u },
	{ 0x90fdbc09u, 0xd1f73f9du }, { 0x8e78356du, 0xd8720936u },
	{ 0x8c08c08cu, 0xded038e6u }, { 0x89ae408au, 0xe512c6e4u },
	{ 0x8767ab5fu, 0xeb3a9f02u }, { 0x85340853u, 0xf148a171u },
	{ 0x83126e98u, 0xf73da38cu }, { 0x81020408u, 0xfd1a708cu },
};

u64 nst_ratio_q64(u64 num, u64 den)
{
	u64 quot = 0;
	int i;

	for (i = 0; i < 64; i++) {
		num <<= 1;
		quot <<= 1;
		if (num >= den) {
			num -= den;
			quot |= 1;
		}
	}
	return quot;
}

u32 nst_sqrt_u64(u64 v)
{
	u64 root = 0, bit;

	if (!v)
		return 0;
	/* The highest power of four that fits: the root has no bit above it. */
	bit = 1ull << ((63 - nst_clz_u64(v)) & ~1u);
	while (bit) {
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
		bit >>= 2;
	}
	return (u32)root;
}

struct nst_rate nst_rate_from_tau(u64 tau_ns)
{
	struct nst_rate rate;
	u64 num = 1000;

	/* Shorter than a microsecond: nothing real, and not worth a case. */
	if (tau_ns <= num)
		tau_ns = num + 1;
	rate.shift = 0;
	while (num << 1 < tau_ns) {
		num <<= 1;
		rate.shift++;
	}
	rate.norm = nst_ratio_q64(num, tau_ns);
	return rate;
}

/*
 * x = dt/tau as mantissa and exponent: x = m * 2^(e - 64), m >= 2^62.
 * Return: m; @dt_us must not be 0.
 */
static u64 decay_arg(const struct nst_rate *rate, u32 dt_us, int *ret_e)
{
	u32 lead = nst_clz_u64(dt_us);

	*ret_e = 64 - (int)lead - (int)rate->shift;
	return nst_mulhi_u64((u64)dt_us << lead, rate->norm);
}

u64 nst_lose_q64(const struct nst_rate *rate, u32 dt_us)
{
	u64 m, x, lose;
	int e, halvings, i;

	if (!dt_us)
		return 0;
	m = decay_arg(rate, dt_us, &e);
	/* x >= 64: what is left is below one unit. */
	if (e >= 8)
		return ~0ull;
	halvings = e + 3 > 0 ? e + 3 : 0;
	e -= halvings;		/* now -3 or less: x below 1/8 */
	if (e <= -64)
		return 0;
	x = m >> -e;

	/* L = x(1 - x/2(1 - x/3(1 - ...))) */
	lose = 0;
	for (i = SERIES_TERMS; i > 1; i--)
		lose = nst_mulhi_u64(nst_mulhi_u64(x, recip_q64[i - 1]),
				     ~lose);
	lose = x - nst_mulhi_u64(x, lose);
	while (halvings--)
		lose += nst_mulhi_u64(lose, ~lose);
	return lose;
}

u32 nst_exp2_frac_q31(u32 frac_q32)
{
	u64 base = exp2_q31[frac_q32 >> 27];
	/* ln2 * (rest of the fraction), below 0.0217, in Q32 */
	u64 r = ((u64)(frac_q32 & 0x07ffffffu) * LN2_Q32) >> 32;
	u64 r2 = (r * r) >> 32;
	u64 grow = r + (r2 >> 1) + ((((r2 * r) >> 32) * 0x2aaaaaabull) >> 32);

	return (u32)(base + ((base * grow) >> 32));
}

u64 nst_keep_q64(const struct nst_rate *rate, u32 dt_us)
{
	u64 m, octaves_q57;
	u32 whole, frac_q32;
	int e;

	if (!dt_us)
		return ~0ull;
	m = decay_arg(rate, dt_us, &e);
	if (e >= 7)
		return 0;	/* x >= 32: 1e-14, below the error stated */
	if (6 - e >= 64)
		return ~0ull;
	octaves_q57 = nst_mulhi_u64(m >> (6 - e), LOG2E_Q63);
	whole = (u32)(octaves_q57 >> 57);
	if (whole >= 64)
		return 0;
	frac_q32 = (u32)(octaves_q57 >> 25);
	if (!frac_q32)
		return whole ? 1ull << (64 - whole) : ~0ull;
	/* 2^-(w + f) = 2^-(w + 1) * 2^(1 - f) */
	return ((u64)nst_exp2_frac_q31(0u - frac_q32) << 32) >> whole;
}

u64 nst_exp2_q32(s32 x_q16)
{
	s32 whole = x_q16 >> 16;
	u64 mant_q31 = nst_exp2_frac_q31((u32)x_q16 << 16);

	if (whole > 31)
		return ~0ull;
	if (whole >= -1)
		return mant_q31 << (whole + 1);
	whole = -1 - whole;
	if (whole > 32)
		return 0;
	return (mant_q31 + (1ull << (whole - 1))) >> whole;
}

s32 nst_log2_q16(u64 v_q32)
{
	u32 lead = nst_clz_u64(v_q32);
	u64 m = v_q32 << lead;		/* 1..2 in Q63 */
	u32 k = (u32)(m >> 58) & 31;
	/* m/c - 1, within 1/64, in Q30 */
	s64 r = (s64)(nst_mulhi_u64(m, (u64)log2_tab[k].inv_q32 << 32) >> 33) -
		((s64)1 << 30);
	s64 r2 = (r * r) >> 30;
	s64 ln = r - (r2 >> 1) + nst_div_s64((r2 * r) >> 30, 3);
	s64 frac_q32 = (s64)log2_tab[k].log2_q32 +
		       ((ln * (s64)LOG2E_Q30) >> 28);
	s64 whole = 31 - (s64)lead;

	return (s32)(whole * 65536 + ((frac_q32 + (1 << 15)) >> 16));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * cci_table.c - print the table of thermometers as a table of the manual
 *
 * tests/userspace/support.sh holds kmod/doc/nst-cci.rst against it. What is
 * printed is what the driver was compiled from, not what was remembered.
 */
#include <stdio.h>

/* The table and its conversions, and nothing of a kernel. */
#include "nst-cci-table.c"
#include "nst-cci-convert.c"

static const char *confidence(const struct nst_cci_model *m)
{
	static const char *const names[] = { "L", "M", "H" };

	return names[m->confidence];
}

static void registers(const struct nst_cci_model *m)
{
	for (unsigned int i = 0; i < m->channels; i++) {
		const struct nst_cci_channel *c = &m->channel[i];

		printf("%s0x%04x", i ? ", " : "", c->data_reg);
		if (c->ctrl_reg && c->ctrl_reg != c->data_reg)
			printf(" (0x%04x)", c->ctrl_reg);
	}
	if (!m->channels)
		printf("none");
	putchar('\n');
}

static const char *turned_on(const struct nst_cci_model *m)
{
	if (!m->channels)
		return "\\-";
	if (m->family->trigger)
		return "for each reading";
	if (!m->family->enable_mask)
		return "always";
	return m->flags & NST_CCI_ENABLE_BY_US ? "by nst" : "by the owner";
}

static void identity(const struct nst_cci_model *m)
{
	if (!m->channels)
		printf("\\-\n");
	else if (!m->id.value)
		printf("not known\n");
	else if (m->id.mask)
		printf("0x%04x: 0x%03x, low bits\n", m->id.reg, m->id.value);
	else
		printf("0x%04x: 0x%04x\n", m->id.reg, m->id.value);
}

static void range(const struct nst_cci_model *m)
{
	if (!m->channels)
		printf("\\-\n");
	else if (m->rail_low_mc <= NST_TEMP_MIN_MC)
		printf("not known\n");
	else
		printf("%d to %d\n", m->rail_low_mc / 1000,
		       m->rail_high_mc / 1000);
}

int main(void)
{
	printf(".. list-table::\n   :header-rows: 1\n\n"
	       "   * - Model\n     - Family\n     - Conf.\n"
	       "     - Reading (control)\n     - Turned on\n     - When\n"
	       "     - Range, degC\n     - Chip ID\n     - Source, or why it is off\n");
	for (const struct nst_cci_model *m = nst_cci_models; m->name; m++) {
		printf("   * - %s\n     - %s\n     - %s\n     - ", m->name,
		       m->family->name, confidence(m));
		registers(m);
		printf("     - %s\n     - %s\n     - ", turned_on(m),
		       !m->channels ? "\\-" : m->flags & NST_CCI_STREAMING
		       ? "streaming" : "powered");
		range(m);
		printf("     - ");
		identity(m);
		printf("     - %s%s%s\n", m->why_off ? "off: " : "",
		       m->why_off ? m->why_off : m->source,
		       m->flags & NST_CCI_IMX500 ? "; rules of the IMX500" :
		       m->flags & NST_CCI_CAPABILITY ?
		       "; capability 0x1618" : "");
	}
	return 0;
}

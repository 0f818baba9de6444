// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* report_table.c - the table of a run for a terminal: see report.h */
#include "report.h"

static void put_permyriad(FILE *out, int width, int permyriad)
{
	if (permyriad == NST_REPORT_NONE)
		fprintf(out, "%*s", width, "-");
	else
		fprintf(out, "%*.1f", width, permyriad / 100.0);
}

static void put_milli(FILE *out, int width, int decimals, long value)
{
	if (value < 0)
		fprintf(out, "%*s", width, "-");
	else
		fprintf(out, "%*.*f", width, decimals, (double)value / 1000.0);
}

static void put_temp(FILE *out, int width, bool known, int temp_mc)
{
	if (known)
		fprintf(out, "%*.1f", width, temp_mc / 1000.0);
	else
		fprintf(out, "%*s", width, "-");
}

static void put_row(FILE *out, const struct nst_report_row *r)
{
	fprintf(out, "  %-15s", r->phase);
	put_permyriad(out, 7, r->duty_permyriad);
	put_milli(out, 7, 2, nst_report_power_mw(r));
	put_milli(out, 6, 2, nst_report_far_power_mw(r));
	put_permyriad(out, 8, nst_report_saving_permyriad(r));
	put_milli(out, 9, 1, nst_report_frame_uj(r));
	fprintf(out, "%8llu%8llu", (unsigned long long)r->delivered,
		(unsigned long long)(r->withheld + r->dropped));
	fprintf(out, "%10llu", (unsigned long long)r->switches);
	put_temp(out, 7, r->has_limit, r->limit_mc);
	put_temp(out, 9, r->has_hottest, r->hottest_mc);
	fprintf(out, "%6llu/%-5llu", (unsigned long long)r->violations,
		(unsigned long long)r->checked);
	put_permyriad(out, 8, nst_report_precision_permyriad(r));
	put_permyriad(out, 8, nst_report_recall_permyriad(r));
	fputc('\n', out);
}

void nst_report_snr(const struct nst_report_row *r, char *ret, size_t size)
{
	int n;

	*ret = '\0';
	if (!r->snr_frames)
		return;
	n = snprintf(ret, size, "%.1f dB, at least %.1f (%llu frames)",
		     r->snr_cdb / 100.0, r->snr_low_cdb / 100.0,
		     (unsigned long long)r->snr_frames);
	if (!r->snr_asked || n < 0 || (size_t)n >= size)
		return;
	snprintf(ret + n, size - (size_t)n, ", asked for %.1f: %llu of %llu "
		 "bounds below", r->demand_cdb / 100.0,
		 (unsigned long long)r->snr_below,
		 (unsigned long long)r->snr_asked);
}

/* What the frames were worth, where they were measured. */
static void put_snr(FILE *out, const struct nst_report_sensor *s)
{
	bool any = false;

	for (unsigned int i = 0; i < s->phases; i++) {
		const struct nst_report_row *r = &s->row[i];
		char text[128];

		nst_report_snr(r, text, sizeof(text));
		if (!*text)
			continue;
		if (!any)
			fputs("  measured SNR, mean and lowest 99.9 % bound\n",
			      out);
		any = true;
		fprintf(out, "  %-16s%s\n", r->phase, text);
	}
}

static void put_sensor(FILE *out, const struct nst_report_sensor *s)
{
	fprintf(out, "\n%s (%s), policy %s\n", s->name, s->card,
		s->policy[0] ? s->policy : "unknown");
	fprintf(out, "  %-15s%7s%7s%6s%8s%9s%8s%8s%10s%7s%9s%12s%8s%8s\n",
		"", "duty", "power", "far", "saving", "energy", "frames",
		"frames", "", "limit", "hottest", "violations", "prec.",
		"recall");
	fprintf(out, "  %-15s%7s%7s%6s%8s%9s%8s%8s%10s%7s%9s%12s%8s%8s\n",
		"phase", "%", "W", "W", "%", "mJ/frame", "given", "lost",
		"switches", "C", "C", "of seen", "%", "%");
	for (unsigned int i = 0; i < s->phases; i++)
		put_row(out, &s->row[i]);
	put_row(out, &s->all);
	put_snr(out, s);
}

void nst_report_table(const struct nst_report *report, FILE *out)
{
	for (unsigned int i = 0; i < report->sensors; i++)
		put_sensor(out, &report->sensor[i]);
	fputs("\nPower and energy are the model's (near and far watts of the "
	      "profile), of the whole system;\nsaving is on energy per "
	      "delivered frame against full-far. Duty, temperatures and "
	      "violations are\nthe emulator's truth, the latter of the frames "
	      "that reached the camera's user; a detection counts\nwhen it "
	      "overlaps an object by half of their union. Frames above\n"
	      "their limit count as delivered where the policy does not "
	      "withhold them, so full-near\nlooks cheap; and at the part's "
	      "own ceiling the kernel gates whatever the policy says.\n",
	      out);
	if (report->partial)
		fputs("The recording is missing or broken: figures from it "
		      "are incomplete.\n", out);
	if (report->slow) {
		fputs("This machine did not sustain the frame rate:", out);
		for (unsigned int i = 0; i < report->sensors; i++)
			for (unsigned int k = 0;
			     k < report->sensor[i].phases; k++) {
				const struct nst_report_row *r =
					&report->sensor[i].row[k];

				fprintf(out, "%s %s %s %.1f of %.1f fps",
					i + k ? "," : "",
					report->sensor[i].name, r->phase,
					r->fps_milli / 1000.0,
					r->expected_fps_milli / 1000.0);
			}
		fputs(".\n", out);
	}
}

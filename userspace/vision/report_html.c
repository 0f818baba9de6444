// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * report_html.c - the page of a run: see report.h
 *
 * One file that needs nothing else: curves as inline SVG (SENSOR.svg of the
 * folder), pictures as base64 PNG.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "log.h"
#include "report.h"

#define FILE_MAX (16u << 20)

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width\">\n"
"<title>nst: a day of a stacked image sensor</title>\n<style>\n"
"body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;"
"max-width:1120px;margin:2em auto;padding:0 1em}\n"
"h1{font-size:1.6em;margin:0}h2{font-size:1.2em;margin:2em 0 .4em}\n"
"p{max-width:52em}\n"
"table{border-collapse:collapse;font-variant-numeric:tabular-nums;"
"font-size:.86em;width:100%}\n"
"th,td{padding:.25em .5em;text-align:right;border-bottom:1px solid #ddd}\n"
"th{font-weight:600;background:#f4f4f4;vertical-align:bottom}\n"
"td:first-child,th:first-child{text-align:left}\n"
"tr.all td{font-weight:600;border-top:2px solid #999}\n"
"td.bad{background:#fbe3e1}td.good{background:#e4f3e4}\n"
".wide{overflow-x:auto}.wide svg{max-width:100%;height:auto}\n"
".shots{display:grid;grid-template-columns:repeat(auto-fit,minmax(380px,"
"1fr));gap:1em}\n"
"figure{margin:0}figure img{width:100%;height:auto;display:block}\n"
"figcaption{font-size:.86em;color:#444;margin-top:.3em}\n"
".note{background:#fff6df;border-left:4px solid #e0a800;padding:.5em 1em}\n"
"</style></head><body>\n";

static const char intro[] =
"<h1>nst: a day of a stacked image sensor</h1>\n"
"<p>A vision processor under the pixels saves the energy of moving them, and "
"heats them: dark charge doubles every 7&nbsp;K, eats the range of the "
"converter and, in dim light, hides the scene. ";

static const char intro_one[] =
"An emulated stack was governed by <code>nstd</code>, which moves the task "
"between the near and the far processor so that no delivered frame is hotter "
"than the task can bear. ";

static const char intro_more[] =
" emulated stacks saw the same scene, light and weather, each under the "
"policy beside its name. <code>nstd</code> moves the task between the near "
"and the far processor so that no delivered frame is hotter than the task can "
"bear; under <code>full-near</code> it stays near whatever it costs. ";

static const char intro_task[] =
"The task (background subtraction and tracking of what moves, the same "
"integer code on both sides) really ran on the frames, and its detections "
"are scored against the emulator's truth.</p>\n";

static const char reading[] =
"<h2>How to read it</h2>\n"
"<p><b>Curves.</b> Red is the die, orange the limit that the task's fidelity "
"allows at the present light. Green background: near; blue: far. The season "
"changes before a frame would cross, and the die falls by 13&nbsp;K within "
"20&nbsp;ms when the processor is gated; the package follows in tens of "
"seconds. The step in the limit is the light: dim light needs a cold sensor, "
"daylight hardly minds. Time is the device's, which runs faster than the "
"clock on the wall.</p>\n"
"<p><b>Power</b> is the model's: the profile's watts of the whole system for "
"near and far, counted frame by frame from the recording. Nothing was "
"measured with a meter. <b>Saving</b> compares the energy per delivered frame "
"with a system that does everything far.</p>\n"
"<p><b>Duty</b>, <b>hottest</b> exposure and <b>violations</b> are the "
"emulator's truth. A violation is a frame that was delivered although its "
"exposure temperature was above the limit. The emulator keeps this for the "
"frames that reach the camera's user, one in every few of the device; the "
"second number says how many were compared. <b>Lost</b> frames were withheld "
"from the task (too hot, or the temperature unknown) or dropped.</p>\n"
"<p><b>Precision</b> and <b>recall</b>: a detection counts when it overlaps "
"an object by at least half of their union; each matches once. Frames that "
"were not delivered are in neither. Where nothing was detected there is no "
"precision.</p>\n"
"<p><b>Pictures.</b> Dashed green boxes are the truth, orange ones detections "
"that match it, red ones false detections.</p>\n";

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
}

/* ----------------------------------------------------------------- files */

static int read_file(const char *dir, const char *name, char **ret,
		     size_t *ret_len)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *data = NULL;
	char path[512];
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	data = malloc(FILE_MAX + 1);
	if (!data)
		return -ENOMEM;
	len = fread(data, 1, FILE_MAX, f);
	if (ferror(f))
		return -EIO;
	data[len] = '\0';
	*ret = NST_TAKE(data);
	*ret_len = len;
	return 0;
}

static void put_base64(FILE *out, const char *data, size_t len)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)data;

	for (size_t i = 0; i < len; i += 3) {
		unsigned int have = len - i < 3 ? (unsigned int)(len - i) : 3;
		unsigned int v = (unsigned int)p[i] << 16 |
				 (have > 1 ? (unsigned int)p[i + 1] << 8 : 0) |
				 (have > 2 ? p[i + 2] : 0u);

		fputc(digit[v >> 18 & 63], out);
		fputc(digit[v >> 12 & 63], out);
		fputc(have > 1 ? digit[v >> 6 & 63] : '=', out);
		fputc(have > 2 ? digit[v & 63] : '=', out);
	}
}

/*
 * The drawing without its XML head. Names inside a drawing are made unique:
 * two in one page would share their glyphs and clips otherwise.
 */
static void put_svg(FILE *out, const char *svg, const char *prefix)
{
	static const char *const marks[] = { "id=\"", "xlink:href=\"#",
					     "url(#" };
	const char *p = strstr(svg, "<svg");

	while (p && *p) {
		bool marked = false;

		for (size_t i = 0; i < NST_ARRAY_SIZE(marks); i++) {
			size_t n = strlen(marks[i]);

			if (strncmp(p, marks[i], n))
				continue;
			fprintf(out, "%s%s-", marks[i], prefix);
			p += n;
			marked = true;
			break;
		}
		if (!marked)
			fputc(*p++, out);
	}
}

/* ----------------------------------------------------------------- table */

static void cell_permyriad(FILE *out, int permyriad, const char *class)
{
	if (permyriad == NST_REPORT_NONE)
		fprintf(out, "<td%s>&ndash;</td>", class);
	else
		fprintf(out, "<td%s>%.1f</td>", class, permyriad / 100.0);
}

static void cell_milli(FILE *out, int decimals, long value)
{
	if (value < 0)
		fputs("<td>&ndash;</td>", out);
	else
		fprintf(out, "<td>%.*f</td>", decimals, (double)value / 1000);
}

static void cell_temp(FILE *out, bool known, int temp_mc)
{
	if (known)
		fprintf(out, "<td>%.1f</td>", temp_mc / 1000.0);
	else
		fputs("<td>&ndash;</td>", out);
}

/* Below nine in ten a detector is of little use. */
static const char *judge(int permyriad)
{
	return permyriad < 0	? "" :
	       permyriad < 9000 ? " class=\"bad\"" :
				  " class=\"good\"";
}

static void put_row(FILE *out, const struct nst_report_row *r, bool all)
{
	fputs(all ? "<tr class=\"all\"><td>" : "<tr><td>", out);
	put_text(out, r->phase);
	fputs("</td>", out);
	cell_permyriad(out, r->duty_permyriad, "");
	cell_milli(out, 2, nst_report_power_mw(r));
	cell_milli(out, 2, nst_report_far_power_mw(r));
	cell_permyriad(out, nst_report_saving_permyriad(r), "");
	cell_milli(out, 1, nst_report_frame_uj(r));
	fprintf(out, "<td>%llu</td><td>%llu</td><td>%llu</td>",
		(unsigned long long)r->delivered,
		(unsigned long long)(r->withheld + r->dropped),
		(unsigned long long)r->switches);
	cell_temp(out, r->has_limit, r->limit_mc);
	cell_temp(out, r->has_hottest, r->hottest_mc);
	fprintf(out, "<td%s>%llu of %llu</td>",
		!r->checked ? "" :
		r->violations ? " class=\"bad\"" : " class=\"good\"",
		(unsigned long long)r->violations,
		(unsigned long long)r->checked);
	cell_permyriad(out, nst_report_precision_permyriad(r),
		       judge(nst_report_precision_permyriad(r)));
	cell_permyriad(out, nst_report_recall_permyriad(r),
		       judge(nst_report_recall_permyriad(r)));
	fputs("</tr>\n", out);
}

static void put_title(FILE *out, const struct nst_report_sensor *s)
{
	fputs("<h2>", out);
	put_text(out, s->name);
	fputs(": ", out);
	put_text(out, s->policy[0] ? s->policy : "policy unknown");
	fprintf(out, " (near %.1f W, far %.1f W)</h2>\n", s->near_mw / 1000.0,
		s->far_mw / 1000.0);
}

/* What the frames were worth, where they were measured. */
static void put_snr(FILE *out, const struct nst_report_sensor *s)
{
	bool any = false;
	char text[128];

	for (unsigned int i = 0; i < s->phases; i++) {
		nst_report_snr(&s->row[i], text, sizeof(text));
		if (!*text)
			continue;
		fputs(any ? "; " : "<p>Measured SNR, mean and lowest 99.9 % "
				   "bound: ", out);
		any = true;
		fprintf(out, "%s %s", s->row[i].phase, text);
	}
	if (any)
		fputs(".</p>\n", out);
}

static void put_table(FILE *out, const struct nst_report_sensor *s)
{
	fputs("<div class=\"wide\"><table><tr><th>phase</th><th>duty<br>%</th>"
	      "<th>power<br>W</th><th>full-far<br>W</th><th>saving<br>%</th>"
	      "<th>energy<br>mJ/frame</th><th>frames<br>delivered</th>"
	      "<th>frames<br>lost</th><th>switches</th>"
	      "<th>limit<br>&deg;C</th><th>hottest<br>exposure &deg;C</th>"
	      "<th>violations<br>(of seen)</th><th>precision<br>%</th>"
	      "<th>recall<br>%</th></tr>\n", out);
	for (unsigned int i = 0; i < s->phases; i++)
		put_row(out, &s->row[i], false);
	put_row(out, &s->all, true);
	fputs("</table></div>\n", out);
	fprintf(out, "<p>%llu hand-overs of the task's state between the two "
		"workers, %llu refused; the longest took %llu&nbsp;&micro;s in "
		"the VM.</p>\n", (unsigned long long)s->all.handovers,
		(unsigned long long)s->all.handovers_failed,
		(unsigned long long)s->all.handover_us_max);
}

/* -------------------------------------------------------------- pictures */

static const char *what_text(const char *what)
{
	return !strcmp(what, "hot")  ? "the hottest delivered frame" :
	       !strcmp(what, "seen") ? "the hottest frame with a detection" :
				       "the coldest delivered frame";
}

static void put_picture(FILE *out, const char *dir,
			const struct nst_report_picture *p)
{
	_cleanup_free_ char *png = NULL;
	size_t len;
	int r = read_file(dir, p->file, &png, &len);

	if (r) {
		nst_log_err(r, "%s/%s", dir, p->file);
		return;
	}
	fputs("<figure><img alt=\"frame with detections\" "
	      "src=\"data:image/png;base64,", out);
	put_base64(out, png, len);
	fputs("\"><figcaption>", out);
	put_text(out, p->sensor);
	fputs(", ", out);
	put_text(out, p->phase);
	fprintf(out, ": %s, %.1f &deg;C, %u of %u objects found",
		what_text(p->what), p->exposure_mc / 1000.0, p->matched,
		p->truth);
	if (p->found > p->matched)
		fprintf(out, ", %u false", p->found - p->matched);
	fputs("</figcaption></figure>\n", out);
}

/*
 * Heat costs most where the light is least: of every phase all that was
 * kept would be forty pictures, so the first phase is shown for both, and
 * of the others the hottest frame.
 */
static void put_pictures(FILE *out, const struct nst_report *report)
{
	const char *first = report->sensor[0].phases ?
		report->sensor[0].row[0].phase : "";

	fputs("<h2>What heat does to the frames</h2>\n"
	      "<div class=\"shots\">\n", out);
	for (unsigned int i = 0; i < report->pictures; i++)
		if (!strcmp(report->picture[i].phase, first))
			put_picture(out, report->dir, &report->picture[i]);
	fputs("</div>\n<details><summary>Hottest frames of the other "
	      "phases</summary><div class=\"shots\">\n", out);
	for (unsigned int i = 0; i < report->pictures; i++)
		if (strcmp(report->picture[i].phase, first) &&
		    !strcmp(report->picture[i].what, "hot"))
			put_picture(out, report->dir, &report->picture[i]);
	fputs("</div></details>\n", out);
}

/* ------------------------------------------------------------------ page */

static void put_curve(FILE *out, const struct nst_report *report,
		      const struct nst_report_sensor *s)
{
	_cleanup_free_ char *svg = NULL;
	char name[48];
	size_t len;
	int r;

	snprintf(name, sizeof(name), "%s.svg", s->name);
	r = read_file(report->dir, name, &svg, &len);
	if (r) {
		nst_log_err(r, "%s/%s", report->dir, name);
		fputs("<p>No curve was drawn.</p>\n", out);
		return;
	}
	fputs("<div class=\"wide\">", out);
	put_svg(out, svg, s->name);
	fputs("</div>\n", out);
}

static void put_notes(FILE *out, const struct nst_report *report)
{
	if (report->partial)
		fputs("<p class=\"note\">The recording of this run is missing "
		      "or broken: figures from it are incomplete.</p>\n", out);
	if (!report->slow)
		return;
	fputs("<p class=\"note\">The machine did not sustain the frame rate. "
	      "Frames that were not delivered in time are missing, and the "
	      "device's clock waited where it had to, so phases are shorter "
	      "in device time; what was delivered is exact. Frames a second:",
	      out);
	for (unsigned int i = 0; i < report->sensors; i++)
		for (unsigned int k = 0; k < report->sensor[i].phases; k++) {
			const struct nst_report_row *r =
				&report->sensor[i].row[k];

			fprintf(out, "%s %s %s %.1f of %.1f", i + k ? "," : "",
				report->sensor[i].name, r->phase,
				r->fps_milli / 1000.0,
				r->expected_fps_milli / 1000.0);
		}
	fputs(".</p>\n", out);
}

int nst_report_html(const struct nst_report *report, const char *path)
{
	FILE *out = fopen(path, "we");
	int r = 0;

	if (!out)
		return -errno;
	fputs(head, out);
	fputs(intro, out);
	if (report->sensors > 1)
		fprintf(out, "%u%s", report->sensors, intro_more);
	else
		fputs(intro_one, out);
	fputs(intro_task, out);
	put_notes(out, report);
	for (unsigned int i = 0; i < report->sensors; i++) {
		const struct nst_report_sensor *s = &report->sensor[i];

		put_title(out, s);
		put_table(out, s);
		put_snr(out, s);
		put_curve(out, report, s);
	}
	put_pictures(out, report);
	fputs(reading, out);
	fputs("</body></html>\n", out);
	if (ferror(out))
		r = -EIO;
	if (fclose(out) && !r)
		r = -errno;
	return r;
}

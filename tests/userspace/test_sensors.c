// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * test_sensors.c - thermometers by name, and what nstd makes of them
 *
 * libsensors is ours here: a table of chips in shared memory, which the
 * functions of the library's interface read. So the process that looks at
 * the host can be run for real, and what it sees changed under it.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sensors/error.h>
#include <sensors/sensors.h>

#include "nstd/around.h"
#include "sensors.h"
#include "ktap.h"
#include "nstd_fixture.h"

/* ---------------------------------------------------- a table of chips */

#define CHIPS 64
#define FEATURES 32

struct mock_feature {
	char name[16];
	char label[32];
	int type;
	double value;
	int err;		/* SENSORS_ERR_*, 0 for none */
	bool has_fault;
	double fault;
};

struct mock_chip {
	char name[64];
	unsigned int count;
	struct mock_feature feature[FEATURES];
};

/* In memory that a forked process shares. */
static struct mock {
	unsigned int count;
	unsigned int inits;
	int init_err;		/* of the configuration files */
	unsigned int hang_ms;	/* a read takes so long */
	unsigned int pulled;	/* how often all chips were pulled out */
	struct mock_chip chip[CHIPS];
} *mock;

static sensors_chip_name chips[CHIPS];
static sensors_feature features[CHIPS][FEATURES];
static sensors_subfeature subfeatures[CHIPS][FEATURES][2];
static unsigned int known, known_pulled;	/* at the last init */

int sensors_init(FILE *input)
{
	mock->inits++;
	if (!input && mock->init_err)
		return mock->init_err;
	known = mock->count;
	known_pulled = mock->pulled;
	for (unsigned int i = 0; i < known; i++) {
		chips[i] = (sensors_chip_name){ .path = mock->chip[i].name };
		for (unsigned int k = 0; k < mock->chip[i].count; k++) {
			features[i][k] = (sensors_feature){
				.name = mock->chip[i].feature[k].name,
				.number = (int)k,
				.type = (sensors_feature_type)
					mock->chip[i].feature[k].type,
			};
			for (int s = 0; s < 2; s++)
				subfeatures[i][k][s] = (sensors_subfeature){
					.number = (int)k * 2 + s,
					.flags = SENSORS_MODE_R,
				};
		}
	}
	return 0;
}

void sensors_cleanup(void)
{
	known = 0;
}

const sensors_chip_name *
sensors_get_detected_chips(const sensors_chip_name *match, int *nr)
{
	(void)match;
	return *nr < (int)known ? &chips[(*nr)++] : NULL;
}

int sensors_snprintf_chip_name(char *str, size_t size,
			       const sensors_chip_name *chip)
{
	return snprintf(str, size, "%s", chip->path);
}

const sensors_feature *sensors_get_features(const sensors_chip_name *chip,
					    int *nr)
{
	const struct mock_chip *c = &mock->chip[chip - chips];

	return *nr < (int)c->count ? &features[chip - chips][(*nr)++] : NULL;
}

char *sensors_get_label(const sensors_chip_name *chip,
			const sensors_feature *feature)
{
	return strdup(mock->chip[chip - chips].feature[feature->number].label);
}

const sensors_subfeature *
sensors_get_subfeature(const sensors_chip_name *chip,
		       const sensors_feature *feature,
		       sensors_subfeature_type type)
{
	sensors_subfeature *s = subfeatures[chip - chips][feature->number];

	if (type == SENSORS_SUBFEATURE_TEMP_INPUT)
		return s;
	return mock->chip[chip - chips].feature[feature->number].has_fault ?
	       s + 1 : NULL;
}

int sensors_get_value(const sensors_chip_name *chip, int number, double *ret)
{
	const struct mock_chip *c = &mock->chip[chip - chips];
	const struct mock_feature *f = &c->feature[number / 2];

	if (mock->hang_ms)
		usleep(mock->hang_ms * 1000);
	/* it was pulled out since the last init */
	if (known_pulled != mock->pulled)
		return -SENSORS_ERR_KERNEL;
	if (number & 1) {
		*ret = f->fault;
		return 0;
	}
	*ret = f->value;
	return -f->err;
}

static struct mock_feature *add(const char *chip, const char *name,
				const char *label, double value)
{
	struct mock_chip *c = NULL;
	struct mock_feature *f;

	for (unsigned int i = 0; i < mock->count; i++)
		if (!strcmp(mock->chip[i].name, chip))
			c = &mock->chip[i];
	if (!c) {
		c = &mock->chip[mock->count++];
		snprintf(c->name, sizeof(c->name), "%s", chip);
		c->count = 0;
	}
	f = &c->feature[c->count++];
	*f = (struct mock_feature){ .type = SENSORS_FEATURE_TEMP,
				    .value = value };
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->label, sizeof(f->label), "%.31s", label);
	return f;
}

static void mock_reset(void)
{
	memset(mock, 0, sizeof(*mock));
	nst_sensors_deinit();
}

/* ------------------------------------------------------------- selectors */

static void selectors(void)
{
	static const struct {
		const char *selector;
		bool fits;
	} cases[] = {
		{ "lm75-i2c-1-48/temp1", true },
		{ "lm75-i2c-1-48/Case", true },
		{ "lm75-i2c-*-48/Case", true },
		{ "*/Case", true },
		{ "lm75*48/Case", true },
		{ "*-*-*-48/Case", true },
		{ "lm75-i2c-1-48*/Case", true },
		{ "lm75-i2c-*-49/Case", false },
		{ "lm75-i2c-1-4/Case", false },
		{ "m75-i2c-1-48/Case", false },
		{ "lm75-i2c-1-48/case", false },
		{ "lm75-i2c-1-48/Case ", false },
		{ "lm75-i2c-1-48/temp", false },
		{ "lm75-i2c-1-48/*", false },
		{ "LM75-i2c-1-48/Case", false },
	};

	for (unsigned int i = 0; i < KTAP_COUNT(cases); i++) {
		EXPECT(nst_sensors_check(cases[i].selector), "%u", i);
		EXPECT(nst_sensors_match(cases[i].selector, "lm75-i2c-1-48",
					 "temp1", "Case") == cases[i].fits,
		       "%s", cases[i].selector);
	}
	EXPECT(nst_sensors_match("a/x/y", "a", "temp1", "x/y"),
	       "a label may have a slash");
	EXPECT(!nst_sensors_check("") && !nst_sensors_check("a") &&
	       !nst_sensors_check("/a") && !nst_sensors_check("a/"), " ");
	EXPECT(!nst_sensors_check("a234567890123456789012345678901234567890"
				  "1234567890123456789012/b"), "too long");
}

static void reading(void)
{
	struct mock_feature *f;
	char names[256];
	s32 mc = 7;

	mock_reset();
	EXPECT(nst_sensors_read("a/b", &mc) == -ENODEV, "before the init");
	add("sht4x-i2c-1-44", "temp1", "temp1", 19.04)->has_fault = true;
	add("coretemp-isa-0000", "temp1", "Package id 0", 50);
	add("coretemp-isa-0000", "temp2", "Core 0", 45);
	add("nvme-pci-0100", "temp1", "Composite", 33.85);
	add("nvme-pci-0200", "temp1", "Composite", 40.85);
	f = add("dead-i2c-2-4c", "temp1", "temp1", 0);
	f->err = SENSORS_ERR_IO;
	add("dead-i2c-2-4c", "temp2", "quiet", 0)->err = SENSORS_ERR_ACCESS_R;
	add("dead-i2c-2-4c", "in1", "temp9", 12)->type = SENSORS_FEATURE_IN;
	EXPECT(!nst_sensors_init(), " ");

	EXPECT(!nst_sensors_read("sht4x-i2c-*-44/temp1", &mc) && mc == 19040,
	       "%d", mc);
	EXPECT(!nst_sensors_read("coretemp-isa-0000/Package id 0", &mc) &&
	       mc == 50000, "%d", mc);
	EXPECT(!nst_sensors_read("coretemp-isa-0000/temp2", &mc) &&
	       mc == 45000, "%d", mc);
	EXPECT(nst_sensors_read("nvme-pci-*/Composite", &mc) == -ENOTUNIQ,
	       " ");
	EXPECT(!nst_sensors_read("nvme-pci-0200/Composite", &mc), " ");
	EXPECT(nst_sensors_read("dead-i2c-2-4c/temp1", &mc) == -EIO, " ");
	EXPECT(nst_sensors_read("dead-i2c-2-4c/quiet", &mc) == -ENODATA, " ");
	EXPECT(nst_sensors_read("dead-i2c-2-4c/temp9", &mc) == -ENODEV,
	       "a voltage is no thermometer");
	EXPECT(nst_sensors_read("nothing-isa-0000/temp1", &mc) == -ENODEV,
	       " ");
	EXPECT(nst_sensors_read("coretemp", &mc) == -EINVAL, " ");
	/* One that fails is the affair of those who ask for it. */
	EXPECT(!nst_sensors_read("sht4x-i2c-1-44/temp1", &mc), " ");

	mock->chip[0].feature[0].fault = 1;
	EXPECT(nst_sensors_read("sht4x-i2c-1-44/temp1", &mc) == -ENODATA,
	       "it says that it is faulty");
	nst_sensors_names(names, sizeof(names));
	EXPECT(strstr(names, "nvme-pci-0100/Composite, nvme-pci-0200/Comp"),
	       "%s", names);
	nst_sensors_names(names, 10);
	EXPECT(strlen(names) == 9, "%s", names);

	/* Pulled out: gone; and after another look not known at all. */
	mock->pulled++;
	EXPECT(nst_sensors_read("coretemp-isa-0000/temp2", &mc) == -ENODEV,
	       " ");
	nst_sensors_deinit();
	nst_sensors_names(names, sizeof(names));
	EXPECT(!strcmp(names, "none"), "%s", names);
}

/* What boards show in the place of a temperature. */
static void placeholders(void)
{
	static const double none[] = { -256, -87.9, -89.7, -128, -273.15,
				       65261.8, 255, NAN, INFINITY };
	struct mock_feature *f;
	s32 mc = 7;

	mock_reset();
	f = add("x-isa-0000", "temp1", "temp1", 0);
	EXPECT(!nst_sensors_init(), " ");
	for (unsigned int i = 0; i < KTAP_COUNT(none); i++) {
		f->value = none[i];
		EXPECT(nst_sensors_read("x-isa-0000/temp1", &mc) == -ENODATA,
		       "%f", none[i]);
	}
	EXPECT(mc == 7, "written to");
	f->value = -40.25;
	EXPECT(!nst_sensors_read("x-isa-0000/temp1", &mc) && mc == -40250,
	       "%d", mc);
}

/* One bad line in /etc/sensors.d must not take every thermometer away. */
static void bad_configuration(void)
{
	s32 mc;

	mock_reset();
	add("x-isa-0000", "temp1", "temp1", 20);
	mock->init_err = SENSORS_ERR_BUS_NAME;
	EXPECT(!nst_sensors_init(), " ");
	EXPECT(!nst_sensors_read("x-isa-0000/temp1", &mc) && mc == 20000,
	       " ");
}

/* ------------------------------------------------------------ real boards */

/* Fills the table with a board out of the output of `sensors`. */
static bool take_board(FILE *in, char *ret_name, size_t size)
{
	char line[256], chip[64] = "", *colon, *end;
	unsigned int temps = 0;
	long start;
	double val;

	mock_reset();
	ret_name[0] = '\0';
	while (start = ftell(in), fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		if (!strncmp(line, "### ", 4)) {
			if (ret_name[0]) {
				fseek(in, start, SEEK_SET);
				break;
			}
			snprintf(ret_name, size, "%.100s", line + 4);
		} else if (!ret_name[0] || line[0] == '#' || line[0] == '/') {
			continue;
		} else if (!line[0]) {
			chip[0] = '\0';
			temps = 0;
		} else if (!colon) {
			snprintf(chip, sizeof(chip), "%.63s", line);
		} else if (chip[0]) {
			char name[16];
			bool na = !strncmp(colon + 1 + strspn(colon + 1, " "),
					   "N/A", 3);

			*colon = '\0';
			val = strtod(colon + 1, &end);
			while (*end == ' ')
				end++;
			if (!na && *end != 'C' &&
			    strncmp(end, "\302\260C", 3))
				continue;
			snprintf(name, sizeof(name), "temp%u", ++temps);
			add(chip, name, line, na ? 0 : val)->err =
				na ? SENSORS_ERR_ACCESS_R : 0;
		}
	}
	return ret_name[0];
}

/* NST_BOARDS=FILE looks at another file of the same form. */
static void boards(void)
{
	const char *path = getenv("NST_BOARDS");
	unsigned int count = 0, read = 0, none = 0, twice = 0;
	char name[128], selector[160];
	FILE *in;
	s32 mc;

	in = fopen(path ? path : "tests/userspace/data/sensors-boards.txt",
		   "re");
	EXPECT(in, "no boards");
	while (in && take_board(in, name, sizeof(name))) {
		count++;
		EXPECT(!nst_sensors_init(), " ");
		for (unsigned int i = 0; i < mock->count; i++) {
			struct mock_chip *c = &mock->chip[i];

			for (unsigned int k = 0; k < c->count; k++) {
				int r;

				snprintf(selector, sizeof(selector), "%s/%s",
					 c->name, c->feature[k].label);
				r = nst_sensors_read(selector, &mc);
				read += !r;
				none += r == -ENODATA;
				twice += r == -ENOTUNIQ;
				EXPECT(!r || r == -ENODATA || r == -ENOTUNIQ,
				       "%s: %s: %d", name, selector, r);
				EXPECT(r || fabs(mc / 1000.0 -
						 c->feature[k].value) < 0.001,
				       "%s: %s: %d", name, selector, mc);
			}
		}
	}
	if (in)
		fclose(in);
	printf("# %u boards: %u thermometers read by name, %u without a "
	       "reading, %u named twice\n", count, read, none, twice);
	EXPECT(count >= 7 && read > 30, " ");
}

/* ---------------------------------------------------------------- ambient */

static struct nst_ambient air;

static void feed(int times, int err, double temp_c)
{
	while (times--)
		nst_ambient_take(&air, err, (s32)(temp_c * 1000));
}

static void ambient_rules(void)
{
	air = (struct nst_ambient){ 0 };
	EXPECT(nst_ambient_mc(&air, 26400) == 26400, " ");
	feed(NST_AMBIENT_RUN - 1, 0, 31);
	EXPECT(nst_ambient_mc(&air, 26400) == 26400, "believed at once");
	feed(1, 0, 31);
	EXPECT(nst_ambient_mc(&air, 26400) == 31000, " ");

	/* It follows what air can do, and one spike not at all. */
	for (int i = 0; i < 10; i++)
		feed(1, 0, 31 + i * 0.5);
	EXPECT(nst_ambient_mc(&air, 26400) == 35500, "%d", air.value_mc);
	feed(1, 0, -20);
	EXPECT(nst_ambient_mc(&air, 26400) == 35500 &&
	       air.state == NST_AMBIENT_STEP, " ");
	feed(1, 0, 35.5);
	EXPECT(air.state == NST_AMBIENT_GOOD, " ");
	feed(1, 0, 85.5);
	feed(1, -EIO, 0);
	feed(1, 0, 35.6);
	EXPECT(nst_ambient_mc(&air, 26400) == 35600, " ");

	/* Carried outside: a step that stays is believed. */
	feed(NST_AMBIENT_RUN - 1, 0, 5);
	EXPECT(nst_ambient_mc(&air, 26400) == 35600, " ");
	feed(1, 0, 5.5);
	EXPECT(nst_ambient_mc(&air, 26400) == 5500, " ");

	/* It dies while it is cold out there: the warmer one is taken. */
	feed(NST_AMBIENT_DEAD - 1, -EIO, 0);
	EXPECT(nst_ambient_mc(&air, 26400) == 5500, " ");
	feed(1, -EIO, 0);
	EXPECT(air.state == NST_AMBIENT_LOST &&
	       nst_ambient_mc(&air, 26400) == 26400, " ");
	feed(NST_AMBIENT_RUN - 1, 0, 6);
	EXPECT(nst_ambient_mc(&air, 26400) == 26400, "back at once");
	feed(1, 0, 6);
	EXPECT(nst_ambient_mc(&air, 26400) == 6000, " ");
	feed(1, 0, 60);
	feed(100, 0, 86);
	EXPECT(air.state == NST_AMBIENT_LOST, "out of range is no reading");

	/* Hot, and it dies: what it said last stands. */
	air = (struct nst_ambient){ 0 };
	feed(NST_AMBIENT_RUN, 0, 50);
	feed(NST_AMBIENT_DEAD, -ENODATA, 0);
	EXPECT(nst_ambient_mc(&air, 26400) == 50000, " ");

	/* Nothing but 0 was ever read: that is no freezing day. */
	air = (struct nst_ambient){ 0 };
	feed(100, 0, 0);
	EXPECT(nst_ambient_mc(&air, 26400) == 26400, " ");
	feed(1, 0, 0.25);
	feed(NST_AMBIENT_RUN, 0, 0);
	EXPECT(nst_ambient_mc(&air, 26400) == 0, "a freezing day");
}

/* --------------------------------------------------------------- process */

static struct nst_host host;
static struct nst_host_seen seen[NST_PROFILE_SENSORS_MAX];
static u64 fake_ms = 1000;

/* The next report, or the first one that has this ambient. */
static int report(int want_mc, int want_err)
{
	struct pollfd pfd = { .events = POLLIN };

	for (int i = 0; i < 20; i++) {
		int r;

		pfd.fd = host.fd;
		if (poll(&pfd, 1, 10000) <= 0)
			return -ETIMEDOUT;
		r = nst_host_read(&host, seen, fake_ms);
		if (r && r != -EAGAIN)
			return r;
		if (!r && seen[0].ambient.err == want_err &&
		    (want_err || seen[0].ambient.temp_mc == want_mc))
			return 0;
	}
	return -ENOENT;
}

static void host_process(void)
{
	struct nst_host_want want[NST_PROFILE_SENSORS_MAX] = { 0 };
	unsigned int inits;
	pid_t pid;

	mock_reset();
	add("sht4x-i2c-1-44", "temp1", "temp1", 21);
	add("board-isa-0000", "temp1", "temp1", 33)->err = SENSORS_ERR_IO;
	nst_host_init(&host, "");
	nst_host_configure(&host, want, fake_ms);
	EXPECT(host.fd < 0 && !host.pid, "started for nothing");
	EXPECT(!nst_host_timer(&host, fake_ms + 100000), " ");

	strcpy(want[0].ambient_sensor, "sht4x-i2c-*-44/temp1");
	strcpy(want[0].board_sensor, "board-isa-0000/temp1");
	strcpy(want[1].ambient_sensor, "late-isa-0000/temp1");
	strcpy(want[1].far_device, "driver:no-such-driver");
	nst_host_configure(&host, want, fake_ms);
	EXPECT(!report(21000, 0), " ");
	EXPECT(seen[0].board.err == -EIO, "a failing one blinds the rest");
	EXPECT(seen[0].far.err && !seen[0].far_err, "nothing asked");
	EXPECT(seen[1].ambient.err == -ENODEV &&
	       seen[1].far_err == -ENODEV, "%d %d", seen[1].ambient.err,
	       seen[1].far_err);

	/* It changes; it goes, and others with it; it comes back elsewhere. */
	mock->chip[0].feature[0].value = 22;
	EXPECT(!report(22000, 0), " ");
	mock->count = 0;
	mock->pulled++;
	EXPECT(!report(0, -ENODEV), " ");
	add("late-isa-0000", "temp1", "temp1", 40);
	add("sht4x-i2c-7-44", "temp1", "temp1", 23);
	EXPECT(!report(23000, 0), "not found again");
	EXPECT(seen[1].ambient.temp_mc == 40000, " ");

	/* No library call for what is there and answers. */
	inits = mock->inits;
	EXPECT(!report(23000, 0) && !report(23000, 0), " ");
	EXPECT(mock->inits == inits, "%u", mock->inits - inits);

	/* It dies: said, started again in its time, and reads. */
	pid = host.pid;
	kill(pid, SIGKILL);
	EXPECT(report(23000, 0) == -EPIPE && host.fd < 0, " ");
	(void)waitpid(pid, NULL, 0);
	EXPECT(!nst_host_timer(&host, fake_ms + 10), "too early");
	EXPECT(nst_host_timer(&host, fake_ms + NST_HOST_SILENT_MS) ||
	       host.fd >= 0, " ");
	EXPECT(host.fd >= 0 && host.pid != pid, " ");
	EXPECT(!report(23000, 0), " ");

	/* Nothing to look at any more: it ends. */
	memset(want, 0, sizeof(want));
	pid = host.pid;
	nst_host_configure(&host, want, fake_ms);
	(void)waitpid(pid, NULL, 0);
	EXPECT(host.fd < 0 && kill(pid, 0) && errno == ESRCH, " ");
	nst_host_deinit(&host);
}

/* A thermometer that holds the process up: the daemon's clock goes on. */
static void host_hangs(void)
{
	struct nst_host_want want[NST_PROFILE_SENSORS_MAX] = { 0 };
	unsigned int unknown = 0;
	pid_t pid;

	mock_reset();
	add("sht4x-i2c-1-44", "temp1", "temp1", 21);
	mock->hang_ms = 600000;
	strcpy(want[0].ambient_sensor, "sht4x-i2c-*-44/temp1");
	nst_host_init(&host, "");
	nst_host_configure(&host, want, fake_ms);
	for (u64 ms = 0; ms < 20000; ms += 50) {
		EXPECT(nst_host_read(&host, seen, fake_ms + ms) == -EAGAIN,
		       " ");
		unknown += nst_host_timer(&host, fake_ms + ms);
	}
	EXPECT(unknown == 15, "%u", unknown);
	pid = host.pid;
	nst_host_deinit(&host);
	(void)waitpid(pid, NULL, 0);
}

/* -------------------------------------------------------- to the governor */

static void to_the_governor(void)
{
	static struct nst_profile profile;
	static struct nst_governor gov;
	struct nst_around a = { 0 };
	struct nst_host_seen s = { 0 };

	fixture_profile(&profile, "version: 1\nsensors:\n"
			SENSOR_YAML("s", "    ambient_sensor: sht4x-i2c-*-44/temp1\n"
				    "    far: { device: \"driver:amdgpu\", "
				    "sensor: amdgpu-pci-*/edge, "
				    "temp_max_mc: 85000 }\n")
			"tasks:\n"
			VISION_YAML("v", "s", "seasonal-migration", "20"));
	EXPECT(!nst_gov_init(&gov, &profile, 0), " ");
	nst_around_configure(&a, &gov, &profile.sensors[0]);
	EXPECT(!strcmp(a.want.far_device, "driver:amdgpu") &&
	       a.limits.temp_mc == 85000 && a.limits.busy_permyriad == 8000,
	       " ");
	EXPECT(gov.obs.ambient_mc == 26400 && gov.far == NST_FAR_WELCOME,
	       " ");

	s.ambient.temp_mc = 40000;
	s.far.temp_mc = 60000;
	for (int i = 0; i < NST_AMBIENT_RUN; i++)
		nst_around_take(&a, &gov, &s, "s");
	EXPECT(gov.obs.ambient_mc == 40000 && gov.history.ambient_mc == 40000,
	       "%d", gov.obs.ambient_mc);
	EXPECT(gov.far == NST_FAR_WELCOME, " ");
	s.far.temp_mc = 85000;
	nst_around_take(&a, &gov, &s, "s");
	EXPECT(gov.far == NST_FAR_REFUSED, " ");

	/* A reload with the same names forgets nothing. */
	EXPECT(!nst_gov_configure(&gov, &profile, 0), " ");
	nst_around_configure(&a, &gov, &profile.sensors[0]);
	EXPECT(gov.obs.ambient_mc == 40000 && gov.far == NST_FAR_REFUSED,
	       " ");

	s.far.temp_mc = 60000;
	nst_around_take(&a, &gov, &s, "s");
	EXPECT(gov.far == NST_FAR_WELCOME, " ");
	s.far_err = -ENODEV;
	nst_around_take(&a, &gov, &s, "s");
	EXPECT(gov.far == NST_FAR_REFUSED, " ");
	s.far_err = 0;
	nst_around_take(&a, &gov, &s, "s");
	EXPECT(gov.far == NST_FAR_WELCOME, " ");
	/* Nobody reports: not known to be there, and the air stays warm. */
	for (int i = 0; i < NST_AMBIENT_DEAD; i++)
		nst_around_take(&a, &gov, NULL, "s");
	EXPECT(gov.far == NST_FAR_REFUSED, " ");
	EXPECT(gov.obs.ambient_mc == 40000, " ");

	/* A profile without them: as before there were any. */
	profile.sensors[0].ambient_sensor[0] = '\0';
	profile.sensors[0].far_device[0] = '\0';
	profile.sensors[0].far_sensor[0] = '\0';
	EXPECT(!nst_gov_configure(&gov, &profile, 0), " ");
	nst_around_configure(&a, &gov, &profile.sensors[0]);
	EXPECT(gov.obs.ambient_mc == 26400 && gov.far == NST_FAR_WELCOME,
	       "%d", gov.obs.ambient_mc);
}

static const struct ktap_test tests[] = {
	{ "selectors", selectors },
	{ "reading", reading },
	{ "placeholders", placeholders },
	{ "bad_configuration", bad_configuration },
	{ "boards", boards },
	{ "ambient_rules", ambient_rules },
	{ "host_process", host_process },
	{ "host_hangs", host_hangs },
	{ "to_the_governor", to_the_governor },
};

int main(void)
{
	mock = mmap(NULL, sizeof(*mock), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mock == MAP_FAILED)
		abort();
	return ktap_main(tests, KTAP_COUNT(tests));
}
